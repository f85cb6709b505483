"""Research as a job: each step of a run is a step of the job, so that nothing is asked twice.

request → pending steps side by side → … → report
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from kensaku.answers.report.report import report_of
from kensaku.answers.report.state import State, pending, start
from kensaku.answers.research import perform
from kensaku.errors import BudgetExceeded
from kensaku.models import Attempt, Outcome

if TYPE_CHECKING:
    from kensaku.jobs.run import JobRun


def check(arguments: Mapping[str, Any], *, operator: bool = False) -> dict[str, Any]:
    """Take `input` and the fields of `ResearchRequest`."""
    values = dict(arguments)
    return start(values.pop("input", ""), values).request.to_dict()


async def run(job: JobRun, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Do the steps of the run and return the report."""
    values = dict(arguments)
    state = start(values.pop("input"), values)
    while names := pending(state):
        await job.report(names[0].partition("-")[0], len(state.results))
        works = {name: partial(_perform, name, state, job) for name in names}
        for name, result in zip(names, await job.steps(works), strict=True):
            state = state.record(name, result)
    return report_of(state).to_dict()


async def _perform(name: str, state: State, job: JobRun) -> dict[str, Any]:
    result = await perform(name, state, job.client)
    _check_budget(job, result)
    return result


def _check_budget(job: JobRun, result: Mapping[str, Any]) -> None:
    """Raise `BudgetExceeded` for a search that nobody was asked because of it.

    Then the step has failed, and resuming the job searches again.
    """
    if result.get("outcome") != Outcome.UNAVAILABLE or "attempts" not in result:
        return
    errors = [Attempt.from_dict(attempt).error for attempt in result["attempts"]]
    spent = next((error for error in errors if isinstance(error, BudgetExceeded)), None)
    if spent is not None:
        remedy = f"resume the job when there is budget again: kensaku jobs resume {job.id}"
        raise BudgetExceeded(spent.message, remedy=remedy)
