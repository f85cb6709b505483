"""The last step: an extract always, and the model's text or values over it when they hold."""

from __future__ import annotations

from typing import Any

from kensaku.answers.report.write import evidence_of, write_report
from kensaku.models import Hit
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


async def test_a_question_without_an_answer_counts_as_no_confidence() -> None:
    """The report is as sure as its questions are on average."""
    written = await write(run(SLEEP, WHO), None, 9)

    assert written["confidence"] == round(0.8 / 2, 3)
    assert (written["answered"], written["missing"]) == ([SLEEP], [WHO])


async def test_a_model_is_not_asked_when_no_time_is_left() -> None:
    """The extract stands, with the reason."""
    model = Says('Hands [1: "hold hands while"].')
    written = await write(run(SLEEP), model, 0)

    assert (written["written_by"], written["said"], model.asked) == ("extract", None, 0)
    assert written["notes"] == ["the model did not write (no time was left); this is an extract"]


async def test_sentences_of_another_language_are_said_to_be() -> None:
    """An extract cannot translate."""
    written = await write(run("ラッコ", text="ラッコは海で眠ります。"), None, 9)
    assert written["notes"] == ["sentences of the sources are quoted in their own language: ja"]
