"""The search_web dialect, byte for byte."""

from __future__ import annotations

from kensaku.dialects import write, write_error
from kensaku.errors import InvalidQuery, NotConfigured, Outage
from kensaku.models import Hit, Response

from .examples import (
    ANSWER,
    EMPTY,
    FOUND,
    ONLY_ANSWER,
    QUERY,
    UNAVAILABLE,
    UNCONFIGURED,
    unavailable,
)


def test_search_web_writes_its_list_with_the_blank_line_at_the_end() -> None:
    """(S2-39, S2-40)"""
    assert write(FOUND, "search_web") == (
        'Found 2 result(s) for "Python async programming":\n'
        "\n"
        "1. **Python asyncio documentation**\n"
        "   https://docs.python.org/3/library/asyncio.html\n"
        "   Pythonの公式asyncioドキュメント...\n"
        "\n"
        "2. **Real Python - Async IO in Python**\n"
        "   https://realpython.com/async-io-python/\n"
        "   非同期プログラミングの詳細な解説...\n"
    )


def test_search_web_leaves_out_what_is_missing() -> None:
    """(S2-41)"""
    bare = Response(QUERY, FOUND.outcome, hits=(Hit(url="", title="", content=""),))

    assert write(bare, "search_web") == (
        'Found 1 result(s) for "Python async programming":\n\n1. **No title**\n'
    )


def test_search_web_has_a_sentence_for_each_end() -> None:
    """Nothing found, a wrong query, an outage (S2-38, S2-42, S2-43)."""
    nothing = 'No results found for "Python async programming". Try rephrasing your search.'
    outage = "Web search is temporarily unavailable. Please try again later."
    long = InvalidQuery("Search query must be 500 characters or fewer.")

    assert write(EMPTY, "search_web") == nothing
    assert write(UNAVAILABLE, "search_web") == outage
    assert write_error(Outage("tavily", "down"), "search_web") == outage
    assert write_error(long, "search_web") == (
        "Invalid search query: Search query must be 500 characters or fewer."
    )


def test_search_web_tells_a_missing_key_from_an_outage() -> None:
    """Waiting does not mend a setting (S2-13, S2-26, and the contradictions' table)."""
    assert write(UNCONFIGURED, "search_web") == (
        "Web search is not configured: "
        "TAVILY_API_KEY environment variable is required when using Tavily provider."
    )


def test_search_web_names_a_package_that_is_missing() -> None:
    """DuckDuckGo has neither a key nor an address that could be set (S2-10)."""
    missing = NotConfigured("duckduckgo", "ddgs is not installed", remedy="install ddgs")

    assert write(unavailable(missing), "search_web") == (
        "Web search is not configured: duckduckgo: ddgs is not installed; install ddgs"
    )


def test_search_web_shows_an_answer_that_has_no_results() -> None:
    """A Tavily answer without results is shown (S2-39)."""
    assert write(ONLY_ANSWER, "search_web") == (
        f'Found 0 result(s) for "Python async programming":\n\n{ANSWER}\n'
    )
