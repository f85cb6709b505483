"""Data tables among the blocks of a page: their rows, and which tables are layout."""

from __future__ import annotations

import pytest

from kensaku.extract.html.tree import parse_html
from kensaku.extract.main.builder import blocks_of
from kensaku.extract.main.tables import Table, data_tables


def tr(*cells: str) -> str:
    return "<tr>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>"


AB = tr("a", "b")
SMALL = f"<table>{AB}{AB}</table>"


@pytest.mark.parametrize(
    ("html", "tables"),
    [
        (SMALL, [[[0, 1], [2, 3]]]),
        (f"<p>x</p>{SMALL}<p>y</p>{SMALL}", [[[1, 2], [3, 4]], [[6, 7], [8, 9]]]),
        (f"<table>{AB}{tr('c')}</table>", [[[0, 1], [2]]]),
        (f"<table>{AB}{tr('<p>c</p><p>d</p>', 'e')}</table>", [[[0, 1], [2, 3, 4]]]),
        (f"<table><tr><th>a</th><th>b</th></tr>{AB}</table>", [[[0, 1], [2, 3]]]),
        (f"<table><caption>c</caption>{AB}{AB}</table>", [[[1, 2], [3, 4]]]),
        (f"<table>{AB}</table>", []),
        (f"<table>{tr('a')}{tr('b')}</table>", []),
        (f"<table>{tr('<p>a</p><p>b</p>')}{tr('c')}</table>", []),
        (f"<table>{AB}{tr('x' * 400, 'b')}</table>", [[[0, 1], [2, 3]]]),
        (f"<table>{AB}{tr('x' * 401, 'b')}</table>", []),
        (f"<table>{AB}{tr('<h1>a</h1>', 'b')}</table>", []),
        (f"<table>{AB}{tr('<h2>a</h2>', 'b')}</table>", []),
        (f"<table>{AB}{tr('<h3>a</h3>', 'b')}</table>", [[[0, 1], [2, 3]]]),
        (f"<table>{AB}{tr('<pre>a</pre>', 'b')}</table>", []),
        (f"<table>{AB}{tr(SMALL, 'c')}</table>", [[[2, 3], [4, 5]]]),
        (f"<table>{AB}{tr(f'<table>{AB}{tr(SMALL)}</table>', 'c')}</table>", [[[4, 5], [6, 7]]]),
        ("<p>x</p>", []),
        ("", []),
    ],
)
def test_the_rows_of_data_tables_are_the_positions_of_their_blocks(
    html: str, tables: list[Table]
) -> None:
    """Two rows and more cells than rows; long texts, titles, code and inner tables are layout."""
    assert data_tables(blocks_of(parse_html(f"<body>{html}<i></i></body>"))) == tables
