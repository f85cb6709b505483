"""The same calls on the embedded engine and on Qdrant's client: the same answers.

Live against a server when QDRANT_URL is set.
"""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest

from kensaku.errors import IndexFault, UnknownName
from kensaku.index import Index
from kensaku.index.collections import Collections
from kensaku.index.engines.base import open_engine
from kensaku.index.integrity import read_documents
from kensaku.index.request import Filters, SearchRequest
from kensaku.index.search import search
from kensaku.models import Document
from tests.index.animals import ALL, HERONS, OTTERS

pytest.importorskip("qdrant_client")

SERVER = os.environ.get("QDRANT_URL", ":memory:")
WORDS = [f"{a}{b}" for a in "kan sei ro mi to na shi ke".split() for b in "bel dor fin gat".split()]


def _documents(seed: int, count: int) -> list[Document]:
    chance = random.Random(seed)
    return [
        Document(
            f"https://site{chance.randrange(5)}.example.org/{seed}/{n}",
            " ".join(chance.choices(WORDS, k=3)),
            " ".join(chance.choices(WORDS, k=chance.randrange(5, 900))),
            published=f"20{chance.randrange(10, 26)}-0{chance.randrange(1, 9)}-11",
            language=chance.choice(["en", "en", "de"]),
        )
        for n in range(count)
    ]


def _vectors(documents: list[Document], size: int = 8) -> dict[str, list[list[float]]]:
    from kensaku.index.entries import passages_of

    chance = random.Random(1)
    return {
        d.url: [[chance.gauss(0, 1) for _ in range(size)] for _ in passages_of(d)]
        for d in documents
    }


@pytest.fixture
def stores(tmp_path: Path) -> Iterator[tuple[Collections, Collections]]:
    prefix = f"test-{uuid4().hex[:8]}-"
    here = Collections(open_engine(tmp_path))
    there = Collections(open_engine(url=SERVER, prefix=prefix))
    yield here, there
    for name in there.names():
        there.drop(name)
    here.close()
    there.close()


def _same(here: list[dict], there: list[dict], within: float = 0.002) -> None:
    assert [(r["url"], r["text"]) for r in here] == [(r["url"], r["text"]) for r in there]
    assert [r["score"] for r in here] == pytest.approx([r["score"] for r in there], abs=within)


@pytest.mark.parametrize("seed", range(4))
def test_both_engines_rank_alike_by_words(stores, seed):
    """Our terms travel as sparse vectors, and both multiply by the same IDF."""
    chance = random.Random(seed)
    documents = _documents(seed, 60)
    for store in stores:
        assert store.add("docs", documents) == {"added": 60, "updated": 0, "unchanged": 0}

    for _ in range(10):
        request = SearchRequest(
            " ".join(chance.choices(WORDS, k=chance.randrange(1, 6))), max_results=8
        )
        _same(*(search(store, request)["rows"] for store in stores))


@pytest.mark.parametrize(
    "filters",
    [
        Filters(include_domains=("site1.example.org",)),
        Filters(include_domains=("example.org",), exclude_domains=("site2.example.org",)),
        Filters(start_date="2016-07-18"),
        Filters(start_date="2013-10-22", end_date="2019-04-14", language="de"),
        Filters(language="fr"),
    ],
)
def test_both_engines_filter_alike(stores, filters):
    """Domains, dates and languages."""
    for store in stores:
        store.add("docs", _documents(9, 60))

    _same(
        *(
            search(store, SearchRequest("kanbel seidor rofin", filters=filters))["rows"]
            for store in stores
        )
    )


@pytest.mark.parametrize("asked", [{"mode": "dense"}, {"mode": "hybrid"}, {}, {"mmr": 0.5}])
def test_both_engines_rank_alike_by_meaning(stores, asked):
    """Vectors, fusion and variety."""
    documents = _documents(3, 40)
    vectors = _vectors(documents)
    for store in stores:
        store.add("docs", documents, vectors, model="m")

    vector = [1.0, 0.5, -1.0, 0.2, 0.0, 0.3, 0.9, -0.4]
    request = SearchRequest("kanbel seidor", vector=vector, model="m", trust=0.5, **asked)
    _same(*(search(store, request)["rows"] for store in stores))


def test_both_engines_keep_books_alike(stores):
    """Replace, delete, count, list, reweigh, drop."""
    for store in stores:
        store.add("docs", _documents(5, 30))
        store.add("docs", [Document("https://e.org/long", "Long", "kanbel seidor. " * 900)])
        store.add("docs", [Document("https://e.org/long", "Long", "short now")])
        store.add("docs", _documents(6, 40))
        store.delete("docs", [_documents(5, 30)[0].url, "https://not.there"])
        store.optimize("docs")

    here, there = stores
    assert here.stats("docs") | {"disk": None} == there.stats("docs")
    assert read_documents(here, "docs", None) == read_documents(there, "docs", None)
    # Edge counts what was replaced until its segment is rewritten, which moves the IDF a little.
    _same(*(search(store, SearchRequest("kanbel short"))["rows"] for store in stores), within=0.01)
    for store in stores:
        store.drop("docs")
        assert store.names() == []
        with pytest.raises(UnknownName):
            search(store, SearchRequest("kanbel", collections=("docs",)))


def test_both_engines_refuse_vectors_of_another_size(stores):
    """A collection is made with one model."""
    documents = _documents(3, 3)
    for store in stores:
        store.add("docs", documents, _vectors(documents, 8), model="m")
        with pytest.raises(IndexFault) as caught:
            store.add("docs", documents, _vectors(documents, 9), model="other")
        assert "m (8 numbers each)" in caught.value.message
        assert caught.value.remedy


async def test_the_facade_works_on_a_server():
    """A url in the settings is the whole change."""
    async with Index(url=":memory:") as index:
        await index.add(ALL, collection="docs")

        assert [h.url for h in await index.search("otters fish")] == [OTTERS.url, HERONS.url]
        assert (await index.stats())["docs"]["documents"] == 4
        with pytest.raises(UnknownName):
            await index.search("fish", collections="dogs")
