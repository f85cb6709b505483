"""The last step: an extract always, and the model's text or values over it when they hold."""

from __future__ import annotations

import json
from typing import Any

import pytest

from kensaku.answers.report.write import evidence_of, outcome_of, write_report
from kensaku.models import Hit, Outcome
from tests.answers.report.states import SLEEP, A, found, plan, state

HANDS = "Otters hold hands while they sleep."
WHO = "Who painted the Mona Lisa?"


class Says:
    """A model that says one thing."""

    name = "small"

    def __init__(self, reply: str) -> None:
        self.reply, self.asked = reply, 0

    async def ask(self, system: str, user: str, seconds: float | None = None) -> str:
        self.asked += 1
        return self.reply


def run(*questions: str, text: str = HANDS, **options: Any) -> Any:
    hit = Hit(A, "Sleep", text, provider="tavily", published="2024-03-02")
    empty = {f"search-1-{n}": found(outcome="empty") for n in range(2, len(questions) + 1)}
    results = {"plan": plan(*questions), "search-1-1": found(hit), **empty}
    return state(results, **options)


async def write(state: Any, model: Says | None, seconds: float) -> dict[str, Any]:
    return await write_report(state, evidence_of(state, "estimate"), model, seconds)


async def test_an_extract_has_all_its_parts() -> None:
    """Ready for JSON; a question without an answer counts 0."""
    written = await write(run(SLEEP, WHO), None, 9)
    confidence = written.pop("confidence")

    assert 0 < confidence == round(0.8 / 2, 3)
    assert written == {
        "outcome": "found",
        "text": f"## {SLEEP}\n\n{HANDS} [1]\n\n## Not found\n\n- {WHO}\n\n## Sources\n\n"
        f"- [1] Sleep. {A} (2024-03-02)",
        "structured": None,
        "basis": {},
        "sources": [
            {
                "n": 1,
                "url": A,
                "title": "Sleep",
                "published": "2024-03-02",
                "author": None,
                "favicon": None,
                "passages": [{"start": 0, "end": len(HANDS), "text": HANDS}],
            }
        ],
        "written_by": "extract",
        "said": None,
        "answered": [SLEEP],
        "missing": [WHO],
        "notes": [],
    }


async def test_a_models_text_stands_when_it_holds() -> None:
    """What was cut or marked is said, and what it said is kept."""
    said = 'Hands [1: "hold hands while"]. Cheese [1: "made of cheese"]. More.'
    written = await write(run(SLEEP), Says(said), 9)

    assert written["text"].startswith("Hands. [1] More. (not verified)\n\n## Sources")
    assert (written["written_by"], written["said"]) == ("small", said)
    assert written["notes"] == [
        "sentences cut, because no citation of theirs holds: 1",
        "sentences marked as not verified: 1",
    ]
    clean = await write(run(SLEEP), Says('Hands [1: "hold hands while"].'), 9)
    assert clean["notes"] == []


@pytest.mark.parametrize(
    ("reply", "seconds", "why"),
    [
        ("Nothing is cited.", 9, "none of its citations stands in its source"),
        ('Hands [1: "hold hands while"].', 0, "no time was left"),
    ],
)
async def test_a_model_that_does_not_hold_leaves_the_extract(
    reply: str, seconds: float, why: str
) -> None:
    """With the reason."""
    model = Says(reply)
    written = await write(run(SLEEP), model, seconds)

    assert written["written_by"] == "extract"
    assert written["said"] is None
    assert written["notes"] == [f"the model did not write ({why}); this is an extract"]
    assert model.asked == bool(seconds)


async def test_values_are_cited_with_the_numbers_of_the_report() -> None:
    """By the model when its quotes hold, else by extract; what is missing is said."""
    schema = {
        "properties": {
            "how": {"type": "string", "description": SLEEP},
            "zebra": {"type": "integer"},
        }
    }
    task = run(SLEEP, output_schema=schema)
    plain = await write(task, None, 9)
    assert plain["structured"] == {"how": HANDS, "zebra": None}
    assert plain["basis"] == {"how": {"source": 1, "quote": HANDS}}
    assert plain["notes"] == ["nothing was found for: zebra"]

    reply = {"content": {"how": "hands"}, "basis": {"how": {"source": 1, "quote": "hold hands"}}}
    model = Says(json.dumps(reply))
    written = await write(task, model, 9)
    assert written["structured"] == {"how": "hands", "zebra": None}
    assert written["basis"] == {"how": {"source": 1, "quote": "hold hands"}}
    assert (written["written_by"], written["said"]) == ("small", model.reply)
    assert written["notes"] == ["nothing was found for: zebra"]
    assert [s["n"] for s in written["sources"]] == [1]

    reply["basis"] = {}
    bad = await write(task, Says(json.dumps(reply)), 9)
    assert bad["structured"] == plain["structured"]
    assert bad["notes"][-1] == (
        "the model did not write (none of its values is supported by its quote); this is an extract"
    )


async def test_sentences_of_another_language_are_said_to_be() -> None:
    """An extract cannot translate."""
    written = await write(run("ラッコ", text="ラッコは海で眠ります。"), None, 9)
    assert written["notes"] == ["sentences of the sources are quoted in their own language: ja"]


async def test_nobody_could_search_is_no_report() -> None:
    """No text, no values, no confidence, no notes; and no model is asked."""
    failed = state({"plan": plan(SLEEP), "search-1-1": found(outcome="unavailable")},
                   output_schema={"properties": {"a": {}}})  # fmt: skip
    model = Says("x")
    written = await write(failed, model, 9)

    assert written == {
        "outcome": "unavailable",
        "text": None,
        "structured": None,
        "basis": {},
        "sources": [],
        "written_by": "extract",
        "said": None,
        "answered": [],
        "missing": [SLEEP],
        "confidence": None,
        "notes": [],
    }
    assert model.asked == 0


def test_the_outcome_of_a_run() -> None:
    """Found, empty, or nobody could search; a file is something that was found."""
    failed, empty = found(outcome="unavailable"), found(outcome="empty")
    questions = plan(SLEEP, WHO)

    def outcome(one: Any, two: Any, **options: Any) -> Outcome:
        results = {"plan": questions, "search-1-1": one, "search-1-2": two}
        return outcome_of(state(results, **options))

    assert outcome(failed, failed) is Outcome.UNAVAILABLE
    assert outcome(failed, empty) is Outcome.EMPTY
    assert outcome(failed, found(Hit(A, "A"))) is Outcome.FOUND
    assert outcome(failed, failed, files=[{"name": "n.txt", "text": "x"}]) is Outcome.FOUND
