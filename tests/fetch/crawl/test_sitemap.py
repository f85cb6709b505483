"""Sitemaps and feeds, well-formed and hostile."""

from __future__ import annotations

import pytest

from kensaku.fetch.crawl.sitemap import MAX_ENTRIES, read_sitemap


def test_sitemaps_and_feeds_are_read():
    """XML with or without a namespace, RSS, Atom, plain lists, and gzip files."""
    import zlib

    xml = b"""<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"
      xmlns:image="x"><url><loc> http://x.test/1 </loc><image:image><image:loc>http://x.test/i.png
      </image:loc></image:image></url></urlset>"""
    assert read_sitemap(xml).pages == ["http://x.test/1"]
    assert read_sitemap(zlib.compress(xml, wbits=31)).pages == ["http://x.test/1"]
    rss = b"<rss><channel><link>no</link><item><link>http://x.test/2</link></item></channel></rss>"
    assert read_sitemap(rss).pages == ["http://x.test/2"]
    atom = b'<feed><link href="no"/><entry><link href="http://x.test/3"/></entry></feed>'
    assert read_sitemap(atom).pages == ["http://x.test/3"]
    assert read_sitemap(b"http://x.test/4\nnope\n").pages == ["http://x.test/4"]


BILLION = (
    b'<!DOCTYPE x [<!ENTITY a "aa"><!ENTITY b "&a;&a;">]><urlset><url><loc>&b;</loc></url></urlset>'
)


XXE = b'<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><urlset><url><loc>&a;</loc></url></urlset>'


@pytest.mark.parametrize(
    "data", [BILLION, XXE, b"<urlset><url><loc>http://x", b"\x1f\x8bnot", b"<" * 99]
)
def test_a_hostile_sitemap_gives_nothing(data):
    """No entity is expanded, no file is read, and what breaks off is said to."""
    found = read_sitemap(data)
    assert found.pages == []
    assert found.truncated


def test_a_sitemap_is_cut_at_its_bound():
    """A million entries: the first fifty thousand."""
    entry = b"<url><loc>http://x.test/%d</loc></url>"
    data = b"<urlset>" + b"".join(entry % n for n in range(200_000)) + b"</urlset>"
    found = read_sitemap(data)
    assert len(found.pages) == MAX_ENTRIES
    assert found.truncated


@pytest.mark.parametrize(("chars", "kept"), [(2_048, True), (2_049, False)])
def test_an_address_has_a_bound(chars, kept):
    """An entry of megabytes is no address; the ones after it are read."""
    url = "http://x.test/".ljust(chars, "a")
    xml = f"<urlset><url><loc>{url}</loc></url><url><loc>http://x.test/</loc></url></urlset>"

    assert read_sitemap(xml.encode()).pages == [url, "http://x.test/"][not kept :]
    assert (
        read_sitemap(f"{url}\nhttp://x.test/".encode()).pages == [url, "http://x.test/"][not kept :]
    )
