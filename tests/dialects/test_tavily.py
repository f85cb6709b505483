"""The tavily dialect, byte for byte: search, extract, context and errors."""

from __future__ import annotations

from dataclasses import replace

import pytest

from kensaku.compat.tavily_tools import dialect as tavily
from kensaku.dialects import write, write_error
from kensaku.errors import (
    KensakuError,
    PageUnavailable,
    QuotaExhausted,
    Timeout,
    Unreadable,
)
from kensaku.models import Page

from .examples import (
    ANSWER,
    EMPTY,
    EMPTY_QUERY,
    FOUND,
    NO_KEY,
    OFFLINE,
    ONLY_ANSWER,
    REFUSED,
    SLOWER,
    UNAVAILABLE,
    unavailable,
)

A = Page(url="https://a.example/", markdown="# A\n\nwords")
B = Page(url="https://b.example/", text="plain words")
LOST: list[tuple[str, KensakuError | str]] = [
    ("https://c.example/", PageUnavailable("the server said 404", status=404)),
    ("nope", "not a URL"),
]


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
        "- https://c.example/: ページを取得できませんでした（HTTP 404）\n"
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
        "- https://c.example/: ページを取得できませんでした（HTTP 404）"
    )


def test_context_is_a_header_and_the_text() -> None:
    """(S1-34)"""
    assert tavily.context("otters", "[1] …") == "## RAG用検索コンテキスト: otters\n\n[1] …"
