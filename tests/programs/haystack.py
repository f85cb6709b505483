"""Haystack: chat generators, Jina's ranker and an agent with MCP tools."""

from __future__ import annotations

from tests.programs.program import FACT, Place, Program

PROGRAM = Program(
    "haystack",
    title="Haystack",
    package="haystack-ai",
    gateway=True,
    way='`OpenAIChatGenerator(api_base_url="…/v1")`, '
    '`OpenAIResponsesChatGenerator(api_base_url="…/v1")`, '
    '`JinaRanker(base_url="…/jina/v1/rerank")`, '
    '`MCPToolset(StreamableHttpServerInfo(url="…/mcp"))`; '
    "its web search components have no setting for an address",
)
QUESTION = "When was Python 3.14 released?"


@PROGRAM.check("chat with the assistant")
def chat(place: Place) -> None:
    from haystack.components.generators.chat import OpenAIChatGenerator
    from haystack.dataclasses import ChatMessage
    from haystack.utils import Secret

    place.model.script({"says": f"{FACT} [1]."})
    pieces: list[str] = []
    generator = OpenAIChatGenerator(
        model="kensaku", api_base_url=place.url + "/v1", api_key=Secret.from_token(place.key)
    )
    asked = [ChatMessage.from_user(QUESTION)]
    assert "2025-10-07" in generator.run(asked)["replies"][0].text
    generator.run(asked, streaming_callback=lambda piece: pieces.append(piece.content or ""))
    assert "2025-10-07" in "".join(pieces)


@PROGRAM.check("Responses with web_search")
def responses(place: Place) -> None:
    from haystack.components.generators.chat import OpenAIResponsesChatGenerator
    from haystack.dataclasses import ChatMessage
    from haystack.utils import Secret

    generator = OpenAIResponsesChatGenerator(
        model="scripted", api_base_url=place.url + "/v1", api_key=Secret.from_token(place.key),
        tools=[{"type": "web_search"}],
    )  # fmt: skip
    assert FACT in generator.run([ChatMessage.from_user(QUESTION)])["replies"][0].text


@PROGRAM.check("Jina's ranker")
def ranker(place: Place) -> None:
    from haystack import Document
    from haystack.utils import Secret
    from haystack_integrations.components.rankers.jina import JinaRanker

    it = JinaRanker(
        api_key=Secret.from_token(place.key), base_url=place.url + "/jina/v1/rerank", top_k=1
    )
    documents = [Document(content="Otters hold hands."), Document(content=f"Python {FACT}.")]
    ranked = it.run(query="Python 3.14 final", documents=documents)["documents"]
    assert FACT in ranked[0].content


@PROGRAM.check("an agent with MCP tools")
def agent(place: Place) -> None:
    from haystack.components.agents import Agent
    from haystack.components.generators.chat import OpenAIChatGenerator
    from haystack.dataclasses import ChatMessage
    from haystack.utils import Secret
    from haystack_integrations.tools.mcp import MCPToolset, StreamableHttpServerInfo

    server = StreamableHttpServerInfo(url=place.url + "/mcp", token=Secret.from_token(place.key))
    generator = OpenAIChatGenerator(
        model="scripted", api_base_url=place.model_url + "/v1", api_key=Secret.from_token("none")
    )
    tools = MCPToolset(server_info=server)
    try:
        ended = Agent(chat_generator=generator, tools=tools).run([ChatMessage.from_user(QUESTION)])
    finally:
        tools.close()
    assert FACT in ended["last_message"].text
