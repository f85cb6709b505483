"""Workers can hang, crash or run out of memory; the caller gets a typed error and goes on."""

from __future__ import annotations

import asyncio
import errno
import os
import signal
from pathlib import Path

import pytest

from kensaku._child_process import python_command
from kensaku.errors import TooLarge, Unparsable
from kensaku.extract import ParsePool, extract
from kensaku.extract.worker import pool as pool_module
from kensaku.extract.worker.pool import _cores, _page_from, is_heavy
from kensaku.models import Page
from tests.search.support import turns

HTML = b"<html><head><title>Otters</title></head><body><p>Otters swim in rivers and eat fish.</p></body></html>"
SLOW = (
    b"<style>"
    + b"".join(b"p:not(.a%d) ~ p ~ p ~ p{display:none}" % n for n in range(3_000))
    + b"</style>"
)
SLOW += b"<p>x</p>" * 30_000


async def test_a_page_from_a_worker_is_the_page_from_here() -> None:
    """The wire must lose nothing."""
    async with ParsePool(1) as pool:
        page = await pool.extract(HTML, "https://example.org/", "text/html")

    assert page == extract(HTML, url="https://example.org/", content_type="text/html")


async def test_errors_keep_their_type_and_sentence() -> None:
    """A caller decides by type."""
    async with ParsePool(1) as pool:
        with pytest.raises(Unparsable, match="PNG"):
            await pool.extract(b"\x89PNG\r\n\x1a\n" + b"\x00" * 20)
        with pytest.raises(TooLarge, match="deep"):
            await pool.extract(b"<div>" * 100_000)
        assert (await pool.extract(HTML)).title == "Otters"


async def test_a_hung_worker_is_killed_and_the_next_call_gets_a_new_one() -> None:
    """No time limit inside the process interrupts a parser written in C."""
    async with ParsePool(1, timeout=600) as pool:
        await pool.extract(HTML)
        pool._timeout = 0.3
        with pytest.raises(TooLarge, match="longer than"):
            await pool.extract(SLOW)
        pool._timeout = 600
        assert (await pool.extract(HTML)).title == "Otters"


async def test_the_time_of_a_document_begins_when_the_worker_is_ready(
    clock, tmp_path, monkeypatch
) -> None:
    """On a busy machine a worker takes longer to start than a document may take."""
    gate = tmp_path / "gate"
    os.mkfifo(gate)

    def held(*words: str) -> list[str]:
        return ["sh", "-c", 'read _ < "$0"; exec "$@"', str(gate), *python_command(*words)]

    monkeypatch.setattr(pool_module, "python_command", held)
    monkeypatch.setattr(pool_module, "START_TIMEOUT", 6_000.0)
    async with ParsePool(1, timeout=600) as pool:
        call = asyncio.create_task(pool.extract(HTML))
        while not pool._all:  # noqa: ASYNC110 - nobody tells
            await asyncio.sleep(0.01)
        clock.advance(700)
        await turns(20)
        assert not call.done()

        await asyncio.to_thread(gate.write_text, "go\n")
        assert (await call).title == "Otters"


async def test_a_worker_that_cannot_start_is_an_error_that_says_so(monkeypatch) -> None:
    """It is not the document's fault."""
    monkeypatch.setattr(pool_module, "python_command", lambda *words: ["false"])
    async with ParsePool(1) as pool:
        with pytest.raises(Unparsable, match="while it was started"):
            await pool.extract(HTML)


async def test_a_crashed_worker_is_replaced() -> None:
    """A crash of the parser must not look like an empty page."""
    async with ParsePool(1, timeout=600) as pool:
        await pool.extract(HTML)
        (worker,) = pool._all
        call = asyncio.create_task(pool.extract(SLOW))
        await asyncio.sleep(0.1)
        os.kill(worker._process.pid, signal.SIGKILL)
        with pytest.raises(Unparsable, match="crash"):
            await call
        assert (await pool.extract(HTML)).title == "Otters"


