"""TTL, in minutes, on a clock that the check moves."""

from __future__ import annotations

from typing import Any, cast

from langgraph.store.base import GetOp, PutOp, SearchOp, TTLConfig

from .contract import HOME, PATIENCE, Caller, Room, promise, same, true, until
from .embeddings import AngleEmbeddings

VALUE = {"n": 1}


async def _is_there(store: Caller, key: str = "k") -> bool:
    """Whether an item is there, without starting its timer anew."""
    return await store.get(HOME, key, refresh_ttl=False) is not None


@promise("TT01")
async def an_item_expires(room: Room) -> None:
    """An item with a ttl is there before it expires, and swept after."""
    store = room.open()
    await store.put(HOME, "k", VALUE, ttl=2)
    await store.put(HOME, "stays", VALUE)
    room.clock.advance(minutes=1.9)
    true(await _is_there(store), "it is there before its time")
    room.clock.advance(minutes=0.2)
    true(not await _is_there(store), "it is gone after its time")
    same(1, await store.sweep_ttl())
    same(["stays"], await store.keys(HOME))


@promise("TT03")
async def default_ttl(room: Room) -> None:
    """default_ttl applies to a put without ttl; ttl=None overrides it."""
    store = room.open(ttl={"default_ttl": 1})
    await store.put(HOME, "default", VALUE)
    await store.put(HOME, "never", VALUE, ttl=None)
    await store.put(HOME, "longer", VALUE, ttl=5)
    room.clock.advance(minutes=2)
    same({"never", "longer"}, set(await store.keys(HOME, refresh_ttl=False)))
    room.clock.advance(minutes=4)
    same({"never"}, set(await store.keys(HOME)))


@promise("TT04")
async def get_refreshes(room: Room) -> None:
    """Get refreshes the timer when refresh_on_read is on."""
    store = room.open(ttl={"refresh_on_read": True})
    await store.put(HOME, "k", VALUE, ttl=2)
    for _ in range(4):
        room.clock.advance(minutes=1.5)
        same(VALUE, await store.value("k"))


@promise("TT05")
async def search_refreshes(room: Room) -> None:
    """Search refreshes the timer when refresh_on_read is on."""
    embed = AngleEmbeddings()
    index = {"dims": 2, "embed": embed, "fields": ["text"]}
    store = room.open(ttl={"refresh_on_read": True}, index=index)
    await store.put(HOME, "k", {"text": "0"}, ttl=2)
    await store.put(HOME, "not found", {"text": "90"}, ttl=2)
    for _ in range(2):
        room.clock.advance(minutes=1.5)
        same(["k"], await store.keys(HOME, filter={"text": "0"}))
        room.clock.advance(minutes=1.5)
        same(["k"], await store.keys(HOME, query="0", limit=1))
    same(["k"], await store.keys(HOME))


@promise("TT06")
async def refresh_can_be_declined(room: Room) -> None:
    """refresh_ttl=False on get and search leaves the timer alone."""
    store = room.open(ttl={"refresh_on_read": True})
    await store.put(HOME, "k", VALUE, ttl=2)
    room.clock.advance(minutes=1.5)
    await store.get(HOME, "k", refresh_ttl=False)
    await store.search(HOME, refresh_ttl=False)
    room.clock.advance(minutes=1)
    true(not await _is_there(store), "its time is over")


@promise("TT07")
async def refresh_can_be_off(room: Room) -> None:
    """With refresh_on_read=False in the TTL config, reads do not refresh unless they ask."""
    store = room.open(ttl={"refresh_on_read": False})
    await store.put(HOME, "k", VALUE, ttl=2)
    room.clock.advance(minutes=1.5)
    await store.get(HOME, "k")
    await store.search(HOME)
    room.clock.advance(minutes=1)
    true(not await _is_there(store), "its time is over")


