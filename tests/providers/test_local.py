"""The local index as a provider: it filters by itself, and is filled once when it is empty."""

from __future__ import annotations

import asyncio

import pytest

from kensaku import Document, Outcome
from kensaku.index import ProgressEvent, pydocs

TEXT = "Sea otters hold hands while they sleep."
DOCUMENTS = [
    Document("https://a.example/new", "Otters", TEXT, published="2026-02-01", language="en"),
    Document("https://a.example/old", "Otters then", f"{TEXT} Long ago.", published="2020-02-01"),
    Document("https://b.example/", "Otters there", f"{TEXT} Elsewhere.", published="2026-02-01"),
    Document("https://a.example/ja", "Otters ラッコ", "otters: 眠るときに手をつなぎます。", language="ja"),
]  # fmt: skip


async def test_a_query_is_answered_with_all_its_filters(make_client):
    """By the index itself: what it leaves out is not searched for again, and nothing is noted."""
    k = make_client("local")
    await k.index.add(DOCUMENTS, "notes")

    async def found(**filters):
        response = await k.search("otters", collection="notes", **filters)
        assert not any("cannot filter" in note for note in response.notes)
        return {hit.url.removeprefix("https://") for hit in response.hits}

    assert await found() == {"a.example/new", "a.example/old", "b.example/", "a.example/ja"}
    assert await found(include_domains=["b.example"]) == {"b.example/"}
    assert "b.example/" not in await found(exclude_domains=["b.example"])
    dated = await found(start_date="2026-01-02", end_date="2026-03-04")
    assert dated >= {"a.example/new", "b.example/"}
    assert "a.example/old" not in dated
    assert await found(language="ja") == {"a.example/ja"}
    assert len(await found(max_results=1)) == 1
    (page,) = (await k.search("otters", collection="notes", language="ja",
                              include_raw_content=True)).hits  # fmt: skip
    assert page.raw_content == DOCUMENTS[3].text
    assert await k.index.collections() == ["notes"]  # one that was named is there, or not


class Build:
    """Fills the index when it is let go on, or fails; counts how often it is begun."""

    def __init__(self) -> None:
        self.begun, self.ended, self.error = 0, 0, None
        self.entered, self.let_go_on = asyncio.Event(), asyncio.Event()

    async def __call__(self, index, *, progress=None, background=False):
        self.begun += 1
        if progress:
            progress(ProgressEvent(pydocs.READING, 1, 4))
        self.entered.set()
        if self.error:
            raise self.error
        try:
            await self.let_go_on.wait()
            await index.add([Document("pydoc:otter", "otter", TEXT)], pydocs.COLLECTION)
        finally:
            self.ended += 1


@pytest.fixture
def build(monkeypatch):
    """The real starter collection takes some ten seconds."""
    made = Build()
    monkeypatch.setattr(pydocs, "build", made)
    return made


async def test_an_empty_index_is_filled_once(make_client, build):
    """By whoever searches first: a failure is tried again, and who gives up stops nobody."""
    k = make_client("local")
    build.error = OSError("full")
    failed = await k.search("otters")
    build.error = None
    build.entered.clear()
    searches = [asyncio.create_task(k.search(f"otters {n}")) for n in range(4)]
    await build.entered.wait()
    searches[0].cancel()
    with pytest.raises(asyncio.CancelledError):
        await searches[0]
    build.let_go_on.set()
    responses = [
        *await asyncio.gather(*searches[1:]),
        await k.search("otters", collection="pydocs"),
    ]

    assert failed.outcome is Outcome.UNAVAILABLE
    assert {response.outcome for response in responses} == {Outcome.FOUND}
    assert build.begun == 2


async def test_closing_a_client_ends_the_filling_quietly(make_client, build):
    """Nobody who closes a client is told of work that was cut short."""
    k = make_client("local")
    search = asyncio.create_task(k.search("otters"))
    await build.entered.wait()
    await k.close()
    await asyncio.gather(search, return_exceptions=True)

    assert (build.begun, build.ended) == (1, 1)


async def test_a_build_that_was_cut_short_is_finished_by_the_next_process(make_client, build):
    """Ctrl-C in the first search must not leave a part of the documentation behind for good."""
    cut = make_client("local")
    searching = asyncio.create_task(cut.search("otters"))
    await build.entered.wait()
    await cut.index.add([Document("pydoc:a", "a", "Some of it.")], pydocs.COLLECTION)
    await cut.close()
    await asyncio.gather(searching, return_exceptions=True)
    build.let_go_on.set()
    first, second = make_client("local"), make_client("local")

    found = await first.search("otters")
    await second.search("otters")

    assert [hit.url for hit in found.hits] == ["pydoc:otter"]
    assert build.begun == 2  # the third client finds it complete


async def test_it_is_said_how_far_the_filling_is(make_client, build):
    """To the page, and to the page of a tenant."""
    k = make_client("local")
    local, tenants = (c.resources.provider("local") for c in (k, k.for_tenant("acme")))
    assert local.preparing is None
    search = asyncio.create_task(k.search("otters"))
    await build.entered.wait()

    assert local.preparing == tenants.preparing == 0.125  # a quarter of the first half
    build.let_go_on.set()
    await search
    assert local.preparing is None
