"""The view Jobs: long work with its progress; scripts keep it current."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from kensaku.server.page import snippets

if TYPE_CHECKING:
    from kensaku.jobs import Job
    from kensaku.server.page.request import PageRequest
    from kensaku.server.page.words import Words

MAX_LISTED = 50
TONES = {"queued": "faint", "running": "accent", "done": "ok", "failed": "bad", "cancelled": "warn"}


@dataclass(frozen=True, slots=True)
class JobView:
    """A job, ready to be shown."""

    id: str
    kind: str
    about: str
    status: str
    tone: str
    share: float  # per cent
    progress: str
    created: str
    error: str
    can_cancel: bool
    can_resume: bool


async def show(page: PageRequest) -> dict[str, Any]:
    """The values of `jobs.html`."""
    return {"jobs": await listed(page), "use": snippets.for_jobs(page)}


async def listed(page: PageRequest) -> list[JobView]:
    """The newest jobs of the tenant."""
    jobs = await page.state.jobs()
    found = await jobs.list(tenant=page.principal.tenant, limit=MAX_LISTED)
    return [_view(page.words, job) for job in found]


def _view(t: Words, job: Job) -> JobView:
    about = job.arguments
    names = (about.get("url"), about.get("query"), about.get("input"), about.get("collection"))
    p = job.progress
    return JobView(
        id=job.id,
        kind=t.get(f"jobs.kind.{job.kind}", job.kind),
        about=next((str(n)[:200] for n in names if n), ""),
        status=t(f"jobs.{job.status}"),
        tone=TONES[job.status],
        share=100.0 if job.status == "done" else 100 * p.share,
        progress=_progress(t, job),
        created=job.created.strftime("%Y-%m-%d %H:%M UTC") if job.created else "",
        error=job.error or "",
        can_cancel=not job.finished,
        can_resume=job.status in ("failed", "cancelled"),
    )


def _progress(t: Words, job: Job) -> str:
    p = job.progress
    counts = t("jobs.progress", done=f"{p.done:,}", total=f"{p.total:,}") if p.total else ""
    documents = t("collections.documents", n=p.documents) if p.documents else ""
    stage = t.get(f"jobs.stage.{p.stage}", p.stage)
    return " · ".join(part for part in (stage, counts, documents) if part)
