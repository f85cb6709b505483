"""Pages made to break parsers end quickly, in a typed error or in a page (gate G7)."""

from __future__ import annotations

import contextlib

import pytest

from kensaku.errors import TooLarge, Unparsable
from kensaku.extract import extract, extract_html
from kensaku.extract.html.markup_check import (
    MAX_ATTRIBUTES,
    MAX_BYTES,
    MAX_DEPTH,
    MAX_TAGS,
    check_markup,
)

BOMBS = {
    "100k nested div": "<div>" * 100_000 + "x",
    "25k nested b and i": "<b><i>" * 25_000 + "x",
    "1 M paragraphs": "<p>x</p>" * 1_000_000,
    "200k attributes": "<p " + " ".join(f'a{n}="{n}"' for n in range(200_000)) + ">x",
    "200k attributes with brackets": "<p " + " ".join(f'a{n}=">"' for n in range(200_000)) + ">x",
    "200k attributes between slashes": "<p " + "/".join(f"a{n}" for n in range(200_000)) + ">x",
    "5k nested tables": "<table><tr><td>" * 5_000 + "x",
}


@pytest.mark.parametrize("name", BOMBS)
def test_a_bomb_is_refused_before_the_parser_sees_it(name: str) -> None:
    """No parser in C can be stopped from inside the process."""
    with pytest.raises(TooLarge):
        check_markup(BOMBS[name])
    with pytest.raises(TooLarge):
        extract_html(BOMBS[name])


@pytest.mark.parametrize(
    "html",
    [
        "&amp;amp;" * 200_000,
        "<p>" + "word " * 1_000_000 + "</p>",
        "<a>" * 30_000 + "x",
        "<p>x" * 30_000,
        "<li>" * 30_000,
        "<!--" * 100_000,
        "<script>" * 50_000,
        "<p a='" * 50_000,
        '<p a="' * 50_000 + "'" * 50_000,
        "<" * 200_000,
        "<style>" + ".a{" * 50_000,
        "<style>" + "a b c d e " * 50_000 + "{display:none}</style><p>x",
        "<style>/*" * 50_000,
    ],
    ids=range(13),
)
def test_hostile_markup_costs_linear_time(html: str) -> None:
    """Shapes that make careless patterns quadratic; the suite's own time is the measure."""
    with contextlib.suppress(TooLarge, Unparsable):  # some are refused, some hold nothing at all
        assert isinstance(extract_html(html).text, str)


def test_the_bounds_are_where_they_are_said_to_be() -> None:
    """Ordinary large pages must not be refused."""
    check_markup("<div>" * (MAX_DEPTH - 1) + "</div>" * (MAX_DEPTH - 1))
    check_markup("<p " + " ".join(f"a{n}" for n in range(MAX_ATTRIBUTES - 10)) + ">")
    check_markup("<br>" * (MAX_TAGS - 1))
    check_markup("<p data-json='" + "a b = c " * 50_000 + "'>x</p>")
    check_markup("<script>" + '"<div>"' * 5_000 + "</script>")
    check_markup("<p>never closed" * 5_000)
    with pytest.raises(TooLarge):
        extract(b"x" * (MAX_BYTES + 1))


def test_one_very_long_text_is_read_whole() -> None:
    """libxml2 drops texts of more than 10 MB unless it is told not to."""
    assert extract_html("<p>" + "word " * 2_500_000).text.count("word") == 2_500_000


XML_BOMBS = {
    "billion laughs": (
        '<?xml version="1.0"?><!DOCTYPE l [<!ENTITY a "ha">'
        + "".join(f'<!ENTITY {chr(98 + n)} "{f"&{chr(97 + n)};" * 10}">' for n in range(9))
        + "]><l>&j;</l>"
    ),
    "quadratic": f'<?xml version="1.0"?><!DOCTYPE l [<!ENTITY a "{"x" * 50_000}">]><l>{"&a;" * 50_000}</l>',
    "external entity": (
        '<?xml version="1.0"?><!DOCTYPE l [<!ENTITY a SYSTEM "file:///etc/passwd">]><l>&a;</l>'
    ),
    "deep": '<?xml version="1.0"?>' + "<a>" * 100_000,
}


@pytest.mark.parametrize("name", XML_BOMBS)
def test_xml_that_expands_or_nests_without_end_is_refused(name: str) -> None:
    """Entities are the oldest bomb, and the oldest way to read a file of the server."""
    with pytest.raises((TooLarge, Unparsable)):
        extract(XML_BOMBS[name].encode())


def test_a_sitemap_with_a_million_entries_is_cut() -> None:
    """As a tree it would take hundreds of megabytes."""
    entries = "".join(f"<url><loc>https://example.org/{n}</loc></url>" for n in range(20_000))
    page = extract(f'<?xml version="1.0"?><urlset>{entries}</urlset>'.encode())

    assert page.links[0] == "https://example.org/0"
    assert len(page.links) == 5_000
    assert any(note.startswith("cut") for note in page.notes)
