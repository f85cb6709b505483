"""Workers can hang, crash or run out of memory; the caller gets a typed error and goes on."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from pathlib import Path

import pytest

from kensaku.errors import TooLarge, Unparsable
from kensaku.extract import ParsePool, extract
from tests.extract.worker.children import about, children
from tests.search.support import turns, until

pytestmark = pytest.mark.usefixtures("workers")

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")

HTML = b"<html><head><title>Otters</title></head><body><p>Otters swim in rivers and eat fish.</p></body></html>"
SLOW = (
    b"<style>"
    + b"".join(b"p:not(.a%d) ~ p ~ p ~ p{display:none}" % n for n in range(3_000))
    + b"</style>"
)
SLOW += b"<p>x</p>" * 30_000


@pytest.fixture
def workers():
    """`workers()`: the ids of the processes that this test has started and not ended."""
    before = children()
    yield lambda: children() - before
    assert not children() - before, "a worker outlives its pool"


@pytest.mark.parametrize(
    ("data", "content_type"),
    [
        (HTML, "text/html"),
        (b"<title>App</title><body><div id=root></div><script src=a></script>", "text/html"),
        (b"<p>Otters <a href=/b>b</a> <img src=c.png> swim.</p>" * 30, "text/html"),
        (b'{"title": "Otters", "text": "They swim."}', "application/json"),
    ],
)
async def test_a_page_from_a_worker_is_the_page_from_here(data, content_type, workers) -> None:
    """The wire must lose nothing."""
    async with ParsePool(1) as pool:
        page = await pool.extract(data, "https://example.org/", content_type)

    assert page == extract(data, url="https://example.org/", content_type=content_type)


async def test_errors_keep_their_type_and_sentence(workers) -> None:
    """A caller decides by type; the worker stays usable."""
    async with ParsePool(1) as pool:
        with pytest.raises(Unparsable, match="PNG"):
            await pool.extract(b"\x89PNG\r\n\x1a\n" + b"\x00" * 20)
        with pytest.raises(TooLarge, match="deep"):
            await pool.extract(b"<div>" * 100_000)
        half = await pool.extract(b'{"text": "half a \\ud800 character"}', "", "application/json")
        assert "half a" in half.text  # no encoding can write it whole
        (worker,) = workers()
        assert (await pool.extract(HTML)).title == "Otters"
        assert workers() == {worker}


async def test_a_hung_worker_is_killed_and_the_next_call_gets_a_new_one(clock, workers) -> None:
    """No time limit inside the process interrupts a parser written in C."""
    async with ParsePool(1, timeout=600) as pool:
        await pool.extract(HTML)
        (hung,) = workers()
        call = asyncio.create_task(pool.extract(SLOW))
        await turns(20)
        clock.advance(700)
        with pytest.raises(TooLarge, match="longer than"):
            await call
        assert (await pool.extract(HTML)).title == "Otters"
        assert hung not in workers()


async def test_the_time_of_a_document_begins_when_the_worker_is_ready(
    clock, workers, tmp_path, monkeypatch
) -> None:
    """On a busy machine a worker takes longer to start than a document may take."""
    gate, program = tmp_path / "gate", tmp_path / "python"
    os.mkfifo(gate)
    program.write_text(f'#!/bin/sh\nread _ < {gate}\nexec {sys.executable} "$@"\n')
    program.chmod(0o700)
    monkeypatch.setattr(sys, "executable", str(program))
    async with ParsePool(1, timeout=15) as pool:
        call = asyncio.create_task(pool.extract(HTML))
        await until(workers)
        clock.advance(20)
        await turns(20)
        assert not call.done()

        await asyncio.to_thread(gate.write_text, "go\n")
        assert (await call).title == "Otters"


@pytest.mark.parametrize(
    ("program", "said"), [("/bin/false", "while it was started"), ("/no/such", "no process")]
)
async def test_a_worker_that_cannot_start_is_an_error_that_says_so(
    program, said, workers, monkeypatch
) -> None:
    """It is not the document's fault, and no reason to end the whole call."""
    monkeypatch.setattr(sys, "executable", program)
    async with ParsePool(1) as pool:
        pool.prestart()
        with pytest.raises(Unparsable, match=said):
            await pool.extract(HTML)


