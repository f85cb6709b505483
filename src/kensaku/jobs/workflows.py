"""The two workflows that DBOS stores and calls again after a kill: a job, and a part of one.

Importing this module registers them; it takes a second, so only a process that runs jobs does.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from typing import Any, cast

from dbos import DBOS

from kensaku.errors import JobFailed, KensakuError
from kensaku.jobs.executor import running_executor
from kensaku.jobs.kinds import KindWithParts, kind_of
from kensaku.jobs.names import JOB, PART
from kensaku.jobs.run import JobRun

MAX_RECOVERIES = 50  # a job that kills every process that runs it stops here
_log = logging.getLogger(__name__)

Values = dict[str, Any]


@DBOS.workflow(name=JOB, max_recovery_attempts=MAX_RECOVERIES)
async def run_job(kind: str, tenant: str, arguments: Values, key_id: str = "") -> Values:
    """Run a job from its beginning; steps that finished before return what they returned."""
    job = JobRun(running_executor(), str(DBOS.workflow_id), kind, tenant, key_id)
    return await _run(job, lambda: kind_of(kind).run(job, arguments))


@DBOS.workflow(name=PART, max_recovery_attempts=MAX_RECOVERIES)
async def run_part(
    job_id: str, number: int, kind: str, tenant: str, part: Values, key_id: str = ""
) -> Values:
    """Run one part of a job."""
    job = JobRun(running_executor(), job_id, kind, tenant, key_id, number)
    parted = cast(KindWithParts, kind_of(kind))
    return await _run(job, lambda: parted.run_part(job, part))


async def _run(job: JobRun, work: Callable[[], Awaitable[Values]]) -> Values:
    executor = job.executor
    try:
        async with executor.running(), executor.accounting.booked(job):
            return await work()
    except KensakuError:
        raise
    except Exception as error:
        if type(error).__module__.startswith("dbos"):
            raise  # cancelled, or no longer ours
        # What an unknown error says may hold an address with a password.
        _log.exception("a job failed")
        raise JobFailed(f"it failed with {type(error).__name__}; the log has the details") from None
