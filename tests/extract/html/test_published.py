"""When a page was published, as pages say it."""

from __future__ import annotations

import json

import pytest

from kensaku.extract import extract_html

TEXT = "The otter swims on its back and opens shells with a stone. " * 6


def published(head: str = "", body: str = "", url: str = "", html: str = "<html lang=en>") -> str:
    """When a page says that it was published."""
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
        '<meta property=" DATE " name=x content="May 3, 2024">',
    ],
)  # fmt: skip
def test_a_date_for_machines_is_read(head: str) -> None:
    """In meta tags by any of their names, and in JSON-LD."""
    assert published(head)[:10] == "2024-05-03"


@pytest.mark.parametrize(
    ("script", "date"),
    [
        ('{"datePublished": "2024-05-03", "tags": [1, 2,], }', "2024-05-03"),
        ('<!-- {"datePublished": "2024-05-03"} -->', "2024-05-03"),
        ('//<![CDATA[\n{"datePublished": "2024-05-03"}\n//]]>', "2024-05-03"),
        ('{"name": "two\nlines", "datePublished": "2024-05-03"}', "2024-05-03"),
        ('[{"a": {"b": {"datePublished": "2024-05-03"}}}, 7]', "2024-05-03"),
        ('{"dateCreated": "2024-05-03"' + " " * 500_000 + "}", ""),
        ('{"dateCreated": "2024-05-03"', ""),
        ('"2024-05-03"', ""),
        ("[" * 100_000, ""),
    ],
    ids=range(9),
)
def test_json_ld_is_read_with_the_faults_that_templates_leave(script: str, date: str) -> None:
    """Wrappers, commas at the end, lines inside of strings; half a million characters at most."""
    assert published(f'<script type="application/ld+json">{script}</script>') == date


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
        "<p>2024년 5월 3일</p>",
        "<p>3 de mayo de 2024</p>",
        "<p>v2024-07-09 2024-13-03 2024-07-091 4. Mai 1989 2024/5/3</p>",
        "<time datetime=2024-05-03>two days ago</time>",
        "<abbr itemprop=datePublished title=2024-05-03T10:00:00Z>Friday</abbr>",
    ],
)
def test_the_date_beside_the_headline_is_read(body: str) -> None:
    """Many pages tell it to readers only."""
    assert published(body=body)[:10] == "2024-05-03"


@pytest.mark.parametrize(
    ("language", "date"),
    [
        ("lang=en-US", "2024-05-03"),
        ("lang=' en '", "2024-05-03"),
        ("lang=en-GB", "2024-03-05"),
        ("lang=de", "2024-03-05"),
        ("xml:lang=de", "2024-03-05"),
        ("", "2024-05-03"),
    ],
)
def test_the_language_decides_which_number_is_the_month(language: str, date: str) -> None:
    """05/03/2024 is two days."""
    assert published(body="<p>05/03/2024</p>", html=f"<html {language}>") == date


def test_the_address_names_the_day_of_its_place() -> None:
    """A time in UTC may lie on the next day."""
    head = '<meta property="article:published_time" content="2025-12-19T02:41:41Z">'

    assert published(head, url="https://example.org/2025/12/18/otters") == "2025-12-18"
    assert published(head, url="https://example.org/2011/01/18/otters") == "2025-12-19T02:41:41Z"


@pytest.mark.parametrize(
    ("declared", "in_url", "date"),
    [
        ("2025-12-19T02:41:41Z", "2025/12/20", "2025-12-20"),
        ("2025-12-19T02:41:41Z", "2025/12/19", "2025-12-19T02:41:41Z"),
        ("2025-12-19T02:41:41Z", "2025/12/17", "2025-12-19T02:41:41Z"),
        ("2025-12-19T02:41:41Z", "2025/12/21", "2025-12-19T02:41:41Z"),
        ("2025-12-19", "2025/12/18", "2025-12-19"),
        ("", "2025-2-1", "2025-02-01"),
        ("", "2025-2/1", ""),
        ("", "2025/2/1x", "2025-02-01"),
        ("", "2025/2/123", ""),
        ("", "1899/2/1", ""),
    ],
)
def test_the_address_is_believed_beside_a_time_of_the_day_before_or_after(
    declared: str, in_url: str, date: str
) -> None:
    """A date without a time has no offset to be wrong about."""
    head = f'<meta property="article:published_time" content="{declared}">'

    assert published(head, url=f"https://example.org/{in_url}") == date


