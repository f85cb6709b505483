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
        json_ld({"@type": "NewsMediaOrganization", "name": "Water Wise"}),
        json_ld({"@type": "Corporation", "name": "Water Wise"}),
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
