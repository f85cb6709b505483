"""Research as a job: each step of a run is a step of the job, so that nothing is asked twice.

request → pending steps side by side → … → report
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from kensaku.research.report import report_of
from kensaku.research.state import State, pending, start
from kensaku.research.steps import perform

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
        results = await asyncio.gather(*(_step(job, name, state) for name in names))
        for name, result in zip(names, results, strict=True):
            state = state.record(name, result)
    return report_of(state).to_dict()


async def run_part(job: JobRun, part: Mapping[str, Any]) -> dict[str, Any]:
    """Research has no parts."""
    raise NotImplementedError


async def _step(job: JobRun, name: str, state: State) -> dict[str, Any]:
    return await job.step(name, lambda: perform(name, state, job.client))
