"""`POST /jina/v1/rerank`, as LibreChat sends it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import aiohttp
import pytest

from tests.answers.reranker import StandIn
from tests.server.conftest import make_server as make_server

DOCUMENTS = ["A page on rivers.", "Strands of kelp.", "Sea otters rest. Otters!", "An otters' den."]
ASKED = {"model": "jina-reranker-v2-base-multilingual", "query": "sea otters rest", "top_n": 3,
         "documents": DOCUMENTS, "return_documents": True}  # fmt: skip


@pytest.fixture
async def reranker() -> AsyncIterator[StandIn]:
    """One that likes kelp."""
    made = StandIn(lambda text: 0.9 if "kelp" in text else 0.1)
    await made.server.start_server()
    yield made
    await made.server.close()


async def post(server: Any, **changed: Any) -> tuple[int, Any]:
    url, body = f"{server.url}/jina/v1/rerank", {**ASKED, **changed}
    async with aiohttp.ClientSession() as http, http.post(url, json=body) as reply:
        return reply.status, await reply.json()


async def test_our_own_ranking_serves_without_a_reranker(make_server: Any) -> None:
    """Scores from 0 to 1, the best first; a document may be an object."""
    server = await make_server("tavily")
    status, reply = await post(server)
    _, whole = await post(
        server, documents=[{"text": d} for d in DOCUMENTS], top_n=99, return_documents=False
    )

    rows = reply["results"]
    assert (status, reply["object"], reply["model"]) == (200, "list", "kensaku")
    assert reply["usage"]["total_tokens"] > 0
    assert [row["index"] for row in rows][:2] == [2, 3]
    assert [row["document"]["text"] for row in rows] == [DOCUMENTS[row["index"]] for row in rows]
    scores = [row["relevance_score"] for row in whole["results"]]
    assert scores == sorted(scores, reverse=True)
    assert all(0 <= score <= 1 for score in scores)
    assert sorted(row["index"] for row in whole["results"]) == [0, 1, 2, 3]
    assert all(set(row) == {"index", "relevance_score"} for row in whole["results"])


async def test_the_configured_reranker_serves(make_server: Any, reranker: StandIn) -> None:
    """Its scores are passed on; when it fails, ours stand, and the reply says so."""
    server = await make_server("tavily", **reranker.settings("tei"))
    _, reply = await post(server)
    reranker.status = 503
    status, failed = await post(server, query="otters")

    assert [r["relevance_score"] for r in reply["results"]] == [0.9, 0.1, 0.1]
    assert reply["results"][0]["index"] == 1
    assert "notes" not in reply
    assert (status, failed["model"], len(failed["notes"])) == (200, "kensaku", 1)
    assert failed["results"][0]["index"] == 2


async def test_what_is_out_of_bounds_is_named(make_server: Any) -> None:
    """In the shape of Jina's errors."""
    server = await make_server("tavily")
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"query": " "}, "query"),
        ({"query": "x" * 4_001}, "4,000"),
        ({"documents": []}, "documents"),
        ({"documents": "otters"}, "documents"),
        ({"documents": ["a", {"title": "b"}]}, "documents[1]"),
        ({"documents": ["a"] * 501}, "500"),
        ({"documents": ["x" * 20_001]}, "20,000"),
        ({"top_n": 0}, "top_n"),
    ]
    for changed, named in wrong:
        status, reply = await post(server, **changed)

        assert status == reply["code"] == 400
        assert named in reply["message"]
