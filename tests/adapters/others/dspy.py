"""DSPy, by `ReAct` on its own scripted model: the calls stand in the prompt, not in a protocol."""

from __future__ import annotations

import json
from typing import Any

import dspy
from dspy.utils import DummyLM

from kensaku.tools import BaseTool

from ..model_server import Asked, ModelServer
from ..parity import Words, wrapped

DISTRIBUTION = "dspy"


def words(tool: BaseTool) -> Words:
    it = wrapped("dspy", tool)
    assert it.format_as_litellm_function_call()["function"]["parameters"] == tool.parameters
    return Words(it.name, it.desc, {"type": "object", "properties": it.args})


async def call(tool: BaseTool, arguments: dict[str, Any]) -> str:
    return await wrapped("dspy", tool).acall(**arguments)


def _script(model: ModelServer) -> DummyLM:
    sent = model.bad if model.mode == "badargs" else model.arguments
    return DummyLM([
        {"next_thought": "search", "next_tool_name": "web_search",
         "next_tool_args": json.dumps(dict(sent))},
        {"next_thought": "done", "next_tool_name": "finish", "next_tool_args": "{}"},
        {"reasoning": "seen", "answer": "FINAL"},
    ])  # fmt: skip


def _told(lm: DummyLM, done: Any, model: ModelServer) -> str:
    """What the model was shown is in the prompts; they are logged as if they had been sent."""
    for entry in lm.history:
        body = {"messages": entry["messages"]}
        model.requests.append(Asked("dspy", "", {}, body, (), (), False))
    return f"{done.answer} {done.trajectory['observation_0']}"


async def ask(tool: BaseTool, model: ModelServer) -> str:
    lm = _script(model)
    with dspy.context(lm=lm):
        react = dspy.ReAct("question -> answer", tools=[wrapped("dspy", tool)], max_iters=3)
        return _told(lm, await react.acall(question="Do otters sleep?"), model)


def ask_sync(tool: BaseTool, model: ModelServer) -> str:
    lm = _script(model)
    with dspy.context(lm=lm):
        react = dspy.ReAct("question -> answer", tools=[wrapped("dspy", tool)], max_iters=3)
        return _told(lm, react(question="Do otters sleep?"), model)
