"""One contract for every store: memory, SQLite, Valkey; and what happens when one breaks."""

from __future__ import annotations

import asyncio
import logging
import stat

import pytest

from kensaku.errors import ConfigError
from kensaku.store import FallbackStore, MemoryStore, SqliteStore, ValkeyStore, open_store
from kensaku.store.base import next_turn


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
    await store.put("a", b"1", 60)
    await store.put("b", b"\x00\xff", 60)

    assert await store.get(["b", "none", "a"]) == [b"\x00\xff", None, b"1"]


async def test_a_value_that_has_expired_is_not_there(store):
    """Cooldowns end by themselves."""
    await store.put("short", b"1", 0.02)
    await store.put("never", b"1", 0)
    await asyncio.sleep(0.03)

    assert await store.get(["short", "never"]) == [None, None]


async def test_only_one_can_claim_until_it_expires(store):
    """One probe, not one per process."""
    claims = await asyncio.gather(*(store.claim("probe", 0.05) for _ in range(10)))
    assert claims.count(True) == 1

    await asyncio.sleep(0.05)
    await asyncio.sleep(0.02)
    assert await store.claim("probe", 60)


async def test_a_counter_adds_up_and_takes_back(store):
    """Budgets are counted here; a refused amount is given back."""
    await asyncio.gather(*(store.add("n", 0.5, 60) for _ in range(20)))

    assert await store.add("n", -1, 60) == pytest.approx(9)
    assert await store.add("other", 1, 60) == 1


async def test_turns_come_one_after_the_other(store):
    """A burst at once, then one every interval; who will not wait so long takes no turn."""
    waits = [await store.turn("t", 10.0, 3, 25.0) for _ in range(6)]

    assert waits[:3] == [0, 0, 0]
    assert waits[3:5] == pytest.approx([10, 20], abs=0.5)
    assert waits[5] == pytest.approx(-30, abs=0.5)
    assert await store.turn("t", 10.0, 3, 35.0) == pytest.approx(30, abs=0.5)


async def test_what_starts_with_a_prefix_is_forgotten_and_counted(store):
    """`kensaku cache clear` takes the cache alone."""
    await store.put("hits:1", b"12345", 60)
    await store.put("hits:2", b"123", 60)
    await store.put("cool:1", b"1", 60)

    assert await store.size("hits:") == (2, 8)
    assert await store.forget("hits:") == 2
    assert await store.get(["hits:1", "cool:1"]) == [None, b"1"]


@pytest.mark.parametrize(("n", "burst", "period"), [(5, 1, 1.0), (100, 10, 60.0), (20, 2, 1.0)])
def test_no_window_ever_holds_more_than_the_rate(n, burst, period):
    """Greedy callers, from an idle start: every window of one period, in exact arithmetic."""
    interval, now, arrival, sent = period / (n - burst + 1), 1000.0, 0.0, []
    for _ in range(4 * n):
        wait, arrival = next_turn(arrival, now, interval, burst, 1e9)
        now += wait
        sent.append(now)

    for start in sent:
        assert sum(start <= t < start + period * 0.9999 for t in sent) <= n


async def test_memory_does_not_grow_without_end(monkeypatch):
    """The oldest go first when nothing has expired."""
    monkeypatch.setattr(MemoryStore, "MAX_KEYS", 100)
    store = MemoryStore()

    for n in range(1000):
        await store.put(f"k{n}", b"x", 60)

    count, _ = await store.size("k")
    assert count <= 100
    assert await store.get(["k999", "k0"]) == [b"x", None]


# --- SQLite


async def test_a_damaged_file_is_set_aside_and_begun_anew(tmp_path, caplog):
    """What is in it can be lost without harm; the next search must not fail for it."""
    path = tmp_path / "state.sqlite"
    path.write_bytes(b"this is no database, and never was " * 200)
    store = SqliteStore(path)

    await store.put("a", b"1", 60)

    assert await store.get(["a"]) == [b"1"]
    assert path.with_name("state.sqlite.damaged").read_bytes().startswith(b"this is no")
    assert "damaged" in caplog.text
    await store.close()


