"""One search on a real engine: titles, dates, words and vectors, order."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from kensaku.errors import IndexFault
from kensaku.index.collections import Collections
from kensaku.index.engines.base import Entry
from kensaku.index.engines.embedded import EmbeddedEngine
from kensaku.index.entries import document_id, entry_id
from kensaku.index.integrity import check
from kensaku.index.request import SearchRequest
from kensaku.index.search import search
from kensaku.models import Document
from kensaku.text.tokens import document_terms

OTTERS = Document(
    "https://a.example/otters", "Otters", "Sea otters hold hands.", "2024-05-06", "en", {"n": 1}
)
HERONS = Document("https://b.example/herons", "Grey herons", "Herons wait for fish.", "2020", "en")
TASKS = [
    Document(f"doc:{name}", name, "How to cancel something.")
    for name in ("Task.cancel", "Task.cancelling")
]


@pytest.fixture
def stored(tmp_path: Path) -> Iterator[Collections]:
    collections = Collections(EmbeddedEngine(tmp_path))
    collections.add("animals", [OTTERS, HERONS])
    yield collections
    collections.close()


def rows(stored: Collections, text: str, **options: Any) -> list[Any]:
    return search(stored, SearchRequest(text, ("animals",), **options))["rows"]


def test_a_whole_title_in_the_query_lifts_a_document(stored: Collections) -> None:
    """By a fifth of what it lacks."""
    stored.add("docs", TASKS)
    found = search(stored, SearchRequest("task.cancel something", ("docs",)))["rows"]
    assert [r["title"] for r in found] == ["Task.cancel", "Task.cancelling"]

    [plain] = rows(stored, "sea hands")
    [lifted] = rows(stored, "sea hands otters")
    assert lifted["score"] > plain["score"]
    bare = lifted["bm25"] / (lifted["bm25"] + 10)
    assert lifted["score"] == pytest.approx(bare + 0.2 * (1 - bare), abs=1e-4)


@pytest.mark.parametrize(
    ("title", "asked", "is_lifted"),
    [
        ("Fish, otters", "city otters fish", True),
        ("Otters of Kyoto", "city otters", False),
        ("東京", "東京で city", True),
        ("東京", "大阪で city", False),
        ("Café noir", "noir café city", True),
        ("The Who", "city of the who otters", True),
        ("The Who", "who are the city otters", False),
    ],
)
def test_a_title_is_in_a_query_by_its_words(
    stored: Collections, title: str, asked: str, is_lifted: bool
) -> None:
    """In any order, without spaces where there are none; small words alone must stand as they do."""
    stored.add("docs", [Document("doc:1", title, "A city.")])
    [row] = search(stored, SearchRequest(asked, ("docs",)))["rows"]

    assert (row["score"] > row["bm25"] / (row["bm25"] + 10) + 0.05) is is_lifted


def test_a_page_without_a_date_counts_as_one_half_life_old(stored: Collections) -> None:
    """One of tomorrow is as new as one of today."""
    days = {"now": datetime.now(UTC).date().isoformat(), "undated": None, "old": "2001-01-01"}
    stored.add("news", [Document(f"doc:{n}", "", "Prices rise.", day) for n, day in days.items()])

    found = search(stored, SearchRequest("prices", ("news",), freshness=30.0))["rows"]

    assert [row["url"] for row in found] == ["doc:now", "doc:undated", "doc:old"]


def test_passages_of_an_older_revision_are_left_out(stored: Collections) -> None:
    """A kill while a document is replaced leaves some behind: it says what it says now."""
    id = document_id(OTTERS.url)
    payload = {"text": "Otters of old.", "rev": "old", "language": "en", "part": 1, "start": 0}
    terms = list(document_terms("ancient otters", "en").words)
    stored.engine.write("animals", [Entry(entry_id(id, 1), payload, terms, [9.0] * len(terms))])

    assert rows(stored, "ancient") == []
    assert [r["text"] for r in rows(stored, "ancient otters")] == [OTTERS.text]


def test_a_collection_whose_documents_are_all_deleted_is_empty(stored: Collections) -> None:
    """And takes nothing from the others."""
    stored.add("docs", [TASKS[0]])
    stored.delete("docs", [TASKS[0].url])

    assert search(stored, SearchRequest("cancel something", ("docs",)))["rows"] == []
    assert [r["url"] for r in search(stored, SearchRequest("otters"))["rows"]] == [OTTERS.url]


def test_equal_hits_stand_in_the_order_of_their_collections(stored: Collections) -> None:
    """Two searches give one list."""
    for name in "ba":
        stored.add(name, [TASKS[0]])

    found = search(stored, SearchRequest("cancel something", ("b", "a")))["rows"]

    assert [row["collection"] for row in found] == ["a", "b"]


def test_a_search_by_meaning_needs_a_model(stored: Collections) -> None:
    """And says what to do."""
    for mode in ("hybrid", "dense"):
        with pytest.raises(IndexFault, match="'animals' cannot be searched by meaning") as caught:
            rows(stored, "otters", mode=mode)
        assert caught.value.remedy == "set an embedding model and add its documents again"


def test_words_and_vectors_are_blended(tmp_path: Path) -> None:
    """By trust; each row has both figures."""
    collections = Collections(EmbeddedEngine(tmp_path))
    vectors = {OTTERS.url: [[1.0, 0.0]], HERONS.url: [[0.6, 0.8]]}
    collections.add("animals", [OTTERS, HERONS], vectors, model="m")
    asked: dict[str, Any] = {"vector": [1.0, 0.0], "model": "m"}

    [one] = rows(collections, "otters", **asked, mode="lexical")
    assert one["cosine"] is None
    one, two = rows(collections, "nothing", **asked, trust=1.0)
    assert (one["url"], one["bm25"], one["score"]) == (OTTERS.url, None, 1.0)
    assert two["cosine"] == pytest.approx(0.6, abs=1e-3)
    one, two = rows(collections, "herons", **asked, trust=0.5)
    assert {r["url"] for r in (one, two)} == {OTTERS.url, HERONS.url}
    assert all(r["cosine"] is not None and r["bm25"] is not None for r in (one, two))
    assert [r["cosine"] for r in rows(collections, "herons", **asked, trust=0.0)] == [None]
    assert [r["url"] for r in rows(collections, "fish", **asked, mode="dense", max_results=1)] == [
        OTTERS.url
    ]
    with pytest.raises(IndexFault) as caught:
        rows(collections, "otters", **{**asked, "model": "other"}, mode="dense")
    assert caught.value.remedy == "set the embedding model it was made with (m)"
    collections.close()


def test_a_collection_is_checked_against_its_record(stored: Collections) -> None:
    """Every document is read."""
    assert check(stored, "animals") == {
        "documents": 2,
        "expected": 2,
        "damaged": [],
        "problem": None,
        "remedy": "",
    }
    stored.meta("animals").checksum = "1"
    found = check(stored, "animals")
    assert found["problem"] == (
        "collection 'animals' is damaged: some documents are not those that were stored"
    )
    assert found["remedy"].startswith("save what can be read")
