"""The plan of a run: what the person's words give, and what a model may add to it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from kensaku.assistant import Reply
from kensaku.assistant.plan import AskUser, Plan, addresses_in, make_plan
from kensaku.assistant.request import begin
from kensaku.research.questions import Question

from .conftest import Person, says

TWO = "How do sea otters sleep? What do sea otters eat each day?"
PLANNED = {"questions": [{"question": "How do they sleep?", "queries": ["otters sleep"]}]}


@pytest.mark.parametrize(
    ("text", "addresses"),
    [
        ("see https://a.example/x.", ["https://a.example/x"]),
        (
            "(http://a.example/?q=1), http://b.example;",
            ["http://a.example/?q=1", "http://b.example"],
        ),
        ("「https://a.example/検索」を", ["https://a.example/検索"]),
        ("https://a.example https://a.example", ["https://a.example"]),
        ("ftp://a.example a.example", []),
        (
            " ".join(f"http://h{n}.example" for n in range(6)),
            [f"http://h{n}.example" for n in range(5)],
        ),
    ],
)
def test_addresses_are_read_as_people_write_them(text: str, addresses: list[str]) -> None:
    """Without the marks of the sentence; each once, five at most."""
    assert addresses_in(text) == addresses


async def planned(
    k: Any, question: str, model: Any = None, again: bool = False, **options: Any
) -> Any:
    """The plan of a question, and the notes of the run."""
    run = begin(question, k, {"model": model, **options}, lambda _: None)  # type: ignore[arg-type]
    return await make_plan(question, run.model, run.tools, again=again), run.tools


async def test_a_simple_question_is_planned_by_rule(client: Any) -> None:
    """A model is not asked up to 200 characters and one question; addresses are no words of it."""
    model, prompts = says(json.dumps(PLANNED), json.dumps(PLANNED))
    short = f"Why {'otters ' * 27}sleeps?"
    assert len(short) == 200
    plan, _ = await planned(client(), short, model)
    assert (plan.by, plan.asks, prompts) == ("rule", (), [])

    plan, _ = await planned(client(), "How do they sleep? https://a.example/x", model)
    assert [q.text for q in plan.questions] == ["How do they sleep?"]
    plan, _ = await planned(client(), "https://a.example/x")
    assert len(plan.questions) == 1

    plan, _ = await planned(client(), short + "x", model)
    assert (plan.by, len(prompts)) == (model.model_name, 1)
    plan, _ = await planned(client(), "How do they sleep?", model, again=True)
    assert len(prompts) == 2


async def test_at_most_four_questions_are_looked_into(client: Any) -> None:
    """By rule and by a model alike."""
    many = " ".join(f"What does otter number {n} eat?" for n in range(6))
    said = {"questions": [{"question": f"q{n}", "queries": [f"q{n}"]} for n in range(6)]}

    assert len((await planned(client(), many))[0].questions) == 4
    assert len((await planned(client(), many, says(json.dumps(said))[0]))[0].questions) == 4


async def test_a_model_plans_and_asks_the_person(client: Any) -> None:
    """Bounded: two questions, six choices of 80 characters, lines of 300; blocking unless said."""
    asks = [
        {"question": " Which\notters? ", "reason": 5, "choices": ["c" * 90, "", 7, *"abcdefg"]},
        {"question": "When?", "reason": "r" * 400, "urgency": "optional", "choices": "x"},
        {"question": "Too many?"},
    ]
    model, prompts = says(json.dumps({**PLANNED, "ask_user": asks}))
    plan, tools = await planned(client(), TWO, model, person=Person(Reply("skip")))

    assert plan == Plan(
        (Question("How do they sleep?", ("otters sleep", "How do they sleep?")),),
        model.model_name,
        (
            AskUser("Which otters?", "", "blocking", ("c" * 80, "a", "b", "c", "d", "e")),
            AskUser("When?", "r" * 300, "optional", ()),
        ),
    )
    assert "What may be spent: 8 searches, 12 pages" in prompts[0]
    assert "Today is " in prompts[0]
    assert list(tools.journal.finished) == ["plan"]


async def test_a_plan_is_made_once(client: Any) -> None:
    """From the journal when the run goes on; again after the person has answered."""
    model, prompts = says(json.dumps({**PLANNED, "ask_user": [{"question": "Which?"}]}))
    run = begin(TWO, client(), {"model": model, "person": Person()}, lambda _: None)  # type: ignore[arg-type]
    first = await make_plan(TWO, run.model, run.tools)
    assert await make_plan(TWO, run.model, run.tools) == first
    assert len(prompts) == 1
    assert len(first.asks) == 1


async def test_a_model_that_fails_leaves_the_rule_and_a_note(client: Any) -> None:
    """With its reason."""
    plan, tools = await planned(client(), TWO, says("no plan at all")[0])

    assert plan.by == "rule"
    assert len(tools.notes) == 1
    assert tools.notes[0].startswith("the model made no plan (")
    assert tools.notes[0].endswith("); it was made by rule")
