"""The four dialects of the documents, byte for byte."""

from __future__ import annotations

from dataclasses import replace

import pytest

from kensaku.compat.slack_bot import dialect as strands
from kensaku.compat.tavily_tools import dialect as tavily
from kensaku.dialects import write, write_error
from kensaku.errors import (
    InvalidQuery,
    KensakuError,
    KeyRefused,
    NotConfigured,
    Outage,
    PageUnavailable,
    QuotaExhausted,
    RateLimited,
    Timeout,
    Unreadable,
)
from kensaku.models import Hit, Page, Response

from .examples import (
    ANSWER,
    EMPTY,
    FOUND,
    NO_ANSWER,
    NO_KEY,
    OFFLINE,
    ONLY_ANSWER,
    QUERY,
    REFUSED,
    SLOWER,
    UNAVAILABLE,
    UNCONFIGURED,
    unavailable,
)

EMPTY_QUERY = InvalidQuery("the query is empty", remedy="say what to search for")


def test_strands_writes_what_its_document_shows() -> None:
    """The example of the document is reproduced (S0-30, S0-31, S0-32)."""
    assert write(FOUND, "strands") == (
        '## 検索結果: "Python async programming"\n'
        "\n"
        "### 回答\n"
        "Pythonの非同期プログラミングは...\n"
        "\n"
        "### 結果\n"
        "1. **Python asyncio documentation**\n"
        "   URL: https://docs.python.org/3/library/asyncio.html\n"
        "   Pythonの公式asyncioドキュメント...\n"
        "\n"
        "2. **Real Python - Async IO in Python**\n"
        "   URL: https://realpython.com/async-io-python/\n"
        "   非同期プログラミングの詳細な解説..."
    )


def test_strands_has_no_answer_block_without_an_answer() -> None:
    """(S0-33)"""
    text = write(NO_ANSWER, "strands")

    assert text.startswith('## 検索結果: "Python async programming"\n\n### 結果\n1. **')
    assert "### 回答" not in text


def test_strands_shows_an_answer_that_has_no_results() -> None:
    """A Tavily answer without results is shown (the contradictions' table, S0-31)."""
    expected = f'## 検索結果: "Python async programming"\n\n### 回答\n{ANSWER}'

    assert write(ONLY_ANSWER, "strands") == expected


@pytest.mark.parametrize(("limit", "length"), [(500, 500), (40, 40), (0, 1200)])
def test_strands_bounds_the_content_of_each_result(limit: int, length: int) -> None:
    """500 characters unless said, 0 is without bound, each result on its own (S0-34, S0-07)."""
    long = tuple(replace(h, content="検" * 1200) for h in FOUND.hits)
    lines = write(replace(FOUND, hits=long), "strands", max_content_length=limit).split("\n")
    contents = [line.strip() for line in lines if line.startswith("   検")]

    assert [len(c) for c in contents] == [length, length]


def test_strands_has_three_sentences_for_three_things() -> None:
    """Nothing typed, nobody could search, nothing found (S0-24, S0-35, S0-36)."""
    assert write_error(EMPTY_QUERY, "strands", query="  ") == "検索クエリを入力してください"
    assert write(UNAVAILABLE, "strands") == "検索できませんでした"
    assert write_error(SLOWER, "strands", query="otter") == "検索できませんでした"
    assert write(EMPTY, "strands") == "検索結果が見つかりませんでした"


def test_tavily_writes_title_address_score_and_content() -> None:
    """(S1-08, S1-09)"""
    assert write(FOUND, "tavily") == (
        "## 検索結果: Python async programming\n"
        "\n"
        "### 1. Python asyncio documentation\n"
        "URL: https://docs.python.org/3/library/asyncio.html\n"
        "スコア: 0.95\n"
        "Pythonの公式asyncioドキュメント...\n"
        "\n"
        "### 2. Real Python - Async IO in Python\n"
        "URL: https://realpython.com/async-io-python/\n"
        "スコア: 0.88\n"
        "非同期プログラミングの詳細な解説...\n"
    )


def test_tavily_invents_no_score() -> None:
    """An upstream without scores gets a word in the score's place (S1-09)."""
    unscored = replace(FOUND, hits=(replace(FOUND.hits[0], score=None),))

    assert "\nスコア: なし\nPythonの" in write(unscored, "tavily")


