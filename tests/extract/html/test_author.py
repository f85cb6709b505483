"""Who wrote a page, as pages say it."""

from __future__ import annotations

import json

import pytest

from kensaku.extract import extract_html
from kensaku.extract.html.names import clean_name

TEXT = "The otter swims on its back and opens shells with a stone. " * 6


def author(head: str = "", body: str = "") -> str | None:
    page = f"<title>Otters</title>{head}<body><h1>Otters</h1>{body}<p>{TEXT}</p>"
    return extract_html(page, "https://riverjournal.example/otters").author


def json_ld(value: object) -> str:
    return f'<script type="application/ld+json">{json.dumps(value)}</script>'


ADA = {"@type": "Person", "@id": "#ada", "name": "Ada Brook"}


@pytest.mark.parametrize(
    "head",
    [
        json_ld({"@type": "Article", "author": ADA}),
        json_ld({"@type": "Article", "author": "By Ada Brook"}),
        json_ld({"@graph": [{"@type": "Article", "author": {"@id": "#ada"}}, ADA]}),
        '<meta name="author" content="Ada Brook">',
        '<meta name="parsely-author" content="Ada Brook">',
        '<meta name="sailthru.author" content="Ada Brook">',
        '<meta name="citation_author" content="Brook, Ada">',
        '<meta name="twitter:label1" content="Written by"><meta name="twitter:data1" content="Ada Brook">',
    ],
)
def test_an_author_for_machines_is_read(head: str) -> None:
    """JSON-LD with and without references, and the meta tags of the common systems."""
    assert author(head) == "Ada Brook"


@pytest.mark.parametrize(
    "body",
    [
        "<p>By Ada Brook</p>",
        "<p>Written by: Ada Brook, Senior Editor | May 3, 2024</p>",
        "<p>By <a href=/authors/ada>Ada Brook</a>, editor</p>",
        "<div class=byline><p>Ada Brook<br>Rivers</p></div>",
        "<div>By</div><div>Ada Brook</div>",
        '<a rel="author" href="/ada">Ada Brook</a>',
        '<span itemprop="author"><span itemprop="name">Ada Brook</span> 1,204 posts</span>',
        '<span class="article-author">Ada Brook</span>',
        '<p>Posted May 3, 2024 <a href="/authors/ada-brook">Ada Brook</a></p>',
    ],
)
def test_the_byline_is_read(body: str) -> None:
    """Many pages tell it to readers only."""
    assert author(body=body) == "Ada Brook"


def test_several_authors_stand_in_one_line() -> None:
    """All of them are cited."""
    people = [ADA, {"@type": "Person", "name": "Ben Ford"}, ADA]
    tags = '<meta name="citation_author" content="Brook, Ada"><meta name="citation_author" content="Ford, Ben">'

    assert author(json_ld({"@type": "Article", "author": people})) == "Ada Brook, Ben Ford"
    assert author(tags) == "Ada Brook, Ben Ford"


def test_a_person_goes_before_the_site() -> None:
    """Templates fill the site in for everybody."""
    site = json_ld(
        {"@type": "Article", "author": {"@type": "Organization", "name": "River Journal"}}
    )
    tag = (
        '<meta property="og:site_name" content="The River"><meta name="author" content="The River">'
    )

    assert author(site) == "River Journal"
    assert author(site, "<p>By Ada Brook</p>") == "Ada Brook"
    assert author(tag, "<p>By Ada Brook</p>") == "Ada Brook"


@pytest.mark.parametrize(
    "text",
    ["https://facebook.com/ada", "admin", "5 min read", "{{ author }}", "", "12345", "View all posts by Ada",
     "our engineering team", "Otters are small. They swim all day long.", "@ada", "w" * 200],
)  # fmt: skip
def test_what_is_no_name_is_refused(text: str) -> None:
    """A label in the place of a name would be cited."""
    assert clean_name(text) is None


def test_sentences_with_by_are_no_bylines() -> None:
    """Our guide is "written by humans, not robots"."""
    assert author(body="<p>Written by humans, not robots. Learn more</p>") is None


@pytest.mark.parametrize(
    "says_so",
    [
        json_ld({"@type": "Article", "publisher": {"@type": "Thing", "name": "Water Wise"}}),
        json_ld({"@type": "WebSite", "name": "Water Wise"}),
        json_ld({"@type": "Organization", "name": "Water Wise"}),
        '<meta property="og:site_name" content="Water-Wise">',
        '<meta name="application-name" content="WATER WISE">',
    ],
)
def test_a_person_is_named_rather_than_the_site(says_so: str) -> None:
    """Publishers put their own name where the author's belongs."""
    claim, byline = (
        '<meta name="author" content="Water Wise">',
        '<p class="byline">By Ada Brook</p>',
    )

    assert author(claim, byline) == "Water Wise"
    assert author(claim + says_so, byline) == "Ada Brook"
    assert author(claim + says_so) == "Water Wise"


def test_a_person_in_the_facts_is_not_the_site() -> None:
    """Only sites and organisations have the name of the site."""
    person = json_ld({"@type": "Person", "name": "Water Wise"})

    assert (
        author(f'<meta name="author" content="Water Wise">{person}', "<p>By Ada Brook</p>")
        == "Water Wise"
    )


