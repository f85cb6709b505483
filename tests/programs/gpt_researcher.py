"""gpt-researcher: whole reports with the scripted model, by each retriever that takes an address."""

from __future__ import annotations

import os
from typing import Any

from tests.programs.program import FACT, QUERY, Place, Program

PROGRAM = Program(
    "gpt-researcher",
    title="gpt-researcher",
    package="gpt-researcher",
    gateway=True,
    python="3.12",
    way="`RETRIEVER=custom RETRIEVER_ENDPOINT=…/gpt-researcher RETRIEVER_ARG_API_KEY=KEY`; "
    "`RETRIEVER=searx SEARX_URL=http://any:KEY@…/searxng`; "
    "`SCRAPER=firecrawl FIRECRAWL_SERVER_URL=…/firecrawl`; `RETRIEVER=mcp`; "
    "`OPENAI_BASE_URL=…/v1`",
)
TOOLS = '{"selected_tools": [{"index": 0, "name": "web_search", "relevance_score": 9}]}'
REPORT = "# Python 3.14\n\nThe release was on 7 October 2025."


async def report(place: Place, llm_url: str = "", key: str = "none", **settings: str) -> None:
    """Write a report; what was found must have reached the model."""
    os.environ |= {
        "OPENAI_BASE_URL": llm_url or place.model_url + "/v1",
        "OPENAI_API_KEY": key,
        **dict.fromkeys(("FAST_LLM", "SMART_LLM", "STRATEGIC_LLM"), "openai:scripted"),
        "EMBEDDING": "custom:scripted",
        "SCRAPER": "bs",
        "ALLOW_PRIVATE_URLS": "true",  # the pages of this test are on loopback
        **settings,
    }
    from gpt_researcher import GPTResearcher

    chosen = '{"server": "Researcher", "agent_role_prompt": "You are a researcher."}'
    place.model.script(
        {"when": "Using the above information", "says": REPORT},
        {"when": "agent_role_prompt", "says": chosen},
        {"when": "selected_tools", "says": TOOLS},
        {"when": "search queries", "says": f'["{QUERY}"]'},
    )
    more: dict[str, Any] = {}
    if settings["RETRIEVER"] == "mcp":
        head = {"Authorization": f"Bearer {place.key}"}
        own = {"connection_url": place.url + "/mcp", "connection_headers": head}
        more["mcp_configs"] = [{"name": "kensaku", **own}]
    it = GPTResearcher(query="When was Python 3.14 released?", verbose=False, **more)
    await it.conduct_research()
    said = await it.write_report()
    assert "7 October 2025" in said, said
    assert FACT in str(it.context), it.context
    assert FACT in place.model.read


@PROGRAM.check("a report (custom)")
async def custom(place: Place) -> None:
    endpoint = {"RETRIEVER_ENDPOINT": place.url + "/gpt-researcher"}
    await report(place, RETRIEVER="custom", RETRIEVER_ARG_API_KEY=place.key, **endpoint)


@PROGRAM.check("a report (searx)")
async def searx(place: Place) -> None:
    url = f"http://any:{place.key}@{place.host}/searxng"
    await report(place, RETRIEVER="searx", SEARX_URL=url)


@PROGRAM.check("a report on the gateway with Firecrawl as its scraper")
async def firecrawl(place: Place) -> None:
    url = f"http://any:{place.key}@{place.host}/searxng"
    own = {"FIRECRAWL_API_KEY": place.key, "FIRECRAWL_SERVER_URL": place.url + "/firecrawl"}
    embedding = {"OPENAI_EMBEDDING_BASE_URL": place.model_url + "/v1"}
    await report(
        place, place.url + "/v1", place.key, RETRIEVER="searx", SEARX_URL=url,
        SCRAPER="firecrawl", **own, **embedding,
    )  # fmt: skip


@PROGRAM.check("a report (MCP)")
async def mcp(place: Place) -> None:
    await report(place, RETRIEVER="mcp")
