"""`rag_search`: results of the local index, with confidence factors."""

from __future__ import annotations

import inspect
import json
import logging
import threading
from statistics import fmean, pvariance

import pytest
from hypothesis import given
from hypothesis import strategies as st

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
    assert result.confidence_factors["result_count"] == 2
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


HOST_ROW = {"score": 0.82, "id": 7, "payload": {"question": "Who?", "answer": "Otters.",
            "source": "faq.csv", "domain": "zoo"}}  # fmt: skip
OUR_ROW = {"title": "Otters", "url": "https://a.example/", "content": "otters", "score": 0.5}


def plain(found):
    """The legacy function: plain, with two arguments."""

    def search(query, collection):
        assert threading.current_thread() is not threading.main_thread()
        search.asked.append((query, collection))
        return found

    search.asked = []
    return search


def awaited(found):
    """The same as a coroutine function, which takes a limit as well."""

    async def search(query, collection=None, limit=None):
        search.asked.append((query, collection))
        return found

    search.asked = []
    return search


@pytest.mark.parametrize("how", ["option", "in its place"])
@pytest.mark.parametrize("kind", [plain, awaited])
@pytest.mark.parametrize(
    ("row", "read"),
    [
        (HOST_ROW, ("Who?", "faq.csv", "Otters.", 0.82)),
        (OUR_ROW, ("Otters", "https://a.example/", "otters", 0.5)),
    ],
    ids=["of the host", "of ours"],
)
async def test_the_legacy_function_can_be_put_in_the_place_of_ours(
    monkeypatch, caplog, how, kind, row, read
):
    """Plain or awaited, by option or in its place, rows of either shape (S3-08, S3-11)."""
    caplog.set_level(logging.INFO, "kensaku.tools")
    legacy = kind([row] * 4)
    if how != "option":
        monkeypatch.setattr(rag_search, "search_rag_knowledge_base_structured", legacy)
    tool = RAGSearchTool(search=legacy) if how == "option" else RAGSearchTool()

    result = await tool.execute("otters", "zoo", 3)

    assert legacy.asked == [("otters", "zoo")]
    assert result.success
    assert len(result.output) == 3
    found = result.output[0]
    assert (found["title"], found["url"], found["content"], found["score"]) == read
    assert found["payload"].items() >= row.get("payload", {}).items()
    assert result.confidence_factors["avg_score"] == read[3]
    assert read[2] in result.text
    assert f"rag_search: 3 results, mean score {read[3]}" in logged(caplog, logging.INFO)


async def test_a_legacy_function_that_raises_is_a_failure_with_a_type(caplog):
    """Its message may hold a key; it goes to the log (S3-10)."""

    def broken(query, collection):
        raise ConnectionError("key-123")

    result = await RAGSearchTool(search=broken).execute("otters")

    assert (result.success, result.error_kind) == (False, "tool")
    assert "ConnectionError" in result.error
    assert "key-123" not in result.error + result.text
    assert "key-123" in caplog.text


async def test_collections_are_tried_in_order_until_one_has_results():
    """The one that is asked for first, then those of the configuration (S3-07)."""
    asked = []

    def legacy(query, collection):
        asked.append(collection)
        by_name = {"news": [HOST_ROW], "faq": [], "gone": "[[RAG_TOOL_ERROR]] no such collection"}
        return by_name[collection]

    tool = RAGSearchTool(search=legacy, collections=["faq", "news", "wiki"])
    found = await tool.execute("otters", "gone")
    asked_first, asked = asked, []
    nothing = await RAGSearchTool(search=legacy, collections=["faq", "gone"]).execute("otters")

    assert asked_first == ["gone", "faq", "news"]
    assert found.confidence_factors["used_collection"] == "news"
    assert nothing.error_kind == "empty"  # one of them could be searched


async def test_results_under_the_threshold_are_left_out():
    """As the configuration's `score_threshold` says (S3-10)."""
    rows = [{**HOST_ROW, "score": score} for score in (0.9, 0.45, 0.44)]

    some = await RAGSearchTool(search=plain(rows), min_score=0.45).execute("otters")
    none = await RAGSearchTool(search=plain(rows), min_score=0.95).execute("otters")

    assert [r["score"] for r in some.output] == [0.9, 0.45]
    assert (none.success, none.error_kind) == (False, "empty")


