"""Jobs: long work with its progress. List, watch, cancel, resume; crawl a site."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sse_starlette import ServerSentEvent

from kensaku.messages import msg
from kensaku.server.page import snippets
from kensaku.server.page.render import render
from kensaku.server.page.tabs import api, event, text_in
from kensaku.server.wires.base import searches_for

if TYPE_CHECKING:
    from kensaku.jobs import Job
    from kensaku.locale import Translator
    from kensaku.server.page.request import PageRequest
    from kensaku.server.wires.base import Asked

MAX_LISTED = 50
POLL = 1.0  # seconds between two looks at the jobs
WATCHED = 1_800.0  # seconds after which a page that is still open has to ask again
MAX_PAGES = 500
SITE = {"max_depth": 3, "limit": MAX_PAGES, "allow_external": False, "sitemap": True}
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
    "scrape": msg("reading pages"),
    "extract": msg("data extraction"),
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


async def show(page: PageRequest, asked: Asked) -> dict[str, Any]:
    """The values of `jobs.html`."""
    return {"jobs": await newest(page), "use": snippets.for_jobs(page)}


async def newest(page: PageRequest) -> list[JobView]:
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


async def listed(page: PageRequest, asked: Asked) -> dict[str, Any]:
    """List the newest jobs of the tenant."""
    jobs = await page.state.jobs()
    found = await jobs.list(tenant=page.principal.tenant, limit=MAX_LISTED)
    return {"jobs": [job.to_dict() for job in found]}


async def watch(page: PageRequest, asked: Asked) -> AsyncIterator[ServerSentEvent]:
    """Send the list of jobs as a part of the page, whenever it changes, until all have ended."""
    before = ""
    for _ in range(int(WATCHED / POLL)):
        jobs = await newest(page)
        html = render(page, "_jobs.html", jobs=jobs)
        # "same": so that a browser that has gone is noticed
        yield event("jobs", {"html": html}) if html != before else event("same", {})
        before = html
        if page.state.draining or not any(job.can_cancel for job in jobs):
            return
        await asyncio.sleep(POLL)


async def cancel(page: PageRequest, asked: Asked) -> dict[str, Any]:
    """Stop a job."""
    jobs = await page.state.jobs()
    return (await jobs.cancel(asked.path["id"], tenant=page.principal.tenant)).to_dict()


async def resume(page: PageRequest, asked: Asked) -> dict[str, Any]:
    """Go on with a job that was cancelled or has failed."""
    jobs = await page.state.jobs()
    return (await jobs.resume(asked.path["id"], tenant=page.principal.tenant)).to_dict()


async def crawl(page: PageRequest, asked: Asked) -> dict[str, Any]:
    """Crawl the site at `url` into a collection, as a job."""
    jobs, who = await page.state.jobs(), page.principal
    arguments = {**SITE, "url": text_in(asked, "url", 8_000), "collection": asked.path["name"]}
    id = await jobs.submit("crawl", arguments, tenant=who.tenant, key_id=who.key_id)
    return {"id": id, "said": page.t("The job {id} has begun", id=id)}


ENDPOINTS = [
    api("GET", "/api/jobs", listed),
    api("POST", "/api/jobs/watch", watch, is_admitted=False, is_counted=True),
    api("POST", "/api/jobs/{id}/cancel", cancel),
    api("POST", "/api/jobs/{id}/resume", resume),
    api(
        "POST",
        "/api/collections/{name}/sites",
        crawl,
        cost=lambda asked: searches_for(MAX_PAGES, 10),
    ),
]
