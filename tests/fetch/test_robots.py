"""robots.txt as RFC 9309 defines it."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

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
        ("User-agent: *\nDisallow: /a%2Fb", "/a%2fb", False),
        ("User-agent: *\nDisallow: /日本", "/%E6%97%A5%E6%9C%AC/x", False),
        ("User-agent: *\nDisallow: /", "/robots.txt", True),
        ("\ufeffUser-agent: *\nDisallow: /x", "/x", False),
        ("<html><body>not found</body></html>", "/x", True),
        ("Disallow: /x\nUser-agent: *\nAllow: /", "/x", True),
        ("User-agent: *\rDisallow: /x\r", "/x", False),
    ],
)
def test_rules_are_read_as_rfc_9309_has_them(text, path, allowed):
    """Own group before everyone's, longest match, wildcards, one spelling for each path."""
    assert rules(text).allows(path) is allowed


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


def test_many_patterns_are_matched_in_the_order_of_their_length():
    """The longest decides, whichever stands first; of two, `Allow`."""
    text = "User-agent: *\n" + "".join(f"Disallow: /{n}\n" for n in range(600))
    found = rules(text + "Disallow: /a*b\nAllow: /a\nAllow: /7/x\nDisallow: /c\nAllow: /c\n")
    paths = ("/7/y", "/7/x", "/a", "/axb", "/c", "/x")
    assert [found.allows(path) for path in paths] == [False, True, True, False, True, True]


@given(st.text("ab*", max_size=9), st.text("ab", max_size=9), st.sampled_from(["", "$"]))
def test_wildcards_match_what_a_regular_expression_matches(pattern, path, end):
    """A star stands for anything, `$` for the end."""
    wanted = re.compile("/" + pattern.replace("*", ".*") + end)

    allowed = rules(f"User-agent: *\nDisallow: /{pattern}{end}").allows(f"/{path}")

    assert allowed is not bool(wanted.match(f"/{path}"))


def test_a_file_is_read_as_a_whole():
    """Rules once each, of all groups for this robot; lines that are none are passed over."""
    found = rules(
        "User-agent: kensaku\nnonsense\nSitemap: /s\nUser-agent: other\nAllow: /a\nAllow: /a\n"
        "Disallow: /b\nDisallow:\nDisallow: /b\nCrawl-delay: 5\nCrawl-delay: x\nOther: /x\n"
        "Content-Signal: Search = YES, ai-train=maybe, ai-input=No\nSitemap: /s\n"
        "User-agent: *\nDisallow: /everyone\n"
    )

    assert found == robots.Rules(
        allow=("/a",),
        disallow=("/b",),
        delay=5.0,
        sitemaps=("/s",),
        signals=(("search", True), ("ai-input", False)),
    )


def test_an_empty_group_of_its_own_allows_everything():
    """It stands before the group for everyone."""
    assert (
        rules("User-agent: kensaku\nUser-agent: x\n\nUser-agent: *\nDisallow: /").allows("/")
        is False
    )
    assert rules("User-agent: kensaku\nAllow:\nUser-agent: *\nDisallow: /").allows("/a") is True


@pytest.mark.parametrize(
    ("delay", "kept"),
    [
        ("3600", 3600),
        ("3600.5", 0),
        ("0.5", 0.5),
        *((d, 0) for d in ("-1", "nan", "1e999", "soon")),
    ],
)
def test_a_delay_is_an_hour_at_most(delay, kept):
    """Longer ones are a mistake; nobody waits for ever because of a typing error."""
    assert rules(f"User-agent: *\nCrawl-delay: {delay}").delay == kept


def test_the_lists_have_bounds():
    """10,000 rules, 100 sitemaps, 20 signals, 500 KiB."""
    lines = [f"Disallow: /{n}" for n in range(9_999)] + ["Allow: /a", "Disallow: /b", "Allow: /c"]
    found = rules("\n".join(["User-agent: *", *lines]))
    assert (len(found.disallow), found.allow) == (9_999, ("/a",))

    found = rules("\n".join(f"Sitemap: /{n}" for n in range(101)))
    assert found.sitemaps == tuple(f"/{n}" for n in range(100))

    signals = ",".join(f"s{n}=yes" for n in range(21))
    found = rules(f"User-agent: *\nContent-Signal: {signals}")
    assert [name for name, _ in found.signals] == [f"s{n}" for n in range(20)]

    for size, read in ((512_000, True), (512_001, False)):
        text = "User-agent: *\n".ljust(size - len("Disallow: /x") - 1, "#") + "\nDisallow: /x"
        assert len(text) == size
        assert rules(text).disallow == (("/x",) if read else ("/",))
