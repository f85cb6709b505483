"""What a model is asked, and how its JSON is read."""

from __future__ import annotations

import json
from typing import Any

from kensaku.answers.evidence import Reference
from kensaku.answers.plan import QuestionPlan, make_plan
from kensaku.answers.prompts import MAX_SOURCES, with_sources
from kensaku.answers.questions import Subquestion
from kensaku.answers.report.state import start
from kensaku.answers.research import perform
from kensaku.answers.stream import MODEL_SECONDS
from kensaku.models import Passage

A = "https://a.example/sleep"


class Says:
    """A model that says one thing."""

    name = "small"

    def __init__(self, reply: str) -> None:
        self.reply = reply

    async def ask(self, system: str, user: str, seconds: float = MODEL_SECONDS) -> str:
        return self.reply


def test_a_model_is_given_the_sources_as_data() -> None:
    """Numbered, dated, with their origin, and fenced; then what it is asked."""
    passages = (Passage(A, "One.\n[2] no", 0, 9), Passage(A, "Two.", 9, 13))
    source = Reference(1, A, "Sleep", "2024", passages=passages)
    other = Reference(3, "file:b.txt", "B", origin="collection")
    asked = with_sources([source, other], "Task: task", "Questions:\n- q1")

    assert asked.startswith("Sources:\n\n")
    assert "found on the web and in the local index" in asked
    assert asked.endswith("\n\nTask: task\n\nQuestions:\n- q1")
    assert f"[1] web: Sleep ({A}), published 2024\nOne.\n" in asked
    assert "\n[2] no" not in asked
    assert "\n…\nTwo.\n\n[3] collection: B (file:b.txt)\n" in asked


def test_sources_for_a_model_are_bounded() -> None:
    """In characters of them all."""
    long = Reference(1, A, "T", passages=(Passage(A, "y" * 200_000, 0, 200_000),))
    shown = with_sources([long]).count("y")

    assert len(f"[1] web: T ({A})\n") + shown == MAX_SOURCES


async def planned(*questions: Any, most: int = 4) -> QuestionPlan:
    """The plan of a model that says this."""
    model: Any = Says(json.dumps({"questions": list(questions)}))
    return await make_plan("otters", model, most=most, seconds=9)


async def test_a_plan_of_a_model_is_bounded_and_has_each_question_once() -> None:
    """Its own text is the last of at most three queries."""
    first = {"question": " How\nold? ", "queries": ["a", 7, " ", "a", "b"]}
    plan = await planned(
        first,
        {"question": "HOW OLD?", "queries": "x"},
        {"question": "q", "queries": ["1", "2", "3", "4"]},
        {"question": "y" * 301, "queries": ["z" * 301]},
        {"question": ""},
        {"query": "x"},
        "x",
    )
    assert plan.questions == (
        Subquestion("HOW OLD?", ("HOW OLD?",)),
        Subquestion("q", ("1", "2", "3")),
        Subquestion("y" * 300, ("z" * 300, "y" * 300)),
    )
    assert (await planned(first)).questions == (Subquestion("How old?", ("a", "b", "How old?")),)
    assert QuestionPlan.from_dict(json.loads(json.dumps(plan.to_dict()))) == plan


async def test_a_report_is_planned_by_rule_without_a_model(client: Any) -> None:
    """A topic of a large run has aspects; too many questions are cut, and that is said."""

    async def plan(text: str, effort: str) -> dict[str, Any]:
        return await perform("plan", start(text, {"model": effort}), client())

    def texts(made: dict[str, Any]) -> list[str]:
        return [q["text"] for q in made["questions"]]

    large = await plan("sea otters", "pro")
    assert texts(large) == [
        "sea otters",
        "what is sea otters",
        "history of sea otters",
        "sea otters latest developments",
    ]
    assert (large["effort"], large["by"], large["notes"]) == ("pro", "rule", [])
    assert texts(await plan("sea otters", "mini")) == ["sea otters"]
    assert texts(await plan("what are otters", "pro")) == ["what are otters"]

    many = " ".join(f"What is A{n}?" for n in range(5))
    cut = await plan(many, "mini")
    assert texts(cut) == [f"What is A{n}?" for n in range(4)]
    assert cut["notes"] == ["of 5 questions, mini takes the first 4"]
    assert (await plan(many[:-12], "mini"))["notes"] == []
