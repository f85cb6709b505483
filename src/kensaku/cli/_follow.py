"""Run a job on the terminal and follow it: a bar with rate and time left, then its result."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, Any

from kensaku.cli._terminal import (
    ProgressBar,
    format_duration,
    print_json,
    print_message,
    print_result,
    t,
)
from kensaku.messages import msg
from kensaku.models import ProgressEvent
from kensaku.text.width import display_width

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kensaku.config.settings import Settings
    from kensaku.jobs import Job, Jobs


async def run_job(
    settings: Settings,
    kind: str,
    arguments: Mapping[str, Any],
    *,
    json: bool,
    workers: int | None = None,
) -> int:
    """Run a job in this process and show its progress; resume the same job after a crash."""
    from kensaku.jobs import Jobs
    from kensaku.jobs.kinds import kind_of

    checked = kind_of(kind).check(arguments, operator=True)
    async with Jobs(settings, workers=workers) as jobs:
        listed = await jobs.list(tenant=settings.tenant, kind=kind)
        same = [job.id for job in listed if not job.finished and job.arguments == checked]
        if same:
            id = same[0]
            print_message(t("going on with job {id}", id=id))
        else:
            id = await jobs.submit(kind, checked, tenant=settings.tenant, operator=True)
        await jobs.start()
        return await follow(jobs, id, json=json)


async def follow(jobs: Jobs, id: str, *, json: bool) -> int:
    """Show the progress of a job until it ends; print its result. Return the exit status."""
    bar = ProgressBar()
    meter: _Meter | None = None
    try:
        async for job in jobs.events(id):
            if job.status == "running":
                meter = meter or _Meter(job)
                progress = job.progress
                bar(ProgressEvent(meter.describe(job), progress.done, progress.total))
    except asyncio.CancelledError:
        bar.clear()
        print_message(t("stopped; it goes on with: kensaku jobs resume {id}", id=id))
        raise
    finally:
        bar.clear()
    print_job(job, json=json)
    return int(job.status != "done")


def print_job(job: Job, *, json: bool) -> None:
    """Print the details of a job."""
    if json:
        print_json(job.to_dict())
        return
    p = job.progress
    rows: dict[str, Any] = {"id": job.id, "kind": job.kind, "status": job.status}
    rows |= {"tenant": job.tenant, "key": job.key_id, **job.arguments}
    if p.total:
        rows["progress"] = t(
            "{share:.0%}, {documents:,} documents; {stage}",
            share=p.share,
            documents=p.documents,
            stage=t(p.stage),
        )
    rows |= job.result or {}
    rows["error"] = job.error
    values = {name: value for name, value in rows.items() if value not in ("", None, [], {})}
    names = {name: t(NAMES.get(name, name)) for name in values}
    width = max(map(display_width, names.values()))
    lines = [
        f"{said}{' ' * (width - display_width(said))}  {_text(values[name])}"
        for name, said in names.items()
    ]
    print_result("\n".join(lines))


NAMES = {
    "kind": msg("kind"),
    "status": msg("status"),
    "tenant": msg("tenant"),
    "key": msg("key"),
    "progress": msg("progress"),
    "error": msg("error"),
}


class _Meter:
    """How fast a job is, since it is watched."""

    def __init__(self, job: Job) -> None:
        self._began, self._first = time.monotonic(), job.progress

    def describe(self, job: Job) -> str:
        """Return stage, rate and the time that is left."""
        p, seconds = job.progress, time.monotonic() - self._began
        words = [t(p.stage) if p.stage else job.kind]
        if seconds > 1 and p.documents > self._first.documents:
            rate = (p.documents - self._first.documents) / seconds
            words.append(t("{rate:,.0f} documents/s", rate=rate))
        if seconds > 1 and p.total and p.done > self._first.done:
            left = (p.total - p.done) * seconds / (p.done - self._first.done)
            words.append(t("{duration} left", duration=format_duration(left)))
        return ", ".join(words)


def _text(value: Any) -> str:
    from kensaku.text.clean import one_line

    if isinstance(value, dict):
        return ", ".join(f"{one_line(str(k))}: {_text(v)}" for k, v in value.items())
    if isinstance(value, list):
        return "; ".join(_text(v) for v in value)
    return f"{value:,}" if isinstance(value, int) else one_line(str(value))
