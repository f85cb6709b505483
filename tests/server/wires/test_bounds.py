"""How much of each field a wire takes: one character, or one entry, more is refused in a sentence."""

from __future__ import annotations

from typing import Any

import pytest

from kensaku.errors import InvalidQuery
from kensaku.server.wires import (
    _firecrawl_pages,
    brave,
    exa,
    gpt_researcher,
    jina,
    openwebui,
    perplexity,
    searxng,
    serper,
    tavily,
)
from kensaku.server.wires import _tavily_research as tavily_research
from kensaku.server.wires.base import Asked

Q, QUERY, URL = {"q": "otters"}, {"query": "otters"}, {"url": "https://a.example/"}
JSON = {**Q, "format": "json"}
URLS = {"urls": ["https://a.example/"]}
TEXTS = [
    (brave.read_web, Q, "freshness", 40),
    (brave.read_web, Q, "search_lang", 20),
    (brave.read_web, Q, "country", 20),
    (exa.read_search, QUERY, "query", 2_000),
    (exa.read_search, QUERY, "userLocation", 100),
    (exa.read_answer, QUERY, "query", 2_000),
    (jina.read_page, URL, "url", 2_000),
    (_firecrawl_pages.read_search, QUERY, "query", 2_000),
    (_firecrawl_pages.read_search, QUERY, "country", 100),
    (_firecrawl_pages.read_search, QUERY, "tbs", 200),
    (_firecrawl_pages.read_scrape, URL, "url", 2_000),
    (gpt_researcher.read_search, QUERY, "query", 2_000),
    (jina.read_search, Q, "q", 2_000),
    (jina.read_search, Q, "gl", 20),
    (jina.read_search, Q, "hl", 20),
    (openwebui.read_search, QUERY, "query", 2_000),
    (perplexity.read_search, QUERY, "query", 2_000),
    (perplexity.read_search, QUERY, "country", 100),
    (searxng.read_search, JSON, "q", 2_000),
    (searxng.read_search, JSON, "language", 20),
    (searxng.read_search, JSON, "categories", 200),
    (serper.read_web, Q, "q", 2_000),
    (serper.read_web, Q, "gl", 20),
    (serper.read_web, Q, "hl", 20),
    (serper.read_web, Q, "tbs", 200),
    (tavily.read_search, QUERY, "language", 20),
    (tavily.read_search, QUERY, "start_date", 40),
    (tavily.read_search, QUERY, "end_date", 40),
    (tavily.read_search, QUERY, "country", 100),
    (tavily.read_extract, URLS, "query", 2_000),
    (tavily.read_crawl, URL, "url", 2_000),
    (tavily.read_crawl, URL, "instructions", 2_000),
    (tavily.read_search, QUERY, "query", 1_000_000),
    (tavily_research.read_research, {"input": "otters"}, "input", 1_000_000),
]
LISTS = [
    (exa.read_search, QUERY, "includeDomains", 300),
    (exa.read_search, QUERY, "excludeDomains", 300),
    (_firecrawl_pages.read_search, QUERY, "includeDomains", 300),
    (_firecrawl_pages.read_search, QUERY, "excludeDomains", 300),
    (perplexity.read_search, QUERY, "search_language_filter", perplexity.MAX_DOMAINS),
    (perplexity.read_search, QUERY, "search_domain_filter", perplexity.MAX_DOMAINS),
    (tavily.read_search, QUERY, "include_domains", 300),
    (tavily.read_search, QUERY, "exclude_domains", 150),
    (tavily.read_crawl, URL, "select_paths", 100),
    (tavily.read_extract, URLS, "urls", 10_000),
    (tavily_research.read_research, {"input": "x"}, "include_domains", tavily_research.MAX_DOMAINS),
    (tavily_research.read_research, {"input": "x"}, "exclude_domains", tavily_research.MAX_DOMAINS),
]


def refusal(read: Any, given: dict[str, Any]) -> str:
    """Why a request is refused; "" when it is taken."""
    try:
        read(Asked(given, given))
    except InvalidQuery as error:
        return error.message
    return ""


def named(row: Any) -> str:
    return f"{row[0].__module__.rpartition('.')[2]}-{row[0].__name__}-{row[2]}"


@pytest.mark.parametrize(("read", "given", "name", "most"), TEXTS, ids=map(named, TEXTS))
def test_a_text_has_a_bound(read, given, name, most):
    """Whatever else may be wrong with so long a text, it is not its length."""
    says = f"{name} has {most + 1:,} characters; at most {most:,} are taken"

    assert refusal(read, given | {name: "x" * (most + 1)}) == says
    assert "characters; at most" not in refusal(read, given | {name: "x" * most})


@pytest.mark.parametrize(("read", "given", "name", "most"), LISTS, ids=map(named, LISTS))
def test_a_list_has_a_bound(read, given, name, most):
    """As a list of texts has one."""
    says = f"{name} has {most + 1} entries; at most {most} are taken"

    assert refusal(read, given | {name: ["a.example"] * (most + 1)}) == says
    assert "entries; at most" not in refusal(read, given | {name: ["a.example"] * most})
