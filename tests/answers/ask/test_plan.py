"""The plan of a run: what the person's words give, and what a model may add to it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from kensaku.assistant import Planned
from tests.answers.conftest import Web

from .conftest import BOTH, GOOD, PLAN, SLEEP, all_events, says


async def planned(k: Any, question: str, **options: Any) -> Planned:
    """The plan of a question."""
    events = await all_events(k.ask_events(question, **options))
    return next(e for e in events if isinstance(e, Planned))


@pytest.mark.parametrize(
    ("question", "read"),
    [
        ("see {url}/x. What of zzyzx?", ["/x"]),
        ("({url}/y?q=1), {url}/x; what of zzyzx?", ["/x", "/y?q=1"]),
        ("「{url}/x」を読んで、zzyzxは？", ["/x"]),
        ("{url}/x {url}/x zzyzx?", ["/x"]),
        ("ftp://127.0.0.1/x 127.0.0.1/y zzyzx?", []),
        (" ".join(f"{{url}}/{n}" for n in range(6)) + " zzyzx?", [f"/{n}" for n in range(5)]),
    ],
)
async def test_pages_are_read_whose_addresses_the_person_wrote(
    question: str, read: list[str], client: Any, web: Web
) -> None:
    """Without the marks of the sentence; each once, five at most."""
    await client().ask(question.format(url=web.upstream.url))

    pages = [r.target for r in web.upstream.requests if r not in web.upstream.asked("tavily")]
    assert sorted(pages) == read


async def test_a_simple_question_is_planned_by_rule(client: Any) -> None:
    """A model is not asked up to 200 characters and one question; addresses are no words of it."""
    short = f"Why {'otters ' * 27}sleeps?"
    assert len(short) == 200
    for question, by_model in ((short, False), (short + "x", True), (BOTH, True)):
        model, prompts = says(json.dumps(PLAN), GOOD)
        plan = await planned(client(), question, model=model)
        assert (plan.by == model.model_name) is by_model
        assert prompts[0].startswith("Plan") is by_model

    plan = await planned(client(), f"{SLEEP} https://a.example/x")
    assert plan.questions == (SLEEP,)


async def test_a_model_is_told_what_may_be_spent(client: Any) -> None:
    """And which day it is: it plans for that."""
    model, prompts = says(json.dumps(PLAN), GOOD)
    await client(assistant_searches=7, assistant_money=0.5).ask(BOTH, model=model)

    assert "What may be spent: 7 searches, 12 pages, 60000 tokens, 0.5 dollars" in prompts[0]
    assert "Today is " in prompts[0]


async def test_at_most_four_questions_are_looked_into(client: Any, web: Web) -> None:
    """By rule and by a model alike; the queries are those of the plan, and no others."""
    many = " ".join(f"What does otter number {n} eat?" for n in range(6))
    said = {"questions": [{"question": f"q{n}", "queries": [f"q{n}"]} for n in range(6)]}

    assert len((await planned(client(), many)).questions) == 4
    before = len(web.queries)
    plan = await planned(client(), many, model=says(json.dumps(said), GOOD)[0])
    assert plan.questions == ("q0", "q1", "q2", "q3")
    assert set(web.queries[before:]) == set(plan.questions)
