"""The memory store: bounded, whatever is put into it."""

from __future__ import annotations

import asyncio

from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st

from kensaku.store import MemoryStore

BOUND = 100  # bytes
PUTS = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 60), st.sampled_from([5, 600])))


@examples(deadline=None, max_examples=100)
@given(PUTS)
def test_memory_holds_no_more_bytes_than_its_bound(puts):
    """What has expired goes first, then the oldest; the latest value is always there."""

    async def put_all() -> None:
        now = 0.0
        store = MemoryStore(BOUND, clock=lambda: now)
        for key, size, ttl in puts:
            now += 1
            await store.put(f"k{key}", b"x" * size, ttl)
            count, held = await store.size("k")
            assert held <= BOUND
            assert count <= 10
            assert await store.get([f"k{key}"]) == [b"x" * size]
        await store.close()
        assert await store.size("") == (0, 0)

    asyncio.run(put_all())


async def test_memory_does_not_grow_without_end():
    """Counters and small values have no bytes to speak of; there may be millions of them."""
    store = MemoryStore()
    for n in range(30_000):
        await store.put(f"k{n}", b"", 600)

    assert (await store.size("k"))[0] <= 20_000
    assert await store.get(["k29999", "k0"]) == [b"", None]
