"""Jobs: list, watch, cancel, resume; crawl a site into a collection."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

from kensaku.server.api.base import Call, Endpoint, Event
from kensaku.server.page import jobs as view
from kensaku.server.page.render import render

POLL = 1.0  # seconds between two looks at the jobs
SITE = {"max_depth": 3, "limit": 500, "allow_external": False, "sitemap": True}
WATCHED = 1_800.0  # seconds after which a page that is still open has to ask again


async def listed(call: Call) -> dict[str, Any]:
    """The newest jobs of the tenant."""
    jobs = await call.state.jobs()
    found = await jobs.list(tenant=call.principal.tenant, limit=view.MAX_LISTED)
    return {"jobs": [job.to_dict() for job in found]}


async def watch(call: Call) -> AsyncIterator[Event]:
    """The list of jobs as a part of the page, whenever it changes, until all have ended."""
    before = ""
    for _ in range(int(WATCHED / POLL)):
        jobs = await view.listed(call.page)
        html = render(call.page, "_jobs.html", jobs=jobs)
        if html != before:
            yield "jobs", {"html": html}
        else:
            yield "same", {}  # so that a browser that has gone is noticed
        before = html
        if call.state.draining or not any(job.can_cancel for job in jobs):
            return
        await asyncio.sleep(POLL)


async def cancel(call: Call) -> dict[str, Any]:
    """Stop a job."""
    jobs = await call.state.jobs()
    return (await jobs.cancel(call.path["id"], tenant=call.principal.tenant)).to_dict()


async def resume(call: Call) -> dict[str, Any]:
    """Go on with a job that was cancelled or has failed."""
    jobs = await call.state.jobs()
    return (await jobs.resume(call.path["id"], tenant=call.principal.tenant)).to_dict()


async def crawl(call: Call) -> dict[str, Any]:
    """Crawl the site at `url` into a collection, as a job."""
    jobs, who = await call.state.jobs(), call.principal
    arguments = {**SITE, "url": call.text("url", 8_000), "collection": call.path["name"]}
    id = await jobs.submit("crawl", arguments, tenant=who.tenant, key_id=who.key_id)
    return {"id": id, "said": call.page.t("The job {id} has begun", id=id)}


ENDPOINTS = [
    Endpoint("GET", "/api/jobs", listed),
    Endpoint("POST", "/api/jobs/watch", watch, admitted=False),
    Endpoint("POST", "/api/jobs/{id}/cancel", cancel),
    Endpoint("POST", "/api/jobs/{id}/resume", resume),
    Endpoint("POST", "/api/collections/{name}/sites", crawl),
]