X = "<p>x</p>"


@pytest.mark.parametrize(
    ("body", "name"),
    [
        ("<p>By Ben Ford</p>" + X * 5 + "<h1>Otters</h1>", "Ben Ford"),
        ("<p>By Ben Ford</p>" + X * 6 + "<h1>Otters</h1>", None),
        ("<h1>Otters</h1>" + X * 23 + "<p>By Ben Ford</p>", "Ben Ford"),
        ("<h1>Otters</h1>" + X * 24 + "<p>By Ben Ford</p>", None),
        ("<h1>Otters</h1><p>By Ada Brook</p><p>By Ben Ford</p>", "Ada Brook"),
        ("<p>By Ben Ford</p>" + X + "<h1>Otters</h1><p>By Ada Brook</p>", "Ada Brook"),
        ("<p>By Ben Ford</p><h1>Otters</h1><p>By Ada Brook</p>", "Ben Ford"),
        (
            "<h1>Otters</h1><p class=author>Ada Brook</p>" + X * 20 + "<p>By Ben Ford</p>",
            "Ben Ford",
        ),
        ("<h1>Otters</h1><p>By the River Trust</p>", "the River Trust"),
        (f"<h1>Otters</h1><p>By Ada Brook<br>{'x' * 187}</p>", "Ada Brook"),
        (f"<h1>Otters</h1><p>By Ada Brook<br>{'x' * 188}</p>", None),
    ],
)
def test_a_byline_stands_beside_the_headline(body: str, name: str | None) -> None:
    """Six blocks before it, or 25 from it on; the nearer one counts more."""
    page = f"<title>Otters</title><body>{body}<p>{TEXT}</p>"

    assert extract_html(page, "https://riverjournal.example/").author == name


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Ad", "Ad"),
        ("Author: By Ada Brook", "Ada Brook"),
        ("Ada Brook May 3", "Ada Brook"),
        ("Ada Brook (opens in a new tab)", "Ada Brook"),
        ("A" * 80, "A" * 80),
        ("A" * 81, None),
        ("A" * 79 + ", " + "B" * 79, "A" * 79 + ", " + "B" * 79),
        ("A" * 80 + ", " + "B" * 79, None),
        ("p q r s t u v w x", None),
        ("Ada, p q r s t u v w x", None),
        ("The River Trust of Rivers!", None),
        (" ,;“Ada Brook”*/", "Ada Brook"),
    ],
)
def test_a_name_is_cleaned_and_has_bounds(text: str, name: str | None) -> None:
    """Two letters at least, eight words at most, no sentence."""
    assert clean_name(text) == name


@pytest.mark.parametrize(
    ("head", "name"),
    [
        (json_ld({"creator": {"name": "Ada Brook"}}), "Ada Brook"),
        (json_ld({"author": {"name": ["Ada Brook", "A."]}}), "Ada Brook"),
        (json_ld({"@type": "Comment", "author": "Ben Ford"}), None),
        (json_ld([{"@type": "Review", "author": "Ben"}, {"author": "Ada Brook"}]), "Ada Brook"),
        (json_ld([{"author": "Ada Brook"}, {"author": "Ben Ford"}]), "Ada Brook"),
        (json_ld([{"author": "admin"}, {"author": "Ben Ford"}]), "Ben Ford"),
        (json_ld({"author": {"@id": "#none"}}), None),
        ("<meta name=dc.creator content='Brook, Ada, Dr'>", "Brook, Ada, Dr"),
        ("<meta name=author content='Ada'><meta name=author content='Ben'>", "Ada, Ben"),
        ("<meta name=article:author content='Ada'><meta name=article:author content='Ben'>",
         "Ada, Ben"),
        ("<meta name=byl content='Ada'><meta name=byl content='Ben'>", "Ada"),
        ("<meta name=twitter:label2 content=Author><meta name=twitter:data2 content=Ada>", "Ada"),
        ("<meta name=twitter:label1 content=Price><meta name=twitter:data1 content=Ada>", None),
    ],
)  # fmt: skip
def test_a_name_for_machines_is_read_in_every_form(head: str, name: str | None) -> None:
    """Lists, references, catalogues; several names where the tag may be repeated."""
    assert author(head) == name


def test_the_first_five_elements_that_are_marked_as_an_author_are_read() -> None:
    """Their name is inside, in an attribute, or is their text."""
    by = "<a rel='nofollow author'>x=1</a>"

    assert author(body=by * 4 + "<i itemprop=author content='Ada Brook'>x</i>") == "Ada Brook"
    assert author(body=by * 5 + "<i itemprop=author content='Ada Brook'>x</i>") is None
    assert author(body="<i itemprop=author>Ada <b>Brook</b></i>") == "Ada Brook"


def test_the_host_is_a_name_of_the_site() -> None:
    """A person goes before it."""
    page = (
        "<title>Otters</title><meta name=author content='River Journal'><body><h1>Otters</h1>"
        f"<p>By Ada Brook</p><p>{TEXT}</p>"
    )

    assert extract_html(page, "https://www.riverjournal.example/").author == "Ada Brook"
    for url in ("https://other.example/", "http://[::1"):
        assert extract_html(page, url).author == "River Journal"
