"""Firecrawl's crawl, batch and extract: each request is a job of the key's tenant.

POST → job → {"success", "id", "url"}
GET  → status, and the documents so far, some at a time: `next` is where to ask for more
DELETE → cancelled | 409 once it has ended
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from kensaku.errors import InvalidQuery, UnknownJob
from kensaku.server.wires import _fields as fields
from kensaku.server.wires._firecrawl_pages import (
    URL,
    plan_of,
    prompt_of,
    same_host,
    url_of,
    wanted_of,
    written,
)
from kensaku.server.wires.base import Asked, Endpoint, searches_for

if TYPE_CHECKING:
    from kensaku.answers.scrape import Wanted
    from kensaku.jobs.job import Job
    from kensaku.jobs.jobs import Jobs
    from kensaku.server.request import Request

PAGES, MAX_PAGES, MAX_DEPTH = 100, 1_000, 5  # of a crawl: unless it says, at most, links deep
SOME, MAX_SOME = 100, 1_000  # documents in one reply
MAX_REPLY = 10_000_000  # characters of the documents in one reply
STATUSES = {"queued": "scraping", "running": "scraping", "done": "completed"}
_TEXTS = {"type": "array", "items": {"type": "string"}}
CRAWL: dict[str, Any] = {
    "url": URL,
    "limit": {"type": "integer", "minimum": 1},
    "maxDiscoveryDepth": {"type": "integer", "minimum": 0},
    "includePaths": _TEXTS,
    "excludePaths": _TEXTS,
    "allowExternalLinks": {"type": "boolean"},
    "allowSubdomains": {"type": "boolean"},
    "crawlEntireDomain": {"type": "boolean"},
    "sitemap": {"type": "string", "enum": ["include", "skip"]},
    "scrapeOptions": {"type": "object"},
}
BATCH: dict[str, Any] = {"urls": _TEXTS, "formats": {"type": "array"}}
EXTRACT: dict[str, Any] = {
    "urls": _TEXTS,
    "prompt": {"type": "string"},
    "schema": {"type": "object"},
}


class NotFound(InvalidQuery):
    """There is no such job, or it is another tenant's."""

    status = 404


class Ended(InvalidQuery):
    """The job has ended already."""

    status = 409


@dataclass(frozen=True, slots=True)
class Submit:
    """Start a job."""

    kind: str
    arguments: Mapping[str, Any] = field(repr=False)
    wanted: Wanted
    searches: int


def job_endpoints(version: str) -> list[Endpoint]:
    """The endpoints of this file, of one version of the API."""
    kinds = (
        ("/crawl", "crawl", read_crawl, "Read a site's pages, as a job", CRAWL, "url"),
        ("/batch/scrape", "scrape", read_batch, "Read pages, as a job", BATCH, "urls"),
        ("/extract", "extract", read_extract, "Take values out of pages", EXTRACT, "urls"),
    )
    made: list[Endpoint] = []
    for path, kind, read, about, schema, needed in kinds:
        at, one = f"{version}{path}", f"{version}{path}/{{id}}"
        more: dict[str, Any] = {"parameters": schema, "required": (needed,), "do": start}
        made.append(Endpoint("POST", at, read, summary=about, **more))
        looks = [("GET", one, "Look at a job", look)]
        if kind != "extract":
            looks += [
                ("DELETE", one, "Cancel a job", cancel),
                ("GET", f"{one}/errors", "List the pages that failed", errors),
            ]
        more = {"is_admitted": False, "statuses": {"404": "there is no such job"}}
        for method, where, said, do in looks:
            made.append(Endpoint(method, where, summary=said, do=partial(do, kind), **more))
    return made


# --- reading


