"""LlamaIndex: language models, Firecrawl's reader, Jina's reranker and an agent with MCP tools."""

from __future__ import annotations

from tests.programs.program import FACT, QUERY, Place, Program

PROGRAM = Program(
    "llama-index",
    title="LlamaIndex",
    package="llama-index-core",
    gateway=True,
    way='`OpenAILike(api_base="…/v1")`, `OpenAIResponses(api_base="…/v1")`, '
    '`FireCrawlWebReader(api_url="…/firecrawl")`, `JinaRerank(base_url="…/jina/v1")`, '
    '`BasicMCPClient("…/mcp")`; its tools for Tavily, Exa and Brave have no setting for an address',
)
QUESTION = "When was Python 3.14 released?"


@PROGRAM.check("chat with the assistant")
def chat(place: Place) -> None:
    from llama_index.llms.openai_like import OpenAILike

    place.model.script({"says": f"{FACT} [1]."})
    model = OpenAILike(
        model="kensaku", api_base=place.url + "/v1", api_key=place.key, is_chat_model=True
    )
    assert "2025-10-07" in model.complete(QUESTION).text
    assert "2025-10-07" in "".join(p.delta or "" for p in model.stream_complete(QUESTION))


@PROGRAM.check("Responses with web_search")
def responses(place: Place) -> None:
    from llama_index.llms.openai import OpenAIResponses

    model = OpenAIResponses(
        model="scripted", api_base=place.url + "/v1", api_key=place.key, context_window=32_000,
        built_in_tools=[{"type": "web_search"}],
    )  # fmt: skip
    assert FACT in model.complete(QUESTION).text


@PROGRAM.check("Firecrawl's reader")
def firecrawl(place: Place) -> None:
    from llama_index.readers.web import FireCrawlWebReader

    own = {"api_key": place.key, "api_url": place.url + "/firecrawl"}
    page = place.site + "/pep-0745"
    read = FireCrawlWebReader(**own, mode="scrape").load_data(url=page)
    assert FACT in read[0].text
    found = FireCrawlWebReader(**own, mode="search").load_data(query=QUERY)
    assert any(FACT in document.metadata["description"] for document in found)
    crawled = FireCrawlWebReader(**own, mode="crawl").load_data(url=place.site + "/")
    assert any(FACT in document.text for document in crawled)
    mapped = FireCrawlWebReader(**own, mode="map").load_data(url=place.site + "/")
    assert any(page in document.text for document in mapped)


@PROGRAM.check("Jina's reranker")
def rerank(place: Place) -> None:
    from llama_index.core.schema import NodeWithScore, TextNode
    from llama_index.postprocessor.jinaai_rerank import JinaRerank

    it = JinaRerank(api_key=place.key, base_url=place.url + "/jina/v1", top_n=1)
    texts = ["Otters hold hands.", f"Python {FACT}."]
    nodes = [NodeWithScore(node=TextNode(text=text), score=0.5) for text in texts]
    assert FACT in it.postprocess_nodes(nodes, query_str="Python 3.14 final")[0].text


@PROGRAM.check("an agent with MCP tools")
async def agent(place: Place) -> None:
    from llama_index.core.agent.workflow import FunctionAgent
    from llama_index.llms.openai_like import OpenAILike
    from llama_index.tools.mcp import BasicMCPClient, McpToolSpec

    client = BasicMCPClient(place.url + "/mcp", headers={"Authorization": f"Bearer {place.key}"})
    tools = await McpToolSpec(client).to_tool_list_async()
    model = OpenAILike(
        model="scripted", api_base=place.model_url + "/v1", api_key="none",
        is_chat_model=True, is_function_calling_model=True,
    )  # fmt: skip
    said = await FunctionAgent(tools=tools, llm=model).run(QUESTION)
    assert FACT in str(said)
