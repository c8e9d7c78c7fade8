"""The shop's orders, and the tool that looks them up for the customer of the run alone."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Any

from langchain_core.tools import tool
from langgraph.prebuilt import ToolRuntime

from langgraph_agentmem import Scope


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """What a customer has bought, and where it is."""

    customer: str
    item: str
    status: str
    delivery: date


ORDERS = {
    "A-1042": Order(
        customer="priya", item="a standing lamp", status="on its way", delivery=date(2026, 3, 5)
    ),
    "A-1077": Order(
        customer="marco", item="a desk", status="being packed", delivery=date(2026, 3, 12)
    ),
}


@tool
def find_order(order_id: str, runtime: ToolRuntime[Any, Any]) -> str:
    """Look up an order of the customer who is asking.

    Args:
        order_id: Such as A-1042.
        runtime: The run.
    """
    customer = Scope().user(runtime.config, runtime.context)
    order = ORDERS.get(order_id.strip().upper())
    # Another customer's order and one that was never made sound alike.
    if order is None or order.customer != customer:
        return f"There is no order {order_id} of this customer."
    return f"Order {order_id}: {order.item}, {order.status}; delivery on {order.delivery:%d %B %Y}."
