"""firecrawl-mcp: Firecrawl as MCP tools."""

from __future__ import annotations

import json

from tests.programs.node import call, mcp_client
from tests.programs.program import FACT, QUERY, Place, Program

PROGRAM = Program(
    "firecrawl-mcp",
    title="firecrawl-mcp",
    package="firecrawl-mcp",
    way="`FIRECRAWL_API_URL=…/firecrawl`, `FIRECRAWL_API_KEY=KEY`",
    by="npm",
    scripts=True,  # Node.js itself comes by one
    gateway=True,  # a format asks a model
)


async def asked(place: Place, tool: str, **arguments: object) -> str:
    env = {"FIRECRAWL_API_URL": f"{place.url}/firecrawl", "FIRECRAWL_API_KEY": place.key}
    async with mcp_client(place, "firecrawl-mcp", env=env) as client:
        return await call(client, tool, **arguments)


@PROGRAM.check("search")
async def search(place: Place) -> None:
    said = json.loads(await asked(place, "firecrawl_search", query=QUERY))
    first = said["data"]["web"][0]
    assert FACT in first["description"]
    assert first["url"] == f"{place.site}/pep-0745"


@PROGRAM.check("search with pages")
async def pages(place: Place) -> None:
    options = {"formats": ["markdown"], "onlyMainContent": True}
    sources = [{"type": "web"}, {"type": "news"}]
    said = await asked(
        place, "firecrawl_search", query=QUERY, limit=5, sources=sources, scrapeOptions=options
    )
    assert FACT in json.loads(said)["data"]["web"][0]["markdown"]


@PROGRAM.check("scrape")
async def scrape(place: Place) -> None:
    formats = ["markdown", "html", "rawHtml", "links", "summary"]
    page = json.loads(
        await asked(place, "firecrawl_scrape", url=f"{place.site}/pep-0745", formats=formats)
    )
    assert all(FACT in page[name] for name in ("markdown", "html", "rawHtml"))
    assert page["links"] == [f"{place.site}/"]
    assert page["summary"]


@PROGRAM.check("scrape as JSON")
async def values(place: Place) -> None:
    place.model.script({"when": FACT, "says": '{"date": "2025-10-07"}'})
    said = await asked(
        place, "firecrawl_scrape", url=f"{place.site}/pep-0745", formats=["json"],
        jsonOptions={"prompt": "On which date is the final release?"},
    )  # fmt: skip
    assert json.loads(said)["json"] == {"date": "2025-10-07"}


@PROGRAM.check("map")
async def mapped(place: Place) -> None:
    said = json.loads(await asked(place, "firecrawl_map", url=f"{place.site}/", search="pep"))
    assert f"{place.site}/pep-0745" in [link["url"] for link in said["links"]]


@PROGRAM.check("crawl")
async def crawl(place: Place) -> None:
    options = {"formats": ["markdown"]}
    said = json.loads(
        await asked(place, "firecrawl_crawl", url=f"{place.site}/", limit=3, scrapeOptions=options)
    )
    assert said["status"] == "completed"
    assert any(FACT in page["markdown"] for page in said["data"])


@PROGRAM.check("feedback")
async def feedback(place: Place) -> None:
    """Its search tells an agent to say what it thought of the results."""
    id = json.loads(await asked(place, "firecrawl_search", query=QUERY))["id"]
    good = [{"url": f"{place.site}/pep-0745", "reason": "It has the date."}]
    said = await asked(
        place, "firecrawl_search_feedback", searchId=id, rating="good", valuableSources=good
    )
    assert json.loads(said)["success"]


@PROGRAM.check("credits")
async def credits(place: Place) -> None:
    assert "remainingCredits" in await asked(place, "firecrawl_credit_usage")
