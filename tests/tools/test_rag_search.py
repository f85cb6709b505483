"""`rag_search`: results of the local index, with confidence factors."""

from __future__ import annotations

import inspect
import json
import logging
from statistics import fmean, pvariance

import pytest

from kensaku import Document
from kensaku.tools import RAGSearchTool, rag_search

from .doubles import BREAD, KELP, OTTERS, logged


def test_rag_search_takes_a_query_a_collection_and_a_limit():
    """(S3-06, S3-07)"""
    parameters = inspect.signature(RAGSearchTool.execute).parameters

    assert RAGSearchTool.name == "rag_search"
    assert list(parameters)[1:] == ["query", "collection", "limit"]
    assert (parameters["collection"].default, parameters["limit"].default) == (None, None)
    assert RAGSearchTool().parameters["required"] == ["query"]


@pytest.mark.parametrize("url", [None, ":memory:"], ids=["edge", "server"])
async def test_rag_search_finds_documents_in_qdrant(make_client, url):
    """In Qdrant's engine on this machine, or on a server: the same vectors (S3-13, S3-14)."""
    client = make_client("local", **({"index_url": url} if url else {}))
    await client.index.add([OTTERS, KELP, BREAD], collection="zoo")

    result = await RAGSearchTool(client).execute("sea otters kelp", "zoo", 5)

    assert result.success
    assert {r["url"] for r in result.output} == {OTTERS.url, KELP.url}
    assert result.confidence_factors["count"] == 2
    assert OTTERS.text in result.text
    assert all(0 < r["score"] <= 1 for r in result.output)


async def test_rag_search_keeps_to_its_collection_and_limit(zoo):
    """(S3-07)"""
    await zoo.index.add([Document("https://other.example/", "Otters", "Sea otters!")], "other")

    one = await RAGSearchTool(zoo).execute("sea otters", collection="zoo", limit=1)
    all_of_them = await RAGSearchTool(zoo).execute("sea otters")

    assert len(one.output) == 1
    assert "https://other.example/" in {r["url"] for r in all_of_them.output}
    assert "https://other.example/" not in {r["url"] for r in one.output}


async def test_rag_search_delegates_to_the_function_of_the_document(monkeypatch, caplog):
    """Which can be put in its place, as the legacy logic was (S3-08, S3-11)."""
    asked = []

    async def legacy(query, collection=None, limit=None, *, client=None):
        asked.append((query, collection, limit))
        return [{"title": "Otters", "url": "https://a.example/", "content": "otters", "score": 0.5}]

    monkeypatch.setattr(rag_search, "search_rag_knowledge_base_structured", legacy)
    caplog.set_level(logging.INFO, "kensaku.tools")

    result = await RAGSearchTool().execute("otters", "zoo", 3)

    assert asked == [("otters", "zoo", 3)]
    assert result.success
    assert result.output[0]["url"] == "https://a.example/"
    assert result.confidence_factors["score_mean"] == 0.5
    assert "rag_search: 1 results, mean score 0.5" in logged(caplog, logging.INFO)


async def test_the_function_gives_a_list_or_says_why_not(zoo):
    """(S3-08, S3-10)"""
    found = await rag_search.search_rag_knowledge_base_structured("otters", "zoo", client=zoo)
    failed = await rag_search.search_rag_knowledge_base_structured("otters", "void", client=zoo)

    assert isinstance(found, list)
    assert isinstance(failed, str)
    assert "void" in failed


async def test_a_message_instead_of_a_list_is_a_failure(zoo, caplog):
    """Logged as an error; no results, and nothing to trust (S3-10)."""
    result = await RAGSearchTool(zoo).execute("otters", "void")

    assert (result.success, result.output) == (False, [])
    assert "void" in result.error
    assert result.confidence_factors["count"] == 0
    assert result.confidence_factors["score"] == 0.0
    assert logged(caplog, logging.ERROR) == [f"rag_search failed: {result.error}"]


async def test_the_input_is_logged_and_the_query_only_when_debugging(zoo, caplog):
    """What people ask for is theirs (S3-09)."""
    caplog.set_level(logging.DEBUG, "kensaku.tools")

    await RAGSearchTool(zoo).execute("otters", "zoo", 2)

    assert logged(caplog, logging.INFO)[0] == "rag_search: collection zoo, limit 2"
    assert "otters" not in "".join(logged(caplog, logging.INFO))
    assert "rag_search: query 'otters'" in logged(caplog, logging.DEBUG)


def result(score: float | None, text: str = "sea otters", host: str = "a") -> dict:
    return {"title": text, "url": f"https://{host}.example/", "content": text, "score": score}


def test_the_factors_are_the_statistics_of_the_scores():
    """Count, mean and variance, as any textbook has them (S3-12)."""
    scores = [0.9, 0.5, 0.4]

    factors = RAGSearchTool._calculate_confidence_factors("sea otters", [*map(result, scores)])

    assert factors["count"] == 3
    assert factors["score_mean"] == pytest.approx(fmean(scores), abs=1e-4)
    assert factors["score_variance"] == pytest.approx(pvariance(scores), abs=1e-4)
    assert 0 <= factors["score"] <= 1


def test_the_factors_are_typed_and_in_their_bounds():
    """Whatever an index gives (S3-04, S3-12)."""
    for scores in ([], [None], [3.7, -1.0], [0.0], [1.0, None]):
        factors = RAGSearchTool._calculate_confidence_factors("otters", [*map(result, scores)])

        assert isinstance(factors["count"], int)
        for share in ("coverage", "agreement", "score"):
            assert 0 <= factors[share] <= 1
        mean = factors["score_mean"]
        assert mean is None or 0 <= mean <= 1
        assert factors["level"] in ("none", "low", "medium", "high")
        json.dumps(factors)


def test_results_about_something_else_lower_the_confidence():
    """High scores alone do not make an answer (S3-12)."""
    on, off = ([result(0.9, text, host) for host in "abc"] for text in ("sea otters", "tax law"))

    good = RAGSearchTool._calculate_confidence_factors("sea otters", on)
    bad = RAGSearchTool._calculate_confidence_factors("sea otters", off)

    assert good["score_mean"] == bad["score_mean"]
    assert (good["level"], bad["level"]) == ("high", "low")
    assert bad["coverage"] == 0.0
