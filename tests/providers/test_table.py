"""The table of providers: complete and honest."""

from __future__ import annotations

import re

import pytest

from kensaku.providers import BUILT_IN, provider_class
from kensaku.testing.sample import built_in_samples
from kensaku.text.rate import parse_rate
from tests import ROOT

every_provider = pytest.mark.parametrize("name", BUILT_IN)


@every_provider
def test_a_name_leads_to_its_class(name):
    """What the table calls it is what it calls itself."""
    assert provider_class(name).name == name


@every_provider
def test_rates_can_be_read(name):
    """A rate that is misspelt would only be seen at the first search."""
    cls = provider_class(name)
    for rate in filter(None, (cls.rate, cls.keyless_rate)):
        parse_rate(rate)


def test_every_provider_but_the_local_one_has_a_sample():
    """The fake upstream speaks for all of them."""
    assert built_in_samples().keys() == BUILT_IN.keys() - {"local"}


def test_the_pool_is_made_of_those_that_answer_without_a_key():
    """And of no others: these are asked when nobody has configured anything."""
    pooled = [provider_class(name) for name in BUILT_IN if provider_class(name).pooled]

    assert {cls.name for cls in pooled if not cls.specialist} == {
        "tavily", "firecrawl", "you", "keenable", "wikipedia", "duckduckgo",
        "startpage", "brave_web", "mojeek_web", "yahoo", "exa_mcp", "parallel_mcp",
    }  # fmt: skip
    assert {cls.name for cls in pooled if cls.specialist} == {
        "arxiv", "crossref", "europepmc", "github", "github_issues", "stackexchange",
    }  # fmt: skip


def test_there_are_as_many_providers_as_the_pages_say():
    """A round number: one more provider changes no page."""
    count = sum(provider_class(name).is_web for name in BUILT_IN)
    said = {
        "README.md": r"over (\d+) providers behind one call",
        "docs/index.md": r"over (\d+) providers behind one call",
        "docs/images/overview.svg": r">over (\d+) web providers<",
        "README.ja.md": r"(\d+)以上の検索プロバイダ",
        "docs/ja/index.md": r"(\d+)以上の検索プロバイダ",
        "docs/images/overview.ja.svg": r"(\d+)以上の検索プロバイダ",
    }
    for page, words in said.items():
        (number,) = re.findall(words, (ROOT / page).read_text(encoding="utf-8"))
        assert int(number) < count, page
