"""Feeds, read as their entries."""

from __future__ import annotations

import pytest

from kensaku.errors import TooLarge, Unparsable
from kensaku.extract import extract
from kensaku.models import Page
from tests.extract.bombs import XML

URL = "https://example.org/feed"


def test_a_feed_is_read_as_its_entries() -> None:
    """RSS and Atom are lists of links with dates."""
    rss = (
        '<?xml version="1.0"?><rss><channel><title>River Journal</title><item><title>Otters &amp;amp; '
        "tools</title><link>https://example.org/a</link><pubDate>Mon, 02 Jan 2006 15:04:05 GMT</pubDate>"
        "<description>&lt;p&gt;They use &lt;b&gt;stones&lt;/b&gt;.&lt;/p&gt;</description></item></channel></rss>"
    )
    atom = (
        '<feed xmlns="http://www.w3.org/2005/Atom"><title>River</title><entry><title>Otters</title>'
        '<link rel="self" href="https://example.org/x"/><link href="https://example.org/b"/>'
        "<updated>2024-05-03T00:00:00Z</updated><summary>Short.</summary></entry></feed>"
    )
    one, other = extract(rss.encode()), extract(atom.encode())

    assert (one.title, one.content_type) == ("River Journal", "application/rss+xml")
    assert one.links == ("https://example.org/a",)
    assert "Otters & tools" in one.text
    assert "They use stones." in one.text
    assert one.published == "2006-01-02T15:04:05Z"
    assert (other.links, other.content_type) == (("https://example.org/b",), "application/atom+xml")


def test_a_list_of_feeds_is_read_with_names_and_addresses() -> None:
    """OPML: the title before the text, the feed before the site."""
    opml = (
        '<opml><head><title>Rivers</title></head><body><outline title="Otters" text="no" '
        'xmlUrl="https://a.example/feed" htmlUrl="https://a.example/"/>'
        '<outline text="Herons" htmlUrl="https://b.example/"/></body></opml>'
    )
    page = extract(opml.encode())

    assert page.title == "Rivers"
    assert page.links == ("https://a.example/feed", "https://b.example/")
    assert "Otters" in page.text
    assert "Herons" in page.text
    assert "no" not in page.text.split()


def test_a_sitemap_is_read_as_its_addresses_and_a_document_as_its_text() -> None:
    """What has no entries is a text."""
    sitemap = (
        "<urlset><url><loc>https://a.example/1</loc><lastmod>2024-05-03</lastmod></url></urlset>"
    )
    page = extract(sitemap.encode(), content_type="application/xml")
    other = extract(
        b"<?xml version='1.0'?><note><title>To do</title><to>Ada</to><body>Count  otters</body></note>",
        content_type="text/xml",
    )

    assert page.links == ("https://a.example/1",)
    assert page.published == "2024-05-03"
    assert (other.title, other.text) == ("To do", "To do\nAda\nCount otters")


def test_every_field_of_a_feed_is_read() -> None:
    """Of its entries the first title, link and date, and the longest summary; publishers repeat
    them in several names."""
    feed = (
        "<feed><title>River</title><author><name>Ada Brook</name></author><updated>2024-05-09</updated>"
        "<entry><title>Otters</title><link href='/1'/><published>2024-05-03</published>"
        "<title>No</title><link href='/no'/><updated>2025-01-01</updated>"
        "<summary>No.</summary><content>A longer text.</content></entry>"
        "<entry><title>Crabs</title><link rel='self' href='/x'/><guid>javascript:x</guid></entry>"
        "<entry><loc>/1</loc></entry></feed>"
    )

    assert extract(feed.encode(), url=URL) == Page(
        url=URL,
        title="River",
        author="Ada Brook",
        published="2024-05-09",
        content_type="application/atom+xml",
        text="Otters\n2024-05-03\nA longer text.\n\nCrabs\n\n/1",
        markdown=(
            "- [Otters](https://example.org/1) (2024-05-03)\n  A longer text.\n- Crabs\n"
            "- [/1](https://example.org/1)"
        ),
        links=("https://example.org/1",),
    )


@pytest.mark.parametrize(
    ("fields", "published"),
    [
        ("<pubDate>2024-05-03</pubDate>", "2024-05-03"),
        ("<date>2024-05-03</date>", "2024-05-03"),
        ("<updated>2024-05-03</updated>", "2024-05-03"),
        ("<date>soon</date><lastmod>2024-05-03</lastmod>", "2024-05-03"),
        ("<date>2024-05-03</date></item><item><date>2024-05-04</date>", "2024-05-04"),
        ("<a><b><date>2024-05-03</date></b></a>", "2024-05-03"),
        ("<x>2024-05-03</x>", None),
    ],
)
def test_a_feed_is_as_new_as_its_newest_entry(fields: str, published: str | None) -> None:
    """Unless it says itself when it was changed."""
    assert extract(f"<rss><item>{fields}</item></rss>".encode()).published == published


