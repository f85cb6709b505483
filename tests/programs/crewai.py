"""CrewAI: its search tools, a whole crew on the scripted model, and MCP."""

from __future__ import annotations

import json
import os
from typing import Any

from tests.programs.program import FACT, QUERY, Place, Program

PROGRAM = Program(
    "crewai",
    title="CrewAI",
    package="crewai",
    gateway=True,
    python="3.12",  # in 3.11 its MCP client cannot close: wait_for entered it in another task
    way='`EXA_BASE_URL=…/exa`, `SerperDevTool(base_url="…/serper")`, '
    '`BraveWebSearchTool(search_url="…/res/v1/web/search")`, '
    '`TavilySearchTool(client=TavilyClient(api_base_url="…"))`, '
    '`Agent(mcps=[MCPServerHTTP(url="…/mcp")])`, `LLM(base_url="…/v1")`; '
    "its Firecrawl and Jina tools have no setting for an address",
)


@PROGRAM.check("Exa tool")
def exa(place: Place) -> None:
    os.environ |= {"EXA_API_KEY": place.key, "EXA_BASE_URL": place.url + "/exa"}
    from crewai_tools import EXASearchTool

    found = EXASearchTool(content=True, highlights=True).run(search_query=QUERY)
    assert FACT in str(found), found


@PROGRAM.check("Serper tool")
def serper(place: Place) -> None:
    os.environ["SERPER_API_KEY"] = place.key
    from crewai_tools import SerperDevTool

    tool = SerperDevTool(base_url=place.url + "/serper")
    assert FACT in tool.run(search_query=QUERY)["organic"][0]["snippet"]
    news = SerperDevTool(base_url=place.url + "/serper", search_type="news")
    assert FACT in news.run(search_query=QUERY)["news"][0]["snippet"]


@PROGRAM.check("Brave tools")
def brave(place: Place) -> None:
    os.environ["BRAVE_API_KEY"] = place.key
    from crewai_tools import BraveNewsSearchTool, BraveSearchTool, BraveWebSearchTool

    web, news = place.url + "/res/v1/web/search", place.url + "/res/v1/news/search"
    assert FACT in str(BraveSearchTool(search_url=web).run(q=QUERY))
    assert FACT in str(BraveWebSearchTool(search_url=web).run(q=QUERY))
    assert FACT in str(BraveNewsSearchTool(search_url=news).run(q=QUERY))


@PROGRAM.check("Tavily tools")
def tavily(place: Place) -> None:
    from crewai_tools import TavilyExtractorTool, TavilySearchTool
    from tavily import TavilyClient

    client = TavilyClient(place.key, api_base_url=place.url)
    search, extract = TavilySearchTool(api_key=place.key), TavilyExtractorTool(api_key=place.key)
    search.client = extract.client = client
    assert FACT in json.loads(search.run(query=QUERY))["results"][0]["content"]
    assert FACT in extract.run(urls=[place.site + "/pep-0745"])


def crew(agent: dict[str, Any]) -> str:
    from crewai import Agent, Crew, Task

    told = {"role": "Researcher", "goal": "Find facts", "backstory": "You search the web."}
    who = Agent(**told, **agent)
    task = Task(description="When was Python 3.14 released?", expected_output="A date", agent=who)
    return str(Crew(agents=[who], tasks=[task]).kickoff())


@PROGRAM.check("a crew with the Exa tool")
def crew_with_exa(place: Place) -> None:
    from crewai import LLM
    from crewai_tools import EXASearchTool

    tool = EXASearchTool(content=True, highlights=True)
    place.model.script({"calls": [["exa_search_tool", {"search_query": QUERY}]], "times": 1})
    model = LLM(model="openai/scripted", base_url=place.model_url + "/v1", api_key="none")
    said = crew({"llm": model, "tools": [tool]})
    assert FACT in said, said


@PROGRAM.check("a crew with MCP tools on the gateway")
def crew_with_mcp(place: Place) -> None:
    from crewai import LLM
    from crewai.mcp import MCPServerHTTP

    server = MCPServerHTTP(url=place.url + "/mcp", headers={"Authorization": f"Bearer {place.key}"})
    model = LLM(model="openai/scripted", base_url=place.url + "/v1", api_key=place.key)
    said = crew({"llm": model, "mcps": [server]})
    assert FACT in said, said
    assert FACT in place.model.read
