"""The strands dialect, byte for byte."""

from __future__ import annotations

from dataclasses import replace

import pytest

from kensaku.dialects import write, write_error

from .examples import ANSWER, EMPTY, EMPTY_QUERY, FOUND, NO_ANSWER, ONLY_ANSWER, SLOWER, UNAVAILABLE


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
