"""The title, language, links and images of a page."""

from __future__ import annotations

from urllib.parse import urljoin

import pytest

from kensaku.extract.html.metadata import absolute, images_of, language_of, links_of, read_metadata
from kensaku.extract.html.tree import parse_html

URL = "https://example.org/a/b"


@pytest.mark.parametrize(
    "link",
    "/ /a /a/b.html /a//b /a?q=1 /a? /a#b /a# /../a /a/./b /a;b /a; /é /a:b //other.org/x /.hidden "
    "/a.b.c /a?x#y#z".split(),
)
def test_a_link_from_the_root_is_joined_as_any_other(link: str) -> None:
    """Most links need no more than the origin before them; which, `urljoin` says."""
    for base in ("https://example.org/x/y?z", "HTTP://u@Example.org:80", "https://[::1]/a"):
        assert absolute(link, base) == urljoin(base, link)
    assert absolute(link, "about:blank") is None or link.startswith("//")


@pytest.mark.parametrize(
    ("link", "base", "address"),
    [
        ("c", URL, "https://example.org/a/c"),
        (" c \n d ", URL, "https://example.org/a/cd"),
        ("#c", URL, None),
        ("mailto:ada@example.org", URL, None),
        ("javascript:alert(1)", URL, None),
        ("http:///path", URL, None),
        ("ftp://example.org/x", URL, None),
        ("http://[::1", URL, None),
        ("/x", "", None),
        ("x" * 4_000, "https://a.example/", "https://a.example/" + "x" * 4_000),
        ("x" * 4_001, "https://a.example/", None),
    ],
)
def test_a_link_is_an_absolute_web_address_or_nothing(
    link: str, base: str, address: str | None
) -> None:
    """Scripts, mail and fragments lead nowhere that can be read."""
    assert absolute(link, base) == address


@pytest.mark.parametrize(
    ("head", "title"),
    [
        ("<title>Otters swim | River Journal</title><h1>Otters swim</h1>", "Otters swim"),
        ("<title>Otters swim | River Journal</title><h1>OTTERS SWIM</h1>", "OTTERS SWIM"),
        ("<title>Ott | River</title><h1>Ott</h1>", "Ott"),
        ("<title>Otters</title><h1>Crabs</h1>", "Otters"),
        ("<title>A River</title><meta property=og:title content='River'>", "River"),
        ("<meta property=og:title content='The &lt;b&gt;River&lt;/b&gt;'>", "The River"),
        ("<title>Otters x</title>" + "<h1>y</h1>" * 4 + "<h1>Otters</h1>", "Otters"),
        ("<title>Otters x</title>" + "<h1>y</h1>" * 5 + "<h1>Otters</h1>", "Otters x"),
        (f"<title>{'t' * 301}</title>", "t" * 299 + "…"),
        (f"<title>{'t' * 300}</title><h1>{'t' * 301}</h1>", "t" * 300),
        (f"<title>{'x' * 590} {'t' * 9}</title><h1>{'t' * 9}</h1>", "t" * 9),
        (f"<title>{'x' * 591} {'t' * 9}</title><h1>{'t' * 9}</h1>", "x" * 299 + "…"),
        ("", ""),
    ],
)
def test_the_title_is_the_heading_that_the_head_repeats(head: str, title: str) -> None:
    """What a site adds to the title is its own name."""
    assert read_metadata(parse_html(f"<body>{head}"), URL).title == title


@pytest.mark.parametrize(
    ("html", "language"),
    [
        ("<html lang=en-GB>", "en"),
        ("<html lang=' DE '>", "de"),
        ("<html lang=pt_BR>", "pt"),
        ("<html xml:lang=fr>", "fr"),
        ("<html lang=english>", None),
        ("<html lang=english><meta property=og:locale content=en_US>", "en"),
        ("<html><meta name=language content=ja>", "ja"),
        ("<html>", None),
    ],
)
def test_the_language_is_the_one_that_the_page_names(html: str, language: str | None) -> None:
    """Two letters, whatever follows them."""
    assert read_metadata(parse_html(html + "<p>x"), URL).language == language


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("漢字かな", "ja"),
        ("漢" * 9 + "か", "zh"),
        ("漢" * 8 + "か", "ja"),
        ("中文", "zh"),
        ("العربية", "ar"),
        ("हद", "hi"),
        ("Русский", "ru"),
        ("рус" + "abc", "ru"),
        ("ру" + "abc", None),
        ("a" * 2_401 + "р" * 1_600, None),
        ("a" * 2_400 + "р" * 1_601, None),
        ("English", None),
    ],
)
def test_the_language_is_guessed_from_the_script(text: str, language: str | None) -> None:
    """Two fifths of the letters are enough; a tenth of kana makes Japanese of Chinese."""
    assert language_of(text) == language


def test_what_the_head_links_to_is_read() -> None:
    """The first of each, if it is a web address; the base is for links of the page alone."""
    root = parse_html(
        "<base href=/base/><link rel=canonical href=javascript:x><link rel=Canonical href=/c>"
        "<link rel='shortcut icon' href=/i.ico><link rel=apple-touch-icon href=/t.png>"
        f"<meta name=generator content='{'g' * 81}'><p>x"
    )
    meta = read_metadata(root, URL)
    other = read_metadata(parse_html("<link rel=apple-touch-icon href=/t.png><p>x"), URL)

    assert (meta.canonical_url, meta.favicon, meta.base, meta.generator) == (
        "https://example.org/c",
        "https://example.org/i.ico",
        "https://example.org/base/",
        "g" * 80,
    )
    assert (other.canonical_url, other.favicon, other.base) == (
        None,
        "https://example.org/t.png",
        URL,
    )


def test_links_and_images_stand_once_in_reading_order() -> None:
    """At most 2,000 links and 200 images; images that load later are images, too."""
    root = parse_html(
        "<a href=x#1>1</a><area href=y><a>no</a><a href=x#2>2</a><a href=#x>3</a>"
        "<img src=i.png><img data-src=j.png><img src=i.png><img>"
    )
    links = parse_html("".join(f"<a href=/{n}>x</a>" for n in range(2_001)))
    images = parse_html("".join(f"<img src=/{n}>" for n in range(201)))

    assert links_of(root, URL) == ("https://example.org/a/x", "https://example.org/a/y")
    assert images_of(root, URL) == ("https://example.org/a/i.png", "https://example.org/a/j.png")
    assert (len(links_of(links, URL)), len(images_of(images, URL))) == (2_000, 200)
