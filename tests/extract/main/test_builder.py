"""A page as blocks of text: where one ends, what stands between words, what is counted."""

from __future__ import annotations

import pytest

from kensaku.extract.html.tree import parse_html
from kensaku.extract.main.blocks import Block
from kensaku.extract.main.builder import blocks_of


def blocks(html: str) -> list[Block]:
    return blocks_of(parse_html(f"<html><body>{html}</body></html>"))


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