def read_crawl(asked: Asked) -> Submit:
    body = asked.body
    _refuse(body, "webhook")
    url, given = url_of(body), fields.texts(body, "includePaths", 100)
    depth = fields.integer(body, "maxDepth", MAX_DEPTH, 0, MAX_DEPTH, clip=True)
    depth = fields.integer(body, "maxDiscoveryDepth", depth, 0, MAX_DEPTH, clip=True)
    limit = fields.integer(body, "limit", PAGES, 1, MAX_PAGES, clip=True) if depth else 1
    whole = any(fields.switch(body, n) for n in ("crawlEntireDomain", "allowBackwardLinks"))
    options: dict[str, Any] = {
        "instructions": fields.text(body, "prompt", most=2_000).strip() or None,
        "limit": limit,
        "max_depth": max(depth, 1),
        "max_breadth": 500,
        "allow_external": fields.switch(body, "allowExternalLinks"),
        "select_paths": list(given) or (None if whole else _below(url)),
        "exclude_paths": list(fields.texts(body, "excludePaths", 100)) or None,
        "timeout": 3_600.0,
    }
    if body.get("allowSubdomains") is False and not options["allow_external"]:
        options["select_domains"] = [same_host(url)]
    plan = plan_of(body, **options)
    arguments = {name: getattr(plan, name) for name in plan.__slots__}
    return _submit("crawl", arguments, body.get("scrapeOptions"), searches_for(limit, 10))


def read_batch(asked: Asked) -> Submit:
    from kensaku.jobs.scrape import MAX_URLS, check_urls

    _refuse(asked.body, "webhook", "appendToId")
    urls = check_urls(asked.body.get("urls"), MAX_URLS)
    return _submit("scrape", {"urls": urls}, asked.body, searches_for(len(urls), 5))


def read_extract(asked: Asked) -> Submit:
    from kensaku.jobs.extract import MAX_URLS
    from kensaku.jobs.scrape import check_urls

    body = asked.body
    _refuse(body, "enableWebSearch", "agent")
    urls = check_urls(body.get("urls"), MAX_URLS)
    if wild := next((url for url in urls if url.endswith("*")), None):
        raise InvalidQuery(f"{wild[:200]!r} stands for many pages", remedy="list the pages in urls")
    given = {"type": "json", "schema": body.get("schema"), "prompt": prompt_of(body)}
    return _submit("extract", {"urls": urls}, {"formats": [given]}, searches_for(len(urls), 5))


def _submit(kind: str, arguments: Mapping[str, Any], options: Any, searches: int) -> Submit:
    from kensaku.answers.scrape import Wanted

    wanted = wanted_of(options) or Wanted()
    return Submit(kind, {**arguments, "wanted": wanted.to_dict()}, wanted, searches)


def _below(url: str) -> list[str] | None:
    """Return a pattern for what is below the path of a URL; None: it is the whole site."""
    path = urlsplit(url if "://" in url else f"https://{url}").path.rstrip("/")
    return [f"^{re.escape(path)}(/|$)"] if path else None


def _refuse(body: Mapping[str, Any], *names: str) -> None:
    """Refuse what somebody would wait for in vain."""
    for name in names:
        if body.get(name):
            raise InvalidQuery(f"{name} is not supported here", remedy=f"leave {name} out")


# --- doing


async def start(request: Request, call: Submit) -> dict[str, Any]:
    """Queue the job."""
    call.wanted.check(request.client)
    jobs, who = await request.state.jobs(), request.principal
    id = await jobs.submit(call.kind, call.arguments, tenant=who.tenant, key_id=who.key_id)
    return {"success": True, "id": id, "url": f"{_address(request)}/{id}"}


async def look(kind: str, request: Request, asked: Asked) -> dict[str, Any]:
    """Say how far a job is, with some of its documents."""
    jobs, job = await _find(request, kind)
    days = request.state.settings.jobs_days or 365
    ends = (job.updated or datetime.now(UTC)) + timedelta(days=days)
    reply: dict[str, Any] = {"success": True, "status": STATUSES.get(job.status, job.status)}
    reply["expiresAt"] = ends.isoformat()
    if job.error:
        reply["error"] = job.error
    if kind == "extract":
        return reply | _values(job)
    documents = await _documents(jobs, job)
    return reply | _progress(job, len(documents)) | _some(request, documents)


