"""An index on a Qdrant server: what it sends, and what it makes of what comes back."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

pytest.importorskip("qdrant_client")

from kensaku.errors import IndexFault, KensakuError
from kensaku.index import Index
from kensaku.models import Document
from tests.index.animals import ALL, HERONS, OTTERS, urls
from tests.index.qdrant_http import QdrantServer

pytestmark = pytest.mark.filterwarnings("ignore:Api key is used with an insecure connection")


@pytest.fixture
def server() -> Iterator[QdrantServer]:
    with QdrantServer() as running:
        yield running


def _sent(server: QdrantServer, ending: str) -> list[Any]:
    """The bodies of requests to addresses that end so."""
    both = zip(server.requests, server.bodies, strict=True)
    return [body for (method, path), body in both if path.endswith(ending) and method != "GET"]


async def test_a_collection_is_made_for_a_disk_with_an_index_for_every_filter(server):
    """A server in strict mode refuses filters without one; the key goes with every request."""
    async with Index(url=server.url, api_key="secret") as index:
        await index.add(ALL, "docs")
        found = await index.search(
            "rivers fish",
            collections="docs",
            include_domains=["example.org", "example.com"],
            exclude_domains=["zoo.example.org"],
            start_date="2025-01-01",
            end_date="2025-12-31",
            language="en",
        )

    assert urls(found) == [HERONS.url]
    [made] = _sent(server, "/collections/kensaku-docs")
    assert made["on_disk_payload"] is True
    assert made["sparse_vectors"]["words"]["modifier"] == "idf"
    fields = {body["field_name"]: body["field_schema"] for body in _sent(server, "/index")}
    assert fields == {"site": "keyword", "language": "keyword", "day": "integer"}
    assert set(server.keys) == {"secret"}


async def test_what_a_server_cannot_do_is_said_with_what_to_do_instead(tmp_path):
    """And it says nothing about its disk."""

    class Model:
        name = "m"

        def trust(self, language: str) -> float:
            return 0.5

        async def passages(self, inputs: Any) -> list[list[float]]:
            return [[1.0, 0.0] for _ in inputs]

        async def query(self, text: str) -> list[float]:
            return [1.0, 0.0]

    with QdrantServer() as server:
        async with Index(url=server.url) as index:
            await index.add([OTTERS], "docs")
            with pytest.raises(IndexFault) as snapshot:
                await index.snapshot(tmp_path / "copy")
            await index.optimize("docs")
            disk = (await index.stats())["docs"]["disk"]
        async with Index(url=server.url, model=Model()) as index:
            with pytest.raises(IndexFault) as vectors:
                await index.add([HERONS], "docs")

    assert "export" in snapshot.value.remedy
    assert "import it with the embedding model" in vectors.value.remedy
    assert disk is None


class Broken(QdrantServer):
    """A server that answers everything with one error."""

    def answer(self, method: str, target: str, body: Any) -> tuple[int, Any]:
        return 500, {"status": {"error": "x" * 5_000}, "time": 0}


async def test_an_error_of_the_server_is_a_short_sentence_with_a_remedy():
    """Its own text is cut."""
    with Broken() as server:
        async with Index(url=server.url) as index:
            with pytest.raises(IndexFault) as caught:
                await index.add([Document("doc:1", "", "x")])

    assert len(caught.value.message) < 400
    assert caught.value.remedy


async def test_a_server_that_is_not_there_is_named_by_what_to_check():
    """When the first call is made."""
    async with Index(url="http://127.0.0.1:9") as index:
        with pytest.raises(KensakuError) as caught:
            await index.collections()

    assert "address" in caught.value.remedy
