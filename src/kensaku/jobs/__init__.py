"""Long work that survives a kill: crawls and bulk indexing as durable jobs in the database.

    async with Jobs(settings) as jobs:          # submit, watch, cancel and resume from any process
        await jobs.start()                      # and run jobs in this one
        id = await jobs.submit("crawl", {"url": "https://…", "collection": "docs"})
        async for job in jobs.events(id):
            print(job.status, job.progress)

A job is a run in the server's database, with an owner whose lease is renewed. Each finished step is
stored; after a kill, this process's successor or another one goes on after the last of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kensaku._lazy import attach

if TYPE_CHECKING:
    from kensaku.jobs.job import Job as Job
    from kensaku.jobs.job import JobProgress as JobProgress
    from kensaku.jobs.jobs import Jobs as Jobs
else:
    __getattr__, __dir__, __all__ = attach(__name__, job=("Job", "JobProgress"), jobs=("Jobs",))
