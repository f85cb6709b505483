"""Collections that other applications made on a Qdrant server, searched and left alone.

They are created by raw calls of the official client, in the shapes that applications use: that of
nakashima2toshio/gemini_grace_agent (3,072 numbers, questions with answers), LangChain's,
LlamaIndex's.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import AsyncIterator, Iterator

import pytest

pytest.importorskip("qdrant_client")

from qdrant_client import QdrantClient, models

from kensaku.errors import IndexFault, UnknownName
from kensaku.index import Index
from kensaku.index.payload import PayloadFields
from kensaku.tools import RAGSearchTool
from tests.index.animals import OTTERS
from tests.index.qdrant_http import QdrantServer

GEMINI = 3_072
FAQ = [
    ("ラッコは何を食べますか", "ラッコはウニや貝を食べます。"),
    ("ラッコはどこで眠りますか", "ラッコは海藻につかまって眠ります。"),
    ("パンの材料は何ですか", "小麦粉と水と酵母です。"),
]


class WordVectors:
    """An embedding model of somebody else: pairs of characters, hashed."""

    name = "words"

    def __init__(self, size: int = GEMINI) -> None:
        self._size = size

    def trust(self, language: str) -> float:
        return 0.0  # it says that it cannot read any language; other collections do not ask

    async def passages(self, inputs):
        return [self.vector(i.full_text) for i in inputs]

    async def query(self, text):
        return self.vector(text)

    def vector(self, text: str) -> list[float]:
        numbers = [0.0] * self._size
        for n in range(len(text) - 1):
            digest = hashlib.blake2b(text[n : n + 2].encode(), digest_size=4).digest()
            numbers[int.from_bytes(digest, "big") % self._size] += 1.0
        length = math.sqrt(sum(x * x for x in numbers)) or 1.0
        return [x / length for x in numbers]


@pytest.fixture
def server() -> Iterator[QdrantServer]:
    with QdrantServer() as running:
        yield running


@pytest.fixture
def raw(server) -> Iterator[QdrantClient]:
    """The client of the other application."""
    client = QdrantClient(url=server.url, check_compatibility=False)
    yield client
    client.close()


@pytest.fixture
def make_faq(raw):
    """Create a collection as the author's application does: unnamed, cosine, integers as ids."""

    def make(name: str, pairs=FAQ, size: int = GEMINI, named: str | None = None) -> None:
        params = models.VectorParams(size=size, distance=models.Distance.COSINE)
        raw.create_collection(name, vectors_config={named: params} if named else params)
        model = WordVectors(size)
        points = [
            models.PointStruct(
                id=n + 1,
                vector={named: model.vector(q)} if named else model.vector(q),
                payload={
                    "domain": name,
                    "question": q,
                    "answer": a,
                    "source": "faq.csv",
                    "created_at": "2025-12-26T00:00:00+00:00",
                    "schema": "qa:v1",
                },
            )
            for n, (q, a) in enumerate(pairs)
        ]
        raw.upsert(name, points)

    return make


@pytest.fixture
async def open_index(server) -> AsyncIterator:
    opened: list[Index] = []

    def make(model=None, **options) -> Index:
        opened.append(Index(url=server.url, model=model, **options))
        return opened[-1]

    yield make
    for index in opened:
        await index.close()


@pytest.mark.parametrize("named", [None, "default", "gemini"])
async def test_a_collection_of_the_authors_application_is_searched(make_faq, open_index, named):
    """Questions with answers, 3,072 numbers, whatever the vector is called (S3-14)."""
    make_faq("customer_support_faq", named=named)

    hits = await open_index(WordVectors()).search(
        "ラッコは何を食べますか", collections="customer_support_faq", max_results=2
    )

    assert [h.content for h in hits] == [FAQ[0][1], FAQ[1][1]]
    assert hits[0].title == FAQ[0][0]
    assert hits[0].url == "qdrant://customer_support_faq/1"
    assert hits[0].score == pytest.approx(1.0, abs=1e-3)  # the cosine, as the server gives it
    assert 0 < hits[1].score < hits[0].score
    assert hits[0].explain.local.metadata["source"] == "faq.csv"


async def test_searching_changes_nothing(make_faq, open_index, server, raw):
    """Not written to, not renamed, not made again; and its name is not taken (S3-14)."""
    make_faq("faq")
    before = raw.get_collection("faq").model_dump()
    index = open_index(WordVectors())
    server.requests.clear()

    await index.search("ラッコ", collections="faq")
    await index.stats()
    for change in (
        index.add([OTTERS], collection="faq"),
        index.delete(OTTERS.url, "faq"),
        index.drop("faq"),
        index.optimize("faq"),
    ):
        with pytest.raises(IndexFault, match="'faq' was made by another application"):
            await change

    reads = {"GET", "POST"}
    assert {method for method, _ in server.requests} <= reads
    posted = {path for method, path in server.requests if method == "POST"}
    assert posted <= {"/collections/faq/points/query", "/collections/faq/points/count"}
    assert raw.get_collection("faq").model_dump() == before


