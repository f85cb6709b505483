"""A person's own collections come first, and are ranked together as if they were one."""

from __future__ import annotations

import random

import pytest

from kensaku.index.collections import Collections
from kensaku.index.request import SearchRequest
from kensaku.index.search import FUZZY_NOTE, search
from kensaku.models import Document

RARE, COMMON = "kanbel seidor rofin migat".split(), "tobel nador shifin kegat".split()


def documents(chance: random.Random, count: int) -> list[Document]:
    """Documents of one length: how long others are is the other half of BM25."""
    return [
        Document(f"doc:{n}", "", " ".join(chance.choices(RARE + 9 * COMMON, k=30)), language="en")
        for n in range(count)
    ]


def scores(store: Collections, text: str) -> dict[str, float]:
    rows = search(store, SearchRequest(text, max_results=100))["rows"]
    return {row["url"]: row["score"] for row in rows}


@pytest.mark.parametrize("seed", range(3))
def test_it_does_not_matter_how_documents_are_shared_out(store: Collections, seed: int) -> None:
    """A word counts by how rare it is in all collections: ten documents are not drowned by more."""
    chance = random.Random(seed)
    every = documents(chance, 90)
    store.add("small", every[:10])
    store.add("large", every[10:])
    query = f"{chance.choice(RARE)} {chance.choice(COMMON)}"
    apart = scores(store, query)
    for name in ("small", "large"):
        store.drop(name)
    store.add("one", every)

    assert apart == pytest.approx(scores(store, query), abs=0.003)


def test_scores_of_collections_of_another_size_and_language_compare(store: Collections) -> None:
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
    store.add("notes", notes)
    store.add("texts", texts)
    queries = ("kanbel", "海獺", "海獺 kanbel tobel")
    apart = [scores(store, query) for query in queries]
    for name in ("notes", "texts"):
        store.drop(name)
    store.add("one", [*notes, *texts])
    together = [scores(store, query) for query in queries]

    for one, other in zip(apart, together, strict=True):
        for url in list(other)[:10]:
            assert one[url] == pytest.approx(other[url], abs=0.03)


def test_pythons_documentation_stands_in_when_nothing_else_is_found(store: Collections) -> None:
    """However often it has the words; and it is there for who names it."""
    note = Document("file:note", "Notes", "The class starts at six. Bring a towel for the queue.")
    often = "class class class queue queue"
    docs = [Document(f"pydoc:{n}", n, f"{n} {often}") for n in ("queue", "select", "enum")]
    store.add("pydocs", docs)
    store.add("default", [note])

    def found(text: str, *names: str) -> tuple[set[str], list[str]]:
        result = search(store, SearchRequest(text, names or None))
        return {row["url"] for row in result["rows"]}, result["notes"]

    assert found("when does the class start") == ({"file:note"}, [])
    assert found("select") == ({"pydoc:select"}, [])
    assert found("towle") == ({"file:note"}, [FUZZY_NOTE])
    assert found("class", "pydocs")[0] == {d.url for d in docs}
    assert found("towel class", "default", "pydocs")[0] == {"file:note", *(d.url for d in docs)}
