"""Our results in the hands of the host that the third specification comes from."""

from __future__ import annotations

import pytest

from kensaku import Document
from kensaku.models import Hit
from kensaku.testing import faults
from kensaku.tools import RAGSearchTool, WebSearchTool

from .grace_host import decide, read_factors, search_score, source_texts, sources, weighted_score

KEYS = {"result_count", "avg_score", "max_score", "min_score", "score_variance", "source_count"}
OTTERS = [
    Hit(f"https://{n}.example/", "Sea otters and kelp", "Sea otters live in kelp forests.", score)
    for n, score in (("a", 0.94), ("b", 0.91), ("c", 0.83))
]


def levels(result, action: str) -> tuple[str, str]:
    """What the host does in its first and in its second edition."""
    return decide(result, action, weighted_score), decide(result, action, search_score)


async def test_a_good_result_of_the_index_lets_the_host_go_on(zoo):
    """Three documents have tiny BM25 scores: as they are, they would read as poor (S3-04, S3-12).

    The first edition confirms whatever is below a perfect search.
    """
    result = await RAGSearchTool(zoo).execute("sea otters kelp", "zoo")

    assert set(result.confidence_factors) >= KEYS
    assert levels(result, "rag_search") == ("confirm", "notify")
    assert source_texts(result.output) == [r["content"] for r in result.output]
    assert len(source_texts(result.output)) == len(sources(result.output)) == 2


@pytest.mark.parametrize("provider", ["tavily", "brave"], ids=["with scores", "without scores"])
async def test_a_good_result_of_the_web_lets_the_host_go_on(make_client, upstream, provider):
    """Whether or not the provider gives scores (S3-04, S3-32)."""
    upstream.answers(provider, OTTERS)

    result = await WebSearchTool(make_client(provider)).invoke({"query": "sea otters kelp"})

    factors = result.confidence_factors
    assert set(factors) >= KEYS
    assert (factors["result_count"], factors["source_count"]) == (3, 3)
    assert factors["min_score"] <= factors["avg_score"] <= factors["max_score"] <= 1
    first, second = levels(result, "web_search")
    assert first in ("confirm", "notify")
    assert second in ("notify", "silent")


async def test_results_about_something_else_escalate(make_client, upstream):
    """An upstream that is sure of the wrong thing does not convince (S3-04)."""
    off = [Hit(f"https://{n}.example/", "Tax law", "Forms for the year", 0.5) for n in "abc"]
    upstream.answers("tavily", off)

    result = await WebSearchTool(make_client("tavily")).invoke({"query": "sea otters kelp"})

    assert levels(result, "web_search")[1] == "escalate"


async def test_nothing_escalates(zoo, make_client, upstream):
    """No result in any collection is no success; an empty web search has no results (S3-10)."""
    upstream.answers("tavily", [])
    web = await WebSearchTool(make_client("tavily")).invoke({"query": "otters"})
    rag = await RAGSearchTool(zoo).invoke({"query": "xylophone"})

    assert (rag.success, rag.output, rag.error_kind) == (False, [], "empty")
    assert not rag.is_error  # a model is not told that the tool is broken
    for result, action in ((rag, "rag_search"), (web, "web_search")):
        assert result.confidence_factors["result_count"] == 0
        assert result.confidence_factors["score_variance"] == 1.0
        assert levels(result, action) == ("escalate", "escalate")


async def test_a_failure_escalates_and_says_that_it_is_one(zoo, make_client, upstream):
    """Nobody could search (S3-10)."""
    upstream.fails("tavily", faults.status(401))
    web = await WebSearchTool(make_client("tavily")).invoke({"query": "otters"})
    rag = await RAGSearchTool(zoo).invoke({"query": "otters", "collection": "void"})

    for result, action in ((rag, "rag_search"), (web, "web_search")):
        assert (result.success, result.is_error, result.error_kind) == (False, True, "tool")
        assert result.confidence_factors["result_count"] == 0
        assert levels(result, action) == ("escalate", "escalate")


async def test_one_result_has_no_variance(make_client):
    """(S3-12)"""
    client = make_client("local")
    await client.index.add([Document("https://a.example/", "Otters", "Sea otters swim.")], "zoo")

    factors = read_factors(await RAGSearchTool(client).execute("sea otters"), "rag_search")

    assert (factors.result_count, factors.score_variance) == (1, 0.0)
    assert factors.max_score == factors.avg_score


async def test_the_best_match_of_a_large_collection_scores_no_more_than_1(make_client):
    """A BM25 score has no upper bound (S3-12)."""
    client = make_client("local")
    filler = [Document(f"https://f.example/{n}", f"Note {n}", f"Entry {n}.") for n in range(400)]
    rare = Document("https://r.example/", "Quokka wombat numbat", "quokka wombat numbat " * 9)
    await client.index.add([*filler, rare], "notes")

    result = await RAGSearchTool(client).execute("quokka wombat numbat", "notes")

    assert result.output[0]["explain"]["bm25"] > 1
    assert 0.9 <= result.confidence_factors["max_score"] <= 1
    assert decide(result, "rag_search", search_score) == "silent"