async def test_a_worker_has_its_memory_limited() -> None:
    """1 GB by default; less here, so that the test needs none."""
    async with ParsePool(1, memory=90 * 1024 * 1024, timeout=600) as pool:
        with pytest.raises((TooLarge, Unparsable)):
            await pool.extract(b"<p>" + "wörter ".encode() * 2_000_000)
        assert (await pool.extract(HTML)).title == "Otters"


async def test_a_worker_is_replaced_after_its_share_of_pages() -> None:
    """Whatever a library leaks goes with the process."""
    async with ParsePool(1, pages_per_worker=2) as pool:
        seen = set()
        for _ in range(4):
            await pool.extract(HTML)
            seen |= {w._process.pid for w in pool._all}

    assert len(seen) == 2


async def test_a_cancelled_call_leaves_no_half_read_answer() -> None:
    """The next caller would otherwise get the page of the one before."""
    async with ParsePool(1, timeout=600) as pool:
        call = asyncio.create_task(pool.extract(SLOW, "https://example.org/slow"))
        await asyncio.sleep(0.05)
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        assert (
            await pool.extract(HTML, "https://example.org/next")
        ).url == "https://example.org/next"


async def test_a_worker_whose_long_answer_nobody_reads_can_be_ended() -> None:
    """Its pipe is full and no longer read, so its end would never be seen."""
    long = b"<p>" + b"otters swim in rivers and eat fish. " * 60_000 + b"</p>"
    async with ParsePool(1, timeout=600) as pool:
        await pool.extract(HTML)
        (worker,) = pool._all
        answers = worker._process.stdout
        answers.readexactly = lambda size: asyncio.Event().wait()
        asking = asyncio.ensure_future(worker.request(long, "", "text/html"))
        while answers._transport.is_reading():  # noqa: ASYNC110 - nobody tells
            await asyncio.sleep(0.01)
        asking.cancel()

        async with asyncio.timeout(600):
            await pool.aclose()


async def test_the_event_loop_runs_on_while_a_worker_parses() -> None:
    """One page must not hold up all others: the loop turns many times during a parse."""
    async with ParsePool(1, timeout=600) as pool:
        await pool.extract(HTML)
        call = asyncio.create_task(pool.extract(SLOW))
        for _ in range(50):
            await asyncio.sleep(0.001)
        assert not call.done()
        call.cancel()
        await asyncio.gather(call, return_exceptions=True)


async def test_what_may_take_seconds_leaves_a_worker_to_ordinary_pages() -> None:
    """Whoever sends twenty slow documents must not hold up everybody's pages."""
    async with ParsePool(2, timeout=600) as pool:
        slow = [asyncio.create_task(pool.extract(SLOW)) for _ in range(20)]
        await asyncio.sleep(0)
        pages = [await pool.extract(HTML) for _ in range(5)]
        assert [page.title for page in pages] == ["Otters"] * 5
        assert not any(task.done() for task in slow)
        for task in slow:
            task.cancel()
        await asyncio.gather(*slow, return_exceptions=True)


@pytest.mark.parametrize(
    ("data", "heavy"),
    [
        (HTML, False),
        (b"x" * 262_144, False),
        (b"x" * 262_145, True),
        (b"\n" * 1_019 + b"%PDF-", True),
        (b"\n" * 1_020 + b"%PDF-", False),
        (b"\nPK\x03\x04", False),
        (b"%PDF-1.7", True),
        (b"\n\n%PDF-1.7", True),
        (b"PK\x03\x04", True),
    ],
)
def test_a_document_is_heavy_by_its_size_or_its_kind(data: bytes, heavy: bool) -> None:
    """A few bytes of PDF can ask for as much as a megabyte of HTML."""
    assert is_heavy(data) is heavy


async def test_the_first_worker_can_be_started_before_it_is_needed() -> None:
    """It loads its parsers while the first page is on its way; it is one, and it is used."""
    async with ParsePool(2) as pool:
        pool.prestart()
        pool.prestart()
        await asyncio.gather(*pool._tasks)
        (worker,) = pool._all
        pool.prestart()
        await pool.extract(HTML)
        assert pool._all == {worker}


async def test_a_pool_that_is_closed_while_it_begins_leaves_no_process() -> None:
    """Who starts something early must end it all the same."""
    pool = ParsePool(1)
    pool.prestart()
    await pool.aclose()
    pool.prestart()
    assert not pool._all
    assert not pool._idle
    assert not pool._tasks


