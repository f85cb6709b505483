"""Patterns of callers are run by RE2, or not at all."""

from __future__ import annotations

import sys

import pytest

from kensaku.errors import InvalidQuery, MissingExtra
from kensaku.fetch.crawl.patterns import Patterns
from kensaku.fetch.crawl.plan import Plan
from tests.fetch.crawl.conftest import ROOT, needs_re2
from tests.growth import growth


def test_without_re2_patterns_are_refused_with_the_remedy(monkeypatch):
    """Never run by an engine that a pattern can stop."""
    monkeypatch.setitem(sys.modules, "re2", None)
    with pytest.raises(MissingExtra, match=r"kensaku-search\[crawl\]"):
        _ = Plan(ROOT, select_paths=["/a"]).scope


@needs_re2
@pytest.mark.parametrize("pattern", ["(a+)+$", "(a|a)*$", "(a|aa)+$", "(.*a){20}$", "([a-z]+)*$"])
def test_a_pattern_that_explodes_elsewhere_does_not_here(pattern):
    """Python's own engine takes years for 50 KB of the worst input; RE2 takes linear time."""
    found = Patterns([pattern], "select_paths")
    assert growth(lambda size: found.find("a" * size + "!"), 50_000) < 10  # quadratic: 16


@needs_re2
def test_patterns_are_found_anywhere_within_their_bounds():
    """Any one of 100, each of 500 characters."""
    found = Patterns(["x" * 500] * 99 + ["b"], "select_paths")

    assert found
    assert found.find("abc")
    assert not found.find("ac")
    assert not Patterns(None, "select_paths")
    assert not Patterns([], "select_paths")
    for wrong in (["b"] * 101, ["x" * 501], [""], [7]):
        with pytest.raises(InvalidQuery, match=r"^select_paths "):
            Patterns(wrong, "select_paths")


@needs_re2
def test_a_pattern_that_cannot_be_read_is_shown(capfd):
    """Its beginning, and nothing on the terminal."""
    with pytest.raises(InvalidQuery) as caught:
        Patterns(["(" + "x" * 70], "select_paths")

    assert str(caught.value).startswith(f"select_paths holds '({'x' * 59}', which RE2 cannot read")
    assert capfd.readouterr() == ("", "")