def test_tavily_says_that_there_is_nothing_only_when_there_is_nothing() -> None:
    """(S1-10)"""
    header = "## 検索結果: Python async programming\n\n"

    assert write(EMPTY, "tavily") == header + "検索結果が見つかりませんでした。"
    assert write(ONLY_ANSWER, "tavily") == header + ANSWER
    assert "見つかりません" not in write(UNAVAILABLE, "tavily")


A = Page(url="https://a.example/", markdown="# A\n\nwords")
B = Page(url="https://b.example/", text="plain words")
LOST: list[tuple[str, KensakuError | str]] = [
    ("https://c.example/", PageUnavailable("the server said 404")),
    ("nope", "not a URL"),
]


def test_extract_separates_pages_and_lists_failures_at_the_end() -> None:
    """(S1-23, S1-24, S1-25)"""
    assert tavily.extracted([A, B], LOST) == (
        "## コンテンツ抽出結果\n"
        "\n"
        "### URL: https://a.example/\n"
        "# A\n"
        "\n"
        "words\n"
        "\n"
        "---\n"
        "\n"
        "### URL: https://b.example/\n"
        "plain words\n"
        "\n"
        "---\n"
        "\n"
        "## 失敗したURL\n"
        "- https://c.example/: the server said 404\n"
        "- nope: not a URL"
    )


def test_extract_has_no_failure_section_when_all_went_well() -> None:
    """(S1-26)"""
    assert (
        tavily.extracted([B], [])
        == "## コンテンツ抽出結果\n\n### URL: https://b.example/\nplain words"
    )


def test_extract_says_when_all_failed() -> None:
    """(S1-27)"""
    assert tavily.extracted([], LOST[:1]) == (
        "## コンテンツ抽出結果\n"
        "\n"
        "すべてのURLからコンテンツを抽出できませんでした。\n"
        "\n"
        "## 失敗したURL\n"
        "- https://c.example/: the server said 404"
    )


def test_context_is_a_header_and_the_text() -> None:
    """(S1-34)"""
    assert tavily.context("otters", "[1] …") == "## RAG用検索コンテキスト: otters\n\n[1] …"


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (REFUSED, "AUTH_ERROR"),
        (NO_KEY, "AUTH_ERROR"),
        (SLOWER, "RATE_LIMIT_ERROR"),
        (QuotaExhausted("tavily", "used up", status=432), "RATE_LIMIT_ERROR"),
        (EMPTY_QUERY, "VALIDATION_ERROR"),
        (Timeout("tavily", "slow"), "TIMEOUT_ERROR"),
        (OFFLINE, "NETWORK_ERROR"),
        (Unreadable("tavily", "half a body"), "API_ERROR"),
    ],
)
def test_tavily_errors_are_two_lines(error: KensakuError, kind: str) -> None:
    """(S1-41, S1-11, S1-12, S1-13)"""
    first, second = write_error(error, "tavily").split("\n")

    assert first.startswith("Tavily API エラー: ")
    assert len(first) > len("Tavily API エラー: ")
    assert second == f"エラータイプ: {kind}"


def test_tavily_names_its_own_trouble_when_nobody_could_search() -> None:
    """The type is Tavily's, the text names everybody (S1-41)."""
    first, second = write(unavailable(OFFLINE, REFUSED), "tavily").split("\n")

    assert "wikipedia：" in first
    assert "tavily：" in first
    assert "TAVILY_API_KEY" in first
    assert second == "エラータイプ: AUTH_ERROR"


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


@pytest.mark.parametrize("dialect", ["strands", "tavily", "search_web", "term"])
@pytest.mark.parametrize("response", [UNAVAILABLE, UNCONFIGURED], ids=["outage", "no key"])
def test_the_words_for_nothing_are_never_used_for_nobody(dialect: str, response: Response) -> None:
    """An agent that is told "no results" answers from memory (S0-36, S1-10, S2-38, S4-32)."""
    text = write(response, dialect)

    assert "見つかりませんでした" not in text
    assert "No results" not in text


def test_a_missing_key_is_a_typed_error() -> None:
    """(S1-11)"""
    assert tavily.error_type(NotConfigured("tavily", "no key")) == "AUTH_ERROR"
    assert tavily.error_type(RateLimited("tavily", "slow")) == "RATE_LIMIT_ERROR"


def test_the_sentences_are_constants_that_tools_can_use() -> None:
    """(S0-24, S0-35, S0-36)"""
    assert strands.NO_QUERY == "検索クエリを入力してください"
    assert strands.NOBODY == "検索できませんでした"
    assert strands.NOTHING == "検索結果が見つかりませんでした"
