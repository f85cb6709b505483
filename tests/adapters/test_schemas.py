"""Plain schemas with real clients where there are any, and plain functions."""

from __future__ import annotations

import asyncio
import inspect
import json

import pytest

from kensaku import tools_for
from kensaku.adapters import function, schemas
from kensaku.tools import BaseTool, Param, ToolRegistry, ToolResult, WebSearchTool

from .scenes import OTTER, SCENES, SECRET, staged


async def test_a_registry_answers_calls(upstream, make_client):
    """What is offered and what is run come from one place."""
    upstream.answers("tavily", [OTTER])
    registry = ToolRegistry(enabled=["web_search"], client=make_client("tavily"))
    call = {"id": "c1", "function": {"name": "web_search", "arguments": '{"query": "otter"}'}}

    (told,) = await schemas.run_openai({"tool_calls": [call]}, registry)

    assert told["tool_call_id"] == "c1"
    assert OTTER.content in told["content"]


# --- plain functions


async def test_a_function_searches(upstream, make_client):
    """By position or by name, as its signature says."""
    upstream.answers("tavily", [OTTER])
    search, _, _ = tools_for("function", client=make_client("tavily"))

    assert OTTER.content in await search("otter", 3)
    assert OTTER.content in await search(query="otters", max_results=3)
    assert [s.json["max_results"] for s in upstream.asked("tavily")] == [3, 3]


async def test_a_function_says_what_is_wrong_instead_of_raising(upstream, make_client):
    """Whatever a model sends; only a mistake in Python code is raised."""
    search = function.wrap(WebSearchTool(make_client("tavily")))

    assert "max_results is 999" in await search("otter", max_results=999)
    assert "has no argument 'colour'" in await search("otter", colour="brown")
    assert "web_search needs query" in await search()
    assert not upstream.requests
    with pytest.raises(TypeError):
        await search("otter", query="otter")
    with pytest.raises(TypeError):
        await search(*"too many arguments")


@pytest.mark.parametrize("scene", SCENES)
async def test_a_function_that_does_not_await_works_in_a_running_loop(scene, upstream, make_client):
    """It waits in this thread for another thread's loop."""
    mode, shown = SCENES[scene]
    more = {"max_results": 999} if mode == "badargs" else {}
    search = function.wrap_sync(staged(scene, upstream, make_client))

    text = await asyncio.to_thread(search, "otter", **more)

    assert shown in text
    assert SECRET not in text


def test_a_schema_generator_understands_the_function(make_client):
    """pydantic reads it as it reads any function."""
    pydantic = pytest.importorskip("pydantic")
    made = function.wrap_sync(WebSearchTool(make_client("tavily")))

    schema = pydantic.TypeAdapter(made).json_schema()

    assert schema["required"] == ["query"]
    assert schema["properties"]["max_results"]["default"] == 5


class Echo(BaseTool):
    """A tool that says its text, fails, or finds nothing."""

    name, about = "echo", {"en": "Echo."}
    params = (
        Param("share", "number", {"en": "How much of it."}),
        Param("text", "string", {"en": "What."}, required=True),
    )

    async def execute(self, *args, **arguments):
        text = arguments["text"]
        if text == "nothing":
            return ToolResult(False, text=text, error_kind="empty")
        return ToolResult(text != "bad", text=text, error_kind="tool")


TEXTS = [("c0", "otter"), ("c1", "bad"), ("c2", "nothing")]


def test_a_schema_for_responses_is_not_strict():
    """Strict ones make every argument required; without a word the API takes them as strict."""
    assert schemas.for_openai_responses(Echo())["strict"] is False


@pytest.mark.parametrize("as_text", [False, True])
async def test_the_answers_of_each_api_whole(as_text):
    """An error is marked as one where the API can say so; having found nothing is none."""

    def reply(body):
        return json.dumps(body) if as_text else body

    openai = {
        "tool_calls": [
            {"id": id, "function": {"name": "echo", "arguments": json.dumps({"text": text})}}
            for id, text in TEXTS
        ]
    }
    told = [{"role": "tool", "tool_call_id": id, "content": text} for id, text in TEXTS]
    assert await schemas.run_openai(reply(openai), [Echo()]) == told
    whole = {"choices": [{"message": openai}, {"message": {}}]}
    assert await schemas.run_openai(reply(whole), [Echo()]) == told

    responses = {
        "output": [
            {"type": "message"},
            *({"type": "function_call", "call_id": id, "name": "echo",
               "arguments": json.dumps({"text": text})} for id, text in TEXTS),
        ]
    }  # fmt: skip
    assert await schemas.run_openai_responses(reply(responses), [Echo()]) == [
        {"type": "function_call_output", "call_id": id, "output": text} for id, text in TEXTS
    ]

    anthropic = {
        "content": [
            {"type": "text", "text": "x"},
            *({"type": "tool_use", "id": id, "name": "echo", "input": {"text": text}}
              for id, text in TEXTS),
        ]
    }  # fmt: skip
    assert await schemas.run_anthropic(reply(anthropic), [Echo()]) == [
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": id, "content": text,
                 "is_error": text == "bad"}
                for id, text in TEXTS
            ],
        }
    ]  # fmt: skip

    parts = [
        {"text": "x"},
        {"functionCall": {"id": "c0", "name": "echo", "args": {"text": "otter"}}},
        {"function_call": {"name": "echo", "args": {"text": "bad"}}},
    ]
    gemini = {"candidates": [{"content": {"parts": parts}}, {}]}
    assert await schemas.run_gemini(reply(gemini), [Echo()]) == [
        {
            "role": "user",
            "parts": [
                {"functionResponse": {"id": "c0", "name": "echo",
                                      "response": {"output": "otter"}}},
                {"functionResponse": {"name": "echo", "response": {"error": "bad"}}},
            ],
        }
    ]  # fmt: skip


async def test_a_reply_that_calls_nothing_has_no_answer():
    """Whatever is missing in it."""
    assert await schemas.run_openai({"content": "x", "tool_calls": None}, []) == []
    assert await schemas.run_openai({}, []) == []
    assert await schemas.run_openai_responses({"output": []}, []) == []
    assert await schemas.run_anthropic({"content": [{"type": "text"}]}, []) == []
    for body in ({}, {"candidates": []}, {"candidates": [{}]}, {"candidates": [{"content": {}}]}):
        assert await schemas.run_gemini(body, []) == []


@pytest.mark.parametrize("wrap", [function.wrap, function.wrap_sync])
def test_a_signature_begins_with_what_is_required(wrap):
    """Or Python would refuse it; what has no default may be None."""
    parameters = inspect.signature(wrap(Echo())).parameters.values()

    assert [str(p) for p in parameters] == ["text: str", "share: float | None = None"]
