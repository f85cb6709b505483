"""A store in trouble: a lock, a server that hangs, a clock that jumps, a file that grows."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
import threading
import time

import pytest

from kensaku import Outcome
from kensaku.store import FallbackStore, MemoryStore, SqliteStore, ValkeyStore
from tests.search.support import until


@pytest.fixture
def locked(tmp_path):
    """A SQLite file that another process has locked."""
    path = tmp_path / "kensaku-home" / "state.sqlite"
    path.parent.mkdir(parents=True, exist_ok=True)
    with sqlite3.connect(path, isolation_level=None) as holder:
        holder.execute("BEGIN EXCLUSIVE")
        yield path
    holder.close()


@pytest.fixture
async def hanging(monkeypatch):
    """A server that takes connections and never answers: its URL, and how many came."""
    monkeypatch.setattr(FallbackStore, "PATIENCE", 0.1)
    count = 0

    async def hang(reader, writer):
        nonlocal count
        count += 1
        await reader.read(-1)
        writer.close()

    server = await asyncio.start_server(hang, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    async with server:
        yield f"valkey://127.0.0.1:{port}", lambda: count


async def test_where_nothing_can_be_written_memory_stands_in_and_one_warning_is_given(
    tmp_path, caplog
):
    """A read-only home: limits are then kept by this process alone."""
    (tmp_path / "file").write_text("in the way")
    store = FallbackStore(SqliteStore(tmp_path / "file" / "state.sqlite"))
    store.RETRY_AFTER = 0.0  # try the file again every time

    for n in range(5):
        await store.put(f"k{n}", b"1", 600)

    assert await store.get(["k4"]) == [b"1"]
    warnings = [r for r in caplog.records if r.levelno == logging.WARNING]
    assert len(warnings) == 1
    await store.close()


async def test_a_lock_fails_for_all_who_wait_at_once(locked):
    """Ten that wait for one lock wait together, not one after the other."""
    store = SqliteStore(locked)
    tries, all_wait = [], threading.Event()
    store._open = lambda: tries.append(1) or fail()  # type: ignore[method-assign]

    def fail():
        all_wait.wait(60)
        raise sqlite3.OperationalError("database is locked")

    asking = [asyncio.ensure_future(store.get([f"k{n}"])) for n in range(10)]
    await asyncio.sleep(0)  # each has asked
    all_wait.set()
    answers = await asyncio.gather(*asking, return_exceptions=True)

    assert all(isinstance(a, sqlite3.OperationalError) for a in answers)
    assert len(tries) == 1
    await store.close()


async def test_a_locked_file_takes_no_search_along(locked, make_client):
    """Ten at once are found, by the provider that is healthy, and a note says what is wrong."""
    client = make_client("tavily", state_url=f"sqlite://{locked}")

    found = await asyncio.gather(*(client.search(f"otters {n}") for n in range(10)))

    assert [r.outcome for r in found] == [Outcome.FOUND] * 10
    assert all(a.error is None for r in found for a in r.attempts)
    assert all(r.notes[-1].startswith("SqliteStore does not work") for r in found)


async def test_a_hanging_server_takes_no_search_along(hanging, make_client, caplog):
    """Limits and cache both on it: each of the two is waited for once."""
    url, connections = hanging
    client = make_client("tavily", state_url=url, cache_url=url)

    first = await client.search("otters")
    second = await client.search("beavers")

    assert [first.outcome, second.outcome] == [Outcome.FOUND] * 2
    assert any(note.startswith("ValkeyStore does not work") for note in second.notes)
    assert connections() <= 2
    assert len([r for r in caplog.records if r.levelno == logging.WARNING]) == 2


async def test_the_note_is_not_kept_with_the_response(hanging, make_client, machine):
    """What is wrong now says nothing about the response when it is served again."""
    url, _ = hanging
    client = make_client("tavily", state_url=url, cache_url="")
    assert (await client.search("otters")).notes
    await client.close()

    again = await make_client("tavily", cache_url="").search("otters")

    assert again.cached
    assert again.notes == ()


async def test_one_tries_the_store_again_and_the_others_do_not_wait(hanging):
    """After half a minute it may be back; ten searches do not find that out together."""
    url, connections = hanging
    store = FallbackStore(ValkeyStore(url))
    await store.get(["a"])
    await until(connections)
    before = connections()
    store._retry_at = time.monotonic()

    await asyncio.gather(*(store.get(["a"]) for _ in range(10)))

    await until(lambda: connections() > before)
    assert connections() == before + 1
    await store.close()


async def test_a_process_that_gets_no_processor_has_not_waited(tmp_path):
    """The loop stands still for longer than the patience: the answer that is there counts."""
    store = FallbackStore(SqliteStore(tmp_path / "state.sqlite"))
    await store.put("a", b"1", 600)
    store.PATIENCE = 0.1

    reading = asyncio.ensure_future(store.get(["a"]))
    await asyncio.sleep(0)
    store._store._thread.submit(bool).result(60)  # the answer is there …
    time.sleep(0.3)  # noqa: ASYNC251 - … and the loop stands still

    assert await reading == [b"1"]
    assert store.trouble == ""
    await store.close()


async def test_a_reply_that_comes_late_is_not_taken_for_another(valkey):
    """Giving up in the middle of a reply must not leave it for the next question."""

    async def slow(reader, writer):
        """A proxy that holds every reply back until it is told to let go."""
        up_reader, up_writer = await asyncio.open_connection("127.0.0.1", int(valkey.split(":")[2]))

        async def back():
            while data := await up_reader.read(65536):
                if held.is_set():
                    await late.wait()
                writer.write(data)

        task = asyncio.ensure_future(back())
        while data := await reader.read(65536):
            up_writer.write(data)
        task.cancel()
        up_writer.close()
        writer.close()

    held, late = asyncio.Event(), asyncio.Event()
    async with await asyncio.start_server(slow, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        store = FallbackStore(ValkeyStore(f"valkey://127.0.0.1:{port}"))
        await store.put("one", b"1", 600)
        await store.put("two", b"2", 600)
        store.PATIENCE = 0.05
        held.set()
        assert await store.get(["one"]) == [None]  # memory has nothing
        held.clear()
        late.set()
        store.PATIENCE, store._retry_at = 60.0, 0.0

        assert await store.get(["two"]) == [b"2"]
        await store.close()


# --- clocks


@pytest.fixture
def wall(monkeypatch):
    """The clock on the wall, which a test may set."""
    real, shift = time.time, [0.0]
    monkeypatch.setattr(time, "time", lambda: real() + shift[0])

    def set_to(seconds):
        shift[0] = seconds

    return set_to


DAY = 86_400.0


@pytest.mark.parametrize("back", [-30 * DAY, -3_600.0])
@pytest.mark.parametrize("kind", ["memory", "sqlite"])
async def test_a_clock_that_is_set_back_refuses_nobody(kind, back, wall, tmp_path):
    """Turns, claims and counters of the future do not count."""
    store = MemoryStore() if kind == "memory" else SqliteStore(tmp_path / "state.sqlite")
    assert await store.turn("t", 60.0, 1, 0.0) == 0
    assert await store.claim("c", 60.0)
    await store.add("n", 5, 60.0)

    wall(back)

    if kind == "sqlite":  # memory goes by another clock, and nothing has happened there
        assert await store.turn("t", 60.0, 1, 0.0) == 0
        assert await store.claim("c", 60.0)
        assert await store.add("n", 5, 60.0) == 5
    assert await store.turn("t", 60.0, 1, 0.0) == pytest.approx(-60.0, abs=5)
    assert not await store.claim("c", 60.0)
    await store.close()


async def test_a_provider_is_not_refused_for_30_days(wall, make_client, upstream):
    """Nor across a restart: what was rate-limited in the future is asked now."""
    from kensaku.testing import faults

    upstream.fails("tavily", faults.status(429, headers={"Retry-After": "3600"}), times=1)
    first = make_client("tavily", state_url="")
    assert (await first.search("otters")).outcome is Outcome.UNAVAILABLE
    await first.close()

    wall(-30 * DAY)

    found = await make_client("tavily", state_url="").search("otters")
    assert found.outcome is Outcome.FOUND


async def test_a_cooldown_lasts_as_long_as_it_was_meant_to(wall, make_client, upstream):
    """In one process: the clock goes forward a day, or back, and the wait is still an hour."""
    from kensaku.testing import faults

    upstream.fails("tavily", faults.status(429, headers={"Retry-After": "3600"}), times=1)
    client = make_client("tavily")
    await client.search("otters")

    for shift in (-30 * DAY, DAY):
        wall(shift)
        refused = (await client.search("otters")).attempts[0].error
        assert refused.retry_after == pytest.approx(3600, abs=60)


@pytest.mark.parametrize("cache_url", ["memory:", ""])
async def test_a_response_of_the_future_is_not_fresh(cache_url, wall, make_client, upstream):
    """It would be served for a month."""
    client = make_client("tavily", cache_url=cache_url)
    await client.search("otters")
    assert (await client.search("otters")).cached

    wall(-30 * DAY)

    assert not (await client.search("otters")).cached
    assert len(upstream.requests) == 2


# --- bounds


@pytest.mark.parametrize("kind", ["memory", "sqlite"])
async def test_the_oldest_go_first_when_the_bound_is_reached(kind, tmp_path):
    """A busy day fills no disk."""
    bound = 2**20
    path = tmp_path / "cache.sqlite"
    store = MemoryStore(bound) if kind == "memory" else SqliteStore(path, bound)

    for n in range(600):
        await store.put(f"hits:{n:04}", b"x" * 5_000, 600)
    count, size = await store.size("hits:")

    assert bound * 0.5 < size <= bound
    assert await store.get(["hits:0599", "hits:0000"]) == [b"x" * 5_000, None]
    if kind == "sqlite":
        assert path.stat().st_size <= bound * 1.2
    assert count == len(
        [v for v in await store.get([f"hits:{n:04}" for n in range(600 - count, 600)]) if v]
    )
    await store.close()


async def test_what_is_larger_than_the_bound_is_not_kept(tmp_path):
    """One page must not end in a loop."""
    store = SqliteStore(tmp_path / "cache.sqlite", 2**20)
    await store.put("small", b"x", 600)

    await store.put("large", b"x" * 2**21, 600)

    assert (await store.get(["large"]))[0] is None
    await store.put("small", b"x", 600)
    assert await store.get(["small"]) == [b"x"]
    await store.close()


async def test_a_bound_below_the_empty_file_is_given_up(tmp_path):
    """When nothing is left to delete, nothing is left to do."""
    store = SqliteStore(tmp_path / "cache.sqlite", 1)

    await store.put("a", b"x", 600)

    assert await store.get(["a"]) == [None]
    await store.close()


async def test_the_setting_reaches_the_file(make_client, upstream, machine):
    """`cache.max_bytes`, as `kensaku cache stats` shows it."""
    client = make_client("tavily", cache_url="", cache_max_bytes=2**20)

    for n in range(400):
        await client.resources.cache._store.put(f"hits:{n}", b"x" * 10_000, 600)

    assert (machine / "cache.sqlite").stat().st_size <= 2**20 * 1.2


async def test_hits_and_misses_are_counted_for_all_processes(make_client):
    """The hit rate of `kensaku cache stats`."""
    client = make_client("tavily", cache_url="")
    for text in ("otters", "otters", "otters", "beavers"):
        await client.search(text)
    await client.close()

    later = make_client("tavily", cache_url="")

    assert await later.resources.cache.counts() == {"hits": 2, "misses": 2}
