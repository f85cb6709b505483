"""OpenAI Agents SDK: our tools inside a real run, over a scripted model and a fake upstream."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace

import pytest
from agents import (
    Agent,
    FunctionTool,
    OpenAIChatCompletionsModel,
    OpenAIResponsesModel,
    RunConfig,
    Runner,
    ToolCallOutputItem,
)
from openai import AsyncOpenAI

from kensaku import tools_for
from kensaku.adapters.openai_agents import HAS_DATA, wrap
from kensaku.errors import MissingExtra
from kensaku.models import Hit
from kensaku.testing import faults
from kensaku.tools import AskUserTool, WebSearchTool
from kensaku.tools.base import Approval

from .model_server import ModelServer

OTTER = Hit("https://otters.example/", "Sea otters", "Otters hold hands while they sleep.")


@pytest.fixture
def server():
    with ModelServer("web_search", {"query": "otter"}) as model:
        yield model


@pytest.fixture
async def client(server):
    async with AsyncOpenAI(base_url=server.openai_url, api_key="not-a-key") as openai:
        yield openai


@pytest.fixture(params=[OpenAIChatCompletionsModel, OpenAIResponsesModel], ids=["chat", "resp"])
def model(request, client):
    return request.param(model="scripted", openai_client=client)


async def run(model, tools):
    agent = Agent(name="otter keeper", model=model, tools=tools)
    result = await Runner.run(agent, "otters?", run_config=RunConfig(tracing_disabled=True))
    items = [i for i in result.new_items if isinstance(i, ToolCallOutputItem)]
    return result.final_output, items[0]


async def test_an_agent_searches_and_answers_with_what_was_found(model, make_client, upstream):
    """By chat completions and by responses; the data is beside the text, for the program."""
    upstream.answers("tavily", [OTTER])

    answer, item = await run(model, tools_for("openai-agents", client=make_client("tavily")))

    assert answer.startswith("FINAL outcome: found · provider: tavily")
    assert "Otters hold hands while they sleep." in answer
    assert upstream.asked("tavily")[0].json["query"] == "otter"
    assert not HAS_DATA or item.custom_data["output"]["hits"][0]["url"] == OTTER.url
    assert not HAS_DATA or json.loads(json.dumps(item.custom_data))["success"] is True


async def test_the_model_gets_our_words_and_bounds(model, server, make_client):
    """Strict mode would make every argument required and drop the defaults."""
    await run(model, [wrap(WebSearchTool(make_client("tavily")))])

    offered, ours = server.offered["web_search"], WebSearchTool()
    assert offered.description == ours.description
    assert offered.parameters == ours.parameters


async def test_nothing_found_is_said(model, make_client, upstream):
    """Somebody searched."""
    upstream.answers("tavily", [])

    answer, item = await run(model, [wrap(WebSearchTool(make_client("tavily")))])

    assert "outcome: empty" in answer
    assert not HAS_DATA or item.custom_data["success"] is True


async def test_nobody_could_search_does_not_end_the_run(model, make_client, upstream):
    """The model is told, the program has the reasons, and nobody sees the key."""
    upstream.fails("tavily", faults.status(401))

    answer, item = await run(model, [wrap(WebSearchTool(make_client("tavily")))])

    assert "outcome: unavailable" in answer
    assert not HAS_DATA or item.custom_data["success"] is False
    assert (
        not HAS_DATA or item.custom_data["output"]["attempts"][0]["error"]["type"] == "KeyRefused"
    )
    assert "tavily-test-key" not in f"{answer}{item}"


@pytest.mark.parametrize(
    ("mode", "said"),
    [
        ("badargs", "Error: max_results is 999; it must be 1 to 20"),
        ("badjson", "Error: the arguments are not JSON; send one object"),
    ],
)
async def test_bad_arguments_are_sent_back(model, server, make_client, upstream, mode, said):
    """The SDK does not check them for a `FunctionTool`."""
    server.mode = mode

    answer, item = await run(model, [wrap(WebSearchTool(make_client("tavily")))])

    assert answer == f"FINAL {said}"
    assert not HAS_DATA or item.custom_data["error"] == said.removeprefix("Error: ")
    assert upstream.requests == []


class Broken(WebSearchTool):
    async def execute(self, *args, **arguments):
        raise RuntimeError("the key is tvly-very-secret")


async def test_a_crash_shows_its_type_and_no_more(model):
    """An exception in a `FunctionTool` ends the run."""
    answer, item = await run(model, [wrap(Broken())])

    assert answer == "FINAL Error: web_search failed (RuntimeError)"
    assert "secret" not in f"{item}"


class TwoQueries(ModelServer):
    """It asks about otters and about beavers in one turn."""

    def reply(self, asked):
        calls = super().reply(asked)
        if isinstance(calls, str):
            return calls
        return [
            replace(calls[0], id=f"call_{query}", arguments=json.dumps({"query": query}))
            for query in ("otter", "beaver")
        ]


@pytest.fixture
def two_queries():
    with TwoQueries("web_search") as server:
        yield server


@pytest.mark.skipif(not HAS_DATA, reason="openai-agents < 0.18 has no place for data")
@pytest.mark.parametrize("kind", [OpenAIChatCompletionsModel, OpenAIResponsesModel])
async def test_two_calls_at_once_keep_their_data_apart(kind, two_queries, make_client, upstream):
    """Each output item has the data of its own call, though the first search takes longer."""
    about_otters = lambda seen: seen.json["query"] == "otter"  # noqa: E731
    upstream.answers("tavily", [OTTER])
    # Not 401: it would leave no key to a search that begins after it.
    upstream.fails("tavily", faults.status(400), when=lambda seen: not about_otters(seen))
    upstream.fails("tavily", faults.delay(0.05), when=about_otters)
    openai = AsyncOpenAI(base_url=two_queries.openai_url, api_key="not-a-key")
    model = kind(model="scripted", openai_client=openai)
    tool = wrap(WebSearchTool(make_client("tavily")))

    agent = Agent(name="otter keeper", model=model, tools=[tool])
    result = await Runner.run(agent, "otters?", run_config=RunConfig(tracing_disabled=True))
    items = [i for i in result.new_items if isinstance(i, ToolCallOutputItem)]

    await openai.close()
    outputs = {item.raw_item["call_id"]: item for item in items}
    found, failed = outputs["call_otter"], outputs["call_beaver"]
    assert found.custom_data["output"]["hits"][0]["url"] == OTTER.url
    assert OTTER.content in found.output
    assert failed.custom_data["success"] is False
    assert failed.custom_data["output"]["attempts"][0]["error"]["type"] == "BadQuery"
    assert "outcome: unavailable" in failed.output


async def test_the_sdks_own_test_model_drives_it_too(make_client, upstream):
    """Without any HTTP on the model's side."""
    testing = pytest.importorskip("agents.testing")  # since openai-agents 0.22
    upstream.answers("tavily", [OTTER])
    script = testing.ScriptedModel(
        [
            [testing.function_call("web_search", {"query": "otter"}, call_id="1")],
            [testing.assistant_message("They hold hands.")],
        ]
    )

    answer, item = await run(script, [wrap(WebSearchTool(make_client("tavily")))])

    assert answer == "They hold hands."
    assert OTTER.content in item.output


