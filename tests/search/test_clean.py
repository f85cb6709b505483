"""The bounds of what a provider sent: one character more is cut, or drops the hit."""

from __future__ import annotations

from itertools import count

import pytest

from kensaku import Hit, Query
from kensaku.models import Explain, Image, LocalMatch, Source
from kensaku.search.clean import clean_hits, clean_images

URL = "https://a.example/"


def _cleaned(**fields) -> Hit:
    options = {n: fields.pop(n) for n in ("web", "markup") if n in fields}
    (hit,) = clean_hits([Hit(**{"url": URL, "title": "A", **fields})], 10, **options)
    return hit


def test_a_hit_is_cleaned_whole():
    """Rank, family, coverage and the host behind a redirect are added."""
    hit = Hit(
        f" {URL}\u200b", "<b>Sea</b>", "otters", 0.5, "2026-01-31", "tavily", "Ann",
        "https://a.example/i.png", "raw\u200b", site="WWW.b.example",
        explain=Explain(read=True, local=LocalMatch("zoo")),
    )  # fmt: skip

    assert clean_hits([hit], 5, "sea otters swim", family="web") == [
        Hit(
            URL, "Sea", "otters", 0.5, "2026-01-31", "tavily", "Ann", "https://a.example/i.png",
            "raw", (Source("tavily", 1, 0.5, "web"),),
            Explain(0.667, read=True, local=LocalMatch("zoo")), "b.example",
        )
    ]  # fmt: skip
    assert clean_hits([Hit(URL, "A")], 5) == [
        Hit(URL, "A", sources=(Source("", 1),), explain=Explain(0.0))
    ]


@pytest.mark.parametrize(
    ("field", "given", "length"),
    [
        ("title", "x" * 500, 500),
        ("title", "x" * 501, 500),
        ("title", "<b>" * 499 + "x" * 600, 500),
        ("title", "<b>" * 666 + "xyz", 2),
        ("content", "x" * 300_000, 300_000),
        ("content", "x" * 300_001, 300_000),
        ("raw_content", "x" * 1_000_000, 1_000_000),
        ("raw_content", "x" * 1_000_001, 1_000_000),
        ("author", "x" * 300, 300),
        ("author", "x" * 301, 300),
        ("favicon", "https://" + "x" * 1_992, 2_000),
        ("favicon", "https://" + "x" * 1_993, 2_000),
    ],
)
def test_a_field_is_cut_at_its_bound(field, given, length):
    """Before it is cleaned, so that the work is bounded."""
    assert len(getattr(_cleaned(**{field: given}), field)) == length


def test_the_site_behind_a_redirect_is_read_up_to_300_characters():
    """No host name is longer, whatever stands before it."""
    assert _cleaned(site=" " * 291 + "a.examples").site == "a.example"
    assert _cleaned(site="a" * 254).site == ""


def test_an_address_has_8_000_characters_at_most():
    """A longer one is no link that anybody can use."""
    fits = "https://a.example/".ljust(8_000, "x")

    assert [h.url for h in clean_hits([Hit(fits + "x", "A"), Hit(fits, "B")], 10)] == [fits]


@pytest.mark.parametrize(
    ("url", "web", "kept"),
    [
        ("http://a.example/", True, True),
        ("https://a.example/ x", True, False),
        ("ftp://a.example/", True, False),
        ("VBScript:x", False, False),
        ("data:x", False, False),
        ("javascript:x", False, False),
        ("doc:12", False, True),
    ],
)
def test_only_links_are_kept(url, web, kept):
    """Of the web, or of the index."""
    assert bool(clean_hits([Hit(url, "A")], 10, web=web)) is kept


@pytest.mark.parametrize(
    ("url", "title"),
    [
        ("https://www.a.example/x/", "a.example/x"),
        ("https://a.example/".ljust(300, "x"), "a.example/".ljust(200, "x")),
        ("doc:12", "doc:12"),
        ("d" * 300, "d" * 200),
    ],
)
def test_an_untitled_hit_has_its_address_for_a_title(url, title):
    """In at most 200 characters."""
    assert _cleaned(url=url, title="", web=False).title == title


def test_four_times_the_limit_is_looked_at():
    """An endless list ends; what is dropped does not count."""
    bad = Hit("javascript:x", "A")

    assert len(clean_hits((Hit(f"{URL}{n}", "A") for n in count()), 3)) == 3
    assert [h.sources[0].rank for h in clean_hits([bad] * 7 + [Hit(URL, "A")], 2)] == [8]
    assert clean_hits([bad] * 8 + [Hit(URL, "A")], 2) == []


def test_stored_text_keeps_its_line_ends():
    """Of contents and of whole pages; the web's is read as HTML."""
    text = "<b>a\u200b</b>\r\n\r\nb\u200b"

    stored = _cleaned(content=text, raw_content=text, markup=False)
    web = _cleaned(content=text, raw_content=text)

    assert stored.content == stored.raw_content == "<b>a</b>\r\n\r\nb"
    assert web.content == "a\n\nb"
    assert "\u200b" not in web.raw_content
    assert _cleaned(content="a\u200b\nb", markup=False).content == "a\nb"
    assert _cleaned(raw_content="").raw_content is None
    assert _cleaned(raw_content=5).raw_content is None


def test_images_are_cleaned_and_each_is_shown_once():
    """As many as results were asked for; only those with a web address."""
    images = [
        Image("javascript:x", "bad"),
        Image("https://a.example/1.png", "<b>One</b>" + "x" * 600, "https://a.example/", "brave"),
        Image("https://a.example/1.png", "again"),
        Image("https://a.example/".ljust(8_001, "x"), "too long"),
        Image("http://a.example/2.png", "Two", "ftp://a.example/"),
        Image("https://a.example/3.png"),
    ]

    found = clean_images(Query("otters", max_results=2), images)

    assert found == (
        Image("https://a.example/1.png", "One" + "x" * 497, "https://a.example/", "brave"),
        Image("http://a.example/2.png", "Two"),
    )
    many = (Image(f"https://a.example/{n}") for n in count())
    assert len(clean_images(Query("otters", max_results=50), many)) == 50
    late = [Image("bad")] * 199 + [Image("https://a.example/1.png")]
    assert len(clean_images(Query("otters"), late)) == 1
    assert clean_images(Query("otters"), [Image("bad"), *late]) == ()


@pytest.mark.parametrize(
    ("url", "kept"),
    [
        ("https://ann:secret@a.example/x", "https://a.example/x"),
        ("https://bank.example@evil.example/", "https://evil.example/"),
        ("HTTPS://a@b@c.example/?q=d@e", None),
        ("http://a.example/@ann?to=b@c.example", "http://a.example/@ann?to=b@c.example"),
        ("https://evil.example\\@bank.example/", "https://evil.example\\@bank.example/"),
    ],
)
def test_a_user_name_and_a_password_are_not_part_of_an_address(url, kept):
    """They are a secret, or pass for the host."""
    found = clean_hits([Hit(url, "A", favicon=url)], 10)

    assert [hit.url for hit in found] == [kept] * bool(kept)
    assert [hit.favicon for hit in found] == [kept] * bool(kept)


def test_a_document_of_ones_own_keeps_its_address():
    """Whatever its owner gave it."""
    assert _cleaned(url="mail:ann@b.example", web=False).url == "mail:ann@b.example"
