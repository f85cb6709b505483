"""LangChain: its tools for five search services, its loader, its chat models and its MCP adapter."""

from __future__ import annotations

import json
import time
from typing import Any

from tests.programs.program import FACT, QUERY, Place, Program

PROGRAM = Program(
    "langchain",
    title="LangChain",
    package="langchain",
    gateway=True,
    way='`TavilySearch(api_base_url="…")`, `ExaSearchResults(exa_base_url="…/exa")`, '
    '`SearxSearchWrapper(searx_host="http://any:KEY@…/searxng")`, '
    '`JinaSearchAPIWrapper(base_url="…/jina/s/")`, '
    '`BraveSearchWrapper(base_url="…/res/v1/web/search")`, '
    '`FireCrawlLoader(api_url="…/firecrawl")`, `ChatOpenAI(base_url="…/v1")`, '
    '`ChatAnthropic(base_url="…")`, MCP at `…/mcp`',
)
QUESTION = "When was Python 3.14 released?"


@PROGRAM.check("Tavily tools")
def tavily(place: Place) -> None:
    from langchain_tavily import TavilyCrawl, TavilyExtract, TavilyMap, TavilySearch

    own = {"tavily_api_key": place.key, "api_base_url": place.url}
    found = TavilySearch(**own, include_answer=True).invoke({"query": QUERY})
    assert FACT in found["results"][0]["content"]
    page = found["results"][0]["url"]
    assert FACT in TavilyExtract(**own).invoke({"urls": [page]})["results"][0]["raw_content"]
    mapped = TavilyMap(**own).invoke({"url": place.site + "/"})
    assert page in mapped["results"], mapped
    crawled = TavilyCrawl(**own).invoke({"url": place.site + "/", "max_depth": 1})
    assert any(FACT in r["raw_content"] for r in crawled["results"])


@PROGRAM.check("Tavily research")
def research(place: Place) -> None:
    from langchain_tavily import TavilyGetResearch, TavilyResearch

    own = {"tavily_api_key": place.key, "api_base_url": place.url}
    place.model.script({"says": f"{FACT} [1]."})
    job = TavilyResearch(**own).invoke({"input": QUESTION})
    report = job
    while report["status"] in ("pending", "in_progress"):
        time.sleep(0.5)
        report = TavilyGetResearch(**own).invoke({"request_id": job["request_id"]})
    assert report["status"] == "completed", report
    assert "2025" in report["content"]


@PROGRAM.check("SearXNG")
def searxng(place: Place) -> None:
    from langchain_community.utilities import SearxSearchWrapper

    host = f"http://any:{place.key}@{place.host}/searxng"
    found = SearxSearchWrapper(searx_host=host).results(QUERY, num_results=2)
    assert FACT in found[0]["snippet"]


@PROGRAM.check("Exa")
def exa(place: Place) -> None:
    from langchain_exa import ExaFindSimilarResults, ExaSearchResults, ExaSearchRetriever

    own = {"exa_api_key": place.key, "exa_base_url": place.url + "/exa"}
    found = ExaSearchResults(**own).invoke(
        {"query": QUERY, "num_results": 2, "text_contents_options": True, "highlights": True}
    )
    assert FACT in found.results[0].text, found
    page = found.results[0].url
    assert ExaFindSimilarResults(**own).invoke({"url": page, "num_results": 2}).results
    assert FACT in ExaSearchRetriever(**own, k=2, highlights=True).invoke(QUERY)[0].page_content


@PROGRAM.check("Jina")
def jina(place: Place) -> None:
    from langchain_community.utilities.jina_search import JinaSearchAPIWrapper

    wrapper = JinaSearchAPIWrapper(api_key=place.key, base_url=place.url + "/jina/s/")
    assert FACT in json.loads(wrapper.run(QUERY))[0]["content"]
    assert FACT in wrapper.download_documents(QUERY)[0].page_content


@PROGRAM.check("Brave")
def brave(place: Place) -> None:
    from langchain_community.utilities import BraveSearchWrapper

    wrapper = BraveSearchWrapper(api_key=place.key, base_url=place.url + "/res/v1/web/search")
    assert FACT in json.loads(wrapper.run(QUERY))[0]["snippet"]


@PROGRAM.check("Firecrawl's loader")
def firecrawl(place: Place) -> None:
    from langchain_community.document_loaders import FireCrawlLoader

    page = place.site + "/pep-0745"
    own = {"api_key": place.key, "api_url": place.url + "/firecrawl"}
    assert FACT in FireCrawlLoader(page, mode="scrape", **own).load()[0].page_content
    crawled = FireCrawlLoader(place.site + "/", mode="crawl", **own).load()
    assert any(FACT in document.page_content for document in crawled)
    mapped = FireCrawlLoader(place.site + "/", mode="map", **own).load()
    assert any(page in document.page_content for document in mapped)


@PROGRAM.check("chat with the assistant")
def chat(place: Place) -> None:
    from langchain_openai import ChatOpenAI

    place.model.script({"says": f"{FACT} [1]."})
    model = ChatOpenAI(model="kensaku", base_url=place.url + "/v1", api_key=place.key)
    assert "2025-10-07" in model.invoke(QUESTION).text
    assert "2025-10-07" in "".join(piece.text for piece in model.stream(QUESTION))


@PROGRAM.check("Responses with web_search")
def responses(place: Place) -> None:
    from langchain_openai import ChatOpenAI

    model = ChatOpenAI(
        model="scripted", base_url=place.url + "/v1", api_key=place.key,
        use_responses_api=True, output_version="responses/v1",
    ).bind_tools([{"type": "web_search"}])  # fmt: skip
    said: Any = model.invoke(QUESTION)
    assert FACT in said.text
    assert any(block["type"] == "web_search_call" for block in said.content), said.content
    assert FACT in "".join(piece.text for piece in model.stream(QUESTION))


@PROGRAM.check("Anthropic's web_search")
def anthropic(place: Place) -> None:
    from langchain_anthropic import ChatAnthropic

    tool = {"type": "web_search_20250305", "name": "web_search", "max_uses": 3}
    model = ChatAnthropic(model="scripted", base_url=place.url, api_key=place.key)
    said: Any = model.bind_tools([tool]).invoke(QUESTION)
    assert any(block["type"] == "server_tool_use" for block in said.content), said.content
    assert FACT in said.text


@PROGRAM.check("an agent with MCP tools")
async def mcp(place: Place) -> None:
    from langchain.agents import create_agent
    from langchain_mcp_adapters.client import MultiServerMCPClient
    from langchain_openai import ChatOpenAI

    head = {"Authorization": f"Bearer {place.key}"}
    server = {"transport": "streamable_http", "url": place.url + "/mcp", "headers": head}
    tools = await MultiServerMCPClient({"kensaku": server}).get_tools()
    model = ChatOpenAI(model="scripted", base_url=place.model_url + "/v1", api_key="none")
    asked = {"messages": [{"role": "user", "content": QUESTION}]}
    ended = await create_agent(model, tools=tools).ainvoke(asked)
    assert FACT in ended["messages"][-1].text
