"""A page as blocks of text: where one ends, what stands between words, what is counted."""

from __future__ import annotations

import pytest

from kensaku.extract.html.tree import parse_html
from kensaku.extract.main.blocks import Block, Node
from kensaku.extract.main.builder import blocks_of
from kensaku.extract.main.lexicon import name_bits


def blocks(html: str) -> list[Block]:
    return blocks_of(parse_html(f"<html><body>{html}</body></html>"))


def around(block: Block, tag: str) -> Node:
    """The nearest element of this name around a block."""
    node = block.inner
    while node.tag != tag:
        assert node.parent is not None
        node = node.parent
    return node


@pytest.mark.parametrize(
    ("html", "texts"),
    [
        ("<p>one</p>two<p>three</p>", ["one", "two", "three"]),
        ("one<hr>two", ["one", "two"]),
        ("one<br>two", ["one\ntwo"]),
        ("one<br>two<br>three", ["one\ntwo\nthree"]),
        ("one<br> <br>two", ["one", "two"]),
        ("<pre>one<br><br>two</pre>", ["one\n\ntwo"]),
        ("one<wbr>two<img src=a>three", ["onetwothree"]),
        ("one<x-card>two</x-card>three", ["one", "two", "three"]),
        ("<a>one</a><a>two</a>", ["one two"]),
        ("<u>one</u><u>two</u>", ["onetwo"]),
        ("<a>one</a><u>two</u>", ["onetwo"]),
        ("<u>one</u><a>two</a>", ["onetwo"]),
        ("one<a>two</a>", ["onetwo"]),
        ("<a>one</a>two", ["onetwo"]),
        ("<a>one</a><a>, two</a>", ["one, two"]),
        ("<a>one</a><a></a>", ["one"]),
        ("<pre><a>one</a><a>two</a></pre>", ["onetwo"]),
        ("<code><a>one</a><a>two</a></code>", ["onetwo"]),
        ("<p> </p><p>\n</p>one", ["one"]),
        ("<p>x<sup>2</sup> and H<sub>2</sub>O</p>", ["x² and H₂O"]),
        ("<p hidden>one</p>two", ["two"]),
        ("<script>one</script>two", ["two"]),
        ("<p>one<i hidden>two</i>three</p>", ["onethree"]),
    ],
)  # fmt: skip
def test_where_a_text_ends(html: str, texts: list[str]) -> None:
    """At block elements and double breaks; inline elements side by side are words of their own."""
    assert [block.text for block in blocks(html)] == texts


@pytest.mark.parametrize("mark", ".,;:!?)]%/'’”")
def test_no_space_is_put_before_what_closes(mark: str) -> None:
    """Sites set the comma behind a link in an element of its own."""
    (closed,) = blocks(f"<a>one</a><b>{mark}two</b>")
    (opened,) = blocks(f"<a>one</a><b>X{mark}two</b>")

    assert (closed.text, opened.text) == (f"one{mark}two", f"one X{mark}two")


def test_white_space_between_blocks_is_part_of_none() -> None:
    """It would count as text that is no link."""
    first, second = blocks("<div> \n </div><p><a href=x>one</a></p> \n <p><b>two</b></p>")

    assert (first.pieces, first.linked) == ([("one", "x", "")], 1.0)
    assert (second.pieces, second.linked) == ([("two", None, "strong")], 0.0)


@pytest.mark.parametrize(
    ("text", "stops"),
    [("one", 0), ("one.", 1), ("one!", 1), ("one?", 1), ("一。", 1), ("one:", 0), ("a. b. c", 2)],
)
def test_the_sentences_of_a_container_are_counted(text: str, stops: int) -> None:
    """By how they end."""
    assert around(blocks(f"<div><p>{text}</p></div>")[0], "div").stops == stops


def test_a_container_has_the_totals_of_what_is_inside() -> None:
    """Blocks, words, linked words and pictures, at every level."""
    first = blocks(
        "<section><img src=a><div><p>one <a href=x>two</a></p><p>three<img src=b></p></div>"
        "<p>four</p></section>"
    )[0]
    totals = {
        tag: (n.blocks, n.size, round(n.linked, 3), n.images)
        for tag in ("p", "div", "section", "body")
        for n in [around(first, tag)]
    }

    linked = round(2 * 3 / 7, 3)
    assert totals == {
        "p": (1, 2.0, linked, 0),
        "div": (2, 3.0, linked, 1),
        "section": (3, 4.0, linked, 2),
        "body": (3, 4.0, linked, 2),
    }


@pytest.mark.parametrize(
    ("html", "tag", "is_main"),
    [
        ("<main><p>x</p></main>", "main", True),
        ("<article><p>x</p></article>", "article", True),
        ("<div role=main><p>x</p></div>", "div", True),
        ("<div id=main><p>x</p></div>", "div", False),
        ("<div role=menu><p>x</p></div>", "div", False),
        ("<section><p>x</p></section>", "section", False),
    ],
)
def test_the_main_element_is_known(html: str, tag: str, is_main: bool) -> None:
    """By its tag or its role."""
    assert bool(around(blocks(html)[0], tag).is_main) is is_main


def test_the_names_of_an_element() -> None:
    """Its classes apart; with its id, role and the like they say what it is for."""
    html = '<div class="card wide" id="sidebar" itemprop="price" role="note" data-testid="share">x</div>'
    node = blocks(html)[0].node

    assert node.names == "card wide"
    assert node.labels == "card wide sidebar price note share"
    assert node.own == node.near == name_bits("card wide sidebar price note share")
    assert blocks("<div>x</div>")[0].node.names is None
    assert blocks("<div id=a>x</div>")[0].node.names == ""


def test_items_are_numbered_and_links_are_kept() -> None:
    """A list inside a list begins again."""
    found = blocks(
        "<ol><li>a</li><li><a href=u>b<b>c</b></a><ol><li>d</li></ol></li><li>e</li></ol>"
    )

    assert [(b.text, b.node.number) for b in found] == [("a", 1), ("bc", 2), ("d", 1), ("e", 3)]
    assert found[1].pieces == [("b", "u", ""), ("c", "u", "strong")]
    assert blocks("<a>x</a>")[0].pieces == [("x", None, "")]


def test_a_note_mark_keeps_the_style_around_it() -> None:
    """A sub- or superscript is written, and no style of its own."""
    (block,) = blocks("<p><b>x<sup>2</sup></b><sup><sub>3</sub></sup></p>")

    assert [style for _, _, style in block.pieces] == ["strong", "strong", ""]
