"""The view Jobs: long work with its progress; scripts keep it current."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from kensaku.messages import msg
from kensaku.server.page import snippets

if TYPE_CHECKING:
    from kensaku.jobs import Job
    from kensaku.locale import Translator
    from kensaku.server.page.request import PageRequest

MAX_LISTED = 50
TONES = {"queued": "faint", "running": "accent", "done": "ok", "failed": "bad", "cancelled": "warn"}
STATES = {
    "queued": msg("queued"),
    "running": msg("running"),
    "done": msg("done"),
    "failed": msg("failed"),
    "cancelled": msg("cancelled"),
}
KINDS = {
    "crawl": msg("crawl"),
    "research": msg("research"),
    "bulk": msg("bulk indexing"),
}
STAGES = {
    "crawling": msg("crawling"),
    "looking at the sources": msg("looking at the sources"),
    "indexing": msg("indexing"),
    "optimizing": msg("optimizing"),
    "plan": msg("planning"),
    "search": msg("searching"),
    "read": msg("reading"),
    "weigh": msg("weighing"),
    "write": msg("writing"),
}


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
    return [_view(page.t, job) for job in found]


def _view(t: Translator, job: Job) -> JobView:
    about = job.arguments
    names = (about.get("url"), about.get("query"), about.get("input"), about.get("collection"))
    p = job.progress
    return JobView(
        id=job.id,
        kind=t(KINDS.get(job.kind, job.kind)),
        about=next((str(n)[:200] for n in names if n), ""),
        status=t(STATES[job.status]),
        tone=TONES[job.status],
        share=100.0 if job.status == "done" else 100 * p.share,
        progress=_progress(t, job),
        created=job.created.strftime("%Y-%m-%d %H:%M UTC") if job.created else "",
        error=job.error or "",
        can_cancel=not job.finished,
        can_resume=job.status in ("failed", "cancelled"),
    )


def _progress(t: Translator, job: Job) -> str:
    p = job.progress
    counts = t("{done} of {total}", done=f"{p.done:,}", total=f"{p.total:,}") if p.total else ""
    documents = t("{n:,} document", "{n:,} documents", n=p.documents) if p.documents else ""
    stage = t(STAGES.get(p.stage, p.stage))
    return " · ".join(part for part in (stage, counts, documents) if part)
