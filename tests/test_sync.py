"""The client without `await` does what the other one does."""

from __future__ import annotations

import asyncio
import gc
import inspect
import os
import signal
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import kensaku
from kensaku import Document, Outcome, Settings
from kensaku.errors import InvalidQuery, UsageError
from kensaku.models import Hit
from kensaku.sync import Kensaku, Portal, SyncProxy
from kensaku.testing import FakeUpstream, faults


@pytest.fixture
def up() -> Iterator[FakeUpstream]:
    with FakeUpstream.in_thread() as upstream:
        yield upstream


def _settings(up: FakeUpstream, home: Path) -> Settings:
    env = up.environment("tavily", "brave") | {"KENSAKU_HOME": str(home)}
    return Settings.load(environ=env, route="tavily,brave", cache_enabled=False)


def test_it_searches_without_await(up: FakeUpstream, tmp_path: Path) -> None:
    """The same values come back: a Response, not a coroutine."""
    up.answers("tavily", [Hit(url="https://a.example/", title="A", content="otters")])
    with Kensaku(_settings(up, tmp_path)) as k:
        response = k.search("otter", max_results=3)

    assert response.outcome is Outcome.FOUND
    assert response.hits[0].title == "A"
    assert isinstance(response, kensaku.Response)


async def test_it_works_where_a_loop_is_running(up: FakeUpstream, tmp_path: Path) -> None:
    """A notebook, or a sync tool inside an async agent."""
    assert asyncio.get_running_loop().is_running()
    with Kensaku(_settings(up, tmp_path)) as k:
        assert k.search("otter").outcome is Outcome.FOUND


def test_several_threads_share_one_client(up: FakeUpstream, tmp_path: Path) -> None:
    """One thread runs the loop, all of them get their own answers, parts are made once."""
    with Kensaku(_settings(up, tmp_path)) as k, ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda n: k.search(f"otter {n}"), range(24)))
        indexes = list(pool.map(lambda _: k.index._target, range(8)))

    assert [r.query.text for r in found] == [f"otter {n}" for n in range(24)]
    assert len({id(index) for index in indexes}) == 1


def test_everything_public_is_there(up: FakeUpstream, tmp_path: Path) -> None:
    """Generated, not written twice: each coroutine of the async client is a plain method here."""
    with Kensaku(_settings(up, tmp_path)) as k:
        for name, method in inspect.getmembers(kensaku.Kensaku, inspect.iscoroutinefunction):
            if not name.startswith("_") and name != "close":
                ours = getattr(k, name)
                assert callable(ours)
                assert ours.__doc__ == method.__doc__
        assert "search" in dir(k)
        assert k.settings.route == ("tavily", "brave")
        with pytest.raises(AttributeError):
            _ = k.no_such_thing


def test_parts_are_waited_for_too(up: FakeUpstream, tmp_path: Path) -> None:
    """`k.index.add(…)`, `k.budget.spend(…)`: whatever has coroutines."""
    with Kensaku(_settings(up, tmp_path)) as k:
        k.index.add([Document(url="https://a.example/", title="Otters", text="otters swim")])
        hits = k.index.search("otters")

        assert [h.url for h in hits] == ["https://a.example/"]
        assert k.budget.spend(searches=1) is None


def test_attributes_can_be_set(up: FakeUpstream, tmp_path: Path) -> None:
    """`k.progress = …` reaches the client that does the work."""
    seen: list[object] = []
    with Kensaku(home=tmp_path, fetch_allow="127.0.0.1", fetch_ports="any") as k:
        k.progress = seen.append
        k.extract(up.serves("/page", "<p>Otters hold hands.</p>"))

    assert seen


def test_errors_are_raised_where_the_call_stands(up: FakeUpstream, tmp_path: Path) -> None:
    """A wrong call is the caller's, and nothing was sent."""
    with Kensaku(_settings(up, tmp_path)) as k, pytest.raises(InvalidQuery):
        k.search("otter", max_results=99)
    assert up.requests == []


