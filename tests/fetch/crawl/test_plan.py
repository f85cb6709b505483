"""The parameters of a crawl are checked before anything is sent."""

from __future__ import annotations

import pytest

from kensaku.errors import InvalidQuery
from kensaku.fetch.crawl.plan import Plan
from tests.fetch.crawl.conftest import ROOT, needs_re2


async def test_the_scheme_may_be_left_out(site, fetcher, parser):
    """`docs.tavily.com` is a way to name a site."""
    assert Plan("public.test/a").url == "https://public.test/a"


@needs_re2
@pytest.mark.parametrize(
    "options",
    [
     {"limit": True}, {"url": ""}, {"url": "file:///x"},
     {"url": 7}, 
     {"select_paths": [r"(?=x)"]}, {"select_paths": ["x" * 501]},
     {"exclude_paths": ["x"] * 101}, {"select_domains": [""]}, {"exclude_domains": [3]}],
)  # fmt: skip
def test_what_is_out_of_bounds_is_refused_before_anything_is_sent(options):
    """One clear sentence that names the value and the bound."""
    with pytest.raises(InvalidQuery):
        _ = Plan(**{"url": ROOT, **options}).scope


@pytest.mark.parametrize(
    ("name", "low", "high", "said"),
    [
        ("max_depth", 1, 5, "it must be from 1 to 5"),
        ("max_breadth", 1, 500, "it must be from 1 to 500"),
        ("limit", 1, 10_000, "it must be from 1 to 10,000"),
        ("timeout", 1, 3_600, "it must be from 1 to 3,600"),
    ],
)
def test_the_bounds_themselves_are_taken(name, low, high, said):
    """And what is beyond them is refused with both."""
    for value in (low, high):
        assert getattr(Plan(ROOT, **{name: value}), name) == value
    for value in (low - 1, high + 1):
        with pytest.raises(InvalidQuery, match=f"{name} is {value}; {said}"):
            Plan(ROOT, **{name: value})
    with pytest.raises(InvalidQuery, match=f"{name} is 'x'; it must be a number"):
        Plan(ROOT, **{name: "x"})


def test_an_equal_plan_finds_its_state_again(tmp_path):
    """Another tenant's is another; a longer timeout is the same crawl."""
    plan = Plan(ROOT, limit=5)
    file = plan.state_file(tmp_path)

    assert file.parent == tmp_path
    assert len(file.stem) == 24
    assert file.suffix == ".sqlite"
    assert Plan(ROOT, limit=5, timeout=1).state_file(tmp_path) == file
    assert plan.state_file(tmp_path, "") == file
    assert plan.state_file(tmp_path, "other") != file
    assert Plan(ROOT, limit=6).state_file(tmp_path) != file


@needs_re2
@pytest.mark.parametrize(
    "name", ["select_paths", "exclude_paths", "select_domains", "exclude_domains"]
)
def test_a_pattern_that_cannot_be_read_is_named(name):
    """By the parameter that it stands in."""
    with pytest.raises(InvalidQuery, match=f"^{name} holds "):
        _ = Plan(ROOT, **{name: ["("]}).scope