@pytest.mark.parametrize(
    ("head", "body", "date"),
    [
        (json_ld({"@type": "VideoObject", "uploadDate": "2024-05-03"}), "", "2024-05-03"),
        (json_ld({"dateCreated": "2024-05-03"}), "", "2024-05-03"),
        (json_ld({"dateCreated": "2024-05-03", "datePublished": "2024-05-04"}), "", "2024-05-04"),
        ("<meta name=date content=soon><meta name=date content=2024-05-03>", "", "2024-05-03"),
        ("", "<i itemprop=dateCreated content=2024-05-03 datetime=2024-05-04>x</i>", "2024-05-03"),
        ("", "<i itemprop=datePublished datetime=2024-05-03 title=2024-05-04>x</i>", "2024-05-03"),
        ("", "<i itemprop=datePublished>on 3 May 2024</i>", "2024-05-03"),
        ("", "<i itemprop=dateModified content=2024-05-03>x</i>", ""),
        ("", "<i itemprop=dateCreated>x</i>" * 2 + "<i itemprop=dateCreated content=2024-05-03>x</i>",
         "2024-05-03"),
        ("", "<i itemprop=dateCreated>x</i>" * 3 + "<i itemprop=dateCreated content=2024-05-03>x</i>",
         ""),
        (f"<meta name=date content='{'x' * 189} 3 May 2024'>", "", "2024-05-03"),
        (f"<meta name=date content='{'x' * 190} 3 May 2024'>", "", ""),
        ("", f"{'<p>x</p>' * 50}<time>x</time><time>3 May 2024</time>", "2024-05-03"),
        ("", f"{'<p>x</p>' * 50}<time datetime=2024-05-03>4 May 2024</time>", "2024-05-03"),
    ],
)  # fmt: skip
def test_what_is_marked_as_a_date_is_read_in_this_order(head: str, body: str, date: str) -> None:
    """Meta tags, JSON-LD, the first three elements of microdata, and elements of time."""
    assert published(head, body) == date


@pytest.mark.parametrize(
    ("script", "date"),
    [
        ('<script>{"datePublished":"2024-05-03"}</script>', "2024-05-03"),
        ("<script>x={'publishedAt': '2024-05-03T10:00'}</script>", "2024-05-03"),
        (r'<script>"{\"published_at\": \"2024-05-03\"}"</script>', "2024-05-03"),
        ('<script>{"publishedDate":"2024-05-03"}</script>' * 2, "2024-05-03"),
        ('<script>{"first_publication_date":"2024-05-03"}</script>', "2024-05-03"),
        ('<script>{"modified":"2024-05-03"}</script>', ""),
        ('<script>{"publishedAt":"2024-05-03"}{"publishedAt":"2024-05-04"}</script>', ""),
        ('<script type="application/ld+json">[{"publishedAt":"2024-05-03"}]</script>', ""),
        ('<script type="application/json">[{"publishedAt":"2024-05-03"}]</script>', "2024-05-03"),
    ],
)
def test_the_data_of_scripts_is_read_last(script: str, date: str) -> None:
    """Unless it names several dates: those of a list of pages."""
    assert published(script) == date
    assert published(script, "<p>May 1, 2024</p>") == "2024-05-01"


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


@pytest.mark.parametrize(
    "body",
    [
        "<p>May 3, 2024</p><p>x</p><p>x</p><p>x</p><p>x</p><p>2024-05-04</p>",
        "<p>2024-05-04</p><p>Posted May 3, 2024</p>",
        "<p>Member since 2024-05-04</p><p>May 3, 2024</p>",
        "<p>Posted May 3, 2024, 2024-05-04, updated 2024-05-05</p>",
        "<p><a href=/>2024-05-04</a></p><p>May 3, 2024</p>",
        "<p>2024-05-04</p><p><span class=date>May 3, 2024</span></p>",
        "<p>2024-05-04</p><div class=byline><div><div><p>May 3, 2024</p></div></div></div>",
        "<p class=comment>2024-05-04</p><p>May 3, 2024</p>",
        "<div class=related><div><div><p>2024-05-04</p></div></div></div><p>May 3, 2024</p>",
        f"<p>2024-05-04 {'x' * 139}</p><p>May 3, 2024</p>",
        f"<p>{'x' * 100} 2024-05-04</p><p>May 3, 2024</p>",
    ],
)
def test_of_several_dates_the_likeliest_is_taken(body: str) -> None:
    """The nearest to the headline, by its label, its line, and the names around it."""
    assert published(body=body) == "2024-05-03"


@pytest.mark.parametrize("end", ["", "<h1>Otters</h1>"])
def test_a_date_above_the_headline_or_without_one_is_read(end: str) -> None:
    """At the top of the page."""
    page = f"<html lang=en><title>Otters</title><p>Posted May 3, 2024</p>{end}<p>{TEXT}</p>"

    assert extract_html(page).published == "2024-05-03"


@pytest.mark.parametrize(
    ("before", "chars", "found"), [(9, 250, True), (9, 251, False), (4, 251, True), (5, 251, False)]
)
def test_a_long_paragraph_tells_of_other_dates(before: int, chars: int, found: bool) -> None:
    """Unless it is the first one, which may begin with the date."""
    body = "<p>x</p>" * before + f"<p>Posted May 3, 2024 {'x' * (chars - 19)}</p>"

    assert bool(published(body=body)) is found


def test_a_comment_is_not_the_page() -> None:
    """Comments have dates of their own."""
    comment = {"@type": "Comment", "datePublished": "2025-01-01", "author": {"name": "Troll"}}
    head = json_ld({"@type": "Article", "comment": comment, "datePublished": "2024-05-03"})

    assert published(head) == "2024-05-03"
    assert not published(json_ld(comment))
