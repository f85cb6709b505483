"""The text of the Slack bot, byte for byte."""

from __future__ import annotations

import pytest

from kensaku import errors
from kensaku.compat.slack_bot import dialect
from kensaku.models import Hit, Outcome, Query, Response

B = Hit("https://b.example/", "B", "more")


def response(outcome: Outcome = Outcome.FOUND, *hits: Hit, **more: object) -> Response:
    return Response(Query("otters"), outcome, hits, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("found", "text"),
    [
        (response(Outcome.UNAVAILABLE, notes=("n",)), "検索できませんでした"),
        (response(Outcome.EMPTY), "検索結果が見つかりませんでした"),
        (response(Outcome.EMPTY, notes=("n",)), "検索結果が見つかりませんでした\n\n注：n"),
        (response(answer="Yes."), '## 検索結果: "otters"\n\n### 回答\nYes.'),
        (
            response(Outcome.FOUND, B, B, notes=("n", "m")),
            '## 検索結果: "otters"\n\n### 結果\n1. **B**\n   URL: https://b.example/\n   more\n\n'
            "2. **B**\n   URL: https://b.example/\n   more\n\n注：n\n\n注：m",
        ),
        (
            response(Outcome.FOUND, B, answer="Yes."),
            '## 検索結果: "otters"\n\n### 回答\nYes.\n\n### 結果\n'
            "1. **B**\n   URL: https://b.example/\n   more",
        ),
    ],
    ids=["nobody", "nothing", "nothing, note", "answer", "results, notes", "both"],
)
def test_the_whole_text_of_a_search(found: Response, text: str) -> None:
    """Answer, results, notes (S0-30 … S0-36)."""
    assert dialect.write(found) == text


@pytest.mark.parametrize(
    ("options", "shown"),
    [
        ({}, "x" * 499 + "…"),
        ({"max_content_length": 501}, "x" * 501),
        ({"max_content_length": 9}, "x" * 8 + "…"),
        ({"max_content_length": 1}, "…"),
        ({"max_content_length": 0}, "x" * 501),
    ],
)
def test_a_content_is_cut(options: dict[str, int], shown: str) -> None:
    """At 500 characters, unless told otherwise; 0 is all of it (S0-24)."""
    found = response(Outcome.FOUND, Hit("https://b.example/", "B", "x" * 501))

    assert dialect.write(found, **options).rpartition("\n   ")[2] == shown
    whole = response(Outcome.FOUND, Hit("https://b.example/", "B", "x" * 500))
    assert dialect.write(whole).endswith("   " + "x" * 500)


@pytest.mark.parametrize(
    ("query", "text"),
    [
        (None, "検索できませんでした"),
        ("otters", "検索できませんでした"),
        ("", "検索クエリを入力してください"),
        (" \n", "検索クエリを入力してください"),
    ],
)
def test_an_error_is_told_in_a_sentence(query: str | None, text: str) -> None:
    """A query of nothing is the person's to mend."""
    assert dialect.write_error(errors.InvalidQuery("m"), query=query) == text
