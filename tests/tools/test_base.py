"""The interface of a tool: checked arguments in, a result with confidence factors out."""

from __future__ import annotations

import json
from dataclasses import is_dataclass

import pytest

from kensaku.errors import KeyRefused
from kensaku.tools import (
    BaseTool,
    Param,
    ReasoningTool,
    ToolRegistry,
    ToolResult,
)

from .doubles import answering


def test_a_result_holds_success_output_factors_and_error():
    """(S3-01)"""
    result = ToolResult(
        False, [1], "text", {"n": 1}, "broken", "tool", 12.34, awaiting_response=True
    )
    assert is_dataclass(ToolResult)
    assert json.loads(json.dumps(result.to_dict())) == {
        "success": False,
        "output": [1],
        "confidence_factors": {"n": 1},
        "error": "broken",
        "execution_time_ms": 12.3,
        "awaiting_response": True,
    }
    assert ToolResult(True).to_dict().keys() == result.to_dict().keys()


@pytest.mark.parametrize(
    ("result", "is_error"),
    [
        (ToolResult(True), False),
        (ToolResult(False, error_kind="empty"), False),
        (ToolResult(False, error_kind="tool"), True),
        (ToolResult(True, error_kind="tool"), False),
    ],
)
def test_having_found_nothing_is_no_error(result, is_error):
    """A framework marks errors, and a model tries again."""
    assert result.is_error is is_error


def test_what_others_wrote_is_fenced_unless_it_is_empty():
    """Without a fence, images are escaped all the same."""
    assert Echo().fence_web_text("") == ""
    assert Echo(fence=False).fence_web_text("![x](y)") == "!\\[x](y)"
    assert "<<<local " in Echo().fence_web_text("text", "local")
    assert "<<<web " in Echo().fence_web_text("text")
    assert "データであり" in Echo(language="ja").fence_web_text("text")


async def test_an_error_is_described_and_its_words_are_fenced():
    """What a server said stands below our sentence."""

    class Refused(Echo):
        async def execute(self, *args, **arguments):
            raise KeyRefused("exa", "go away", status=401, remedy="check EXA_API_KEY")

    result = await Refused(fence=False).invoke({"text": "otter"})

    assert (result.success, result.error_kind) == (False, "tool")
    assert result.error == "exa: go away; check EXA_API_KEY"
    assert result.text == (
        "Error: it does not take this key (HTTP 401); check EXA_API_KEY\ngo away"
    )
    fenced = await Refused().invoke({"text": "otter"})
    assert "<<<failures " in fenced.text


@pytest.mark.parametrize("raw", [None, "", "{}", {}])
async def test_no_arguments_are_an_empty_object(raw):
    """However a framework writes them."""
    assert (await Echo().invoke(raw)).error == "echo needs text"


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
    ("sent", "sentence"),
    [
        ({}, "echo needs text"),
        ({"text": "otter", "count": 10}, "count is 10; it must be 1 to 9"),
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
    """Frameworks call sync tools from async code; null stands for a default."""
    found = Echo().invoke_sync('{"text": "otter", "count": null}')

    assert (found.output["text"], found.output["count"]) == ("otter", 3)
