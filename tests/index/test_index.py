"""The index as a program sees it: add, search, filter, delete, export."""

from __future__ import annotations

import stat
from dataclasses import asdict, replace
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from kensaku.errors import ConfigError
from kensaku.index import AddResult, Index
from kensaku.index.namespace import prefix_of
from kensaku.index.payload import GUESS, PayloadFields
from kensaku.index.request import Filters, SearchRequest
from kensaku.index.results import to_hit, to_passage
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


async def test_an_index_needs_one_place():
    """A directory or a server, not both and not neither."""
    with pytest.raises(ConfigError):
        Index()
    with pytest.raises(ConfigError):
        Index("somewhere", url="http://localhost:6333")


async def test_a_snapshot_opens_as_an_index(index, tmp_path):
    """A copy for another machine, or for tomorrow."""
    await index.add(ALL, collection="docs")

    await index.snapshot(tmp_path / "copy")

    async with Index(tmp_path / "copy", idle_timeout=0) as copy:
        assert urls(await copy.search("otters"))[0] == OTTERS.url


async def test_the_index_is_private(index, tmp_path):
    """What an agent reads is nobody else's business (directories 0700, files 0600)."""
    await index.add(ALL)

    for path in [tmp_path / "index", *(tmp_path / "index").rglob("*")]:
        assert stat.S_IMODE(path.stat().st_mode) & 0o077 == 0, path


async def test_progress_counts_up_to_all(index):
    """What is reported as done is durable."""
    events: list[ProgressEvent] = []
    many = [Document(f"https://e.org/{n}", "", f"word{n}") for n in range(1200)]

    await index.add(many, collection="many", progress=events.append)

    assert events == [ProgressEvent("indexing many", done, 1200) for done in (500, 1000, 1200)]


async def test_a_snapshot_holds_collections_that_were_not_opened(index, tmp_path):
    """A process that has just started has not opened any of them."""
    await index.add(ALL, collection="docs")
    await index.close()

    async with Index(tmp_path / "index", idle_timeout=0) as reopened:
        await reopened.snapshot(tmp_path / "copy")

    async with Index(tmp_path / "copy", idle_timeout=0) as copy:
        assert urls(await copy.search("otters"))[0] == OTTERS.url


async def test_a_snapshot_does_not_fill_the_disk_with_holes(index, tmp_path):
    """The engine allocates 130 MB for a collection that needs a few kilobytes."""
    await index.add(ALL)

    await index.snapshot(tmp_path / "copy")

    files = [p.stat() for p in (tmp_path / "copy").rglob("*") if p.is_file()]
    original = [p.stat() for p in (tmp_path / "index" / "collections").rglob("*") if p.is_file()]
    assert sum(f.st_size for f in files) == sum(f.st_size for f in original)
    assert sum(f.st_blocks * 512 for f in files) < 5_000_000


# --- what the index asks of its worker


ROW = {
    "url": "doc:1", "title": "T", "published": None, "language": "en", "metadata": None,
    "text": "Otters.", "start": 0, "end": 7, "heading": "", "score": 0.5, "collection": "docs",
    "bm25": 10.0, "cosine": None, "highlights": [], "revision": "r", "document": None,
}  # fmt: skip


class Worker:
    """Remembers what it was asked, and answers with what the test says."""

    def __init__(self, **answers: Any) -> None:
        self.answers = {"search": {"rows": [ROW, ROW], "notes": ["a note"]}} | answers
        self.calls: list[tuple[str, dict[str, Any]]] = []
        self.closed = 0

    async def call(self, method: str, **arguments: Any) -> Any:
        self.calls.append((method, arguments))
        if method == "add":
            return {"added": len(arguments["documents"]), "updated": 1, "unchanged": 2}
        if method == "changed":
            return [url for url in arguments["revisions"] if url in self.answers["changed"]]
        return self.answers.get(method)

    async def close(self) -> None:
        self.closed += 1


class Embedding:
    """A model that reads English; every text has the same vector."""

    name = "m"

    def trust(self, language: str) -> float:
        return 0.25 if language == "en" else 0.0

    async def passages(self, inputs: Any) -> list[Any]:
        return [[1.0, 0.0] for _ in inputs]

    async def query(self, text: str) -> list[float]:
        return [0.0, 1.0]


def asking(tmp_path: Path, **options: Any) -> tuple[Index, Worker]:
    """An index, and who stands in its worker's place."""
    place = {} if "url" in options else {"path": tmp_path}
    index, worker = Index(**place, **options), Worker(changed=[], collections=["docs"], delete=3)
    index.__dict__["_worker"] = worker
    return index, worker


