"""Feeds, read as their entries."""

from __future__ import annotations

from kensaku.extract import extract


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


def test_of_a_feed_s_fields_the_first_and_the_longest_summary_count() -> None:
    """Publishers repeat them in several names."""
    atom = (
        '<feed xmlns="http://www.w3.org/2005/Atom"><title>R</title><entry><title>One</title><title>Two</title>'
        '<link rel="self" href="https://a.example/self"/><link href="https://a.example/1"/>'
        '<link href="https://a.example/2"/><author><name>Ada</name></author><published>2024-05-03</published>'
        "<updated>2025-01-01</updated><summary>Short.</summary><content>A longer text.</content></entry></feed>"
    )
    page = extract(atom.encode())

    assert page.links == ("https://a.example/1",)
    for word in ("One", "A longer text.", "2024-05-03"):
        assert word in page.text
    for word in ("Two", "Short.", "2025"):
        assert word not in page.text