async def test_a_file_that_is_damaged_while_open_is_set_aside(tmp_path):
    """A bit flip on the disk, a half-written page."""
    path = tmp_path / "state.sqlite"
    store = SqliteStore(path)
    for n in range(500):
        await store.put(f"key {n}", b"x" * 200, 60)
    whole = bytearray(path.read_bytes())
    whole[4096:-4096] = b"\x99" * (len(whole) - 8192)
    path.write_bytes(whole)

    await store.get([f"key {n}" for n in range(100, 400, 7)])
    await store.put("a", b"1", 60)

    assert await store.get(["a"]) == [b"1"]
    await store.close()


async def test_the_file_is_for_its_owner_alone(tmp_path):
    """It says which providers somebody uses, and when."""
    store = SqliteStore(tmp_path / "home" / "state.sqlite")
    await store.put("a", b"1", 60)

    assert stat.S_IMODE((tmp_path / "home").stat().st_mode) == 0o700
    assert stat.S_IMODE((tmp_path / "home" / "state.sqlite").stat().st_mode) == 0o600
    await store.close()


async def test_what_has_expired_is_deleted_in_passing(tmp_path):
    """A server that runs for weeks must not keep weeks of results."""
    store = SqliteStore(tmp_path / "cache.sqlite")
    for n in range(1000):
        await store.put(f"hits:{n}", b"x", 60 if n == 999 else -1)

    assert (await store.size("hits:"))[0] == 1
    await store.close()


async def test_two_loops_one_after_the_other_share_a_store(tmp_path):
    """`asyncio.run` twice with one client."""
    store = SqliteStore(tmp_path / "state.sqlite")

    def in_a_loop_of_its_own(work):
        return asyncio.run(work)

    await asyncio.to_thread(in_a_loop_of_its_own, store.put("a", b"1", 60))
    assert await asyncio.to_thread(in_a_loop_of_its_own, store.get(["a"])) == [b"1"]
    await store.close()


# --- when a store fails


async def test_where_nothing_can_be_written_memory_stands_in_and_one_warning_is_given(
    tmp_path, caplog
):
    """A read-only home: limits are then kept by this process alone."""
    (tmp_path / "file").write_text("in the way")
    store = FallbackStore(SqliteStore(tmp_path / "file" / "state.sqlite"))
    store.RETRY_AFTER = 0.0  # try the file again every time

    for n in range(5):
        await store.put(f"k{n}", b"1", 60)

    assert await store.get(["k4"]) == [b"1"]
    warnings = [r for r in caplog.records if r.levelno == logging.WARNING]
    assert len(warnings) == 1
    await store.close()


async def test_a_server_that_is_gone_is_asked_again_later(caplog):
    """And while it is away, it is not asked for every search."""
    store = FallbackStore(ValkeyStore("valkey://127.0.0.1:9"))

    await store.put("a", b"1", 60)

    assert await store.get(["a"]) == [b"1"]
    assert store._retry_at > 0
    assert [r.levelname for r in caplog.records] == ["WARNING"]
    await store.close()


@pytest.mark.parametrize(
    ("url", "kind"),
    [
        ("", SqliteStore),
        ("memory:", MemoryStore),
        ("sqlite:///tmp/x.sqlite", SqliteStore),
        ("redis://h", ValkeyStore),
        ("valkeys://h", ValkeyStore),
    ],
)
def test_a_url_names_the_store(url, kind, tmp_path):
    """Empty is a file in home."""
    assert type(open_store(url, tmp_path, "state")) is kind


def test_an_unknown_url_is_refused_without_repeating_it(tmp_path):
    """It may hold a password."""
    with pytest.raises(ConfigError) as refused:
        open_store("mongodb://user:hunter2@host", tmp_path, "state")

    assert "hunter2" not in str(refused.value)
