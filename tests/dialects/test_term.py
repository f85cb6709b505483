"""The term dialect, byte for byte."""

from __future__ import annotations

from kensaku.dialects import write, write_error
from kensaku.errors import KeyRefused
from kensaku.models import Response

from .examples import ANSWER, EMPTY, FOUND, ONLY_ANSWER, QUERY, UNAVAILABLE, UNCONFIGURED


def _joined(*parts: str) -> str:
    return "\n".join(parts)


def test_term_joins_parts_that_end_in_a_newline_with_a_newline() -> None:
    """The very parts of the document's code, joined as it joins them (S4-28, S4-30, S4-31)."""
    assert write(FOUND, "term") == _joined(
        "## Answer\n",
        ANSWER,
        "\n",
        "## Search Results\n",
        "### 1. Python asyncio documentation\n",
        "**URL:** https://docs.python.org/3/library/asyncio.html\n",
        "**Published:** 2026-01-20\n",
        "\nPythonの公式asyncioドキュメント...\n",
        "\n---\n",
        "### 2. Real Python - Async IO in Python\n",
        "**URL:** https://realpython.com/async-io-python/\n",
        "\n非同期プログラミングの詳細な解説...\n",
        "\n---\n",
    )


def test_term_says_when_there_are_no_results_and_keeps_the_answer() -> None:
    """(S4-32, S4-30)"""
    assert write(EMPTY, "term") == "No results found for this query.\n"
    assert write(ONLY_ANSWER, "term") == _joined(
        "## Answer\n", ANSWER, "\n", "No results found for this query.\n"
    )


def test_term_errors_begin_with_error() -> None:
    """No provider, not configured, anything else (S4-26, S4-27, S4-29)."""
    nobody = Response(QUERY, UNAVAILABLE.outcome)

    assert write(nobody, "term") == "Error: No web search provider is configured."
    assert write(UNCONFIGURED, "term") == (
        "Error: Web search provider 'tavily' is not properly configured."
        " Please set the required API key."
    )
    assert write(UNAVAILABLE, "term") == (
        "Error: tavily: it does not take this key (HTTP 401); check TAVILY_API_KEY; "
        "brave: too many requests (HTTP 429)"
    )
    assert write_error(KeyRefused("tavily", "no"), "term") == "Error: tavily: no"