def test_a_closed_client_says_so(up: FakeUpstream, tmp_path: Path) -> None:
    """Closing twice is fine; searching afterwards is not."""
    k = Kensaku(_settings(up, tmp_path))
    k.close()
    k.close()

    with pytest.raises(UsageError, match="closed"):
        k.search("otter")


def test_no_thread_is_left_behind(up: FakeUpstream, tmp_path: Path) -> None:
    """Also when somebody forgets to close."""
    before = set(threading.enumerate())
    k = Kensaku(_settings(up, tmp_path))
    k.search("otter")
    del k
    gc.collect()

    assert "kensaku-portal" not in {t.name for t in set(threading.enumerate()) - before}


PROGRAM = """
import sys
from kensaku import Settings
from kensaku.sync import Kensaku
with Kensaku(Settings.load(route="tavily", cache_enabled=False)) as k:
    print("ready", flush=True)
    try:
        k.search("otter", timeout=60)
    except KeyboardInterrupt:
        print("called off", flush=True)
"""


@pytest.mark.usefixtures("processes")
def test_ctrl_c_calls_a_search_off(up: FakeUpstream, tmp_path: Path) -> None:
    """The thread that waits is woken, and the request ends with it."""
    up.fails("tavily", faults.hang())
    env = {**os.environ, **up.environment("tavily"), "KENSAKU_HOME": str(tmp_path)}
    with subprocess.Popen(
        [sys.executable, "-c", PROGRAM], env=env, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        while not up.asked("tavily"):
            threading.Event().wait(0.01)
        process.send_signal(signal.SIGINT)

        assert process.stdout.read() == "called off\n"
        assert process.wait(120) == 0


# --- the portal and its proxies


async def _nothing() -> None:
    return None


@pytest.fixture
def portal() -> Iterator[Portal]:
    made = Portal()
    yield made
    made.close(_nothing)


def test_closing_a_portal_ends_what_still_runs(portal: Portal) -> None:
    """After the last work; nothing is left of it."""
    order: list[str] = []

    async def forever() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            order.append("cancelled")

    async def begin() -> asyncio.Task[None]:
        task = asyncio.create_task(forever())
        await asyncio.sleep(0)
        return task

    async def last() -> None:
        order.append("last")

    task = portal.run(begin())
    portal.close(last)
    portal.close(last)

    assert order == ["last", "cancelled"]
    assert task.cancelled()


def test_a_portal_that_is_closed_on_its_own_thread_does_not_wait_for_itself() -> None:
    """The collector may run there."""
    made, ran = Portal(), threading.Event()

    async def last() -> None:
        ran.set()

    async def inside() -> None:
        made.close(last)

    made.run(inside())
    made._thread.join(60)

    assert ran.is_set()
    assert not made._thread.is_alive()
    made._loop.close()


def test_who_would_wait_for_itself_is_told_so(portal: Portal) -> None:
    """In one sentence."""

    async def inside() -> None:
        portal.run(_nothing())

    with pytest.raises(UsageError) as refused:
        portal.run(inside())
    assert str(refused.value) == (
        "this would wait for itself: it was called from the client's own loop"
    )


class Counter:
    """A part of the async API that counts until nobody wants more."""

    def __init__(self) -> None:
        self.ended = threading.Event()

    async def numbers(self) -> AsyncIterator[int]:
        try:
            for n in range(5):
                await asyncio.sleep(0)
                yield n
        finally:
            self.ended.set()


def test_async_iterators_are_plain_iterators_here(portal: Portal) -> None:
    """Crawls come page by page; leaving early closes them."""
    counter = Counter()

    assert list(SyncProxy(counter, portal).numbers()) == [0, 1, 2, 3, 4]
    counter.ended.clear()
    for n in SyncProxy(counter, portal).numbers():
        if n == 1:
            break
    gc.collect()
    assert counter.ended.is_set()


def test_closing_a_portal_ends_the_threads_of_its_work() -> None:
    """Blocking work runs beside the loop, and must not outlive the client."""
    made = Portal()
    beside = made.run(asyncio.to_thread(threading.current_thread))

    made.close(_nothing)

    assert not beside.is_alive()
