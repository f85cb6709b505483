"""Collections: what is replaced, deleted, dropped, and how lengths are compared."""

from __future__ import annotations

from dataclasses import replace

import pytest

from kensaku.errors import IndexFault, InvalidQuery, UnknownName
from kensaku.index import AddResult
from kensaku.index.collections import Collections
from kensaku.index.engines.base import META_ID
from kensaku.index.engines.embedded import EmbeddedEngine
from kensaku.index.entries import document_id, entry_id
from kensaku.models import Document
from tests.index.animals import ALL, HERONS, OTTERS, urls


async def test_the_same_document_again_changes_nothing(index):
    """A crawl that runs every night only pays for what has changed."""
    await index.add(ALL)

    assert await index.add(ALL) == AddResult(unchanged=4)


async def test_a_document_replaces_the_one_with_its_address(index):
    """There is one version of a page, the last one, even within one call."""
    await index.add([OTTERS])
    newer = replace(OTTERS, text="Badgers dig.")

    assert await index.add([replace(OTTERS, text="Moles."), newer]) == AddResult(updated=1)

    assert urls(await index.search("badgers")) == [OTTERS.url]
    assert await index.search("carnivorous moles") == []
    assert (await index.stats())["default"]["documents"] == 1


async def test_a_shorter_version_leaves_no_old_passage_behind(index):
    """A long page that became short must not be found for what it no longer says."""
    long = "\n\n".join(f"Paragraph {n} about zebras and giraffes. " * 20 for n in range(20))
    await index.add([Document("https://e.org/long", "Long", long)])
    assert (await index.stats())["default"]["passages"] > 5

    await index.add([Document("https://e.org/long", "Long", "Only lions.")])

    stats = (await index.stats())["default"]
    assert (stats["documents"], stats["passages"], stats["problem"]) == (1, 1, None)
    assert await index.search("zebras") == []


async def test_a_deleted_document_is_gone(index):
    """And deleting what is not there counts nothing."""
    await index.add(ALL)

    assert await index.delete([OTTERS.url, "https://nowhere.example"]) == 1
    assert await index.delete(OTTERS.url) == 0

    assert OTTERS.url not in urls(await index.search("otters fish"))


async def test_a_collection_that_is_not_there_is_named(index):
    """Nothing found and nowhere to look are different answers."""
    await index.add([OTTERS], collection="animals")

    for call in (
        index.search("fish", collections="animal"),
        index.delete(OTTERS.url, "animal"),
        index.optimize("animal"),
        index.drop("animal"),
    ):
        with pytest.raises(UnknownName) as caught:
            await call
        assert caught.value.name == "animal"
        assert "animals" in caught.value.remedy


async def test_a_dropped_collection_is_gone(index):
    """And can be made anew."""
    await index.add([OTTERS], collection="docs")

    await index.drop("docs")

    assert await index.collections() == []
    await index.add([HERONS], collection="docs")
    assert urls(await index.search("fish")) == [HERONS.url]


async def test_lengths_are_compared_with_the_collection_as_it_became(index):
    """BM25's average length follows the collection: the first document does not fix it."""
    await index.add([Document("https://e.org/first", "", "short")])
    long = [Document(f"https://e.org/{n}", "", f"word{n} " * 400) for n in range(200)]
    await index.add(long)

    average = (await index.stats())["default"]["average_terms"]

    assert average > 150
    assert urls(await index.search("short")) == ["https://e.org/first"]


async def test_a_text_without_words_is_taken(index):
    """Nothing is divided by its length."""
    assert await index.add([Document("doc:a", "", "…")]) == AddResult(added=1)
    assert await index.search("words") == []


LENGTHS = [
    Document(f"doc:{n}", "", f"heron {'reed ' * (n % 37)}{'pond ' * (n % 5)}") for n in range(60)
]


async def test_ranking_does_not_depend_on_batches(index):
    """Documents that came one by one are compared with the same average length."""
    await index.add(LENGTHS, collection="once")
    for start in range(0, 60, 7):
        await index.add(LENGTHS[start : start + 7], collection="often")
    await index.add([replace(d, text="gone") for d in LENGTHS[:5]], collection="often")
    await index.add(LENGTHS[:5], collection="often")
    await index.add([Document("doc:x", "", "heron " * 90)], collection="often")
    await index.delete("doc:x", collection="often")
    await index.optimize("often")

    once = await index.search("heron pond", collections="once", max_results=60)
    often = await index.search("heron pond", collections="often", max_results=60)

    assert [h.score for h in often] == pytest.approx([h.score for h in once], abs=0.004)
    stats = await index.stats()
    assert stats["once"] | {"disk": 0} == stats["often"] | {"disk": 0}


