"""What the server engine sends, and what it makes of what comes back."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

pytest.importorskip("qdrant_client")

from kensaku.errors import IndexFault, UnknownName
from kensaku.index.engines.base import Entry, EntryFilter, open_engine
from kensaku.index.engines.server import ServerEngine
from tests.index.qdrant_http import QdrantServer

pytestmark = pytest.mark.filterwarnings("ignore:Api key is used with an insecure connection")

A = "a" * 32
UUID = "aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaaa"


@pytest.fixture
def server() -> Iterator[QdrantServer]:
    with QdrantServer() as running:
        yield running


@pytest.fixture
def engine(server: QdrantServer) -> Iterator[ServerEngine]:
    opened = ServerEngine(server.url, api_key="secret")
    yield opened
    opened.close()


@pytest.fixture
def memory() -> Iterator[ServerEngine]:
    opened = ServerEngine(":memory:")
    yield opened
    opened.close()


def _sent(server: QdrantServer) -> list[tuple[str, str, object]]:
    """What was sent, without what was left out."""

    def given(value: object) -> object:
        if isinstance(value, dict):
            return {k: given(v) for k, v in value.items() if v is not None}
        return value

    return [
        (*request, given(body))
        for request, body in zip(server.requests, server.bodies, strict=True)
    ]


WORDS = {"words": {"index": {"on_disk": True, "datatype": "float16"}, "modifier": "idf"}}
DENSE = {"dense": {"size": 3, "distance": "Cosine", "on_disk": True, "datatype": "float16"}}


@pytest.mark.parametrize(("dimensions", "vectors"), [(None, {}), (3, DENSE)])
def test_a_collection_is_made_for_a_disk_with_an_index_for_every_filter(
    engine, server, dimensions, vectors
):
    """The key goes with every request."""
    engine.create("docs", dimensions)

    path = "/collections/kensaku-docs"
    assert _sent(server) == [
        ("PUT", path, {"vectors": vectors, "sparse_vectors": WORDS, "on_disk_payload": True}),
        ("PUT", f"{path}/index", {"field_name": "site", "field_schema": "keyword"}),
        ("PUT", f"{path}/index", {"field_name": "language", "field_schema": "keyword"}),
        ("PUT", f"{path}/index", {"field_name": "day", "field_schema": "integer"}),
    ]
    assert server.keys == ["secret"] * 4


def test_a_search_asks_for_ids_and_scores_only(engine, server):
    """With every condition that there is."""
    engine.create("docs", 3)
    engine.write("docs", [Entry(A, {"site": "a", "day": 5, "language": "en"}, [7], [1.0])])
    server.requests.clear()
    server.bodies.clear()
    condition = EntryFilter(("a",), ("b",), 0, 9, "en", (A,))

    [found] = engine.search_terms("docs", {7: 2.0}, 4, condition)
    assert engine.search_terms("docs", {7: 2.0}, 4, EntryFilter())[0].id == found.id == A

    query = {
        "query": {"nearest": {"indices": [7], "values": [2.0]}},
        "using": "words",
        "limit": 4,
        "with_payload": False,
    }
    [(method, path, body), (_, _, plain)] = _sent(server)
    assert (method, path) == ("POST", "/collections/kensaku-docs/points/query")
    assert {name: body[name] for name in query} == query
    assert "filter" not in plain
    assert body["filter"] == {
        "must": [
            {"key": "site", "match": {"any": ["a"]}},
            {"key": "language", "match": {"value": "en"}},
            {"key": "day", "range": {"gte": 0.0, "lte": 9.0}},
            {"has_id": [UUID]},
        ],
        "must_not": [{"key": "site", "match": {"any": ["b"]}}],
    }


def test_only_our_collections_are_listed_as_ours():
    """By their prefix."""
    engine = ServerEngine(":memory:", prefix="p-")
    engine.create("b", None)
    engine.create("a", None)
    engine._client.create_collection("kensaku-x", vectors_config={})

    assert engine.collections() == ["a", "b"]
    assert engine.foreign.names() == ["kensaku-x"]
    engine.drop("a")
    assert engine.collections() == ["b"]
    engine.close()


def test_what_a_server_cannot_do_is_said_with_what_to_do_instead(memory, tmp_path):
    """And it says nothing about its disk."""
    memory.create("docs", None)

    with pytest.raises(IndexFault) as vectors:
        memory.add_vectors("docs", 3)
    with pytest.raises(IndexFault) as snapshot:
        memory.snapshot(tmp_path)

    assert vectors.value.message == "collection 'docs' on the server has no room for vectors"
    assert vectors.value.remedy == "export it, drop it, and import it with the embedding model set"
    assert snapshot.value.remedy == "use the server's own snapshots, or export to a file"
    assert memory.disk_bytes("docs") is None
    assert memory.optimize("docs") is None


class Failing:
    """A client whose every call fails with one error."""

    def __init__(self, error: Exception) -> None:
        self._error = error

    def count(self, *_: object, **__: object) -> None:
        raise self._error

    def close(self) -> None:
        pass

    def get_collections(self) -> object:
        class Answer:
            collections = ()

        return Answer()


@pytest.mark.parametrize(
    ("text", "kind", "message"),
    [
        ("Collection `x` Not found", UnknownName, "docs"),
        ("Collection x doesn't exist!", UnknownName, "docs"),
        ("Wrong vector Dimension", IndexFault, "collection 'docs' holds vectors of another size"),
        (
            "x" * 201,
            IndexFault,
            f"the Qdrant server could not do it (RuntimeError: {'x' * 200})",
        ),
    ],
)
def test_an_error_of_the_server_is_a_sentence(memory, text, kind, message):
    """Its own text is cut; ours pass as they are."""
    memory._client = Failing(RuntimeError(text))

    with pytest.raises(kind) as caught:
        memory.count_passages("docs")

    assert message in caught.value.message
    assert caught.value.remedy


def test_an_error_of_ours_stays_as_it_is(memory):
    """It has a sentence already."""
    ours = IndexFault("not found by us")
    memory._client = Failing(ours)

    with pytest.raises(IndexFault) as caught:
        memory.count_documents("docs")

    assert caught.value is ours


def test_a_closed_engine_is_closed(memory):
    """Its client holds no connection any more."""
    memory.close()

    with pytest.raises(IndexFault, match="could not do it"):
        memory.collections()


def test_a_server_that_is_not_there_is_named_by_what_to_check():
    """When the first call is made."""
    engine = open_engine(url="http://127.0.0.1:9")

    with pytest.raises(IndexFault) as caught:
        engine.collections()
    engine.close()

    assert caught.value.remedy == "check its address, key and log"
