"""The notes of a response in the words of the two specifications that are Japanese."""

from __future__ import annotations

import pytest

from kensaku.compat._notes import japanese_note_lines


@pytest.mark.parametrize(
    ("note", "japanese"),
    [
        ("the query was cut at a word to 400 characters",
         "検索クエリが長いため、先頭の 400 文字で検索しました"),
        ("tavily: nobody could search; this is what was found 3 minutes ago",
         "検索できなかったため、3 分前に得た結果を示しています"),
        ("2 results without an address were left out", "URL のない結果 2 件を除きました"),
        ("1 of 5 hits were of other domains and were left out",
         "対象外のドメインの結果 1 件（全 5 件中）を除きました"),
        ("1 of 2 pages could not be read", "ページ 1 件（全 2 件中）を読めませんでした"),
        ("tavily: something\nelse", "tavily: something else"),
    ],
)  # fmt: skip
def test_notes_are_translated_and_unknown_ones_stay(note: str, japanese: str) -> None:
    """Each once."""
    assert japanese_note_lines([note, note]) == [f"注：{japanese}"]