@pytest.mark.parametrize(
    ("field", "found"),
    [
        ("description", True), ("summary", True), ("content", True), ("encoded", True),
        ("subtitle", True), ("rights", False),
    ],
)  # fmt: skip
def test_a_summary_has_several_names(field: str, found: bool) -> None:
    """Of those the longest is taken."""
    page = extract(f"<rss><item><title>T</title><{field}>Words</{field}></item></rss>".encode())

    assert page.text == ("T\nWords" if found else "T")


def test_the_fields_of_a_feed_have_bounds() -> None:
    """300 characters of a title, 80 of a name, 2,000 of a summary, of 40,000 that are read."""
    item = "<item><title>{}</title><description>{}</description></item>"
    feed = f"<rss><creator>{'A' * 81}</creator>{item.format('t' * 301, 's' * 2_001)}</rss>"
    tags = "&lt;b&gt;" * 13_332
    read = extract(
        f"<rss>{item.format('T', tags + 'abcd')}{item.format('U', tags + 'abcde')}</rss>".encode()
    )
    page = extract(feed.encode())

    assert page.author == "A" * 79 + "…"
    assert page.text == "t" * 299 + "…\n" + "s" * 1_999 + "…"
    assert read.text.split() == ["T", "abcd", "U", "abcd"]


def test_of_a_deep_field_outside_of_entries_nothing_is_taken() -> None:
    """The third level is that of a channel's image and author."""
    third = extract(b"<?xml version='1.0'?><a><b><title>T</title></b></a>")
    fourth = extract(b"<?xml version='1.0'?><a><b><c><title>T</title></c></b></a>")

    assert (third.title, fourth.title) == ("T", "")
    assert fourth == Page(url="", title="", text="T", markdown="T", content_type="application/xml")


def test_of_a_long_feed_the_first_entries_are_read_with_a_note() -> None:
    """5,000 of them."""
    item = "<item><title>x</title></item>"
    most = extract(f"<rss>{item * 5_000}</rss>".encode())
    more = extract(f"<rss>{item * 5_001}</rss>".encode())

    assert (most.text.count("x"), most.notes) == (5_000, ())
    assert (more.text.count("x"), more.notes) == (5_000, ("cut: the first 5,000 entries",))


@pytest.mark.parametrize(
    ("data", "error", "sentence"),
    [
        (b"<?xml version='1.0'?><!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>", Unparsable, "entities"),
        (
            "<?xml version='1.0'?><!DOCTYPE a [<!ENTITY b 'c'>]><a/>".encode("utf-16"),
            Unparsable,
            "entities",
        ),
        (b"<?xml version='1.0'?><a><b></a>", Unparsable, "damaged"),
        (b"<?xml version='1.0' encoding='nonsense'?><a/>", Unparsable, "damaged"),
        (b"<?xml version='1.0'?>" + b"<a>" * 513 + b"</a>" * 513, TooLarge, "deep"),
        (b"<?xml version='1.0'?><a>" + b"<b/>" * 500_000 + b"</a>", TooLarge, "500,000 elements"),
        (XML["a quadratic entity"](), Unparsable, "entities"),
        (XML["an entity of a file"](), Unparsable, "entities"),
    ],
    ids=range(8),
)
def test_a_hostile_document_is_refused(data: bytes, error: type[Exception], sentence: str) -> None:
    """Entities that grow, nesting without end."""
    with pytest.raises(error, match=sentence):
        extract(data)


def test_a_feed_has_no_markup_of_its_own() -> None:
    """What a title or a summary says is text, as it is on a page: no image, no link, no heading."""
    feed = """<rss><channel><item><title>![x](https://a.example/?q=1) [y]</title>
        <link>https://a.example/(1)</link><description># Not *a* heading</description></item>
        <item><title>*No* link</title></item></channel></rss>"""

    page = extract(feed.encode(), content_type="application/rss+xml")

    assert page.markdown == (
        "- [!\\[x\\](https://a.example/?q=1) \\[y\\]](https://a.example/%281%29)\n"
        "  \\# Not \\*a\\* heading\n"
        "- \\*No\\* link"
    )
