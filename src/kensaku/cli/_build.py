"""`kensaku index build`: index large sources as a job of this process, and follow it."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from kensaku.cli._follow import follow
from kensaku.cli._options import load_settings
from kensaku.cli._terminal import print_message
from kensaku.cli.jobs import check_workers

if TYPE_CHECKING:
    from kensaku.jobs import Jobs


async def build(args: argparse.Namespace, collection: str) -> int:
    """Index the sources. The same command again goes on with what a kill interrupted."""
    from kensaku.jobs import Jobs
    from kensaku.jobs.bulk import check

    check_workers(args.workers)
    arguments = check({"sources": args.what, "collection": collection}, operator=True)
    settings = load_settings(args)
    async with Jobs(settings, workers=args.workers) as jobs:
        id = await _interrupted(jobs, arguments, settings.tenant)
        if id is None:
            id = await jobs.submit("bulk", arguments, tenant=settings.tenant, operator=True)
        else:
            print_message(f"going on with job {id}")
        await jobs.start()
        return await follow(jobs, id, json=args.json)


async def _interrupted(jobs: Jobs, arguments: dict[str, object], tenant: str) -> str | None:
    """Return the job with the same arguments that has not ended."""
    for job in await jobs.list(tenant=tenant, kind="bulk"):
        if not job.finished and job.arguments == arguments:
            return job.id
    return None