async def test_a_small_collection_is_small_on_the_disk(index):
    """The engine's files look like 138 MB; their holes take no room."""
    await index.add([OTTERS])

    assert 10_000 < (await index.stats())["default"]["disk"] < 2_000_000


async def test_the_whole_stored_text_comes_with_a_hit(index):
    """As it was put in, from the index and not from the network."""
    text = "# A\r\n\r\n    code <b>\t\n\n\n\n" + "Herons wait. " * 600 + "\n  end\n"
    await index.add([Document("https://e.org/", "Herons", text)])

    (hit,) = await index.search("herons wait", include_raw_content=True)

    assert hit.raw_content == text
    assert text[hit.explain.local.start : hit.explain.local.end] == hit.content


A, B = Document("doc:a", "", "otters eat fish"), Document("doc:b", "", "herons catch fish")


def test_a_collection_keeps_to_one_model(store):
    """Of one size; a document has a vector for each passage."""
    store.add("docs", [A], {"doc:a": [[1.0, 0.0]]}, model="m")
    assert store.stats("docs")["model"] == "m"
    wrong = [
        ("other", [[1.0, 0.0]], IndexFault,
         "collection 'docs' holds vectors of m (2 numbers each), not of other (2)"),
        ("m", [[1.0]], IndexFault,
         "collection 'docs' holds vectors of m (2 numbers each), not of m (1)"),
        ("m", [[1.0, 0.0], None], InvalidQuery, "doc:b has 1 passages, but 2 vectors"),
    ]  # fmt: skip
    for model, vectors, kind, message in wrong:
        with pytest.raises(kind) as caught:
            store.add("docs", [B], {"doc:b": vectors}, model=model)
        assert caught.value.message == message
    with pytest.raises(IndexFault) as caught:
        store.add("docs", [A, B], {"doc:a": [[1.0, 1.0]], "doc:b": [[1.0]]}, model="m")
    assert caught.value.message == "a vector of doc:b does not have 2 numbers"
    # Without a vector a document is found by its words.
    assert store.add("docs", [B], {"doc:b": [None]}, model="m")["added"] == 1
    assert store.stats("docs")["documents"] == 2


class Disk(EmbeddedEngine):
    """Knows whether all that was written has been flushed."""

    flushed = True

    def write(self, collection, entries, remove=(), *, flush=True):
        super().write(collection, entries, remove, flush=flush)
        self.flushed = flush


def test_batches_are_flushed_by_the_last(tmp_path):
    """One that changed nothing flushes those before it."""
    engine = Disk(tmp_path)
    store = Collections(engine)
    store.add("docs", [A, B], flush=False)
    assert not engine.flushed
    store.add("docs", [A, B])
    assert engine.flushed
    store.add("docs", [replace(A, text="otters eat clams")], flush=False)
    store.delete("docs", ["doc:b"])
    assert engine.flushed
    store.close()


class EngineThatDoesNotCountDocuments(EmbeddedEngine):
    def count_documents(self, collection: str) -> int:
        raise AssertionError("the engine reads every passage for this")


def test_a_whole_collection_is_opened_without_reading_every_passage(tmp_path):
    """200,000 passages took three seconds, and all of their text became resident."""
    store = Collections(EngineThatDoesNotCountDocuments(tmp_path))
    store.add("docs", [A, LONG])

    again = Collections(store.engine)

    assert again.stats("docs")["documents"] == 2
    assert again.fault("docs") is None
    store.close()


LONG = Document(
    "doc:long", "Long", "\n\n".join(f"Paragraph {n} of otters. " * 30 for n in range(9))
)


@pytest.mark.parametrize(
    ("lost", "problem"),
    [
        ([entry_id(document_id("doc:a"), 0)], "1 of 3 documents are missing"),
        ([entry_id(document_id("doc:long"), n) for n in (1, 2)], "2 of {} passages are missing"),
        ([META_ID], "its record is missing"),
        ([], None),
    ],
)
def test_what_was_lost_is_said(tmp_path, lost, problem):
    """By whoever opens the collection; what is there is counted."""
    store = Collections(EmbeddedEngine(tmp_path))
    store.add("docs", [A, B, LONG])
    passages = store.meta("docs").passages
    assert store.fault("docs") is None
    store.engine.write("docs", [], lost)

    again = Collections(store.engine)
    stats = again.stats("docs")
    store.close()

    said = problem and f"collection 'docs' is damaged: {problem.format(passages)}"
    assert stats["problem"] == said
    if META_ID not in lost:
        assert getattr(again.fault("docs"), "message", None) == said
        assert stats["passages"] == passages - len(lost)
