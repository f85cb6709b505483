"""robots.txt as RFC 9309 defines it."""

from __future__ import annotations

import pytest

from kensaku.fetch import robots
from tests.growth import growth

AGENT = "Kensaku/0.1 (+https://example.test)"


def rules(text):
    return robots.parse(text.encode(), AGENT)


@pytest.mark.parametrize(
    ("text", "path", "allowed"),
    [
        ("", "/x", True),
        ("User-agent: *\nDisallow: /", "/x", False),
        ("User-agent: *\nDisallow:", "/x", True),
        ("User-agent: *\nDisallow: /private", "/privateer", False),
        ("User-agent: *\nDisallow: /private/", "/private", True),
        ("user-AGENT : *\n  DISALLOW :/x # why", "/x", False),
        ("User-agent: kensaku\nDisallow: /a\n\nUser-agent: *\nDisallow: /", "/b", True),
        ("User-agent: Kensaku/9\nDisallow: /a", "/a", False),
        ("User-agent: kensakubot\nDisallow: /", "/a", True),
        ("User-agent: other\nUser-agent: kensaku\nDisallow: /a", "/a", False),
        ("User-agent: kensaku\nDisallow: /a\nUser-agent: kensaku\nDisallow: /b", "/b", False),
        ("User-agent: *\nDisallow: /a\nAllow: /a/b", "/a/b/c", True),
        ("User-agent: *\nAllow: /a/b\nDisallow: /a/b", "/a/b", True),
        ("User-agent: *\nAllow: /\nDisallow: /page", "/page.html", False),
        ("User-agent: *\nDisallow: /*.pdf$", "/x/y.pdf", False),
        ("User-agent: *\nDisallow: /*.pdf$", "/x/y.pdf?x=1", True),
        ("User-agent: *\nDisallow: /a*b*c", "/aXXbYYc", False),
        ("User-agent: *\nDisallow: /a*b*c$", "/abcbcd", True),
        ("User-agent: *\nDisallow: *?sort=", "/list?sort=up", False),
        ("User-agent: *\nDisallow: /%7Ejoe/", "/~joe/index", False),
        ("User-agent: *\nDisallow: /a%2Fb", "/a/b", True),
        ("User-agent: *\nDisallow: /日本", "/%E6%97%A5%E6%9C%AC/x", False),
        ("User-agent: *\nDisallow: /", "/robots.txt", True),
        ("\ufeffUser-agent: *\nDisallow: /x", "/x", False),
        ("<html><body>not found</body></html>", "/x", True),
        ("Disallow: /x\nUser-agent: *\nAllow: /", "/x", True),
        ("User-agent: *\rDisallow: /x\r", "/x", False),
        ("User-agent: *\nDisallow: nothing", "/nothing", False),
    ],
)
def test_rules_are_read_as_rfc_9309_has_them(text, path, allowed):
    """Own group before everyone's, longest match, wildcards, one spelling for each path."""
    assert rules(text).allows(path) is allowed


def test_the_other_lines_are_read_too():
    """How long to wait, where the sitemaps are, and what the content may be used for."""
    found = rules(
        "Sitemap: https://x.test/a.xml#1\nUser-agent: *\nCrawl-delay: 2.5\n"
        "Content-Signal: search=yes, ai-train=no, ai-input = no\nSitemap: /b.xml"
    )
    assert found.delay == 2.5
    assert found.sitemaps == ("https://x.test/a.xml#1", "/b.xml")
    assert dict(found.signals) == {"search": True, "ai-train": False, "ai-input": False}


@pytest.mark.parametrize("delay", ["-1", "nan", "inf", "1e999", "soon", ""])
def test_a_delay_that_makes_no_sense_is_none(delay):
    """Nobody waits for ever because of a typing error."""
    assert rules(f"User-agent: *\nCrawl-delay: {delay}").delay == 0


@pytest.mark.parametrize(
    "rule",
    [
        lambda n: "/" + "*a" * n + "$",
        lambda n: "/" + "a*" * n,
        lambda n: "*" * 2 * n + "b",
        lambda n: "/" + "a" * 4 * n,
    ],
    ids=["anchored wildcards", "wildcards", "stars", "prefix"],
)
def test_matching_takes_linear_time(rule):
    """A rule is a stranger's pattern: four times as long, it takes about four times as long."""

    def work(size):
        found = rules(f"User-agent: *\nDisallow: {rule(size)}")
        for _ in range(20):
            found.allows("/" + "a" * 2 * size + "c")

    assert growth(work, 2_000) < 10  # quadratic: 16


def test_a_huge_file_is_read_to_its_bound():
    """Half a megabyte is what the RFC wants read."""
    text = "User-agent: *\n" + "Disallow: /x\n" * 100_000 + "Disallow: /late\n"
    assert rules(text).allows("/late")


def test_many_patterns_are_matched_in_the_order_of_their_length():
    """The longest decides, whichever stands first; of two, `Allow`."""
    text = "User-agent: *\n" + "".join(f"Disallow: /{n}\n" for n in range(600))
    found = rules(text + "Disallow: /a*b\nAllow: /a\nAllow: /7/x\nDisallow: /c\nAllow: /c\n")
    paths = ("/7/y", "/7/x", "/a", "/axb", "/c", "/x")
    assert [found.allows(path) for path in paths] == [False, True, True, False, True, True]
