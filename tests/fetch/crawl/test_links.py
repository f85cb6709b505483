"""Which links are followed: one spelling for each page, no traps."""

from __future__ import annotations

import pytest

from kensaku.fetch.crawl.links import Relevance, Scope, best_links, is_trap, normalize

ROOT = "http://public.test/"


def test_one_spelling_for_each_page():
    """No fragment, no visit, no campaign, no default port."""
    same = [
        "http://x.test", "http://X.test:80/", "http://x.test/#a", "http://x.test/?utm_source=y",
        "http://x.test/?PHPSESSID=1", "http://x.test/;jsessionid=99", "http://u:p@x.test/?fbclid=2",
    ]  # fmt: skip
    assert {normalize(url) for url in same} == {"http://x.test/"}
    assert normalize("http://x.test/?b=2&a=1") == "http://x.test/?b=2&a=1"
    assert normalize("mailto:x@y.z") is None
    assert normalize("http://[::1") is None


@pytest.mark.parametrize(
    "path", ["/a/a/a/", "/x/y/x/y/x", "/" + "/".join(map(str, range(20))), "/p.jpg", "/f.ZIP"]
)
def test_a_trap_is_known_by_its_shape(path):
    """Relative links that feed on themselves, endless depth, and files that are no pages."""
    assert is_trap("http://x.test" + path)


async def test_a_page_with_a_million_links_is_one_page():
    """Only so many are looked at, and only the best are kept."""
    scope = Scope.of(ROOT, None, None, None, None, True)
    links = (f"http://public.test/{n}" for n in range(10**6))
    assert len(best_links(links, scope, Relevance(None), 500)) == 500
    assert next(links) == "http://public.test/5000"
