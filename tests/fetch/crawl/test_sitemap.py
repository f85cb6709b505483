"""Sitemaps and feeds, well-formed and hostile."""

from __future__ import annotations

import pytest

from kensaku.fetch.crawl.sitemap import MAX_ENTRIES, Sitemap, read_sitemap


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


def test_an_address_has_a_bound():
    """An entry of megabytes is no address; the ones after it are read."""
    longest, short = "http://x.test/".ljust(2_048, "a"), "http://x.test/"
    urls = (longest, longest + "a", short)
    xml = "".join(f"<url><loc>{url}</loc></url>" for url in urls)

    assert read_sitemap(f"<urlset>{xml}</urlset>".encode()).pages == [longest, short]
    assert read_sitemap("\n".join(urls).encode()).pages == [longest, short]


@pytest.mark.parametrize(
    ("data", "pages", "sitemaps", "truncated"),
    [
        (b"<sitemapindex><sitemap><loc>/a.xml</loc></sitemap></sitemapindex>", [], ["/a.xml"], False),
        (b"\xef\xbb\xbf <URLSET><URL><LOC>/a</LOC></URL></URLSET>", ["/a"], [], False),
        (b"<urlset><loc>/no</loc><url><loc> </loc></url></urlset>", [], [], False),
        (b"<urlset><url><lastmod>x</lastmod><loc>/<b>a</b></loc></url></urlset>", ["a"], [], False),
        (b"<feed><entry><link rel='self' href='/s'/><link rel='alternate' href='/a'/><link/></entry>"
         b"</feed>", ["/a"], [], False),
        (b"<rss><item><title>t</title><link>/a</link><loc>/no</loc></item></rss>", ["/a"], [], False),
        (b"<urlset><url><loc>/a</loc></url><url><loc>/b</loc></url><ur", ["/a", "/b"], [], True),
        (b"http://x.test/a\n  https://x.test/b \nftp://x.test/c\n", ["http://x.test/a", "https://x.test/b"],
         [], False),
        (b"", [], [], False),
    ],
)  # fmt: skip
def test_each_form_is_read_as_a_whole(data, pages, sitemaps, truncated):
    """Pages, further sitemaps, and whether something is missing."""
    assert read_sitemap(data) == Sitemap(pages, sitemaps, truncated)


@pytest.mark.parametrize(("limit", "truncated"), [(1, True), (2, True), (3, False)])
def test_a_caller_may_want_fewer(limit, truncated):
    """At the limit nobody looks whether there are more."""
    xml = (
        b"<x><url><loc>http://x.test/1</loc></url><sitemap><loc>http://x.test/2</loc></sitemap></x>"
    )
    found = read_sitemap(xml, limit=limit)
    assert (len(found.pages) + len(found.sitemaps), found.truncated) == (min(limit, 2), truncated)

    found = read_sitemap(b"http://x.test/1\nhttp://x.test/2", limit=limit)
    assert (len(found.pages), found.truncated) == (min(limit, 2), truncated)


def test_bounds_of_what_is_read():
    """Two mebibytes of a plain list; the end is looked for wherever it falls."""
    line = b"http://x.test/ends-here\n"
    assert read_sitemap(b"#" * (2**21 - len(line)) + b"\n" + line).pages
    assert read_sitemap(b"#" * 2**21 + b"\n" + line).pages == []
    for size in (2**16 - 1, 2**16, 2**16 + 1):
        assert read_sitemap(b"<urlset>".ljust(size)).truncated
        assert not read_sitemap(b"<urlset/>".ljust(size)).truncated


def test_a_packed_file_that_breaks_off_is_said_to():
    """What can be unpacked is read."""
    import zlib

    entry = b"<url><loc>http://x.test/%d</loc></url>"
    plain = b"<urlset>" + b"".join(entry % n for n in range(2_000)) + b"</urlset>"
    packed = zlib.compress(plain, wbits=31)

    assert not read_sitemap(packed).truncated
    found = read_sitemap(packed[:-200])
    assert found.truncated
    assert found.pages