async def test_a_crashed_worker_is_replaced(workers) -> None:
    """A crash of the parser must not look like an empty page."""
    async with ParsePool(1, timeout=600) as pool:
        await pool.extract(HTML)
        (worker,) = workers()
        call = asyncio.create_task(pool.extract(SLOW))
        await turns(20)
        os.kill(worker, signal.SIGKILL)
        with pytest.raises(Unparsable, match="crash"):
            await call
        assert (await pool.extract(HTML)).title == "Otters"


async def test_a_worker_has_its_memory_limited(workers) -> None:
    """1 GB by default, less here; and no core is written: it would hold the pages of others."""
    limit = 90 * 1024 * 1024
    async with ParsePool(1, memory=limit, timeout=600) as pool:
        with pytest.raises((TooLarge, Unparsable)):
            await pool.extract(b"<p>" + "wörter ".encode() * 2_000_000)
        assert (await pool.extract(HTML)).title == "Otters"
        limits = about(workers().pop(), "limits").splitlines()

    (memory,) = [line.split() for line in limits if line.startswith("Max address space")]
    (core,) = [line.split() for line in limits if line.startswith("Max core file size")]
    assert memory[3:5] == [str(limit)] * 2
    assert core[4:6] == ["0", "0"]


async def test_a_worker_is_replaced_after_its_share_of_pages(workers) -> None:
    """Whatever a library leaks goes with the process."""
    seen: list[int] = []
    async with ParsePool(1, pages_per_worker=2) as pool:
        for number in range(4):
            await pool.extract(HTML)
            if number % 2 == 0:  # it is there to serve its second page
                seen += workers() - set(seen)

    assert len(seen) == 2


async def test_a_cancelled_call_leaves_no_half_read_answer(workers) -> None:
    """The next caller would otherwise get the page of the one before."""
    async with ParsePool(1, timeout=600) as pool:
        await pool.extract(HTML)
        call = asyncio.create_task(pool.extract(SLOW, "https://example.org/slow"))
        await turns(20)
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        assert (
            await pool.extract(HTML, "https://example.org/next")
        ).url == "https://example.org/next"


async def test_a_worker_whose_long_answer_nobody_reads_can_be_ended(workers) -> None:
    """Its pipe is full and no longer read, so its end would never be seen."""
    long = b"<p>" + b"otters swim in rivers and eat fish. " * 60_000 + b"</p>"
    async with ParsePool(1, timeout=600) as pool:
        await pool.extract(HTML)
        (worker,) = workers()

        def written() -> int:
            return int(about(worker, "io").split("wchar: ")[1].split()[0])

        before = written()
        call = asyncio.create_task(pool.extract(long))
        while written() < before + 60_000:
            assert not call.done()
            await asyncio.sleep(0)
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        async with asyncio.timeout(600):
            await pool.aclose()


async def test_what_may_take_seconds_leaves_a_worker_and_the_event_loop_to_others(workers) -> None:
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


async def test_the_first_worker_can_be_started_before_it_is_needed(workers) -> None:
    """It loads its parsers while the first page is on its way; it is one, and it is used."""
    async with ParsePool(2) as pool:
        pool.prestart()
        pool.prestart()
        await until(workers)
        first = workers()
        await turns(100)  # its pipes are opened
        await pool.extract(HTML)
        pool.prestart()
        await turns(20)
        assert workers() == first


async def test_a_pool_that_is_closed_leaves_no_process(workers) -> None:
    """Whether its workers are just beginning, idle or busy."""
    beginning = ParsePool(1)
    beginning.prestart()
    await beginning.aclose()
    beginning.prestart()
    await turns(20)
    assert not workers()

    pool = ParsePool(2, timeout=600)
    await asyncio.gather(pool.extract(HTML), pool.extract(HTML))
    busy = asyncio.create_task(pool.extract(SLOW))
    await turns(20)
    assert workers()
    await pool.aclose()
    assert not workers()
    with pytest.raises((Unparsable, RuntimeError)):
        await busy
    with pytest.raises(RuntimeError, match="closed"):
        await pool.extract(HTML)


async def test_workers_see_no_environment(workers, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keys live in the environment; a parser has no use for them."""
    monkeypatch.setenv("TAVILY_API_KEY", "tvly-secret")
    async with ParsePool(1) as pool:
        await pool.extract(HTML)
        environment = await asyncio.to_thread(Path(f"/proc/{workers().pop()}/environ").read_bytes)

    assert b"PATH" in environment
    assert b"tvly-secret" not in environment
