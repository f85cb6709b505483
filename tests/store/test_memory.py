"""The memory store."""

from __future__ import annotations

from types import SimpleNamespace

from kensaku.store import MemoryStore, memory


async def test_memory_does_not_grow_without_end(monkeypatch):
    """The oldest go first when nothing has expired."""
    monkeypatch.setattr(MemoryStore, "MAX_KEYS", 100)
    store = MemoryStore()

    for n in range(1000):
        await store.put(f"k{n}", b"x", 600)

    count, _ = await store.size("k")
    assert count <= 100
    assert await store.get(["k999", "k0"]) == [b"x", None]


async def test_a_machine_that_has_just_started_does_not_wait(monkeypatch):
    """The monotonic clock begins with the machine: its first hour is no queue of an hourly rate."""
    monkeypatch.setattr(memory, "time", SimpleNamespace(monotonic=lambda: 1.5))
    store = MemoryStore()

    assert [await store.turn("t", 3600, 2, 9_000) for _ in range(3)] == [0, 0, 3600]
