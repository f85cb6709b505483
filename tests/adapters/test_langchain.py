"""LangChain: our tools inside a real agent, over a scripted model and a fake upstream."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys

import httpx
import pytest
from langchain_core.messages import ToolMessage
from langchain_core.tools import StructuredTool
from langchain_openai import ChatOpenAI

from kensaku import tools_for
from kensaku.adapters.langchain import wrap
from kensaku.errors import MissingExtra
from kensaku.models import Hit
from kensaku.testing import faults
from kensaku.tools import WebSearchTool

from .model_server import ModelServer

try:
    from langchain.agents import create_agent
except ImportError:  # before LangChain 1
    from langgraph.prebuilt import create_react_agent as create_agent

OTTER = Hit("https://otters.example/", "Sea otters", "Otters hold hands while they sleep.")


@pytest.fixture
def model():
    with ModelServer("web_search", {"query": "otter"}) as server:
        yield server


def agent_of(model, tools, **connections):
    chat = ChatOpenAI(
        base_url=model.openai_url, api_key="not-a-key", model="scripted", **connections
    )
    return create_agent(chat, tools=tools)


async def run(model, tools, question="What do otters do?"):
    async with httpx.AsyncClient() as http:  # LangChain's own is shared, and nobody closes it
        agent = agent_of(model, tools, http_async_client=http)
        state = await agent.ainvoke({"messages": [("user", question)]})
    message = next(m for m in state["messages"] if isinstance(m, ToolMessage))
    return state["messages"][-1].content, message


async def test_an_agent_searches_and_answers_with_what_was_found(model, make_client, upstream):
    """The whole way: agent, tool, HTTP, and back into the answer."""
    upstream.answers("tavily", [OTTER])

    answer, message = await run(model, tools_for("langchain", client=make_client("tavily")))

    assert answer.startswith("FINAL outcome: found · provider: tavily")
    assert "Otters hold hands while they sleep." in answer
    assert upstream.asked("tavily")[0].json["query"] == "otter"
    assert message.status == "success"
    assert message.artifact["output"]["hits"][0]["url"] == OTTER.url


async def test_the_model_gets_our_words_and_bounds(model, make_client):
    """The schema on the wire is the tool's own, not one that was made from a signature."""
    (tool,) = tools_for("langchain", ["web_search"], client=make_client("tavily"))
    await run(model, [tool])

    offered = model.offered["web_search"]
    ours = WebSearchTool()
    assert offered.description == ours.description
    assert offered.parameters["properties"] == ours.parameters["properties"]
    assert offered.parameters["required"] == ["query"]


async def test_nothing_found_is_not_an_error(model, make_client, upstream):
    """Somebody searched."""
    upstream.answers("tavily", [])

    answer, message = await run(model, [wrap(WebSearchTool(make_client("tavily")))])

    assert "outcome: empty" in answer
    assert message.status == "success"


async def test_nobody_could_search_is_an_error_with_its_reasons(model, make_client, upstream):
    """The run goes on, the status says so, and the data beside the text has each attempt."""
    upstream.fails("tavily", faults.status(401))

    answer, message = await run(model, [wrap(WebSearchTool(make_client("tavily")))])

    assert "outcome: unavailable" in answer
    assert message.status == "error"
    (attempt,) = message.artifact["output"]["attempts"]
    assert attempt["error"]["type"] == "KeyRefused"
    assert "tavily-test-key" not in f"{answer}{message}"


async def test_arguments_out_of_bounds_are_sent_back(model, make_client, upstream):
    """LangChain does not check a JSON schema; we do, before anything is sent."""
    model.mode = "badargs"

    answer, message = await run(model, [wrap(WebSearchTool(make_client("tavily")))])

    assert answer == "FINAL Error: max_results is 999; it must be 1 to 20"
    assert (message.status, message.artifact["error"]) == ("error", answer[13:])
    assert upstream.requests == []


@pytest.mark.parametrize("extra", ["config", "run_manager", "self", "callbacks", "nonsense"])
async def test_an_argument_nobody_asked_for_does_not_end_the_run(model, make_client, extra):
    """Some of these are names of LangChain's own parameters."""
    model.arguments = {"query": "otter", extra: {}}

    answer, message = await run(model, [wrap(WebSearchTool(make_client("tavily")))])

    said = f"Error: web_search has no argument '{extra}'"
    assert answer.startswith(f"FINAL {said}")
    assert message.status == "error"
    assert wrap(WebSearchTool()).invoke({"query": "otter", extra: {}}).startswith(said)


class Broken(WebSearchTool):
    async def execute(self, *args, **arguments):
        raise RuntimeError("the key is tvly-very-secret")


async def test_a_crash_shows_its_type_and_no_more(model):
    """A plain exception would end the run, and its text may hold a key."""
    answer, message = await run(model, [wrap(Broken())])

    assert answer == "FINAL Error: web_search failed (RuntimeError)"
    assert message.status == "error"
    assert "secret" not in str(message)


async def test_two_calls_at_once_get_two_results(model, make_client, upstream):
    """A model may call in parallel."""
    model.mode = "parallel"
    upstream.answers("tavily", [OTTER])

    answer, _ = await run(model, [wrap(WebSearchTool(make_client("tavily")))])

    assert len(model.shown) == 2
    assert answer.count("outcome: found") == 2


async def test_it_works_without_await_too(model, make_client, upstream):
    """`invoke` in a thread, while a loop is running elsewhere."""
    upstream.answers("tavily", [OTTER])
    client = make_client("tavily")
    agent = agent_of(model, [wrap(WebSearchTool(client))])

    state = await asyncio.to_thread(agent.invoke, {"messages": [("user", "otters?")]})

    assert "Otters hold hands" in state["messages"][-1].content


async def test_alone_it_returns_text_or_a_message(make_client, upstream):
    """Called with arguments it gives text; called as a tool call, a message with the data."""
    upstream.answers("tavily", [OTTER])
    tool = wrap(WebSearchTool(make_client("tavily"), fence=False))

    text = await tool.ainvoke({"query": "otter"})
    call = {"name": "web_search", "args": {"query": "otter"}, "id": "1", "type": "tool_call"}
    message = await tool.ainvoke(call)

    assert isinstance(tool, StructuredTool)
    assert text.split("\n")[0] == message.content.split("\n")[0]
    assert json.loads(json.dumps(message.artifact))["success"] is True


def in_a_fresh_python(code: str) -> str:
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout.strip()


@pytest.mark.usefixtures("processes")
def test_importing_it_imports_no_other_framework():
    """Nor a database: that waits until somebody registers."""
    others = "agents strands pydantic_ai mcp google.genai claude_agent_sdk sqlalchemy alembic ddgs"
    code = (
        "import sys, kensaku.adapters.langchain\n"
        f"print([m for m in {others.split()!r} if m in sys.modules])"
    )

    assert in_a_fresh_python(code) == "[]"


@pytest.mark.usefixtures("processes")
def test_without_the_framework_it_says_what_to_install(monkeypatch):
    """By the entry, and by the module itself."""
    code = (
        "import sys\nsys.modules['langchain_core'] = None\n"
        "try:\n    import kensaku.adapters.langchain\nexcept ValueError as e:\n    print(e)"
    )

    assert in_a_fresh_python(code).endswith('pip install "kensaku-search[langchain]"')
    monkeypatch.setitem(sys.modules, "langchain_core", None)
    monkeypatch.setattr("kensaku.adapters._importable", lambda _: False)
    with pytest.raises(MissingExtra) as caught:
        tools_for("langchain")
    assert caught.value.extra == "langchain"