OPTIONS: dict[str, Any] = {
    "collections": ["docs", "more"], "max_results": 3, "include_domains": ["*.A.example"],
    "exclude_domains": ["www.b.example"], "start_date": date(2026, 1, 2), "end_date": "2026",
    "language": "ja", "mode": "lexical", "mmr": 0.5,
}  # fmt: skip
FILTERS = Filters(("a.example",), ("b.example",), "2026-01-02", "2026", "ja")
REQUEST = SearchRequest("otters", ("docs", "more"), 3, FILTERS, "lexical", 0.5)


async def test_every_option_of_a_search_reaches_the_worker(tmp_path):
    """And its rows are hits, in their order, with its notes."""
    index, worker = asking(tmp_path)

    hits = await index.search("otters", **OPTIONS, freshness=30.0, include_raw_content=True)
    plain = await index.search("otters")
    one = await index.search("otters", collections="docs")

    asked = [SearchRequest.from_wire(call["request"]) for _, call in worker.calls]
    assert asked == [
        replace(REQUEST, freshness=30.0, include_document=True),
        SearchRequest("otters"),
        SearchRequest("otters", ("docs",)),
    ]
    assert hits == [to_hit(ROW, 1), to_hit(ROW, 2)]
    assert hits.notes == ("a note",)
    assert (plain, one) == (hits, hits)


async def test_every_option_of_passages_reaches_the_worker(tmp_path):
    """Several may be of one document."""
    index, worker = asking(tmp_path)

    found = await index.passages("otters", **OPTIONS)
    await index.passages("otters")

    asked = [SearchRequest.from_wire(call["request"]) for _, call in worker.calls]
    assert asked == [
        replace(REQUEST, by_passage=True),
        SearchRequest("otters", by_passage=True),
    ]
    assert found == [to_passage(ROW)] * 2


@pytest.mark.parametrize(
    ("text", "options", "place", "expected"),
    [
        ("otters", {}, {}, {"trust": 0.25, "vector": [0.0, 1.0]}),
        ("カワウソ", {}, {}, {}),
        ("カワウソ", {"mode": "hybrid"}, {}, {"vector": [0.0, 1.0], "mode": "hybrid"}),
        ("otters", {"mode": "lexical"}, {}, {"mode": "lexical"}),
        ("カワウソ", {"collections": ["x"]}, {}, {"collections": ("x",)}),
        ("カワウソ", {"collections": ["x"]}, {"url": "http://q.example"},
         {"collections": ("x",), "vector": [0.0, 1.0]}),
        ("カワウソ", {}, {"url": "http://q.example"}, {}),
    ],
)  # fmt: skip
async def test_a_query_is_embedded_where_its_vector_is_needed(
    tmp_path, text, options, place, expected
):
    """The model must read its language, or be asked for; others' collections have only vectors."""
    index, worker = asking(tmp_path, model=Embedding(), **place)

    await index.search(text, **options)

    ((_, call),) = worker.calls
    request = SearchRequest.from_wire(call["request"])
    vector = None if request.vector is None else list(request.vector)
    assert replace(request, vector=vector) == SearchRequest(text, **{"model": "m", **expected})


async def test_documents_are_added_in_batches_and_the_last_one_is_flushed(tmp_path):
    """The first says how much longer the passages of all of them are."""
    index, worker = asking(tmp_path)
    short = [Document(f"doc:{n}", "", "x" * 9) for n in range(500)]
    long = Document("doc:long", "T", "x" * 6_999, "2026", "en", {"a": 1})
    events: list[ProgressEvent] = []

    done = await index.add(iter([*short, long]), "docs", progress=events.append)

    (_, first), (_, second) = worker.calls
    every = (500 * 10 + 7_000) / (500 + 3)
    assert first == {
        "collection": "docs",
        "documents": [
            {"url": d.url, "title": "", "text": d.text, "published": None, "language": None}
            for d in short
        ],
        "flush": False,
        "longer": every / 10,
    }
    assert second == {
        "collection": "docs",
        "documents": [asdict(long)],
        "flush": True,
        "longer": 1.0,
    }
    assert done == AddResult(501, 2, 4)
    assert events == [
        ProgressEvent("indexing docs", 500, 501),
        ProgressEvent("indexing docs", 501, 501),
    ]
    worker.calls.clear()
    await index.add(short[:1])
    assert (worker.calls[0][1]["collection"], worker.calls[0][1]["flush"]) == ("default", True)
    worker.calls.clear()
    assert await index.add([]) == AddResult()
    assert worker.calls == []


