"""The width of text on a terminal."""

from __future__ import annotations

import pytest

from kensaku.text.width import cut_to_width, display_width, format_table


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        ("otter", 5),
        ("é", 1),
        ("検索", 4),
        ("Ａ", 2),
        ("e\u0301", 1),
        ("か\u3099", 2),
        ("a\u200db\ufe0f", 2),
        ("葛\U000e0100", 2),
        ("ｶﾅ", 2),
    ],
)
def test_a_wide_character_takes_two_columns_and_a_mark_none(text: str, columns: int) -> None:
    """Tables of Japanese and English stand straight."""
    assert display_width(text) == columns


@pytest.mark.parametrize(
    ("text", "columns", "cut"),
    [
        ("otters", 6, "otters"),
        ("otters", 5, "otte…"),
        ("an otter", 4, "an…"),
        ("検索する", 8, "検索する"),
        ("検索する", 7, "検索す…"),
        ("検索する", 6, "検索…"),
        ("cafe\u0301s are", 5, "cafe\u0301…"),
        ("otters", 1, "…"),
        ("otters", 0, ""),
    ],
)
def test_a_line_is_cut_to_the_columns_of_a_terminal(text: str, columns: int, cut: str) -> None:
    """The sign that something is missing has a column, too."""
    assert cut_to_width(text, columns) == cut


ROWS = [["name", "what", "n"], ["otter", "カワウソ", "12"], ["crab", "", "7"]]


@pytest.mark.parametrize(
    ("columns", "table"),
    [
        (None, "name   what      n\notter  カワウソ  12\ncrab             7"),
        (19, "name   what      n\notter  カワウソ  12\ncrab             7"),
        (18, "otter\n  what: カワウソ\n  n: 12\ncrab\n  n: 7"),
    ],
)
def test_a_table_is_aligned_or_written_row_by_row(columns: int | None, table: str) -> None:
    """Where the terminal is too narrow, each row is a block, without its empty cells."""
    assert format_table(ROWS, columns) == table


def test_a_table_without_rows_is_nothing() -> None:
    """Not even its head is known."""
    assert format_table([]) == ""
