"""When a page was published, as pages say it."""

from __future__ import annotations

import json

import pytest

from kensaku.extract import extract_html

TEXT = "The otter swims on its back and opens shells with a stone. " * 6


def published(head: str = "", body: str = "", url: str = "", html: str = "<html lang=en>") -> str:
    page = f"{html}<head><title>Otters</title>{head}</head><body><h1>Otters</h1>{body}<p>{TEXT}</p>"
    return extract_html(page, url).published or ""


def json_ld(value: object) -> str:
    return f'<script type="application/ld+json">{json.dumps(value)}</script>'


@pytest.mark.parametrize(
    "head",
    [
        '<meta property="article:published_time" content="2024-05-03T09:00:00Z">',
        '<meta name="citation_publication_date" content="2024 May 3">',
        '<meta name="published-date" content="May 3, 2024">',
        '<meta itemprop="datePublished" content="2024-05-03">',
        json_ld({"@graph": [{"@type": "WebSite"}, {"@type": "Article", "datePublished": "2024-05-03"}]}),
        json_ld([{"@type": ["NewsArticle"], "datePublished": "2024-05-03T23:00:00-0500"}]),
        '<script type="application/ld+json">{"datePublished": "2024-05-03",}</script>',
    ],
)  # fmt: skip
def test_a_date_for_machines_is_read(head: str) -> None:
    """Also with the trailing commas that templates leave in JSON."""
    assert published(head)[:10] == "2024-05-03"


@pytest.mark.parametrize(
    "body",
    [
        "<p>May 3, 2024</p>",
        "<div><span>Published on:</span> Friday, 3rd May 2024, 10:12</div>",
        "<p class=meta>by Ada Brook · 2024-05-03 · 4 min read</p>",
        "<span class=date>03.05.2024</span>",
        "<p>Asked May 3, 2024 at 10:00</p><p>edited Jul 9, 2024 at 11:00</p>",
        "<p>May 3, 2024 – Updated July 9, 2024</p>",
        "<p>公開日 2024年5月3日</p>",
        "<time datetime=2024-05-03>two days ago</time>",
        "<abbr itemprop=datePublished title=2024-05-03T10:00:00Z>Friday</abbr>",
    ],
)
def test_the_date_beside_the_headline_is_read(body: str) -> None:
    """Many pages tell it to readers only."""
    assert published(body=body)[:10] == "2024-05-03"


@pytest.mark.parametrize(
    ("language", "date"), [("en-US", "2024-05-03"), ("en-GB", "2024-03-05"), ("de", "2024-03-05")]
)
def test_the_language_decides_which_number_is_the_month(language: str, date: str) -> None:
    """05/03/2024 is two days."""
    assert published(body="<p>05/03/2024</p>", html=f"<html lang={language}>") == date


def test_the_address_names_the_day_of_its_place() -> None:
    """A time in UTC may lie on the next day."""
    head = '<meta property="article:published_time" content="2025-12-19T02:41:41Z">'

    assert published(head, url="https://example.org/2025/12/18/otters") == "2025-12-18"
    assert published(head, url="https://example.org/2011/01/18/otters") == "2025-12-19T02:41:41Z"


@pytest.mark.parametrize(
    "body",
    [
        "<footer><p>© May 3, 2024 The River Journal</p></footer>",
        "<p>Member since: May 3, 2024</p>",
        "<p>The event is on May 3, 2124</p>",
        f"<p>{TEXT}{TEXT}On May 3, 2024 it slept.</p>",
        "<meta property='article:modified_time' content='2024-05-03'>",
    ],
)
def test_other_dates_are_not_taken_for_it(body: str) -> None:
    """A wrong date is worse than none."""
    assert not published(body=body)


def test_a_comment_is_not_the_page() -> None:
    """Comments have dates of their own."""
    comment = {"@type": "Comment", "datePublished": "2025-01-01", "author": {"name": "Troll"}}
    head = json_ld({"@type": "Article", "comment": comment, "datePublished": "2024-05-03"})

    assert published(head) == "2024-05-03"
    assert not published(json_ld(comment))