async def test_others_are_listed_as_foreign_and_searched_only_by_name(make_faq, open_index):
    """A shared server: what is not ours is not mixed in unasked."""
    make_faq("faq")
    index = open_index(WordVectors())
    await index.add([OTTERS], collection="ours")

    assert await index.collections() == ["ours"]
    assert await index.foreign_collections() == ["faq"]
    stats = await index.stats()
    assert {name: s["foreign"] for name, s in stats.items()} == {"ours": False, "faq": True}
    assert stats["faq"]["documents"] == 3
    assert {h.url for h in await index.search("otters ラッコ")} == {OTTERS.url}
    both = await index.search("otters ラッコは何を食べますか", collections=["faq", "ours"])
    assert {OTTERS.url, "qdrant://faq/1"} <= {h.url for h in both}
    assert [h.score for h in both] == sorted((h.score for h in both), reverse=True)


@pytest.mark.parametrize("named", [None, "default"])
async def test_vectors_of_another_size_are_named_with_both_sizes(make_faq, open_index, named):
    """Which model is wanted, which was asked (S3-14)."""
    make_faq("faq", named=named)

    with pytest.raises(IndexFault) as caught:
        await open_index(WordVectors(384)).search("ラッコ", collections="faq")

    assert "3,072 numbers" in caught.value.message
    assert "words, which gives 384 numbers" in caught.value.message
    assert caught.value.remedy == "set index.model to the embedding model it was made with"


async def test_without_a_model_it_says_which_setting(make_faq, open_index):
    """Not an empty list."""
    make_faq("faq")

    with pytest.raises(IndexFault) as caught:
        await open_index().search("ラッコ", collections="faq")
    with pytest.raises(UnknownName):
        await open_index(WordVectors()).search("ラッコ", collections="faqq")

    assert "by meaning only" in caught.value.message
    assert "index.model" in caught.value.remedy


async def test_several_vectors_are_told_apart(raw, open_index):
    """By the setting, else by their size."""
    sizes = {"title": 64, "body": 64, "image": 512}
    cosine = models.Distance.COSINE
    raw.create_collection(
        "docs", vectors_config={n: models.VectorParams(size=s, distance=cosine)
                                for n, s in sizes.items()},
    )  # fmt: skip
    model = WordVectors(64)
    said = {"title": "otters", "body": "bread", "image": "x"}
    vectors = {n: WordVectors(sizes[n]).vector(t) for n, t in said.items()}
    raw.upsert("docs", [models.PointStruct(id=1, vector=vectors, payload={"text": "Otters"})])

    by_title = await open_index(model, fields=PayloadFields(vector="title")).search(
        "otters", collections="docs"
    )
    by_body = await open_index(model, fields=PayloadFields(vector="body")).search(
        "otters", collections="docs"
    )
    by_size = await open_index(WordVectors(512)).search("x", collections="docs")

    assert by_title[0].score > 0.9 > by_body[0].score
    assert len(by_size) == 1
    with pytest.raises(IndexFault, match="image: 512 numbers"):
        await open_index(model, fields=PayloadFields(vector="image")).search(
            "otters", collections="docs"
        )


@pytest.mark.parametrize(
    ("payload", "fields", "read"),
    [
        (  # LangChain
            {"page_content": "Otters eat.", "metadata": {"source": "https://a.example/o"}},
            PayloadFields(),
            ("Otters eat.", "Otters eat.", "https://a.example/o"),
        ),
        (  # LlamaIndex
            {"_node_content": json.dumps({"text": "Otters eat.", "metadata": {"title": "O"}}),
             "file_name": "o.md"},
            PayloadFields(),
            ("Otters eat.", "O", "qdrant://docs/1"),
        ),
        (  # by setting
            {"beschreibung": "Otter fressen.", "kopf": {"name": "O"}, "text": "no", "wo": "f:///o"},
            PayloadFields(("beschreibung",), ("kopf.name",), ("wo",)),
            ("Otter fressen.", "O", "f:///o"),
        ),
        (  # names that nobody has seen
            {"id": "7", "zzz": "Otters eat urchins."},
            PayloadFields(),
            ("Otters eat urchins.", "Otters eat urchins.", "qdrant://docs/1"),
        ),
        ({}, PayloadFields(), ("", "", "qdrant://docs/1")),
    ],
    ids=["langchain", "llama-index", "setting", "unknown", "empty"],
)  # fmt: skip
async def test_text_title_and_address_are_found(raw, open_index, payload, fields, read):
    """By the settings, else by the names that applications use."""
    params = models.VectorParams(size=64, distance=models.Distance.COSINE)
    raw.create_collection("docs", vectors_config=params)
    vector = WordVectors(64).vector("otters")
    raw.upsert("docs", [models.PointStruct(id=1, vector=vector, payload=payload)])

    (hit,) = await open_index(WordVectors(64), fields=fields).search("otters", collections="docs")

    assert (hit.content, hit.title, hit.url) == read


