"""`ask_user`: a question as data, for the program that talks to the person."""

from __future__ import annotations

import logging

from kensaku.tools import AskUserTool, ReasoningTool, ToolRegistry

from .doubles import answering, logged


async def test_ask_user_hands_a_question_to_whoever_talks_to_the_person(caplog, capsys):
    """Structured data, nothing printed, nothing read (S3-21, S3-22, S3-23, S3-24, S3-25, S3-26)."""
    caplog.set_level(logging.DEBUG, "kensaku.tools")

    result = await AskUserTool().execute("Which otters?", "There are 13 kinds.", "optional")

    assert AskUserTool.name == "ask_user"
    assert result.output == {
        "question": "Which otters?",
        "reason": "There are 13 kinds.",
        "urgency": "optional",
        "awaiting_response": True,
    }
    assert result.awaiting_response is True
    assert result.to_dict()["awaiting_response"] is True
    assert capsys.readouterr().out == ""
    assert logged(caplog, logging.INFO) == ["ask_user: a optional question"]
    assert "Which otters?" in logged(caplog, logging.DEBUG)[0]


async def test_an_urgency_is_blocking_or_optional():
    """(S3-22)"""
    schema = AskUserTool().parameters["properties"]["urgency"]

    assert schema["enum"] == ["blocking", "optional"]
    wrong = await AskUserTool().invoke({"question": "?", "urgency": "whenever"})
    assert (wrong.success, wrong.error_kind) == (False, "arguments")
    usual = await AskUserTool().invoke({"question": "?"})
    assert usual.output["urgency"] == "blocking"


async def test_an_executor_can_wait_for_the_answer():
    """The dialogue is the executor's: it asks, and goes on with the answer (S3-24, S3-26)."""
    registry = ToolRegistry(enabled=["ask_user", "reasoning"])
    registry.register(ReasoningTool(model=(model := answering("Sea otters it is."))))
    result = await registry.get("ask_user").invoke({"question": "Which otters?"})
    assert result.awaiting_response

    said = f"{result.output['question']} → sea otters"  # what a screen came back with
    answer = await registry.get("reasoning").invoke({"query": "Describe", "context": said})

    assert answer.output == "Sea otters it is."
    assert said in model.prompts[0]