async def cancel(kind: str, request: Request, asked: Asked) -> dict[str, Any]:
    """Stop a job."""
    jobs, job = await _find(request, kind)
    if job.finished:
        raise Ended(f"the job has ended: it is {STATUSES.get(job.status, job.status)}")
    await jobs.cancel(job.id, tenant=request.principal.tenant)
    return {"success": True, "status": "cancelled"}


async def errors(kind: str, request: Request, asked: Asked) -> dict[str, Any]:
    """List the pages that could not be read."""
    jobs, job = await _find(request, kind)
    results = await _results(jobs, job)
    failed = [failure for result in results for failure in result.get("failures", ())]
    at = (job.updated or datetime.now(UTC)).isoformat()
    listed = [
        {"id": f"{job.id}-{n}", "timestamp": at, "url": f["url"], "error": f["error"]}
        for n, f in enumerate(failed, 1)
        if not f["robots"]
    ]
    return {"errors": listed, "robotsBlocked": [f["url"] for f in failed if f["robots"]]}


async def _find(request: Request, kind: str) -> tuple[Jobs, Job]:
    """Return a job that was started here. Raises `NotFound`."""
    jobs: Jobs = await request.state.jobs()
    try:
        job = await jobs.get(request.path_params["id"][:200], tenant=request.principal.tenant)
    except UnknownJob:
        raise NotFound("there is no such job") from None
    if job.kind != kind or "wanted" not in job.arguments:
        raise NotFound("there is no such job")
    return jobs, job


async def _results(jobs: Jobs, job: Job) -> list[Mapping[str, Any]]:
    """Return what has come of a job: its result, or those of its steps so far."""
    if job.result is not None:
        return [job.result]
    return list(await jobs.steps(job.id, tenant=job.tenant))


async def _documents(jobs: Jobs, job: Job) -> list[dict[str, Any]]:
    results = await _results(jobs, job)
    return [written(d) for result in results for d in result.get("documents", ())]


def _progress(job: Job, documents: int) -> dict[str, Any]:
    total = documents if job.status == "done" else max(job.progress.total, documents)
    reply: dict[str, Any] = {"completed": documents, "total": total, "creditsUsed": documents}
    if job.result and job.result.get("notes"):
        reply["warning"] = "; ".join(job.result["notes"])
    return reply


def _some(request: Request, documents: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the documents from `skip` on, and where the rest is."""
    skip = fields.integer(request.params, "skip", 0, 0, fields.MAX_INTEGER)
    most = fields.integer(request.params, "limit", SOME, 1, MAX_SOME, clip=True)
    some: list[dict[str, Any]] = []
    size = 0
    for document in documents[skip : skip + most]:
        size += sum(len(str(value)) for value in document.values())
        if some and size > MAX_REPLY:
            break
        some.append(document)
    end = skip + len(some)
    more = f"{_address(request)}?skip={end}&limit={most}" if end < len(documents) else None
    return {"data": some, "next": more}


def _values(job: Job) -> dict[str, Any]:
    result = job.result or {}
    reply: dict[str, Any] = {"data": result.get("data")}
    if not job.finished:
        reply["status"] = "processing"
    if result:
        reply["sources"] = {"urls": result["sources"]}
        reply["creditsUsed"] = len(result["sources"])
    if failed := result.get("failures"):
        reply["warning"] = f"{len(failed)} of the pages could not be read: {failed[0]['error']}"
    return reply


def _address(request: Request) -> str:
    """Return the address of a request, as its client wrote it."""
    scope = request.scope
    host = request.headers.get("host", "")
    return f"{scope.get('scheme', 'http')}://{host}{scope['path']}"
