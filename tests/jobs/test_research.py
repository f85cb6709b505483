"""Research as a job: which steps it does, and what a spent budget does to it."""

from __future__ import annotations

from typing import Any

import pytest

from kensaku.errors import BudgetExceeded, InvalidQuery, ProviderError, UnknownName
from kensaku.jobs import research
from kensaku.models import Attempt, Outcome
from kensaku.research.state import State, start

from .fake_job import FakeJob

ASKED = {"input": "How do sea otters sleep?", "model": "mini"}


def test_a_request_is_stored_whole() -> None:
    """So that a later version of the defaults does not change it."""
    stored = research.check(ASKED)

    assert stored == start(ASKED["input"], {"model": "mini"}).request.to_dict()
    assert research.check(stored) == stored


@pytest.mark.parametrize(
    ("arguments", "error"), [({}, InvalidQuery), ({"input": "otters", "modl": "mini"}, UnknownName)]
)
def test_a_request_that_cannot_work_is_refused(
    arguments: dict[str, Any], error: type[Exception]
) -> None:
    """Before anything is stored."""
    with pytest.raises(error):
        research.check(arguments)


async def test_the_steps_of_a_run_are_steps_of_the_job(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those that come next side by side, until there is a report."""
    steps: list[tuple[str, int]] = []
    rounds = [["plan"], ["search-1-1", "search-1-2"], ["read-1"], []]

    def next_steps(state: State) -> list[str]:
        return rounds.pop(0)

    async def perform(name: str, state: State, client: Any) -> dict[str, Any]:
        assert client == "client"
        steps.append((name, len(state.results)))
        return {"of": name}

    monkeypatch.setattr(research, "pending", next_steps)
    monkeypatch.setattr(research, "perform", perform)
    monkeypatch.setattr(research, "report_of", lambda state: state)
    job = FakeJob("client")
    found = await research.run(job, research.check(ASKED))

    assert job.events == [
        ("plan", 0, 0, 0), "plan",
        ("search", 1, 0, 0), "search-1-1", "search-1-2",
        ("read", 3, 0, 0), "read-1",
    ]  # fmt: skip
    assert steps == [("plan", 0), ("search-1-1", 1), ("search-1-2", 1), ("read-1", 3)]
    assert found["results"] == {
        name: {"of": name} for name in ("plan", "search-1-1", "search-1-2", "read-1")
    }
    assert found["request"]["input"] == ASKED["input"]


def searched(outcome: Outcome, *errors: Exception) -> dict[str, Any]:
    attempts = [Attempt("tavily", outcome, error).to_dict() for error in errors]  # type: ignore[arg-type]
    return {"outcome": str(outcome), "attempts": attempts}


SPENT = BudgetExceeded("the budget of 1 searches is spent")
DOWN = ProviderError("tavily", "no")


async def test_a_search_that_nobody_was_asked_for_want_of_budget_has_failed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Resuming the job searches again."""

    async def perform(*_: Any) -> dict[str, Any]:
        return searched(Outcome.UNAVAILABLE, DOWN, SPENT)

    monkeypatch.setattr(research, "perform", perform)
    state = start(ASKED["input"], {})
    with pytest.raises(BudgetExceeded) as failed:
        await research._perform("search-1-1", state, FakeJob())  # type: ignore[arg-type]

    assert failed.value.message == SPENT.message
    remedy = "resume the job when there is budget again: kensaku jobs resume job-1"
    assert failed.value.remedy == remedy


@pytest.mark.parametrize(
    "result",
    [
        searched(Outcome.FOUND, SPENT),
        searched(Outcome.UNAVAILABLE, DOWN),
        searched(Outcome.UNAVAILABLE),
        {"outcome": "unavailable"},
        {"attempts": [Attempt("tavily", Outcome.UNAVAILABLE, SPENT).to_dict()]},
        {"text": "# Otters"},
    ],
)
async def test_any_other_result_stands(
    result: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Somebody searched, or it was not for want of money."""

    async def perform(*_: Any) -> dict[str, Any]:
        return result

    monkeypatch.setattr(research, "perform", perform)
    state = start(ASKED["input"], {})

    assert await research._perform("search-1-1", state, FakeJob()) is result  # type: ignore[arg-type]