async def test_long_documents_make_small_batches(tmp_path):
    """A million characters, or 64 documents where a model embeds them."""
    index, worker = asking(tmp_path)
    embedding, embedder = asking(tmp_path, model=Embedding())
    half = [Document(f"doc:{n}", "", "x" * 500_000) for n in range(3)]
    embedder.answers["changed"] = ["doc:0"]

    await index.add(half)
    await embedding.add([Document(f"doc:{n}", "", "otters") for n in range(65)])

    assert [len(call["documents"]) for _, call in worker.calls] == [2, 1]
    added = [call for method, call in embedder.calls if method == "add"]
    assert [len(call["documents"]) for call in added] == [64, 1]
    assert added[0]["model"] == "m"
    assert list(added[0]["vectors"]) == ["doc:0"]
    assert "model" not in worker.calls[0][1]


async def test_other_calls_are_passed_on_as_they_are(tmp_path, monkeypatch):
    """With paths that hold in another working directory."""
    monkeypatch.chdir(tmp_path)
    index, worker = asking(tmp_path / "index")
    worker.answers |= {"stats": {"docs": 1}, "check": {"docs": 2}, "foreign": ["x"]}

    assert await index.collections() == ["docs"]
    assert await index.foreign_collections() == ["x"]
    assert await index.stats() == {"docs": 1}
    assert await index.check() == await index.check("docs") == {"docs": 2}
    await index.optimize()
    await index.optimize("docs")
    await index.snapshot("copy")
    await index.drop("docs")
    assert await index.delete("doc:1") == await index.delete(("doc:1", "doc:2"), "docs") == 3

    assert worker.calls == [
        ("collections", {}),
        ("foreign", {}),
        ("stats", {}),
        ("check", {"collection": None}),
        ("check", {"collection": "docs"}),
        ("optimize", {"collection": None}),
        ("optimize", {"collection": "docs"}),
        ("snapshot", {"directory": str(tmp_path / "copy")}),
        ("drop", {"collection": "docs"}),
        ("delete", {"collection": "default", "urls": ["doc:1"]}),
        ("delete", {"collection": "docs", "urls": ["doc:1", "doc:2"]}),
    ]


async def test_observers_see_what_is_added_searched_and_deleted(tmp_path):
    """In which collection, and how many."""
    recorder = Recorder()
    index, _ = asking(tmp_path, observers=Observers([recorder]))

    await index.add([OTTERS, HERONS], "docs")
    await index.search("otters", collections=("a", "b"))
    await index.passages("otters")
    await index.delete("doc:1", "docs")

    assert [o.attributes(texts=True) for o in recorder.of("index")] == [
        {"action": "add", "collection": "docs", "count": 2},
        {"action": "search", "collection": "a,b", "query": "otters", "count": 2},
        {"action": "search", "query": "otters", "count": 2},
        {"action": "delete", "collection": "docs", "count": 3},
    ]


async def test_a_tenant_uses_the_worker_of_all_and_does_not_close_it(tmp_path):
    """Under its own names; the files of a collection are where the index is."""
    index, worker = asking(tmp_path)
    tenant = index.for_tenant("acme")

    await tenant.drop("docs")
    await tenant.close()
    assert worker.closed == 0
    assert worker.calls[-1] == ("drop", {"collection": f"{prefix_of('acme')}docs"})
    await index.close()
    await index.close()
    assert worker.closed == 1
    assert index._shard("docs") == tmp_path / "collections" / "docs"
    assert tenant._shard("docs") == tmp_path / "collections" / f"{prefix_of('acme')}docs"
    assert Index(url="http://q.example")._shard("docs") is None
    async with asking(tmp_path)[0] as other:
        again = other._worker
    assert again.closed == 1


async def test_the_place_and_the_model_of_an_index_reach_who_opens_them(tmp_path, monkeypatch):
    """On first use, and once."""
    opened: list[Any] = []
    monkeypatch.setattr(
        "kensaku.index.worker.client.open_client", lambda *given: opened.append(given)
    )
    monkeypatch.setattr(
        "kensaku.index.embed.models.open_model", lambda *given, **more: opened.append((given, more))
    )
    monkeypatch.setenv("HOME", str(tmp_path))
    fields, post = PayloadFields(("body",)), object()
    index = Index("~/index", model="ollama:nomic", model_key="mk", post=post, idle_timeout=7.0)
    server = Index(url="http://q.example", api_key="qk", fields=fields)
    assert opened == []
    for one in (index, index, server):
        _ = one._worker, one._model

    assert opened == [
        (tmp_path / "index", None, None, 7.0, GUESS),
        (("ollama:nomic",), {"post": post, "key": "mk"}),
        (None, "http://q.example", "qk", 2.0, fields),
    ]