async def test_a_machine_without_room_for_a_process_is_told_of(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It is no fault of the document, and no reason to end the whole call."""

    async def full(memory: int) -> None:
        raise BlockingIOError(errno.EAGAIN, "Resource temporarily unavailable")

    monkeypatch.setattr(pool_module, "_spawn", full)
    async with ParsePool(1) as pool:
        pool.prestart()
        with pytest.raises(Unparsable, match="no process could be started"):
            await pool.extract(HTML)


async def test_a_closed_pool_says_so() -> None:
    """A call after the end is a mistake of the program."""
    pool = ParsePool(1)
    await pool.extract(HTML)
    await pool.aclose()
    with pytest.raises(RuntimeError, match="closed"):
        await pool.extract(HTML)


async def test_workers_see_no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keys live in the environment; a parser has no use for them."""
    monkeypatch.setenv("TAVILY_API_KEY", "tvly-secret")
    async with ParsePool(1) as pool:
        await pool.extract(HTML)
        (worker,) = pool._all
        environment = await asyncio.to_thread(
            Path(f"/proc/{worker._process.pid}/environ").read_bytes
        )

    assert b"tvly-secret" not in environment


class Ended:
    """A worker without a process, that says whether it was ended."""

    def __init__(self) -> None:
        self.ends = 0

    async def kill(self) -> None:
        self.ends += 1


async def test_the_end_of_a_pool_ends_every_worker_once_idle_or_not() -> None:
    """A process that nobody ends outlives the program."""
    pool = ParsePool(2)
    idle, busy = Ended(), Ended()
    pool._all |= {idle, busy}
    pool._idle.append(idle)

    await pool.aclose()

    assert (idle.ends, busy.ends) == (1, 1)
    assert (pool._all, pool._idle, pool._tasks) == (set(), [], set())


@pytest.mark.parametrize(
    ("cores", "workers", "free", "heavy"),
    [
        (1, None, 2, 1),
        (4, None, 5, 4),
        (8, None, 9, 8),
        (9, None, 9, 8),
        (4, 1, 1, 1),
        (4, 3, 3, 2),
    ],
)
def test_a_pool_has_a_worker_for_each_core_and_one_more(
    cores: int, workers: int | None, free: int, heavy: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nine at most; one of several is kept for ordinary pages."""
    monkeypatch.setattr(pool_module, "_cores", lambda: cores)
    pool = ParsePool(workers)

    assert (pool._free._value, pool._heavy._value) == (free, heavy)
    assert (pool._timeout, pool._memory, pool._pages) == (9.0, 1_000_000_000, 500)


def test_the_cores_are_those_that_the_process_may_use(monkeypatch: pytest.MonkeyPatch) -> None:
    """A container has fewer than its machine; where that is not told, all count."""
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: {3, 5, 7} if pid == 0 else {1})
    assert _cores() == 3

    monkeypatch.delattr(os, "sched_getaffinity")
    monkeypatch.setattr(os, "cpu_count", lambda: 5)
    assert _cores() == 5

    monkeypatch.setattr(os, "cpu_count", lambda: None)
    assert _cores() == 1


@pytest.mark.parametrize(
    ("name", "kind"),
    [("TooLarge", TooLarge), ("Unparsable", Unparsable), ("AddressRefused", Unparsable)],
)
def test_an_error_of_a_worker_is_raised_here(name: str, kind: type[Exception]) -> None:
    """With its sentence and what to do; of a kind that parsing can have."""
    with pytest.raises(kind) as raised:
        _page_from({"error": {"type": name, "message": "it is odd", "remedy": "look at it"}})

    assert (type(raised.value), raised.value.message, raised.value.remedy) == (
        kind,
        "it is odd",
        "look at it",
    )


def test_a_page_of_a_worker_is_a_page_here() -> None:
    """JSON has lists, and a page has tuples."""
    page = Page("https://a.example/", "A", text="a", images=("i",), links=("l", "m"), notes=("n",))

    assert _page_from({"page": {**page.to_dict(), "images": ["i"]}}) == page
