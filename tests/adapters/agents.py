"""An agent of each framework, and a loop written by hand for each API: what they answer.

Each takes the scripted model and a tool of ours.
"""

from __future__ import annotations

import asyncio
import json
import urllib.request
from functools import partial

import pytest

from kensaku.adapters import schemas

from .model_server import ModelServer

QUESTION = "Do otters sleep?"


def strands_agent(model: ModelServer, *tools):
    """An agent with tools of the framework's own kind."""
    from strands import Agent
    from strands.models.openai import OpenAIModel

    client = {"base_url": model.openai_url, "api_key": "none"}
    scripted = OpenAIModel(client_args=client, model_id="scripted")
    return Agent(model=scripted, tools=list(tools), callback_handler=None)


async def by_strands(model, tool):
    from kensaku.adapters.strands import wrap

    return str(await strands_agent(model, wrap(tool)).invoke_async(QUESTION))


async def by_pydantic_ai(protocol, model, tool):
    from openai import AsyncOpenAI
    from pydantic_ai import Agent
    from pydantic_ai.models import openai as models
    from pydantic_ai.providers.openai import OpenAIProvider

    from kensaku.adapters.pydantic_ai import wrap

    async with AsyncOpenAI(base_url=model.openai_url, api_key="none") as client:
        provider = OpenAIProvider(openai_client=client)
        scripted = getattr(models, protocol)("scripted", provider=provider)
        return (await Agent(scripted, tools=[wrap(tool)]).run(QUESTION)).output


async def by_langchain(model, tool):
    from kensaku.adapters.langchain import wrap

    return (await run_langchain(model, [wrap(tool)]))[0]


def langchain_agent(model: ModelServer, tools, **connections):
    """An agent of LangChain, or of LangGraph before LangChain 1."""
    from langchain_openai import ChatOpenAI

    try:
        from langchain.agents import create_agent
    except ImportError:
        from langgraph.prebuilt import create_react_agent as create_agent

    url = model.openai_url
    chat = ChatOpenAI(base_url=url, api_key="not-a-key", model="scripted", **connections)
    return create_agent(chat, tools=tools)


async def run_langchain(model, tools):
    """The answer, and the message of the tool."""
    import httpx
    from langchain_core.messages import ToolMessage

    async with httpx.AsyncClient() as http:  # LangChain's own is shared, and nobody closes it
        agent = langchain_agent(model, tools, http_async_client=http)
        state = await agent.ainvoke({"messages": [("user", QUESTION)]})
    message = next(m for m in state["messages"] if isinstance(m, ToolMessage))
    return state["messages"][-1].content, message


async def by_openai_agents(protocol, model, tool):
    import agents
    from openai import AsyncOpenAI

    from kensaku.adapters.openai_agents import wrap

    async with AsyncOpenAI(base_url=model.openai_url, api_key="not-a-key") as client:
        scripted = getattr(agents, protocol)(model="scripted", openai_client=client)
        agent = agents.Agent(name="otter keeper", model=scripted, tools=[wrap(tool)])
        quiet = agents.RunConfig(tracing_disabled=True)
        return (await agents.Runner.run(agent, QUESTION, run_config=quiet)).final_output


async def by_google_genai(model, tool):
    from google import genai

    from kensaku.adapters.google_genai import generate

    options = genai.types.HttpOptions(base_url=model.gemini_url)
    client = genai.Client(api_key="none", http_options=options)
    reply = await generate(client, model="scripted", contents=QUESTION, tools=[tool])
    await close_genai(client)
    return reply.text


async def close_genai(client):
    """Close both halves, in the versions of the SDK that can."""
    if hasattr(client, "close"):
        await client.aio.aclose()
        client.close()


def _posted(url, body):
    request = urllib.request.Request(
        url, json.dumps(body).encode(), {"Content-Type": "application/json"}
    )
    with urllib.request.urlopen(request) as reply:
        return json.load(reply)


async def post(url, body):
    """One request as whoever has no SDK makes it."""
    return await asyncio.to_thread(_posted, url, body)


async def by_openai(model, tool):
    """chat.completions, with the real client."""
    openai = pytest.importorskip("openai")
    messages = [{"role": "user", "content": QUESTION}]
    async with openai.AsyncOpenAI(base_url=model.openai_url, api_key="none") as client:
        while True:
            reply = await client.chat.completions.create(
                model="scripted", messages=messages, tools=[schemas.for_openai(tool)]
            )
            told = await schemas.run_openai(reply, [tool])
            if not told:
                return reply.choices[0].message.content
            messages += [reply.choices[0].message, *told]


async def by_responses(model, tool):
    """responses, with the real client."""
    openai = pytest.importorskip("openai")
    items = [{"role": "user", "content": QUESTION}]
    async with openai.AsyncOpenAI(base_url=model.openai_url, api_key="none") as client:
        while True:
            reply = await client.responses.create(
                model="scripted", input=items, tools=[schemas.for_openai_responses(tool)]
            )
            told = await schemas.run_openai_responses(reply, [tool])
            if not told:
                return reply.output_text
            items += [*(item.model_dump() for item in reply.output), *told]


async def by_litellm(model, tool):
    """LiteLLM takes OpenAI's form; here as plain JSON."""
    messages = [{"role": "user", "content": QUESTION}]
    while True:
        body = {"model": "m", "messages": messages, "tools": [schemas.for_litellm(tool)]}
        reply = await post(f"{model.openai_url}/chat/completions", body)
        told = await schemas.run_litellm(reply, [tool])
        if not told:
            return reply["choices"][0]["message"]["content"]
        messages += [reply["choices"][0]["message"], *told]


async def by_anthropic(model, tool):
    messages = [{"role": "user", "content": QUESTION}]
    while True:
        body = {"model": "m", "messages": messages, "tools": [schemas.for_anthropic(tool)]}
        reply = await post(f"{model.anthropic_url}/v1/messages", body)
        told = await schemas.run_anthropic(reply, [tool])
        if not told:
            return reply["content"][0]["text"]
        messages += [{"role": "assistant", "content": reply["content"]}, *told]


async def by_gemini(model, tool):
    contents = [{"role": "user", "parts": [{"text": QUESTION}]}]
    while True:
        tools = [{"functionDeclarations": [schemas.for_gemini(tool)]}]
        body = {"contents": contents, "tools": tools}
        reply = await post(f"{model.gemini_url}/v1/models/m:generateContent", body)
        told = await schemas.run_gemini(reply, [tool])
        if not told:
            return reply["candidates"][0]["content"]["parts"][0]["text"]
        contents += [reply["candidates"][0]["content"], *told]


# What needs a framework names its package.
FRAMEWORKS = {
    "strands": ("strands", by_strands),
    "Pydantic AI, chat": ("pydantic_ai", partial(by_pydantic_ai, "OpenAIChatModel")),
    "Pydantic AI, responses": ("pydantic_ai", partial(by_pydantic_ai, "OpenAIResponsesModel")),
    "LangChain": ("langchain_openai", by_langchain),
    "OpenAI Agents, chat": ("agents", partial(by_openai_agents, "OpenAIChatCompletionsModel")),
    "OpenAI Agents, responses": ("agents", partial(by_openai_agents, "OpenAIResponsesModel")),
}
# Calls are answered by code of ours.
LOOPS = {
    "Google Gen AI": ("google.genai", by_google_genai),
    "chat completions": ("openai", by_openai),
    "responses": ("openai", by_responses),
    "LiteLLM": ("", by_litellm),
    "Anthropic": ("", by_anthropic),
    "Gemini": ("", by_gemini),
}
