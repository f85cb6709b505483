"""The interface of a tool: checked arguments in, a result with confidence factors out."""

from __future__ import annotations

import inspect
import json
from dataclasses import fields, is_dataclass

import pytest

from kensaku.tools import (
    AskUserTool,
    BaseTool,
    Param,
    RAGSearchTool,
    ReasoningTool,
    ToolRegistry,
    ToolResult,
    WebSearchTool,
)

from .doubles import answering


def test_a_result_holds_success_output_factors_and_error():
    """(S3-01)"""
    assert is_dataclass(ToolResult)
    assert {f.name for f in fields(ToolResult)} >= {
        "success", "output", "confidence_factors", "error", "execution_time_ms"
    }  # fmt: skip
    assert json.loads(json.dumps(ToolResult(True, output=[1]).to_dict()))["success"] is True


def test_a_tool_without_execute_is_none():
    """(S3-02)"""

    class Idle(BaseTool):
        name, about = "idle", {"en": "nothing"}

    assert inspect.isabstract(BaseTool)
    assert "execute" in BaseTool.__abstractmethods__
    with pytest.raises(TypeError):
        Idle()


async def test_every_tool_is_run_the_same_way(zoo, upstream):
    """The caller does not know which strategy it holds (S3-03, S3-04)."""
    asked = {
        "rag_search": {"query": "sea otters"},
        "reasoning": {"query": "sea otters"},
        "ask_user": {"question": "Which otters?"},
        "web_search": {"query": "sea otters"},
    }
    registry = ToolRegistry(enabled=asked, client=zoo)
    registry.register(ReasoningTool(model=answering("An answer.")))

    for name, arguments in asked.items():
        result = await registry.get(name).invoke(arguments)

        assert isinstance(result, ToolResult), name
        assert result.success, result.error
        assert result.confidence_factors, name
        assert result.execution_time_ms > 0


def test_the_table_of_tools_has_no_gap():
    """The registry has all of them, each with `execute`; the document lacked one (S3-05, S3-32)."""
    table = {
        "rag_search": RAGSearchTool,
        "reasoning": ReasoningTool,
        "ask_user": AskUserTool,
        "web_search": WebSearchTool,
    }
    registry = ToolRegistry(enabled=table)

    assert {tool.name: type(tool) for tool in registry} == table
    for tool in registry:
        assert inspect.iscoroutinefunction(tool.execute)


class Echo(BaseTool):
    """A tool with one argument of each kind."""

    name, about = "echo", {"en": "Echo."}
    params = (
        Param("text", "string", {"en": "a text"}, required=True, minimum=2, maximum=5),
        Param("count", "integer", {"en": "a number"}, default=3, minimum=1, maximum=9),
        Param("share", "number", {"en": "a share"}, maximum=1),
        Param("flag", "boolean", {"en": "a flag"}),
        Param("hosts", "array", {"en": "hosts"}, maximum=2),
        Param("topic", "string", {"en": "a topic"}, choices=("news", "general")),
    )

    async def execute(self, *args, **arguments):
        return ToolResult(True, output=arguments)


@pytest.mark.parametrize(
    ("sent", "read"),
    [
        ({"count": "5"}, {"count": 5}),
        ({"count": 5.0}, {"count": 5}),
        ({"count": None}, {"count": 3}),
        ({"flag": "true"}, {"flag": True}),
        ({"hosts": "a.example"}, {"hosts": ["a.example"]}),
        ({"hosts": ("a", "b")}, {"hosts": ["a", "b"]}),
    ],
)
async def test_what_models_really_send_is_understood(sent, read):
    """A number as text, one text for a list of one, null for a default."""
    result = await Echo().invoke({"text": "otter", **sent})

    assert result.success, result.error
    assert {name: result.output[name] for name in read} == read


@pytest.mark.parametrize(
    ("sent", "sentence"),
    [
        ({}, "echo needs text"),
        ({"text": "o"}, "text has 1; it must be 2 to 5 characters"),
        ({"text": 5}, "text must be a text, not 5"),
        ({"text": "otter", "count": 10}, "count is 10; it must be 1 to 9"),
        ({"text": "otter", "count": "many"}, "count must be a whole number, not 'many'"),
        ({"text": "otter", "share": 1.5}, "share is 1.5; it must be at most 1"),
        ({"text": "otter", "hosts": ["a", "b", "c"]}, "hosts has 3; it must be at most 2 entries"),
        ({"text": "otter", "topic": "x"}, "topic is 'x'; it must be one of news, general"),
        ({"text": "otter", "size": 1}, "echo has no argument 'size'"),
        ("{", "the arguments are not JSON"),
        ("[]", "the arguments must be an object, not list"),
    ],
)
async def test_a_wrong_argument_is_one_sentence_with_value_and_bound(sent, sentence):
    """The model can correct itself; nothing was done."""
    result = await Echo().invoke(sent)

    assert (result.success, result.error_kind) == (False, "arguments")
    assert result.error.startswith(sentence)
    assert result.text == f"Error: {result.error}"


async def test_a_bug_shows_the_model_its_type_only(caplog):
    """A message may hold a key; it goes to the log."""

    class Broken(Echo):
        async def execute(self, *args, **arguments):
            raise RuntimeError("key-123")

    result = await Broken().invoke({"text": "otter"})

    assert (result.error, result.error_kind) == ("echo failed (RuntimeError)", "internal")
    assert "key-123" in caplog.text


async def test_a_tool_can_be_run_without_await_inside_a_running_loop():
    """Frameworks call sync tools from async code."""
    assert Echo().invoke_sync('{"text": "otter"}').output["text"] == "otter"
