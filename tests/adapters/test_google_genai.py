"""The Google Gen AI adapter with the real client, awaited and not."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from kensaku import tools_for
from kensaku.tools import WebSearchTool

from .agents import close_genai
from .model_protocols import SIGNATURE
from .model_server import ModelServer
from .scenes import OTTER, staged

pytest.importorskip("google.genai")
from google import genai
from google.genai import types

from kensaku.adapters.google_genai import generate, generate_sync, wrap

# The SDK derives from a class of aiohttp that does not like it.
pytestmark = pytest.mark.filterwarnings(
    "ignore:Inheritance class AiohttpClientSession:DeprecationWarning"
)


@pytest.fixture
async def client(model):
    options = types.HttpOptions(base_url=model.gemini_url)
    client = genai.Client(api_key="none", http_options=options)
    yield client
    await close_genai(client)


async def ask(client, *tools, **options):
    reply = await generate(
        client, model="scripted", contents="Do otters sleep?", tools=tools, **options
    )
    return reply.text


@pytest.mark.parametrize(
    ("scene", "key"),
    [("found", "output"), ("empty", "output"), ("unavailable", "error"), ("crash", "error")],
)
async def test_a_failure_is_an_error_on_the_wire(scene, key, model, client, upstream, make_client):
    """Gemini has a word for each."""
    await ask(client, staged(scene, upstream, make_client))

    part = model.requests[-1].body["contents"][-1]["parts"][0]["functionResponse"]
    assert list(part["response"]) == [key]
    assert part["name"] == "web_search"


async def test_code_that_does_not_await_gets_the_same(model, client, upstream, make_client):
    """The tool runs on a loop of its own thread; nothing is shared between loops."""
    tool = staged("found", upstream, make_client)

    reply = await asyncio.to_thread(
        generate_sync, client, model="scripted", contents="Do otters sleep?", tools=[tool]
    )

    assert OTTER.content in reply.text


async def test_a_model_gets_our_tools_beside_others(model, client, make_client):
    """Those of the program's own config stay."""
    other = types.FunctionDeclaration(name="other", description="Something else.")
    config = types.GenerateContentConfig(tools=[types.Tool(function_declarations=[other])])

    await ask(client, WebSearchTool(make_client("tavily")), config=config)

    assert model.offered.keys() == {"web_search", "other"}


@pytest.mark.parametrize("sync", [False, True])
async def test_the_models_own_turn_goes_back_unchanged_before_its_answer(
    sync, model, client, upstream, make_client
):
    """Gemini refuses an answer without its call, and a call without its thought signature."""
    tool = staged("found", upstream, make_client)
    asked = {"model": "scripted", "contents": "Do otters sleep?", "tools": [tool]}

    if sync:
        await asyncio.to_thread(generate_sync, client, **asked)
    else:
        await generate(client, **asked)

    first, last = (request.body["contents"] for request in model.requests)
    assert last[0] == first[0]
    assert [turn["role"] for turn in last] == ["user", "model", "user"]
    (call,) = last[1]["parts"]
    assert call["functionCall"] == {"name": "web_search", "args": {"query": "otter"}}
    assert call["thoughtSignature"] == SIGNATURE


class Stubborn(ModelServer):
    """It calls, whatever it is shown."""

    def reply(self, asked):
        return super().reply(replace(asked, shown=()))


async def test_a_model_that_never_stops_calling_is_stopped(upstream, make_client):
    """The turns are bounded, and the last reply is what there is."""
    with Stubborn() as model:
        options = types.HttpOptions(base_url=model.gemini_url)
        client = genai.Client(api_key="none", http_options=options)
        tool = staged("found", upstream, make_client)

        reply = await generate(client, model="x", contents="?", tools=[tool], max_turns=3)

        await close_genai(client)
    assert len(model.requests) == 4
    assert reply.function_calls


def test_the_entry_gives_declarations(make_client):
    """For those who have a loop of their own."""
    declared = tools_for("google-genai", client=make_client("tavily"))

    assert [d.name for d in declared] == ["web_search", "web_extract", "web_context"]
    tool = WebSearchTool(make_client("tavily"))
    assert wrap(tool) == declared[0]
