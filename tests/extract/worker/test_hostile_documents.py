"""Documents made to break parsers end in a page or a typed error, in time and in memory (G7)."""

from __future__ import annotations

import asyncio
import contextlib
import sys
from collections.abc import AsyncIterator

import pytest

from kensaku.errors import FetchError, TooLarge, Unparsable
from kensaku.extract import ParsePool
from kensaku.extract.worker.pool import MEMORY, TIMEOUT
from tests.extract.bombs import BOMBS, HTML, OFFICE, PDF, XML
from tests.extract.worker.children import about, children

pytestmark = pytest.mark.usefixtures("workers")

GOOD = b"<html><head><title>Otters</title></head><body><p>Otters swim in rivers.</p></body></html>"
SECONDS = 3.0  # a bomb that takes longer is killed; either end is a right one
MAX_CHARS = 20_000_000


class Watched:
    """A pool, and the most memory that one of its workers has had."""

    def __init__(self, pool: ParsePool) -> None:
        self.pool, self.peak, self._others = pool, 0, children()

    def look(self) -> None:
        for worker in children() - self._others:
            with contextlib.suppress(OSError, IndexError):  # it may be gone, or a zombie
                said = about(worker, "status")
                self.peak = max(self.peak, int(said.split("VmHWM:")[1].split()[0]) * 1024)

    async def keep_looking(self) -> None:
        while True:
            self.look()
            await asyncio.sleep(0.02)


@pytest.fixture
async def watched() -> AsyncIterator[Watched]:
    async with ParsePool(3, timeout=SECONDS) as pool:
        found = Watched(pool)
        watching = asyncio.create_task(found.keep_looking())
        yield found
        watching.cancel()


async def end_of(pool: ParsePool, data: bytes) -> tuple[str, int]:
    """What is said in the end, in an error or about a page, and the length of its text."""
    try:
        page = await pool.extract(data)
    except (TooLarge, Unparsable) as error:
        return error.message, 0
    return page.text[:100] or " ".join(page.notes), len(page.text)


def test_there_are_as_many_as_the_gate_wants() -> None:
    """8 HTML, 4 XML and 10 PDFs at the least, and a worker that has to end within 10 s and 1 GB."""
    assert len(HTML) >= 8
    assert len(XML) >= 4
    assert len(PDF) >= 10
    assert len(OFFICE) >= 10
    assert TIMEOUT < 10
    assert MEMORY <= 10**9


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize("kind", sorted({name.partition(":")[0] for name in BOMBS}))
async def test_a_bomb_ends_in_a_page_or_a_typed_error(watched: Watched, kind: str) -> None:
    """A parser in C cannot be stopped from inside; its process can, and has 1 GB at the most."""
    for name in (name for name in BOMBS if name.startswith(f"{kind}:")):
        said, size = await end_of(watched.pool, BOMBS[name]())
        assert said, name
        assert "Error)" not in said, f"{name}: the name of a Python exception helps nobody"
        assert size <= MAX_CHARS, name
        watched.look()
        assert 0 < watched.peak <= 10**9, name


async def test_ten_of_each_leave_ordinary_pages_and_the_event_loop_alone() -> None:
    """One worker is kept for ordinary pages: they do not wait for the bombs. Less memory than by
    default, so that those which ask for all of it end soon."""
    names = ["pdf: a form that draws itself", "pdf: 100,000 pages", "xml: a billion laughs",
             "html: 100,000 nested div", "office: a zip in a zip in a zip"]  # fmt: skip
    bombs = [data for name in names for data in [BOMBS[name]()] * 10]
    turns = 0

    async def turn() -> None:
        nonlocal turns
        while True:
            await asyncio.sleep(0.005)
            turns += 1

    async def bomb(data: bytes) -> None:
        with contextlib.suppress(FetchError):
            await pool.extract(data)

    async with ParsePool(3, timeout=600, memory=150 * 2**20) as pool:
        beating = asyncio.create_task(turn())
        going = [asyncio.create_task(bomb(data)) for data in bombs]
        pages = await asyncio.gather(*(pool.extract(GOOD) for _ in range(50)))
        left = sum(not task.done() for task in going)
        await asyncio.gather(*going)
        beating.cancel()

    assert [page.title for page in pages] == ["Otters"] * 50
    assert left, "the ordinary pages have not waited for all bombs"
    assert turns >= 50  # as many as there are pages, at the least
