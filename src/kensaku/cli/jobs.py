"""Manage jobs: crawls, research and bulk indexing, which survive a crash.

  list        list the jobs of this database, the newest first
  show ID     print one job: its arguments, progress and result
  cancel ID   stop a job, wherever it runs
  resume ID   continue a cancelled, failed or interrupted job, and wait for it

`resume` runs the job in this process, unless a server on the same database does. Exit status: 0
done, 1 failed, 2 wrong usage.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING

from kensaku.cli._options import add_common_options, load_settings
from kensaku.cli._terminal import format_table, print_json, print_message, print_result, t
from kensaku.errors import UsageError
from kensaku.messages import msg
from kensaku.text.clean import one_line

if TYPE_CHECKING:
    from kensaku.jobs import Job, Jobs

USAGE = "[options] ACTION [ID]"
EXTRA = "database"
ACTIONS = ("list", "show", "cancel", "resume")
STATUS = {
    "queued": msg("queued"),
    "running": msg("running"),
    "done": msg("done"),
    "failed": msg("failed"),
    "cancelled": msg("cancelled"),
}
_FIRST_ARGUMENT = ("url", "sources", "question", "query")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the action, the job and the bounds of the list."""
    add = parser.add_argument
    add(
        "action",
        choices=ACTIONS,
        metavar="ACTION",
        help=msg("one of {names}", names=", ".join(ACTIONS)),
    )
    add("id", nargs="?", metavar="ID", help="the job")
    add("--tenant", metavar="NAME", help="only the jobs of this tenant")
    add("--limit", type=int, default=50, metavar="N", help="list: at most N jobs (default 50)")
    add("--workers", type=int, metavar="N", help="resume: parsing processes (default: the cores)")
    add_common_options(parser)


async def run(args: argparse.Namespace) -> int:
    """Run an action on the jobs of the configured database."""
    from kensaku.jobs import Jobs

    if (args.id is None) != (args.action == "list"):
        takes = msg("no ID") if args.action == "list" else msg("the ID of a job")
        raise UsageError(msg("jobs {action} takes {takes}", action=args.action, takes=takes))
    check_workers(args.workers)
    async with Jobs(load_settings(args), workers=args.workers) as jobs:
        if args.action == "list":
            return _print_list(args, await jobs.list(tenant=args.tenant, limit=args.limit))
        return await _act(args, jobs)


def check_workers(workers: int | None) -> None:
    """Raise for a number of workers that no machine has."""
    if workers is not None and not 1 <= workers <= 256:
        raise UsageError(msg("workers is {workers}; it must be from 1 to 256", workers=workers))


async def _act(args: argparse.Namespace, jobs: Jobs) -> int:
    from kensaku.cli._follow import follow, print_job

    if args.action == "resume":
        job = await jobs.resume(args.id, tenant=args.tenant)
        if not job.finished:
            await jobs.start()
        return await follow(jobs, args.id, json=args.json)
    act = jobs.cancel if args.action == "cancel" else jobs.get
    print_job(await act(args.id, tenant=args.tenant), json=args.json)
    return 0


def _print_list(args: argparse.Namespace, jobs: Sequence[Job]) -> int:
    if args.json:
        print_json([job.to_dict() for job in jobs])
    elif jobs:
        head = [msg("id"), msg("kind"), msg("status"), msg("done"), msg("created"), msg("what")]
        rows: list[list[str]] = [head]
        rows += [_row(job) for job in jobs]
        print_result(format_table(rows))
    else:
        print_message(t("there are no jobs"))
    return 0


def _row(job: Job) -> list[str]:
    what = next((job.arguments[n] for n in _FIRST_ARGUMENT if n in job.arguments), "")
    first = what[0] if isinstance(what, list) and what else what
    created = job.created.strftime("%Y-%m-%d %H:%M") if job.created else ""
    share = "100%" if job.status == "done" else f"{job.progress.share:.0%}"
    return [job.id, job.kind, t(STATUS[job.status]), share, created, one_line(str(first))[:60]]