@pytest.mark.parametrize("distance", list(models.Distance))
async def test_every_distance_becomes_a_score_in_0_to_1(raw, open_index, distance):
    """Near is 1, far is less."""
    raw.create_collection("docs", vectors_config=models.VectorParams(size=64, distance=distance))
    model = WordVectors(64)
    raw.upsert(
        "docs",
        [models.PointStruct(id=n, vector=model.vector(t), payload={"text": t})
         for n, t in enumerate(["sea otters", "bread and water"], 1)],
    )  # fmt: skip

    near, far = await open_index(model).search("sea otters", collections="docs")

    assert near.content == "sea otters"
    assert 1 >= near.score > far.score >= 0
    assert near.score == pytest.approx(1, abs=1e-3)


async def test_filters_apply_to_what_the_payload_says(raw, open_index):
    """Domains, dates and languages of points that have them."""
    params = models.VectorParams(size=64, distance=models.Distance.COSINE)
    raw.create_collection("docs", vectors_config=params)
    rows = [
        {"text": "Sea otters eat.", "url": "https://a.example/1", "published": "2024-05-01"},
        {"text": "Sea otters sleep.", "url": "https://b.example/2", "published": "2026-05-01"},
        {"text": "Sea otters play.", "url": "https://a.example/3"},
    ]
    model = WordVectors(64)
    raw.upsert(
        "docs",
        [models.PointStruct(id=n, vector=model.vector(r["text"]), payload=r)
         for n, r in enumerate(rows, 1)],
    )  # fmt: skip
    index = open_index(model)

    async def found(**filters) -> set[str]:
        hits = await index.search("sea otters", collections="docs", **filters)
        return {h.url[-1] for h in hits}

    assert await found(include_domains=["a.example"]) == {"1", "3"}
    assert await found(exclude_domains=["a.example"]) == {"2"}
    assert await found(start_date="2025-01-01") == await found(start_date="2026-05-01") == {"2"}
    assert await found(end_date="2025-01-01") == await found(end_date="2024-05-01") == {"1"}
    assert await found(start_date="2024-05-02", end_date="2026-04-30") == set()
    assert await found(language="ja") == set()


async def test_rag_search_gives_the_host_its_own_payload(make_faq, make_client, server):
    """The cosine as the score, question and answer as they were stored (S3-13, S3-14)."""
    make_faq("wikipedia_ja", FAQ[2:])
    make_faq("livedoor")
    client = make_client("local", index_url=server.url)
    client.index._model_name = WordVectors()
    tool = RAGSearchTool(client, collections=["wikipedia_ja", "livedoor"], min_score=0.5)

    result = await tool.execute("ラッコは何を食べますか")

    assert result.success
    assert result.confidence_factors["used_collection"] == "livedoor"
    assert result.confidence_factors["max_score"] == pytest.approx(1.0, abs=1e-3)
    assert result.output[0]["payload"].items() >= {
        "question": FAQ[0][0], "answer": FAQ[0][1], "source": "faq.csv", "content": FAQ[0][1],
    }.items()  # fmt: skip
    assert all(r["score"] >= 0.5 for r in result.output)


async def test_a_search_by_route_finds_them_and_fills_nothing(make_faq, make_client, server):
    """As any collection of the local index; the starter collection is not put on their server."""
    make_faq("よくある質問")
    client = make_client("local", index_url=server.url)
    client.index._model_name = WordVectors()
    server.requests.clear()

    found = await client.search("ラッコは何を食べますか", collection="よくある質問")
    nothing = await client.search("ラッコは何を食べますか")

    assert found.outcome == "found"
    assert found.hits[0].url == "qdrant://よくある質問/1"
    assert nothing.outcome == "empty"
    assert {method for method, _ in server.requests} == {"GET", "POST"}
    assert not any(path.startswith("/collections/kensaku-") for _, path in server.requests)
