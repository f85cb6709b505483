"""mcp-searxng: SearXNG as MCP tools, for agents that know only those."""

from __future__ import annotations

import json

from tests.programs.node import call, mcp_client
from tests.programs.program import FACT, QUERY, Place, Program

PROGRAM = Program(
    "mcp-searxng",
    title="mcp-searxng",
    package="mcp-searxng",
    way="`SEARXNG_URL=…/searxng`, `AUTH_USERNAME=any`, `AUTH_PASSWORD=KEY`",
    by="npm",
    scripts=True,  # Node.js itself comes by one
)


async def asked(place: Place, tool: str, **arguments: object) -> str:
    env = {"SEARXNG_URL": f"{place.url}/searxng", "AUTH_USERNAME": "any"}
    async with mcp_client(place, "mcp-searxng", env=env | {"AUTH_PASSWORD": place.key}) as client:
        return await call(client, tool, **arguments)


@PROGRAM.check("search")
async def search(place: Place) -> None:
    said = await asked(place, "searxng_web_search", query=QUERY)
    assert FACT in said
    assert f"{place.site}/pep-0745" in said


@PROGRAM.check("search with all its settings")
async def settings(place: Place) -> None:
    more = {"time_range": "year", "language": "en", "safesearch": "1", "num_results": 1}
    said = await asked(
        place, "searxng_web_search", query=QUERY, response_format="json", categories="general",
        **more,
    )  # fmt: skip
    (hit,) = json.loads(said)["results"]
    assert FACT in hit["content"]


@PROGRAM.check("suggestions")
async def suggestions(place: Place) -> None:
    said = await asked(place, "searxng_search_suggestions", query="pyth")
    assert json.loads(said) == {"query": "pyth", "suggestions": []}


@PROGRAM.check("instance info")
async def info(place: Place) -> None:
    said = json.loads(await asked(place, "searxng_instance_info", includeEngines=True))
    assert said["engines"]["available"]["enabled"] == ["brave"]