@promise("TT08")
async def refresh_can_be_asked_for(room: Room) -> None:
    """refresh_ttl=True on a read overrides refresh_on_read=False."""
    store = room.open(ttl={"refresh_on_read": False})
    await store.put(HOME, "got", VALUE, ttl=2)
    await store.put(HOME, "searched", {"n": 2}, ttl=2)
    room.clock.advance(minutes=1.5)
    await store.get(HOME, "got", refresh_ttl=True)
    await store.search(HOME, filter={"n": 2}, refresh_ttl=True)
    room.clock.advance(minutes=1)
    same([True, True], [await _is_there(store, "got"), await _is_there(store, "searched")])


@promise("TT09")
async def refresh_is_on_unless_told(room: Room) -> None:
    """refresh_on_read counts as True when the TTL config does not say."""
    for config in ({"default_ttl": 2}, {"default_ttl": 2, "refresh_on_read": None}):
        store = room.open(ttl=cast("TTLConfig", config))
        await store.put(HOME, "k", VALUE)
        for _ in range(3):
            room.clock.advance(minutes=1.5)
            same(VALUE, await store.value("k"))


@promise("TT10")
async def a_put_starts_the_timer_anew(room: Room) -> None:
    """A put starts the timer anew."""
    store = room.open()
    await store.put(HOME, "k", VALUE, ttl=2)
    for value in ({"n": 2}, {"n": 2}, {"n": 3}):
        room.clock.advance(minutes=1.5)
        await store.put(HOME, "k", value, ttl=2)
    room.clock.advance(minutes=1.5)
    true(await _is_there(store), "the last put counts")


@promise("TT11")
async def a_put_without_ttl_takes_the_timer_away(room: Room) -> None:
    """A put without ttl (and no default) takes the timer away."""
    store = room.open()
    await store.put(HOME, "k", VALUE, ttl=1)
    await store.put(HOME, "k", VALUE)
    room.clock.advance(days=400)
    true(await _is_there(store), "it stays")


@promise("TT12")
async def expired_items_are_hidden(room: Room) -> None:
    """omit_expired hides expired items from get, search and list before any sweep."""
    index = {"dims": 2, "embed": AngleEmbeddings()}
    store = room.open(ttl={"omit_expired": True}, index=index)
    await store.put(HOME, "k", {"text": "0"}, ttl=1)
    room.clock.advance(minutes=1.1)
    same([], await store.list_namespaces())
    same([], await store.search(HOME))
    same([], await store.search(HOME, query="0"))
    same(None, await store.get(HOME, "k"))
    same(1, await store.sweep_ttl())


@promise("TT13")
async def reading_does_not_revive(room: Room) -> None:
    """Reading with omit_expired does not bring an expired item back."""
    store = room.open(ttl={"omit_expired": True, "refresh_on_read": True})
    await store.put(HOME, "k", VALUE, ttl=1)
    room.clock.advance(minutes=1.1)
    for _ in range(2):
        same(None, await store.get(HOME, "k", refresh_ttl=True))
        same([], await store.search(HOME, refresh_ttl=True))
    same(1, await store.sweep_ttl())


@promise("TT14")
async def each_get_has_its_own_refresh(room: Room) -> None:
    """Each GetOp of a batch has its own refresh_ttl."""
    store = room.open()
    for key in ("yes", "no", "found", "not found"):
        await store.put(HOME, key, {"k": key}, ttl=2)
    room.clock.advance(minutes=1.5)
    await store.batch(
        [
            GetOp(HOME, "no", refresh_ttl=False),
            GetOp(HOME, "yes", refresh_ttl=True),
            SearchOp(HOME, {"k": "found"}, refresh_ttl=True),
            SearchOp(HOME, {"k": "not found"}, refresh_ttl=False),
        ]
    )
    room.clock.advance(minutes=1)
    same({"yes", "found"}, set(await store.keys(HOME, refresh_ttl=False)))


