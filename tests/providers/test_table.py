"""The table of providers: complete and honest."""

from __future__ import annotations

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


@pytest.mark.parametrize(
    ("family", "names"),
    [
        ("google", {"serper", "serpapi", "searchapi", "google", "startpage", "gemini"}),
        ("bing", {"duckduckgo", "yahoo", "webiq"}),
        ("brave", {"brave", "brave_context", "brave_web"}),
        ("mojeek", {"mojeek", "mojeek_web"}),
        ("exa", {"exa", "exa_mcp"}),
        ("parallel", {"parallel", "parallel_mcp"}),
    ],
)
def test_those_that_resell_one_index_are_one_family(family, names):
    """Their agreement is no second opinion."""
    assert {n for n in BUILT_IN if provider_class(n).family == family} == names


def test_the_pages_count_the_providers_as_they_are():
    """In both languages: on the first line of the README and of the site, and in the picture."""
    count = sum(provider_class(name).is_web for name in BUILT_IN)

    for page in ("README.md", "docs/index.md"):
        assert f"{count} providers behind one call" in (ROOT / page).read_text(encoding="utf-8")
    for page in ("README.ja.md", "docs/ja/index.md", "docs/images/overview.ja.svg"):
        assert f"{count}の検索プロバイダ" in (ROOT / page).read_text(encoding="utf-8")
    picture = (ROOT / "docs/images/overview.svg").read_text(encoding="utf-8")
    assert f">{count} web providers<" in picture
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert f"| web providers | {count}, and a local index |" in readme
