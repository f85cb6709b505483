"""The memory store."""

from __future__ import annotations

from kensaku.store import MemoryStore


async def test_memory_does_not_grow_without_end(monkeypatch):
    """The oldest go first when nothing has expired."""
    monkeypatch.setattr(MemoryStore, "MAX_KEYS", 100)
    store = MemoryStore()

    for n in range(1000):
        await store.put(f"k{n}", b"x", 600)

    count, _ = await store.size("k")
    assert count <= 100
    assert await store.get(["k999", "k0"]) == [b"x", None]
