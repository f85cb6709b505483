"""Tables in Markdown: which hold data, and how their spans are written."""

from __future__ import annotations

import pytest

from kensaku.extract.html.markdown import render
from kensaku.extract.html.tree import parse_html
from kensaku.extract.main.builder import blocks_of


def rendered(body: str) -> tuple[str, str]:
    """The text and the Markdown of all that is visible."""
    return render(blocks_of(parse_html(f"<body>{body}</body>")), "https://example.org/")


def tr(*cells: str) -> str:
    """A row of a table."""
    return "<tr>" + "".join(f"<td>{c}</td>" for c in cells) + "</tr>"


HEAD = "<tr><th>a</th><th>b</th></tr>"


@pytest.mark.parametrize(
    ("rows", "is_data"),
    [
        (tr("a", "b") + tr("1", "2"), True),
        (tr("a", "b"), False),
        (tr("a") + tr("1"), False),
        (tr("a", "b") + tr("1"), True),
        (tr("a", "b") + tr("x" * 400, "2"), True),
        (tr("a", "b") + tr("x" * 401, "2"), False),
        (HEAD + tr("x" * 3_000, "2"), True),
        (HEAD + tr("x" * 3_001, "2"), False),
        ("<tr><th>a</th></tr>" + tr("x" * 401, "2"), False),
        ("<tr><th>a</th><td>b</td></tr>" + tr("x" * 401, "2"), False),
        (tr("a", "b") + tr("<h1>1</h1>", "2"), False),
        (tr("a", "b") + tr("<h2>1</h2>", "2"), False),
        (tr("a", "b") + tr("<h3>1</h3>", "2"), True),
        (tr("a", "b") + tr("<pre>1</pre>", "2"), False),
    ],
)
def test_a_table_holds_data_or_is_layout(rows: str, is_data: bool) -> None:
    """Data has two rows and columns, and no cell as long as a column of a page."""
    assert ("| --- |" in rendered(f"<table>{rows}</table>")[1]) is is_data


@pytest.mark.parametrize(
    ("rows", "marked"),
    [
        (tr("a", "b") + tr("1", ""), "| a | b |\n| --- | --- |\n| 1 |  |"),
        (tr("a", "b") + tr("1"), "| a | b |\n| --- | --- |\n| 1 |  |"),
        (tr("a", "b") + tr("", "") + tr("1", "2"), "| a | b |\n| --- | --- |\n| 1 | 2 |"),
        (tr("a", "b") + tr("1|2", "3<br>4"), "| a | b |\n| --- | --- |\n| 1\\|2 | 3 4 |"),
        (tr("a", "b") + tr("<p>1</p><p>2</p>", "3"), "| a | b |\n| --- | --- |\n| 1 2 | 3 |"),
        (
            "<tr><td>a</td><td rowspan=3>b</td></tr>" + tr("1") + tr("2") + tr("3", "4"),
            "| a | b |\n| --- | --- |\n| 1 | b |\n| 2 | b |\n| 3 | 4 |",
        ),
        (
            "<tr><td colspan=2 rowspan=2>a</td><td>b</td></tr>" + tr("1"),
            "| a | a | b |\n| --- | --- | --- |\n| a | a | 1 |",
        ),
        ("<tr><td colspan=0>a</td><td>b</td></tr>" + tr("1", "2"),
         "| a | b |\n| --- | --- |\n| 1 | 2 |"),
        ("<tr><td colspan=x>a</td><td colspan=²>b</td></tr>" + tr("1", "2"),
         "| a | b |\n| --- | --- |\n| 1 | 2 |"),
        ("<tr><td colspan=' 2 '>a</td><td>b</td></tr>" + tr("1", "2"),
         "| a | a | b |\n| --- | --- | --- |\n| 1 | 2 |  |"),
    ],
)  # fmt: skip
def test_rows_have_equal_length_and_spans_are_repeated(rows: str, marked: str) -> None:
    """A model reads a row by itself. A row of one cell is a caption: it is written once."""
    assert rendered(f"<table>{rows}</table>")[1] == marked


@pytest.mark.parametrize(("span", "columns"), [("9999", 51), ("10000", 51), ("49", 50)])
def test_a_span_has_at_most_fifty_columns(span: str, columns: int) -> None:
    """A page may ask for a billion."""
    rows = f"<tr><td colspan={span}>a</td><td>b</td></tr>" + tr("1", "2")

    assert rendered(f"<table>{rows}</table>")[1].splitlines()[1].count("---") == columns


def test_a_table_inside_a_table_makes_it_layout() -> None:
    """The inner one may hold data."""
    inner = f"<table>{tr('a', 'b')}{tr('1', '2')}</table>"

    assert rendered(f"<table>{tr('x', 'y')}{tr(inner, 'z')}</table>")[1] == (
        "x\n\ny\n\n| a | b |\n| --- | --- |\n| 1 | 2 |\n\nz"
    )


@pytest.mark.parametrize(("rows", "spans"), [(1_000, True), (1_001, False)])
def test_a_huge_table_is_written_without_its_spans(rows: int, spans: bool) -> None:
    """50,000 cells are the most that spans may make of it."""
    wide = "<tr><td colspan=49>a</td><td>b</td></tr>" + tr("1", "2") * (rows - 1)
    first = rendered(f"<table>{wide}</table>")[1].splitlines()[0]

    assert first.count("|") == (51 if spans else 3)
