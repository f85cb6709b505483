"""A model plans and writes: what it says is checked against the sources, or the extract stands."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.answers.conftest import Model, Web

TASK = "How do sea otters sleep? What do sea otters eat each day?"
GOOD = '## Sleep\n\nThey hold hands [1: "Sea otters hold hands while they sleep"].'


async def test_the_model_plans_and_writes(client: Any, web: Web, model: Model) -> None:
    """From the pages, fenced, in the length that was asked for; its name is in the report."""
    model.plans("How do sea otters sleep?", "What do sea otters eat?")
    model.says("Write", GOOD + ' A moon [1: "green cheese on the moon"]. They float.')
    report = await client(**model.settings).research(TASK, output_length="short")
    [(rules, _)] = model.asked("Write")

    assert report.written_by == "small"
    assert report.text.startswith("## Sleep\n\nThey hold hands. [1] They float. (not verified)")
    assert [s.title for s in report.sources] == ["How otters sleep"]
    assert "150 words" in rules
    assert web.queries == ["How do sea otters sleep?", "What do sea otters eat?"]
    assert any("sentences cut" in note for note in report.notes)
    assert any("not verified" in note for note in report.notes)


@pytest.mark.parametrize(
    "plan",
    ["nonsense", "[]", "{}", '{"questions": 3}', '{"questions": [3, {"question": 4}]}',
     '{"questions": [{"question": " "}]}', "{" * 100_000],
)  # fmt: skip
async def test_a_plan_that_cannot_be_read_is_made_by_rule(
    plan: str, client: Any, model: Model
) -> None:
    """Nothing of it is searched for."""
    model.says("Plan", plan)
    model.says("Write", GOOD)
    report = await client(**model.settings).research(TASK)

    assert len(report.answered) == 2
    assert any("it was made by rule" in note for note in report.notes)


async def test_a_plan_is_bounded(client: Any, web: Web, model: Model) -> None:
    """In questions, queries and characters."""
    long = "sleep " * 500
    questions = [{"question": f"{n} {long}", "queries": [f"{n} {long}"] * 9} for n in range(50)]
    model.says("Plan", "```json\n" + json.dumps({"questions": questions}) + "\n```")
    await client(**model.settings).research(TASK, model="mini")

    assert len(web.queries) <= 4 * 2
    assert max(map(len, web.queries)) <= 300
