"""Book what a job does on the key that started it: its usage, its searches and its money.

    job → its key, which must be live → caller and budget of the task → usage | BudgetExceeded

The counters are in the database and in the store, so whichever process runs the job books alike.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING

from kensaku.errors import DatabaseFault, JobFailed
from kensaku.messages import msg
from kensaku.observe import Caller, caller
from kensaku.search.budget import current_budget

if TYPE_CHECKING:
    from kensaku.client import Kensaku
    from kensaku.database import Database
    from kensaku.database.usage import UsageWriter
    from kensaku.jobs.run import JobRun
    from kensaku.observe import Observer
    from kensaku.search.budget import Budget


class Accounting:
    """Books in one database."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._usage: UsageWriter | None = None

    async def open(self) -> Observer:
        """Begin to write, and return the observer that records usage."""
        from kensaku.database.usage import UsageWriter
        from kensaku.database.usage_observer import UsageObserver

        self._usage = await UsageWriter(self._database).__aenter__()
        return UsageObserver(self._usage)

    async def flush(self) -> None:
        """Write what was used. What cannot be written now is kept and written later."""
        if self._usage is not None:
            with suppress(DatabaseFault):
                await self._usage.flush()

    async def close(self) -> None:
        """Write what is left."""
        if self._usage is not None:
            await self._usage.close()

    @asynccontextmanager
    async def booked(self, job: JobRun) -> AsyncIterator[None]:
        """Book on the job's key what is done inside of this.

        Raises `JobFailed`: the key was revoked, or has expired.
        """
        budget = await self._budget(job)
        who = Caller(job.id, job.tenant, job.key_id, f"jobs/{job.kind}")
        caller_token, budget_token = caller.set(who), current_budget.set(budget)
        try:
            yield
        finally:
            caller.reset(caller_token)
            current_budget.reset(budget_token)

    async def _budget(self, job: JobRun) -> Budget | None:
        if not job.key_id:
            return None  # of the command line, or of a server without keys
        from kensaku.database.key_budgets import KeyBudgets
        from kensaku.database.keys import get_key

        key = await get_key(self._database, job.key_id)
        if key is None or not key.is_live():
            raise JobFailed(
                msg("the key that started this job was revoked or has expired"),
                remedy=msg("start it again with another key"),
            )
        client: Kensaku = job.client
        return KeyBudgets(client.resources.store).of_run(key, client.resources.budget)