@promise("TT15")
async def ttl_without_a_config(room: Room) -> None:
    """An item's ttl works on a store without a TTL config, reads refreshing it."""
    store = room.open()
    await store.put(HOME, "k", VALUE, ttl=2)
    room.clock.advance(minutes=1.5)
    same(VALUE, await store.value("k"))
    room.clock.advance(minutes=1.5)
    true(await _is_there(store), "the read started the timer anew")
    room.clock.advance(minutes=1)
    true(not await _is_there(store), "its time is over")


@promise("TT16")
async def a_sweep_says_how_many(room: Room) -> None:
    """A sweep says how many went, and takes their vectors along."""
    index = {"dims": 2, "embed": AngleEmbeddings()}
    store = room.open(index=index)
    for number in range(5):
        await store.put(HOME, f"k{number}", {"text": str(number)}, ttl=1 + number)
    same(0, await store.sweep_ttl())
    room.clock.advance(minutes=3.5)
    same(3, await store.sweep_ttl())
    same(0, await store.sweep_ttl())
    await store.put(HOME, "k0", {"text": "0"}, index=False)
    same(["k3", "k4"], await store.keys(HOME, query="0"))


@promise("TT17")
async def a_refresh_touches_nothing_else(room: Room) -> None:
    """A refresh does not touch updated_at or created_at."""
    store = room.open()
    await store.put(HOME, "k", VALUE, ttl=5)
    first = await store.get(HOME, "k")
    room.clock.advance(minutes=1)
    await store.get(HOME, "k", refresh_ttl=True)
    await store.search(HOME, refresh_ttl=True)
    same(first, await store.get(HOME, "k"))


@promise("TT18")
async def a_sweeper_sweeps_by_itself(room: Room) -> None:
    """start_ttl_sweeper sweeps by itself, and stop_ttl_sweeper stops."""
    store = room.open(ttl={"sweep_interval_minutes": 10})
    true(await store.stop_ttl_sweeper(), "none is running")
    await store.put(HOME, "k", VALUE, ttl=1)
    room.clock.advance(minutes=2)
    ended = await store.start_ttl_sweeper(0.0002)
    # A third look at the clock means that a second sweep began, so the first one is done.
    true(await room.wait(lambda: room.clock.wait_for_looks(3)), "the sweeper sweeps")
    true(await store.stop_ttl_sweeper(timeout=PATIENCE), "it has stopped")
    true(await room.wait(lambda: until(ended.done)) or ended.done(), "the sweeper has ended")
    same(0, await store.sweep_ttl())
    again = await store.start_ttl_sweeper(0.0002)
    again.cancel()
    true(await store.stop_ttl_sweeper(timeout=PATIENCE), "it has stopped")


@promise("TT19")
async def half_a_second_is_a_ttl(room: Room) -> None:
    """Half a second is a ttl: not lost early by more than a second."""
    store = room.open()
    await store.put(HOME, "k", VALUE, ttl=0.5 / 60)
    room.clock.advance(seconds=0.4)
    true(await _is_there(store), "it is there before its time")
    room.clock.advance(seconds=0.2)
    true(not await _is_there(store), "it is gone after its time")


@promise("TT20")
async def the_store_says_so(room: Room) -> None:
    """A store with TTL says so: supports_ttl is True."""
    true(room.open(ttl={"default_ttl": 1}).store.supports_ttl, "it says so")
    true(room.open().store.supports_ttl, "it says so")


@promise("TT21")
async def ttl_in_an_op(room: Room) -> None:
    """PutOp(ttl=...) given straight to batch expires too."""
    store = room.open()
    await store.batch([PutOp(HOME, "k", VALUE, ttl=1)])
    true(await _is_there(store), "it is there before its time")
    room.clock.advance(minutes=1.1)
    true(not await _is_there(store), "it is gone after its time")
    wrong: list[Any] = [0, -1, float("nan"), float("inf"), "1", True]
    for ttl in wrong:
        try:
            await store.batch([PutOp(HOME, "bad", VALUE, ttl=ttl)])
        except ValueError:
            continue
        raise AssertionError(f"a ttl of {ttl!r} was not refused")
