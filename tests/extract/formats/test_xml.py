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
