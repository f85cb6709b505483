"""Results, messages and texts of the terminal assistant, whole."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from kensaku import errors
from kensaku.compat.terminal import dialect
from kensaku.compat.terminal.message import CommandMessage, format_web_search_command_message
from kensaku.compat.terminal.types import WebSearchError, WebSearchResponse, WebSearchResult
from kensaku.models import Attempt, Hit, Outcome, Query, Response


def test_a_response_has_the_names_of_the_document():
    """What is not known is left out; a score of 0 is known (S4-01, S4-02)."""
    full = WebSearchResult("T", "https://a.example/", "C", 0.0, "2026-01-31")
    response = WebSearchResponse("q", [full, WebSearchResult("U", "u", "")], "Yes.")

    assert response.to_dict() == {
        "query": "q",
        "results": [
            {"title": "T", "url": "https://a.example/", "content": "C", "score": 0.0,
             "publishedDate": "2026-01-31"},
            {"title": "U", "url": "u", "content": ""},
        ],
        "answerBox": "Yes.",
    }  # fmt: skip
    assert WebSearchResponse("q").to_dict() == {"query": "q", "results": []}
    assert WebSearchError("m", status=500).status == 500


QUERY = {"query": "otters"}


@pytest.mark.parametrize(
    ("item", "message"),
    [
        ({"rawItem": {"call_id": "c1", "arguments": QUERY}, "output": "found"},
         CommandMessage("c1-3", 'web_search: "otters"', "found", True, "web_search", QUERY)),
        (SimpleNamespace(raw_item={"callId": "c2"}, arguments='{"query": "otters"}',
                         output=[{"text": "a"}, {"image": 1}, "b"]),
         CommandMessage("c2-3", 'web_search: "otters"', "a\nb", True, "web_search", QUERY)),
        ({"raw_item": {"id": "c3", "output": {"text": "Error: no"}}},
         CommandMessage("c3-3", 'web_search: "kelp"', "Error: no", False, "web_search",
                        {"query": "kelp"})),
        ({"id": "c4", "output": 5},
         CommandMessage("c4-3", 'web_search: "unknown query"', "No results", True, "web_search",
                        {})),
        ({"arguments": "[1]"},
         CommandMessage("call-3", 'web_search: "unknown query"', "No results", True, "web_search",
                        {})),
    ],
)  # fmt: skip
def test_the_whole_message_of_a_call(item, message):
    """In whatever form the SDK keeps it (S4-33 … S4-37)."""
    assert format_web_search_command_message(item, 3, {"c3": '{"query": "kelp"}'}) == [message]


def _response(outcome=Outcome.FOUND, hits=(), **more) -> Response:
    return Response(Query("otters"), outcome, tuple(hits), **more)


def _failed(provider: str, error: errors.KensakuError) -> Attempt:
    return Attempt(provider, Outcome.UNAVAILABLE, error)


NO_KEY = _failed("tavily", errors.NotConfigured("tavily", "it has no key", remedy="set KEY"))
DOWN = _failed("brave", errors.Outage("brave", "it is down"))


@pytest.mark.parametrize(
    ("response", "text"),
    [
        (_response(hits=[Hit("https://a.example/", "A", "text", published="2026-01-31"),
                         Hit("https://b.example/", "B\nB", "more")], answer="Yes."),
         "## Answer\n\nYes.\n\n\n## Search Results\n\n### 1. A\n\n**URL:** https://a.example/\n\n"
         "**Published:** 2026-01-31\n\n\ntext\n\n\n---\n\n### 2. B B\n\n"
         "**URL:** https://b.example/\n\n\nmore\n\n\n---\n"),
        (_response(Outcome.EMPTY), "No results found for this query.\n"),
        (_response(answer="Yes."),
         "## Answer\n\nYes.\n\n\nNo results found for this query.\n"),
        (_response(Outcome.UNAVAILABLE), "Error: No web search provider is configured."),
        (_response(Outcome.UNAVAILABLE, attempts=(NO_KEY,)),
         "Error: Web search provider 'tavily' is not properly configured."
         " Please set the required API key."),
        (_response(Outcome.UNAVAILABLE, attempts=(NO_KEY, DOWN)),
         "Error: tavily: it has no key; set KEY; brave: it is down"),
    ],
)  # fmt: skip
def test_the_whole_text_of_a_search(response, text):
    """Byte for byte (S4-26 … S4-32)."""
    assert dialect.write(response) == text


def test_an_error_is_one_line():
    """(S4-29)"""
    assert dialect.write_error(errors.InvalidQuery("no\ngood", remedy="x")) == "Error: no good; x"
