"""What a LangGraph store promises, as checks that anybody can run on a store of their own.

A check is written once and runs in two lanes: `sync` calls `store.put(…)` where `async` awaits
`store.aput(…)`. Give a function that opens a store, and get the checks out:

```python
@pytest.mark.parametrize(("check", "lane"), every_check())
def test_the_store_keeps(check, lane, tmp_path):
    check.run(lane, open_store, tmp_path)
```

`open_store(place, *, index, ttl, clock)` opens the store that is kept at the folder `place`; the
same folder, opened again, is the same store. Nothing here needs pytest.
"""

from __future__ import annotations

from . import (  # noqa: F401 - each module adds its checks to the table
    batches,
    calls,
    expiry,
    filters,
    graphs,
    items,
    life,
    namespaces,
    searches,
    vectors,
    vectors_at_the_edge,
)
from .contract import CHECKS, Check, HandClock, Lane, OpenStore, Room, every_check
from .embeddings import AngleEmbeddings, WordEmbeddings

__all__ = [
    "CHECKS",
    "AngleEmbeddings",
    "Check",
    "HandClock",
    "Lane",
    "OpenStore",
    "Room",
    "WordEmbeddings",
    "every_check",
]
