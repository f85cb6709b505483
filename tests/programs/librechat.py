"""LibreChat's search tool: search, pages, and the passages that a reranker puts first."""

from __future__ import annotations

import json
import re
from typing import Any

from tests.programs.node import script
from tests.programs.program import FACT, QUERY, Place, Program

PROGRAM = Program(
    "librechat",
    title="LibreChat's search tool",
    package="@librechat/agents",
    way="`SEARXNG_INSTANCE_URL=…/searxng`, `SEARXNG_API_KEY=KEY`, `FIRECRAWL_API_URL=…/firecrawl`, "
    "`FIRECRAWL_API_KEY=KEY`, `JINA_API_URL=…/jina/v1/rerank`, `JINA_API_KEY=KEY`; or "
    "`TAVILY_SEARCH_URL=…/search`, `TAVILY_EXTRACT_URL=…/extract`, `TAVILY_API_KEY=KEY`",
    by="npm",
    scripts=True,  # Node.js itself comes by one
)

PASSAGE = r"### Highlight \d+ \[Relevance: ([\d.]+)\]\s+```text\n(.*?)```"


def reranked(place: Place) -> dict[str, str]:
    """The reranker, in the words of LibreChat's `webSearch` settings."""
    url = f"{place.url}/jina/v1/rerank"
    return {"rerankerType": "jina", "jinaApiUrl": url, "jinaApiKey": place.key}


def searxng(place: Place) -> dict[str, str]:
    return reranked(place) | {
        "searchProvider": "searxng",
        "searxngInstanceUrl": f"{place.url}/searxng",
        "searxngApiKey": place.key,
        "scraperProvider": "firecrawl",
        "firecrawlApiUrl": f"{place.url}/firecrawl",
        "firecrawlApiKey": place.key,
    }


def asked(place: Place, settings: dict[str, str], **more: Any) -> Any:
    words = [json.dumps(settings), json.dumps({"query": QUERY, **more})]
    return script(place, "librechat/check.mjs", *words)


def check_first(said: Any, place: Place) -> None:
    """The first source is the page with the fact; of its passages, those that fit best are first."""
    assert said["found"]["organic"][0]["link"] == f"{place.site}/pep-0745"
    passages = re.findall(PASSAGE, said["content"], re.DOTALL)
    assert FACT in passages[0][1], said["content"]
    assert float(passages[0][0]) > float(passages[-1][0])


@PROGRAM.check("SearXNG with Firecrawl and Jina")
def search(place: Place) -> None:
    check_first(asked(place, searxng(place)), place)


@PROGRAM.check("news and images")
def kinds(place: Place) -> None:
    said = asked(place, searxng(place), news=True, images=True, videos=True, date="y")
    check_first(said, place)


@PROGRAM.check("Firecrawl v1")
def old(place: Place) -> None:
    check_first(asked(place, searxng(place) | {"firecrawlVersion": "v1"}), place)


@PROGRAM.check("Tavily")
def tavily(place: Place) -> None:
    settings = {
        "searchProvider": "tavily",
        "scraperProvider": "tavily",
        "tavilyApiKey": place.key,
        "tavilySearchUrl": f"{place.url}/search",
        "tavilyExtractUrl": f"{place.url}/extract",
    }
    check_first(asked(place, reranked(place) | settings), place)
