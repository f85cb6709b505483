"""The index as a program sees it: add, search, filter, delete, copy."""

from __future__ import annotations

import stat
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from kensaku.errors import ConfigError
from kensaku.index import AddResult, Index
from kensaku.models import Document, ProgressEvent
from kensaku.observe import Observers
from tests.index.animals import ALL, HERONS, OTTERS, urls
from tests.recorder import Recorder


async def test_what_was_added_is_found(index):
    """The shortest way through the whole index."""
    assert await index.add(ALL, collection="docs") == AddResult(added=4)

    hits = await index.search("otters eating fish", collections="docs")

    assert urls(hits)[:2] == [OTTERS.url, HERONS.url]
    assert hits[0].title == "Otters"
    assert hits[0].content == OTTERS.text
    assert hits[0].published == "2024-03-01"
    assert hits[0].provider == "local"
    assert 1 >= hits[0].score > hits[1].score > 0


async def test_a_document_is_returned_as_it_was_added(index):
    """By its address, from whichever collection has it; long ones are whole."""
    long = Document("file:///long.md", "Long", "Otters swim far. " * 3_000, metadata={"a": 1})
    await index.add(ALL, collection="docs")
    await index.add([long], collection="notes")

    assert await index.get(long.url) == long
    assert await index.get(OTTERS.url, "docs") == OTTERS
    assert await index.get(long.url, "docs") is None
    assert await index.get("file:///none.md") is None


async def test_an_index_needs_one_place():
    """A directory or a server, not both and not neither."""
    with pytest.raises(ConfigError):
        Index()
    with pytest.raises(ConfigError):
        Index("somewhere", url="http://localhost:6333")


@pytest.mark.usefixtures("workers")
async def test_the_index_is_private(index, tmp_path):
    """What an agent reads is nobody else's business (directories 0700, files 0600)."""
    await index.add(ALL)

    for path in [tmp_path / "index", *(tmp_path / "index").rglob("*")]:
        assert stat.S_IMODE(path.stat().st_mode) & 0o077 == 0, path


async def test_a_snapshot_opens_as_an_index_and_is_as_small(tmp_path, monkeypatch):
    """A copy for another machine; the engine allocates 130 MB for a few kilobytes.

    Paths are those of the program, wherever the worker runs: `~`, and its working directory.
    """
    monkeypatch.chdir(tmp_path)
    async with Index("~/index", idle_timeout=0) as index:
        await index.add(ALL, collection="docs")
        await index.add([OTTERS], collection="more")
    async with Index("~/index", idle_timeout=0) as reopened:
        await reopened.search("otters", collections="docs")  # nobody has opened the other one
        await reopened.snapshot("copy")
        await reopened.add([Document("doc:later", "", "Later.")], collection="docs")

    async with Index(tmp_path / "copy", idle_timeout=0) as copy:
        assert urls(await copy.search("otters", collections="docs"))[0] == OTTERS.url
        assert urls(await copy.search("otters", collections="more")) == [OTTERS.url]
        assert (await copy.stats())["docs"]["documents"] == 4
    assert stat.S_IMODE((tmp_path / "copy").stat().st_mode) == 0o700
    files = [p.stat() for p in (tmp_path / "copy").rglob("*") if p.is_file()]
    assert sum(f.st_blocks * 512 for f in files) < 10_000_000 < sum(f.st_size for f in files)


# --- in the memory of this process: no worker


class Embedding:
    """A model to which all texts are alike."""

    name = "m"

    def trust(self, language: str) -> float:
        return 0.5

    async def passages(self, inputs: Sequence[Any]) -> list[list[float]]:
        return [[1.0, 0.0] for _ in inputs]

    async def query(self, text: str) -> list[float]:
        return [0.0, 1.0]


@pytest.mark.parametrize(
    ("documents", "length", "model", "done"),
    [
        (1_001, 5, None, [500, 1_000, 1_001]),
        (3, 500_000, None, [2, 3]),
        (65, 5, Embedding(), [64, 65]),
        (0, 0, None, []),
    ],
)
async def test_progress_counts_up_to_all(documents, length, model, done):
    """In batches of bounded size: few documents where they are long, or a model embeds them."""
    pytest.importorskip("qdrant_client")
    events: list[ProgressEvent] = []
    many = [Document(f"doc:{n}", "", "x" * length) for n in range(documents)]

    async with Index(url=":memory:", model=model) as index:
        added = await index.add(iter(many), "many", progress=events.append)

    assert added == AddResult(added=documents)
    assert events == [ProgressEvent("indexing many", n, documents) for n in done]


async def test_passages_are_narrowed_like_documents():
    """By every option that a search has."""
    pytest.importorskip("qdrant_client")
    async with Index(url=":memory:") as index:
        await index.add(ALL, "a")
        await index.add([Document("https://c.example/", "", "Fish in rivers, 2026.", "2026")], "b")

        async def found(**options: Any) -> set[str]:
            passages = await index.passages("rivers fish", **options)
            assert {p.url for p in passages} == set(
                urls(await index.search("rivers fish", **options))
            )
            return {p.url for p in passages}

        c = "https://c.example/"
        assert await found() == {OTTERS.url, HERONS.url, c}
        assert await found(collections="b") == await found(collections=["b"]) == {c}
        assert await found(include_domains=["*.Example.org"]) == {OTTERS.url}
        assert await found(exclude_domains=["www.example.org"]) == {HERONS.url, c}
        assert await found(start_date="2025-01-01", end_date="2025-12-31") == {HERONS.url}
        assert await found(language="de") == set()
        assert len(await found(max_results=1, mode="lexical", mmr=0.5)) == 1


async def test_observers_see_what_is_added_searched_and_deleted():
    """In which collection, and how many."""
    pytest.importorskip("qdrant_client")
    recorder = Recorder()
    async with Index(url=":memory:", observers=Observers([recorder])) as index:
        await index.add([OTTERS, HERONS], "docs")
        await index.add([OTTERS], "more")
        await index.search("otters", collections=("docs", "more"))
        await index.passages("fish")
        await index.delete([OTTERS.url, "doc:none"], "docs")

    assert [o.attributes(texts=True) for o in recorder.of("index")] == [
        {"action": "add", "collection": "docs", "count": 2},
        {"action": "add", "collection": "more", "count": 1},
        {"action": "search", "collection": "docs,more", "query": "otters", "count": 2},
        {"action": "search", "query": "fish", "count": 3},
        {"action": "delete", "collection": "docs", "count": 1},
    ]


def test_making_an_index_touches_no_file(tmp_path: Path):
    """Nothing is opened until the first call."""
    Index(tmp_path / "index", model="ollama:nomic", post=None)

    assert list(tmp_path.iterdir()) == []
