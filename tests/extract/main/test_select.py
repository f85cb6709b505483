"""The selection of blocks: whole rows of tables, pages that are one form, repeated texts."""

from __future__ import annotations

import random

import pytest

from kensaku.extract import extract_html
from kensaku.extract.html.tree import parse_html
from kensaku.extract.main.blocks import Block
from kensaku.extract.main.builder import blocks_of
from kensaku.extract.main.select import (
    best_selection,
    choose,
    select_blocks,
)
from kensaku.extract.main.signals import PageFacts
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
    nested = f"<table><tr><td>{_table()}</td><td>x</td></tr><tr><td>y</td><td>z</td></tr></table>"

    assert data_tables(_blocks("<table><tr><td>a</td></tr><tr><td>b</td></tr></table>")) == []
    for cell in (article, "<h2>Otters</h2>", "<pre>otters</pre>"):
        page = f"<table><tr><td>Menu</td><td>{cell}</td></tr><tr><td>a</td><td>b</td></tr></table>"
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


@pytest.mark.parametrize("seed", range(20))
def test_the_selection_with_the_best_expected_f1_is_taken(seed: int) -> None:
    """As if every bound between two shares were tried."""
    rng = random.Random(seed)
    shares = [rng.random() for _ in range(9)]
    sizes = [float(rng.randrange(1, 40)) for _ in shares]
    wanted = sum(p * n for p, n in zip(shares, sizes, strict=True))

    def f1(bound: float) -> float:
        own = [(p, n) for p, n in zip(shares, sizes, strict=True) if p >= bound]
        return 2 * sum(p * n for p, n in own) / (sum(n for _, n in own) + wanted)

    best = max(shares, key=f1)
    assert best_selection(shares, sizes) == [share >= best for share in shares]
    assert best_selection([], []) == []
    assert best_selection([0.2, 0.1], [0.0, 0.0]) == [True, False]


@pytest.mark.parametrize(
    ("html", "kept"),
    [
        ("<p>one two three</p><nav><p>four five</p></nav>", "one two three"),
        ("<p>one two three</p><header><p>four five</p></header>", "one two three"),
        ("<p>one two three</p><footer><p>four five</p></footer>", "one two three"),
        ("<p>one two three</p><aside><p>four five</p></aside>", "one two three"),
        ("<p>one two three</p><form><p>four five</p></form>", "one two three"),
        ("<p>one two three</p><section><p>four five</p></section>", "one two three|four five"),
        ("<p>one two</p><form><p>three four</p></form>", "one two"),  # half of the words
        ("<p>one two</p><form><p>three four five</p></form>", "one two|three four five"),
        ("<p>one</p><p><a href=x>aaaaaaa</a>bbb</p>", "one"),  # 0.7 of it is a link
        ("<p>one</p><p><a href=x>aaaaaa</a>bbbb</p>", "one|aaaaaabbbb"),
        ("<p><a href=x>one</a></p><p><a href=x>two</a></p>", "one|two"),  # nothing else is there
    ],
)  # fmt: skip
def test_the_content_of_a_small_page(html: str, kept: str) -> None:
    """Without menus and what stands around it, unless that is the page."""
    assert "|".join(b.text for b in select_blocks(_blocks(html), PageFacts())) == kept


@pytest.mark.parametrize(
    ("html", "shares", "kept"),
    [
        ("<p>one two three four</p>" * 2, [0.9, 0.9], 2),
        ("<p>one two three four five</p>" * 2, [0.9, 0.9], 1),
        ("<pre>one two three four five</pre>" * 2, [0.9, 0.9], 2),
        ("<p>one two three four five</p>" * 3, [0.1, 0.9, 0.1], 1),  # the first was not selected
    ],
)
def test_a_page_of_lists_has_a_text_of_five_words_once(
    html: str, shares: list[float], kept: int
) -> None:
    """Shorter ones repeat in lists, and code repeats itself."""
    assert len(choose(_blocks(html), shares, folds=True)) == kept


def test_a_chorus_stays_where_it_is_sung() -> None:
    """A song without it, or a plan without the meal of the second day, is another text."""
    verses = "".join(
        f"<p>The verse number {n} of the song</p><p>And the river runs to the sea</p>"
        for n in range(6)
    )
    blocks = _blocks(f"<div class=lyrics>{verses}</div>")

    assert choose(blocks, [0.9] * 12) == blocks


def test_a_text_that_is_sent_for_two_screens_is_selected_once() -> None:
    """Sites hide one of the two by rules that they link to."""
    text = "<p>And the river runs to the sea</p>"
    blocks = _blocks(f"<div class=wide>{text}</div><div class=narrow>{text}</div>")

    assert choose(blocks, [0.9, 0.9]) == blocks[:1]


@pytest.mark.parametrize(
    ("html", "selected", "all_of_them"),
    [
        ("<p>{}</p>", 8, True),
        ("<p>{}</p>", 7, False),
        ("<li>{}</li>", 8, True),
        ("<div>{}</div>", 8, False),
        ("<section><p>{}</p></section>", 8, False),  # each alone in its element
        ("<p>{}aa<a href=x>bbb</a></p>", 8, False),  # half of it is a link
        ("<p>{}aaa<a href=x>bbb</a></p>", 8, True),
    ],
)
def test_nearly_all_paragraphs_of_an_element_bring_the_others(
    html: str, selected: int, all_of_them: bool
) -> None:
    """Eight of ten; fewer than ten are no long text."""
    blocks = _blocks("<body>" + "".join(html.format(c) for c in "abcdefghij") + "</body>")
    shares = [float(n < selected) for n in range(10)]

    assert len(choose(blocks, shares)) == (10 if all_of_them else selected)
    assert len(choose(blocks[:9], shares[:9])) == selected


@pytest.mark.parametrize(("rows", "left_out"), [(19, 0), (20, 4)])
def test_of_a_table_with_more_than_twenty_rows_some_may_be_enough(rows: int, left_out: int) -> None:
    """With its head, 20 rows are a small table."""
    blocks = _blocks("<p>An introduction of a few words and more of them.</p>" + _table(rows))
    shares = [0.9] * (len(blocks) - 4) + [0.01] * 4

    assert len(choose(blocks, shares)) == len(blocks) - left_out