class Careful(AskUserTool):
    approval = Approval.REQUIRES_APPROVAL


def test_a_tool_that_needs_approval_says_so():
    """Searching only reads, and needs none."""
    assert isinstance(wrap(WebSearchTool()), FunctionTool)
    assert wrap(WebSearchTool()).needs_approval is False
    assert wrap(Careful()).needs_approval is True


def in_a_fresh_python(code: str) -> str:
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout.strip()


@pytest.mark.usefixtures("processes")
def test_importing_it_imports_no_other_framework():
    """The SDK itself brings `mcp`."""
    others = "langchain_core strands pydantic_ai google.genai claude_agent_sdk sqlalchemy ddgs"
    code = (
        "import sys, kensaku.adapters.openai_agents\n"
        f"print([m for m in {others.split()!r} if m in sys.modules])"
    )

    assert in_a_fresh_python(code) == "[]"


@pytest.mark.usefixtures("processes")
def test_without_the_framework_it_says_what_to_install(monkeypatch):
    """By the entry, and by the module itself."""
    code = (
        "import sys\nsys.modules['agents'] = None\n"
        "try:\n    import kensaku.adapters.openai_agents\nexcept ValueError as e:\n    print(e)"
    )

    assert in_a_fresh_python(code).endswith('pip install "kensaku-search[openai-agents]"')
    monkeypatch.setattr("kensaku.adapters._importable", lambda _: False)
    with pytest.raises(MissingExtra) as caught:
        tools_for("openai_agents")
    assert caught.value.extra == "openai-agents"
