"""What a search costs before it is made: a budget is checked against it."""

from __future__ import annotations

import pytest

from kensaku.models import Query
from kensaku.providers import BUILT_IN, provider_class

WHOLE = {"include_raw_content": True}


@pytest.mark.parametrize(
    ("name", "query", "dollars"),
    [
        ("tavily", {"depth": "advanced"}, 0.016),
        ("exa", {"max_results": 30}, 0.027),
        ("exa", {"depth": "fast"}, 0.004),
        ("exa", {"depth": "ultra-fast", "max_results": 12}, 0.006),
        ("linkup", {"include_answer": True}, 0.006),
        ("parallel", {"depth": "fast"}, 0.001),
        ("parallel", {"max_results": 50}, 0.015),
        ("firecrawl", {"max_results": 11}, 4 * 0.00083),
        ("firecrawl", {"max_results": 30, **WHOLE}, 36 * 0.00083),
        ("serper", {"max_results": 11}, 0.002),
        ("jina", {"topic": "news"}, 0.0025),
    ],
)
def test_a_search_costs_what_the_price_list_says(name, query, dollars):
    """The sources and their dates are in `price_source`."""
    price = provider_class(name)().price_of(Query("otter", **query))

    assert price == pytest.approx(dollars)


@pytest.mark.parametrize("name", BUILT_IN)
def test_every_price_names_its_source(name):
    """A number that nobody can check is said to be unverified."""
    cls = provider_class(name)

    assert cls.price_source or not cls.price
    assert cls.price_source in ("", "unverified") or ", 2026-" in cls.price_source


def test_exa_lite_gets_only_what_it_takes():
    """A parameter that it does not know is refused with 400 (exa.ai/changelog)."""
    query = Query(
        "otter", depth="fast", topic="news", country="jp", include_domains=("a.example",),
        time_range="day", include_raw_content=True,
    )  # fmt: skip
    sent = provider_class("exa")().request(query, "k").json

    assert sent["type"] == "lite"
    assert sent.keys() <= {
        "query", "type", "numResults", "category", "includeDomains", "excludeDomains",
        "startPublishedDate", "endPublishedDate", "userLocation", "moderation", "contents",
    }  # fmt: skip
    assert sent["contents"].keys() <= {"highlights", "text"}


def test_a_list_of_domains_goes_to_parallel_whole():
    """Its bound is 200 (SDK 1.3.7); with a shorter list, wanted pages would be lost."""
    domains = tuple(f"d{n}.example" for n in range(150))
    sent = provider_class("parallel")().request(Query("otter", include_domains=domains), "k").json

    assert sent["advanced_settings"]["source_policy"]["include_domains"] == list(domains)
