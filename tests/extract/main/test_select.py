"""The selection of blocks: whole rows of tables, pages that are one form, repeated texts."""

from __future__ import annotations

from kensaku.extract import extract_html
from kensaku.extract.html.tree import parse_html
from kensaku.extract.main.blocks import Block
from kensaku.extract.main.builder import blocks_of
from kensaku.extract.main.select import best_selection, choose
from kensaku.extract.main.tables import data_tables


def _blocks(html: str) -> list[Block]:
    return blocks_of(parse_html(html))


def _table(rows: int = 6) -> str:
    cells = "".join(
        f"<tr><td>Part {n}</td><td>{n} mm</td><td>n/a</td><td>—</td></tr>" for n in range(rows)
    )
    return f"<table><tr><th>Name</th><th>Length</th><th>Mass</th><th>Note</th></tr>{cells}</table>"


def test_the_cells_of_a_row_are_selected_together() -> None:
    """A row without one of its cells has its values in the wrong columns."""
    blocks = _blocks("<p>An introduction of a few words.</p>" + _table())
    shares = [0.9] + [0.95, 0.2, 0.6, 0.1] * 7

    chosen = choose(blocks, shares)

    assert chosen == blocks


def test_a_row_of_a_long_table_is_left_out_whole() -> None:
    """Nothing of a row that is not wanted stays behind."""
    blocks = _blocks("<p>An introduction of a few words and more of them.</p>" + _table(30))
    shares = [0.9] + [0.9] * 120 + [0.3, 0.01, 0.02, 0.3]

    assert choose(blocks, shares) == blocks[:121]


def test_a_small_table_stays_whole() -> None:
    """Its head and its rows say nothing without each other."""
    blocks = _blocks("<p>An introduction of a few words and more of them.</p>" + _table())
    shares = [0.9] + [0.1] * 4 + [0.9] * 24

    assert choose(blocks, shares) == blocks


def test_equal_cells_of_a_table_are_all_kept() -> None:
    """A text that repeats in a column is data."""
    note = "delivered within five working days"
    rows = "".join(f"<tr><td>Item {n}</td><td>{note}</td></tr>" for n in range(5))
    blocks = _blocks(f"<table>{rows}</table>")

    assert len(choose(blocks, [0.9] * len(blocks))) == 10


def test_a_table_that_lays_out_the_page_is_no_data_table() -> None:
    """Old sites keep the menu in one cell and the article in the next."""
    article = "<p>" + "Otters sleep in groups and hold on to kelp. " * 12 + "</p>"
    page = f"<table><tr><td>Menu</td><td>{article}</td></tr><tr><td>a</td><td>b</td></tr></table>"
    nested = f"<table><tr><td>{_table()}</td><td>x</td></tr><tr><td>y</td><td>z</td></tr></table>"

    assert data_tables(_blocks(page)) == []
    assert [len(rows) for rows in data_tables(_blocks(nested))] == [7]


def test_code_between_selected_texts_is_kept() -> None:
    """A guide without its commands is no guide."""
    html = (
        "<p>Install it like this:</p><pre>pip install it</pre><p>And then run it.</p><pre>x</pre>"
    )
    blocks = _blocks(html)

    assert choose(blocks, [0.9, 0.1, 0.9, 0.1]) == blocks[:3]


def test_a_page_that_is_one_form_is_not_empty() -> None:
    """ASP.NET puts the whole page into a form."""
    found = extract_html(
        "<body><p>Skip to content</p><form><h1>Opening hours</h1>"
        "<p>The library is open from nine to five on all days but Sunday.</p></form></body>"
    )

    assert "open from nine to five" in found.text


def test_a_form_beside_a_short_text_is_left_out() -> None:
    """The search box of a small page is not its content."""
    found = extract_html(
        "<body><p>The library is open from nine to five on all days but Sunday.</p>"
        "<form><p>Search the catalogue</p></form></body>"
    )

    assert found.text == "The library is open from nine to five on all days but Sunday."


def test_blocks_of_equal_share_are_selected_together() -> None:
    """Also one without words, such as the dash in an empty cell."""
    assert best_selection([0.9, 0.1, 0.9, 0.1], [5.0, 50.0, 0.0, 0.0]) == [True, False, True, False]
