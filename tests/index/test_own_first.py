"""A person's own collections come first, and are ranked together as if they were one."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest

from kensaku.index.collections import Collections
from kensaku.index.engines.base import open_engine
from kensaku.index.request import SearchRequest
from kensaku.index.search import FUZZY_NOTE, search
from kensaku.models import Document

RARE, COMMON = "kanbel seidor rofin migat".split(), "tobel nador shifin kegat".split()


@pytest.fixture(params=["embedded", "server"])
def stored(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Collections]:
    if request.param == "server":
        pytest.importorskip("qdrant_client")
        made = Collections(open_engine(url=":memory:", prefix=f"test-{uuid4().hex[:8]}-"))
    else:
        made = Collections(open_engine(tmp_path))
    yield made
    made.close()


def documents(chance: random.Random, count: int) -> list[Document]:
    """Documents of one length: how long others are is the other half of BM25."""
    return [
        Document(f"doc:{n}", "", " ".join(chance.choices(RARE + 9 * COMMON, k=30)), language="en")
        for n in range(count)
    ]


def scores(stored: Collections, text: str) -> dict[str, float]:
    rows = search(stored, SearchRequest(text, max_results=100))["rows"]
    return {row["url"]: row["score"] for row in rows}


@pytest.mark.parametrize("seed", range(3))
def test_it_does_not_matter_how_documents_are_shared_out(stored: Collections, seed: int) -> None:
    """A word counts by how rare it is in all collections: ten documents are not drowned by more."""
    chance = random.Random(seed)
    every = documents(chance, 90)
    stored.add("small", every[:10])
    stored.add("large", every[10:])
    query = f"{chance.choice(RARE)} {chance.choice(COMMON)}"
    apart = scores(stored, query)
    for name in ("small", "large"):
        stored.drop(name)
    stored.add("one", every)

    assert apart == pytest.approx(scores(stored, query), abs=0.003)


def test_scores_of_collections_of_another_size_and_language_compare(stored: Collections) -> None:
    """Twenty short notes in Japanese beside five hundred long English texts."""
    chance = random.Random(7)
    animals = [a + b for a in "海川山空森" for b in "獺鷺鮭鷹熊"]
    notes = [
        Document(f"doc:ja{n}", "", "".join(chance.choices(animals, k=12)) + "。" + " kanbel" * (n < 3),
                 language="ja")
        for n in range(20)
    ]  # fmt: skip
    texts = [
        Document(f"doc:en{n}", "", " ".join(chance.choices(COMMON, k=150)) + " kanbel" * (n < 9),
                 language="en")
        for n in range(500)
    ]  # fmt: skip
    stored.add("notes", notes)
    stored.add("texts", texts)
    queries = ("kanbel", "海獺", "海獺 kanbel tobel")
    apart = [scores(stored, query) for query in queries]
    for name in ("notes", "texts"):
        stored.drop(name)
    stored.add("one", [*notes, *texts])
    together = [scores(stored, query) for query in queries]

    for one, other in zip(apart, together, strict=True):
        for url in list(other)[:10]:
            assert one[url] == pytest.approx(other[url], abs=0.03)


def test_pythons_documentation_stands_in_when_nothing_else_is_found(stored: Collections) -> None:
    """However often it has the words; and it is there for who names it."""
    note = Document("file:note", "Notes", "The class starts at six. Bring a towel for the queue.")
    often = "class class class queue queue"
    docs = [Document(f"pydoc:{n}", n, f"{n} {often}") for n in ("queue", "select", "enum")]
    stored.add("pydocs", docs)
    stored.add("default", [note])

    def found(text: str, *names: str) -> tuple[set[str], list[str]]:
        result = search(stored, SearchRequest(text, names or None))
        return {row["url"] for row in result["rows"]}, result["notes"]

    assert found("when does the class start") == ({"file:note"}, [])
    assert found("select") == ({"pydoc:select"}, [])
    assert found("towle") == ({"file:note"}, [FUZZY_NOTE])
    assert found("class", "pydocs")[0] == {d.url for d in docs}
    assert found("towel class", "default", "pydocs")[0] == {"file:note", *(d.url for d in docs)}