async def test_the_function_gives_a_list_or_says_why_not(zoo):
    """(S3-08, S3-10)"""
    found = await rag_search.search_rag_knowledge_base_structured("otters", "zoo", client=zoo)
    failed = await rag_search.search_rag_knowledge_base_structured("otters", "void", client=zoo)

    assert isinstance(found, list)
    assert found[0].keys() >= {"score", "payload", "title", "url", "content"}
    assert failed.startswith("[[RAG_TOOL_ERROR]]")
    assert "void" in failed
    assert "void" in (await RAGSearchTool(zoo).execute("otters", "void")).error
    nothing = await rag_search.search_rag_knowledge_base_structured("xylophone", client=zoo)
    assert nothing.startswith("[[NO_RAG_RESULT]]")


@pytest.mark.parametrize("returned", [None, {"error": "timeout"}, 5, ["a text"], [None]])
async def test_a_legacy_function_that_returns_no_rows_is_a_failure(returned, caplog):
    """Logged as an error, and no results; another collection may still have some (S3-10)."""

    def legacy(query, collection):
        return [HOST_ROW] if collection == "good" else returned

    result = await RAGSearchTool(search=legacy).execute("otters", "bad")
    second = await RAGSearchTool(search=legacy, collections=["good"]).execute("otters", "bad")

    assert (result.success, result.output, result.error_kind) == (False, [], "tool")
    assert type(returned).__name__ in result.error
    assert logged(caplog, logging.ERROR) == [f"rag_search failed: {result.error}"]
    assert second.success
    assert len(second.output) == 1


async def test_a_row_without_a_payload_is_a_row():
    """As a hit of another function is (S3-11)."""
    tool = RAGSearchTool(search=lambda query, collection: [{"text": "Otters.", "payload": None}])

    assert (await tool.execute("otters")).output[0]["content"] == "Otters."


async def test_the_input_is_logged_and_the_query_only_when_debugging(zoo, caplog):
    """What people ask for is theirs (S3-09)."""
    caplog.set_level(logging.DEBUG, "kensaku.tools")

    await RAGSearchTool(zoo).execute("otters", "zoo", 2)

    assert logged(caplog, logging.INFO)[0] == "rag_search: collection zoo, limit 2"
    assert "otters" not in "".join(logged(caplog, logging.INFO))
    assert "rag_search: query 'otters'" in logged(caplog, logging.DEBUG)


@given(st.lists(st.floats(0, 1), max_size=9))
def test_the_factors_are_the_statistics_of_the_scores(scores):
    """Mean, variance, maximum, minimum as in any textbook; no scores vary most (S3-12)."""
    factors = RAGSearchTool()._calculate_confidence_factors(scores)

    assert factors == {
        "result_count": len(scores),
        "avg_score": pytest.approx(fmean(scores or [0]), abs=1e-4),
        "score_variance": pytest.approx(pvariance(scores) if scores else 1.0, abs=1e-4),
        "max_score": pytest.approx(max(scores, default=0), abs=1e-4),
        "min_score": pytest.approx(min(scores, default=0), abs=1e-4),
    }


def row(score: float | None, text: str = "sea otters", host: str = "a") -> dict:
    return {"title": text, "url": f"https://{host}.example/", "content": text, "score": score}


async def test_the_factors_are_typed_and_in_their_bounds():
    """Whatever an index gives (S3-04, S3-12)."""
    for scores in ([], [None], [3.7, -1.0], [0.0], [1.0, None]):
        found = await RAGSearchTool(search=plain([*map(row, scores)])).execute("otters")
        factors = found.confidence_factors

        assert factors["result_count"] == len(scores)
        for share in ("coverage", "agreement", "score", "avg_score", "max_score", "min_score"):
            assert 0 <= factors[share] <= 1
        assert factors["level"] in ("none", "low", "medium", "high")
        assert all(not isinstance(value, dict) for value in factors.values())
        json.dumps(factors)


