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
from kensaku.sync import Kensaku, Portal, SyncProxy, _iterate
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
    with Kensaku(_settings(up, tmp_path)) as k:
        k.progress = print

        assert k.progress is print


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


def test_async_iterators_are_plain_iterators_here() -> None:
    """Crawls come page by page; leaving early closes them."""
    portal, closed = Portal(), threading.Event()

    async def numbers() -> AsyncIterator[int]:
        try:
            for n in range(5):
                await asyncio.sleep(0)
                yield n
        finally:
            closed.set()

    async def nothing() -> None:
        return None

    assert list(_iterate(numbers(), portal)) == [0, 1, 2, 3, 4]
    closed.clear()
    for n in _iterate(numbers(), portal):
        if n == 1:
            break
    gc.collect()
    assert closed.is_set()
    portal.close(nothing)


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


def test_a_portal_is_one_named_thread_that_holds_up_no_exit(portal: Portal) -> None:
    """Work runs there, and its errors are raised here."""

    async def where() -> threading.Thread:
        return threading.current_thread()

    async def fails() -> None:
        raise ZeroDivisionError

    thread = portal.run(where())
    assert (thread.name, thread.daemon) == ("kensaku-portal", True)
    assert thread is portal.run(where()) is not threading.current_thread()
    with pytest.raises(ZeroDivisionError):
        portal.run(fails())


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
    assert not portal._thread.is_alive()
    assert portal._loop.is_closed()
    with pytest.raises(UsageError) as closed:
        portal.run(_nothing())
    assert str(closed.value) == "the client is closed"


def test_a_portal_that_fails_to_close_ends_all_the_same() -> None:
    """The error is raised, and no thread is left behind."""
    made = Portal()

    async def last() -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        made.close(last)
    assert not made._thread.is_alive()


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


class Part:
    """A part of the async API: with coroutines, plain methods, values and other parts."""

    value = 7

    def __repr__(self) -> str:
        return "<part>"

    async def later(self, n: int, *, more: int = 0) -> int:
        """Add up, later."""
        return n + more

    def at_once(self, n: int) -> int:
        return n

    def another(self) -> Part:
        return self

    async def numbers(self) -> AsyncIterator[int]:
        yield 1
        yield 2


Part.__module__ = "kensaku.part"


def test_a_proxy_waits_for_what_would_be_awaited(portal: Portal) -> None:
    """Values are themselves, parts are proxies, and nothing private is shown."""
    proxy = SyncProxy(Part(), portal)

    assert proxy.later(1, more=2) == 3
    assert proxy.later.__doc__ == "Add up, later."
    assert (proxy.at_once(5), proxy.value) == (5, 7)
    assert isinstance(proxy.another(), SyncProxy)
    assert list(proxy.numbers()) == [1, 2]
    assert repr(proxy) == "<sync <part>>"
    assert {"later", "value", "_target"} <= set(dir(proxy))
    assert dir(proxy) == sorted(set(dir(proxy)))
    proxy.value = 8
    assert proxy._target.value == 8
    with pytest.raises(AttributeError) as hidden:
        _ = proxy._secret
    assert str(hidden.value) == "'Part' has no public '_secret'"


def test_an_iterator_without_an_end_of_its_own_is_iterated_too(portal: Portal) -> None:
    """Not every one can be closed."""

    class Two:
        """Yields two numbers."""

        def __init__(self) -> None:
            self.left = [1, 2]

        def __aiter__(self) -> Two:
            return self

        async def __anext__(self) -> int:
            if not self.left:
                raise StopAsyncIteration
            return self.left.pop(0)

    assert list(_iterate(Two(), portal)) == [1, 2]


def test_closing_a_portal_ends_the_threads_of_its_work() -> None:
    """Blocking work runs beside the loop, and must not outlive the client."""
    made = Portal()
    beside = made.run(asyncio.to_thread(threading.current_thread))

    made.close(_nothing)

    assert not beside.is_alive()
