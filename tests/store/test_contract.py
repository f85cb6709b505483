"""One contract for every store: memory, SQLite, Valkey, and each behind the fallback."""

from __future__ import annotations

import asyncio

import pytest

from kensaku.store import FallbackStore, MemoryStore, SqliteStore, ValkeyStore


@pytest.fixture(params=["memory", "sqlite", "valkey", "fallback"])
async def store(request, tmp_path):
    """Each store, empty."""
    if request.param == "valkey":
        made = ValkeyStore(request.getfixturevalue("valkey"))
        await made.forget("")
    elif request.param == "memory":
        made = MemoryStore()
    else:
        made = SqliteStore(tmp_path / "s" / "state.sqlite")
    made = FallbackStore(made) if request.param == "fallback" else made
    yield made
    await made.close()


async def test_what_is_put_can_be_got(store):
    """Values by key, None where there is none, in the order of the question."""
    await store.put("a", b"1", 600)
    await store.put("b", b"\x00\xff", 600)

    assert await store.get(["b", "none", "a"]) == [b"\x00\xff", None, b"1"]


async def test_a_value_that_has_expired_is_not_there(store):
    """Cooldowns end by themselves."""
    await store.put("short", b"1", 0.02)
    await store.put("never", b"1", 0)
    await asyncio.sleep(0.03)

    assert await store.get(["short", "never"]) == [None, None]


async def test_only_one_can_claim_until_it_expires(store):
    """One probe, not one per process."""
    claims = await asyncio.gather(*(store.claim("probe", 600) for _ in range(10)))
    assert claims.count(True) == 1

    assert await store.claim("short", 0.02)
    await asyncio.sleep(0.03)
    assert await store.claim("short", 600)


async def test_a_counter_adds_up_and_takes_back(store):
    """Budgets are counted here; a refused amount is given back."""
    await asyncio.gather(*(store.add("n", 0.5, 600) for _ in range(20)))

    assert await store.add("n", -1, 600) == pytest.approx(9)
    assert await store.add("other", 1, 600) == 1


async def test_turns_come_one_after_the_other(store):
    """A burst at once, then one every interval; who will not wait so long takes no turn."""
    hour = 3600.0  # so long that the time which this test takes does not matter
    waits = [await store.turn("t", hour, 3, 2.5 * hour) for _ in range(6)]

    assert waits[:3] == [0, 0, 0]
    assert waits[3:5] == pytest.approx([hour, 2 * hour], abs=hour / 4)
    assert waits[5] == pytest.approx(-3 * hour, abs=hour / 4)
    assert await store.turn("t", hour, 3, 3.5 * hour) == pytest.approx(3 * hour, abs=hour / 4)


async def test_what_starts_with_a_prefix_is_forgotten_and_counted(store):
    """`kensaku cache clear` takes the cache alone."""
    await store.put("hits:1", b"12345", 600)
    await store.put("hits:2", b"123", 600)
    await store.put("cool:1", b"1", 600)

    assert await store.size("hits:") == (2, 8)
    assert await store.forget("hits:") == 2
    assert await store.get(["hits:1", "cool:1"]) == [None, b"1"]
