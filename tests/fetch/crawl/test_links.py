"""Which links are followed: one spelling for each page, no traps."""

from __future__ import annotations

import pytest

from kensaku.fetch.crawl.links import Relevance, Scope, best_links, is_trap, normalize
from tests.fetch.crawl.conftest import needs_re2

ROOT = "http://public.test/"


async def test_a_page_with_a_million_links_is_one_page():
    """Only so many are looked at, and only the best are kept."""
    scope = Scope.of(ROOT, None, None, None, None, True)
    links = (f"http://public.test/{n}" for n in range(10**6))
    assert len(best_links(links, scope, Relevance(None), 500)) == 500
    assert next(links) == "http://public.test/5000"


@pytest.mark.parametrize(
    ("url", "normal"),
    [
        (" HTTPS://x.test:443/a ", "https://x.test/a"),
        ("https://x.test:80/", "https://x.test:80/"),
        ("http://x.test:443/", "http://x.test:443/"),
        ("http://[::1]:8080/", "http://[::1]:8080/"),
        ("http://[::1]", "http://[::1]/"),
        ("http://x.test/?a=b%20c&d", "http://x.test/?a=b%20c&d"),
        ("http://x.test/?a=&UTM_x=1&b=c d&sid=2", "http://x.test/?a=&b=c+d"),
        ("http://x.test/a;JSessionID=1/b;v=2/c;sid", "http://x.test/a/b;v=2/c"),
        ("http://X.test:80/#a", "http://x.test/"),
        ("http://x.test", "http://x.test/"),
        ("http://u:p@x.test/?utm_source=y&PHPSESSID=1&fbclid=2", "http://x.test/"),
        ("http://x.test/?b=2&a=1", "http://x.test/?b=2&a=1"),
        ("mailto:x@y.z", None),
        ("http://[::1", None),
        ("ftp://x.test/", None),
        ("http:///a", None),
        ("http://x.test:x/", None),
        ("http://x.test/".ljust(2_000, "a"), "http://x.test/".ljust(2_000, "a")),
        ("http://x.test/".ljust(2_001, "a"), None),
        ("http://x.test/?" + "&" * 20, "http://x.test/?" + "&" * 20),
        ("http://x.test/?" + "&" * 21, None),
    ],
)
def test_an_address_is_written_in_one_way(url, normal):
    """Or it is none that a crawl follows."""
    assert normalize(url) == normal


@pytest.mark.parametrize(
    ("path", "trap"),
    [
        ("/" + "/".join(map(str, range(16))), False),
        ("/" + "/".join(map(str, range(17))), True),
        ("/a/b/a/b/", False),
        ("/a/b/a/b/a", True),
        ("/a/a/a/", True),
        ("/p.jpg", True),
        ("/f.ZIP", True),
        ("/jpg", False),
        ("/a.jpg/b", False),
        ("", False),
    ],
)
def test_a_trap_is_known_by_its_shape(path, trap):
    """Links that feed on themselves, endless depth, files that are no pages; less is followed."""
    assert is_trap("http://x.test" + path) is trap


def scope(*options):
    """Select and exclude paths, select and exclude domains, allow external."""
    return Scope.of("http://www.public.test/", *options)


@pytest.mark.parametrize(
    ("url", "inside"),
    [
        ("http://public.test/x", True),
        ("http://www.public.test/", True),
        ("http://docs.public.test/", True),
        ("http://notpublic.test/", False),
        ("http://public.test.other/", False),
    ],
)
def test_a_site_is_its_host_and_the_hosts_below(url, inside):
    """With or without www."""
    assert scope(None, None, None, None, False).is_inside(url) is inside
    assert scope(None, None, None, None, False).includes(url) is inside
    assert scope(None, None, None, None, True).includes(url)


@needs_re2
def test_an_address_without_a_path_has_that_of_the_root():
    """As servers read it."""
    assert scope(["^/$"], None, None, None, True).includes("http://public.test")


def test_relevance_is_the_share_of_the_words():
    """In the path of a link, or in the title and the beginning of a text."""
    words = Relevance(" pricing plans ")

    assert words.of_link("http://x.test/pricing") == 0.5
    assert words.of_link("http://x.test/Our%20plans/prices/pricing") == 1.0
    assert words.of_link("http://pricing.test/?q=plans") == 0.0
    assert words.of_text("Pricing", "Our plan.") == 1.0
    assert words.of_text("", "x " * 25_000 + " pricing") == 0.0
    assert not Relevance("  ")


def test_the_best_links_come_first():
    """Pages of the site before others; each once; traps are left out."""
    links = [
        "http://other.test/pricing", "http://other.test/x", "http://public.test/x",
        "http://public.test/pricing", "http://public.test/x#part", "http://public.test/x.zip", "no",
    ]  # fmt: skip
    found = best_links(links, scope(None, None, None, None, True), Relevance("pricing"), 10)

    assert [url for url, _ in found] == [
        "http://public.test/pricing",
        "http://other.test/pricing",
        "http://public.test/x",
        "http://other.test/x",
    ]
