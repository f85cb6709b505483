"""The local index as a provider: prepared once, closed quietly."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest

from kensaku.models import Query
from kensaku.providers.local import Local


class Index:
    """Holds a collection; says what it was asked for, and waits while it is held back."""

    def __init__(self) -> None:
        self.listed, self.asked = 0, list[Any]()
        self.open, self.waiting = asyncio.Event(), asyncio.Event()
        self.open.set()
        self.error: Exception | None = None

    async def collections(self) -> list[str]:
        self.listed += 1
        self.waiting.set()
        await self.open.wait()
        if self.error is not None:
            raise self.error
        return ["docs"]

    async def search(self, text: str, **options: Any) -> Any:
        self.asked.append((text, options))
        return Hits()


class Hits(list[Any]):
    notes = ("a note",)


@pytest.fixture
def index() -> Index:
    return Index()


@pytest.fixture
def local(index: Index) -> Local:
    made = Local()
    made.attach(SimpleNamespace(index=index, shared=None, progress=None))  # type: ignore[arg-type]
    return made


async def test_a_query_reaches_the_index_whole(local: Local, index: Index) -> None:
    """With its filters; what the index notes is told."""
    query = Query(
        "otter",
        max_results=7,
        include_domains=("a.example",),
        exclude_domains=("b.example",),
        start_date="2026-01-02",
        end_date="2026-03-04",
        language="ja",
        include_raw_content=True,
        collection="docs",
    )
    found = await local.ask(query, "", None)  # type: ignore[arg-type]

    assert (found.hits, found.notes) == ([], ("a note",))
    ((text, options),) = index.asked
    days = [str(options.pop(name)) for name in ("start_date", "end_date")]
    assert (text, days) == ("otter", ["2026-01-02", "2026-03-04"])
    assert options == {
        "collections": "docs",
        "max_results": 7,
        "include_domains": ("a.example",),
        "exclude_domains": ("b.example",),
        "language": "ja",
        "include_raw_content": True,
    }
    assert index.listed == 0  # a collection that was named is there, or not


@pytest.mark.parametrize("collection", [None, "pydocs"])
async def test_it_is_prepared_once(local: Local, index: Index, collection: str | None) -> None:
    """However many search at once, and later."""
    index.open.clear()
    asking = [
        asyncio.create_task(local.ask(Query("otter", collection=collection), "", None))  # type: ignore[arg-type]
        for _ in range(3)
    ]
    await index.waiting.wait()
    index.open.set()
    await asyncio.gather(*asking)
    await local.prepare()

    assert (index.listed, len(index.asked)) == (1, 3)


async def test_what_failed_is_tried_again(local: Local, index: Index) -> None:
    """By the next search."""
    index.error = OSError("full")
    with pytest.raises(OSError, match="full"):
        await local.prepare()
    index.error = None
    await local.prepare()
    await local.prepare()

    assert index.listed == 2


async def test_who_gives_up_leaves_the_work_to_go_on(local: Local, index: Index) -> None:
    """At a deadline the waiting ends; the next search finds it done."""
    index.open.clear()
    waiting = asyncio.create_task(local.prepare())
    await index.waiting.wait()
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    index.open.set()
    await local.prepare()

    assert index.listed == 1


async def test_closing_ends_the_preparation_quietly(local: Local, index: Index) -> None:
    """Nobody who closes a client is told of work that was cut short."""
    await local.close()
    index.open.clear()
    waiting = asyncio.create_task(local.prepare())
    await index.waiting.wait()
    await local.close()

    with pytest.raises(asyncio.CancelledError):
        await waiting