async def test_results_about_something_else_lower_the_confidence():
    """High scores alone do not make an answer (S3-12)."""
    on, off = ([row(0.9, text, host) for host in "abc"] for text in ("sea otters", "tax law"))

    good, bad = [
        (await RAGSearchTool(search=plain(rows)).execute("sea otters")).confidence_factors
        for rows in (on, off)
    ]

    assert good["avg_score"] == bad["avg_score"]
    assert (good["level"], bad["level"]) == ("high", "low")
    assert bad["coverage"] == 0.0


async def test_a_row_has_the_fields_of_a_hit_and_of_a_point():
    """And the text shows them, numbered; every score is in 0..1."""
    rows = [
        {"title": "T", "url": "https://a.example/", "content": "C", "score": 1.5, "id": 7,
         "explain": {"metadata": {"tag": "x"}}, "payload": {"source": "s.csv"}},
        {"title": "U", "url": "https://b.example/", "content": "D", "score": None},
    ]  # fmt: skip

    result = await RAGSearchTool(search=plain(rows), fence=False).execute("otters", "zoo")

    assert result.output == [
        {**rows[0], "score": 1.0,
         "payload": {"title": "T", "url": "https://a.example/", "content": "C", "source": "s.csv",
                     "tag": "x"}},
        {**rows[1], "score": 0.0,
         "payload": {"title": "U", "url": "https://b.example/", "content": "D",
                     "source": "https://b.example/"}},
    ]  # fmt: skip
    assert result.text == ("1. T\n   https://a.example/\n   C\n\n2. U\n   https://b.example/\n   D")
    assert result.confidence_factors["used_collection"] == "zoo"
    assert result.confidence_factors["source_count"] == 2
    fenced = await RAGSearchTool(search=plain(rows)).execute("otters")
    assert "<<<local " in fenced.text
    assert "used_collection" not in fenced.confidence_factors


NOTHING = "No relevant results found in any collection."


@pytest.mark.parametrize(
    ("message", "sentence"),
    [
        ("[[NO_RAG_RESULT]] Nothing.", NOTHING),
        ("[[NO_RAG_RESULT_LOW_SCORE]] スコア閾値未満の結果のみでした。", NOTHING),
        ([], NOTHING),
        ("[[RAG_TOOL_ERROR]] It broke.", "It broke."),
        ("It broke.", "It broke."),
    ],
)
async def test_the_whole_text_of_a_failure(message, sentence, caplog):
    """Having found nothing is no error, and is not logged as one (S3-10)."""
    result = await RAGSearchTool(search=plain(message), fence=False).execute("otters")

    broke = sentence != NOTHING
    assert (result.success, result.output, result.is_error) == (False, [], broke)
    assert result.error == result.confidence_factors["message"] == sentence
    before = "Error: the index could not be searched\n" if broke else ""
    assert result.text == before + sentence
    assert bool(logged(caplog, logging.ERROR)) is broke


async def test_the_limit_of_the_tool_is_for_calls_that_name_none():
    """Five unless it is said; a function that takes a limit gets it, and rows are cut anyway."""
    limits = []

    async def search(query, collection, limit):
        limits.append(limit)
        return [OUR_ROW] * 9

    usual = await RAGSearchTool(search=search).execute("otters")
    fewer = await RAGSearchTool(search=search, limit=2).execute("otters")
    asked = await RAGSearchTool(search=search, limit=2).execute("otters", limit=3)

    assert limits == [5, 2, 3]
    assert [len(r.output) for r in (usual, fewer, asked)] == [5, 2, 3]


async def test_of_several_failures_the_first_is_told():
    """When no collection could be searched; each is asked once."""
    asked = []

    def legacy(query, collection):
        asked.append(collection)
        return f"[[RAG_TOOL_ERROR]] {collection} is gone"

    result = await RAGSearchTool(search=legacy, collections=["a", "b", "a"]).execute("otters", "b")

    assert asked == ["b", "a"]
    assert (result.error, result.error_kind) == ("b is gone", "tool")
