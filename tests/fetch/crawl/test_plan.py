"""The parameters of a crawl are checked before anything is sent."""

from __future__ import annotations

from importlib.util import find_spec

import pytest

from kensaku.errors import InvalidQuery
from kensaku.fetch.crawl.plan import Plan

ROOT = "http://public.test/"


needs_re2 = pytest.mark.skipif(find_spec("re2") is None, reason="the extra crawl is not installed")


async def test_the_scheme_may_be_left_out(site, fetcher, parser):
    """`docs.tavily.com` is a way to name a site."""
    assert Plan("public.test/a").url == "https://public.test/a"


@needs_re2
@pytest.mark.parametrize(
    "options",
    [{"max_depth": 0}, {"max_depth": 6}, {"max_breadth": 0}, {"max_breadth": 501}, {"limit": 0},
     {"timeout": 0}, {"limit": "many"}, {"limit": True}, {"url": ""}, {"url": "file:///x"},
     {"url": 7}, {"select_paths": ["("]},
     {"select_paths": [r"(?=x)"]}, {"select_paths": ["x" * 501]},
     {"exclude_paths": ["x"] * 101}, {"select_domains": [""]}, {"exclude_domains": [3]}],
)  # fmt: skip
def test_what_is_out_of_bounds_is_refused_before_anything_is_sent(options):
    """One clear sentence that names the value and the bound."""
    with pytest.raises(InvalidQuery):
        _ = Plan(**{"url": ROOT, **options}).scope
