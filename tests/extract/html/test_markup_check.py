"""Pages made to break parsers end quickly, in a typed error or in a page (gate G7)."""

from __future__ import annotations

import contextlib

import pytest

from kensaku.errors import TooLarge, Unparsable
from kensaku.extract import extract_html
from kensaku.extract.html.markup_check import check_markup, check_size
from tests.extract.bombs import HTML
from tests.growth import growth

ATTRIBUTES = "a tag of the page has more than 10,000 attributes"
DEPTH = "the page nests its elements more than 512 deep"
REFUSED = {
    "100,000 nested div": DEPTH,
    "25,000 nested b and i": DEPTH,
    "1,000,000 paragraphs": "the page has more than 500,000 tags",
    "200,000 attributes": ATTRIBUTES,
    "5,000 nested tables": DEPTH,
}


@pytest.mark.parametrize(("name", "sentence"), REFUSED.items())
def test_a_bomb_is_refused_before_the_parser_sees_it(name: str, sentence: str) -> None:
    """No parser in C can be stopped from inside the process."""
    with pytest.raises(TooLarge, match=sentence):
        extract_html(HTML[name]())


@pytest.mark.parametrize(("between", "value"), [(" ", "='>'"), ("/", "")])
def test_attributes_are_counted_however_they_are_written(between: str, value: str) -> None:
    """A bracket in a value ends no tag, and slashes separate as blanks do."""
    with pytest.raises(TooLarge, match=ATTRIBUTES):
        extract_html("<p " + between.join(f"a{n}{value}" for n in range(200_000)) + ">x")


@pytest.mark.parametrize(
    ("html", "refused"),
    [
        ("<div>" * 512, False),
        ("<div>" * 513, True),
        ("<div></div>" * 600, False),
        ("<x></x></x></x>" * 9 + "<div>" * 513, True),
        ("<div>" * 500 + "<x>" * 12 + "</x>" * 12 + "<div>" * 12, False),
        ("<x/>" * 600 + "<x a/>" * 600, False),
        ("<x></div>" * 513, True),
        ("<DIV></div>" * 600, False),
        ("<p" + " aa" * 9_999 + ">", False),
        ("<p" + " aa" * 10_000 + ">", True),
        ("<p " + 'a="x"' * 10_000 + ">", False),
        ("<p " + "a='x'" * 10_001 + ">", True),
        ('<p a="' + "b " * 20_000 + '">', False),
        ("<br>" * 500_000, False),
        ("<p></p>" * 250_000 + "<br>", True),
    ],
    ids=range(15),
)  # fmt: skip
def test_the_bounds_of_nesting_and_attributes(html: str, refused: bool) -> None:
    """512 elements inside each other, 10,000 attributes of one, 500,000 tags with those at the end."""
    if refused:
        with pytest.raises(TooLarge):
            check_markup(html)
    else:
        check_markup(html)


def test_the_bound_of_bytes() -> None:
    """Of a document of any kind."""
    check_size(20_971_520)
    with pytest.raises(
        TooLarge, match="has 20,971,521 bytes, and 20,971,520 are the most we parse"
    ):
        check_size(20_971_521)


@pytest.mark.parametrize(
    "shape",
    ["&amp;amp;", "word ", "<a>", "<p>x", "<li>", "<!--", "<script>", "<p a='", '<p a="\'', "<",
     "<style>.a{", "<style>a b c{display:none}</style><p>x", "<style>/*"],
)  # fmt: skip
def test_hostile_markup_costs_linear_time(shape: str) -> None:
    """Shapes that make careless patterns quadratic, which would be sixteen times the work."""

    def read(size: int) -> None:
        with contextlib.suppress(TooLarge, Unparsable):  # some are refused, some hold nothing
            extract_html(shape * (size // len(shape)))

    assert growth(read, 10_000) < 10


def test_the_bounds_are_where_they_are_said_to_be() -> None:
    """Ordinary large pages must not be refused."""
    check_markup("<p data-json='" + "a b = c " * 50_000 + "'>x</p>")
    check_markup("<script>" + '"<div>"' * 5_000 + "</script>")
    check_markup("<p>never closed" * 5_000)
    check_markup("<div></div>" * 25_000)  # 50,000 are more than are read at once


@pytest.mark.usefixtures("volume")
def test_one_very_long_text_is_read_whole() -> None:
    """libxml2 drops texts of more than 10 MB unless it is told not to."""
    assert extract_html("<p>" + "word " * 2_500_000).text.count("word") == 2_500_000
