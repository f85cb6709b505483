"""Tavily's /research: a run that is queued and looked at, or streamed.

Research → a job | events → deltas → data: {"id", "object": "chat.completion.chunk", "choices": …}
"""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from starlette.responses import JSONResponse

from kensaku.answers.events import (
    Completed,
    Event,
    Failed,
    Planned,
    SearchEnded,
    SearchStarted,
    SourcesFound,
    SubtopicEnded,
    SubtopicStarted,
    TextDelta,
    Writing,
)
from kensaku.errors import InvalidQuery, KensakuError, UnknownJob
from kensaku.search.budget import current_budget
from kensaku.server.http import data_frame
from kensaku.server.wires import _fields as fields
from kensaku.server.wires.base import Asked, Endpoint, Exchange, Research

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kensaku.answers.evidence import Reference
    from kensaku.jobs.job import Job
    from kensaku.server.request import Request

MODELS = ("mini", "pro", "auto")
FORMATS = ("numbered", "mla", "apa", "chicago")
LENGTHS = ("short", "standard", "long")
MAX_DOMAINS, MAX_FILES = 20, 5
MAX_BODY = 12 * 2**20  # five files of 80,000 words, in base64
_TEXTS = {"type": "array", "items": {"type": "string"}, "maxItems": MAX_DOMAINS}
PARAMETERS: dict[str, Any] = {
    "input": {"type": "string", "minLength": 1, "maxLength": 10_000, "pattern": r"\S"},
    "model": {"type": "string", "enum": list(MODELS)},
    "stream": {"type": "boolean"},
    "output_schema": {"type": "object"},
    "citation_format": {"type": "string", "enum": list(FORMATS)},
    "include_domains": _TEXTS,
    "exclude_domains": _TEXTS,
    "output_length": {"type": "string", "enum": list(LENGTHS)},
    "files": {"type": "array", "items": {"type": "object"}, "maxItems": MAX_FILES},
}


def research_endpoints() -> list[Endpoint]:
    """The endpoints of this file."""
    return [
        Endpoint(
            "POST",
            "/research",
            read_research,
            write_created,
            "Write a report",
            PARAMETERS,
            required=("input",),
            max_body=MAX_BODY,
            do=research,
        ),
        Endpoint(
            "GET",
            "/research/{id}",
            write=write_look,
            summary="Look at a report",
            statuses={"202": "it is not finished", "404": "there is no such run"},
            do=look,
            is_admitted=False,
        ),
    ]


def read_research(asked: Asked) -> Research:
    """Read a request. What it holds is checked again when it is carried out."""
    body = asked.body
    text = fields.text(body, "input", most=10**6)
    if not text.strip():
        raise InvalidQuery("Input is missing.")
    model = body.get("model") or "auto"
    if model not in MODELS:
        raise InvalidQuery("Invalid model. Must be one of: mini, pro, auto")
    options: dict[str, Any] = {
        "model": model,
        "citation_format": fields.choice(body, "citation_format", "numbered", FORMATS),
        "output_length": fields.choice(body, "output_length", "standard", LENGTHS),
        "include_domains": fields.texts(body, "include_domains", MAX_DOMAINS),
        "exclude_domains": fields.texts(body, "exclude_domains", MAX_DOMAINS),
    }
    for name in ("output_schema", "files"):
        if body.get(name):
            options[name] = body[name]
    return Research(text, options, stream=fields.switch(body, "stream"))


async def research(request: Request, call: Research) -> Any:
    """Queue a run, or stream it."""
    if call.stream:
        request.outcome = "found"
        return _stream(request, call)
    jobs, who = await request.state.jobs(), request.principal
    arguments = {"input": call.input, **call.options}
    return await jobs.submit("research", arguments, tenant=who.tenant, key_id=who.key_id)


async def _stream(request: Request, call: Research) -> AsyncIterator[bytes]:
    current_budget.set(request.run_budget)  # of the task that sends the stream
    frames = Frames(request.id, call.options["model"], int(time.time()))
    try:
        async for event in request.client.research_events(call.input, **call.options):
            for frame in frames.of(event):
                yield frame
    except KensakuError as error:
        yield frames.failed(str(error))
    yield DONE


async def look(request: Request, asked: Asked) -> Job | None:
    """Find a run; None: there is no such one here."""
    jobs = await request.state.jobs()
    try:
        return await jobs.get(request.path_params["id"][:200], tenant=request.principal.tenant)
    except UnknownJob:
        return None


def write_look(asked: Asked, job: Job | None, exchange: Exchange) -> Any:
    """Say how far a run is."""
    if job is None:
        return JSONResponse({"detail": {"error": "Research task not found"}}, 404)
    status, body = write_job(job, exchange.seconds)
    return JSONResponse(body, status)


def write_created(call: Research, job_id: str, exchange: Exchange) -> dict[str, Any]:
    """The reply to a request that was queued: 200, for the Python clients take nothing else."""
    return {
        "request_id": job_id,
        "created_at": _now(),
        "status": "pending",
        "input": call.input,
        "model": call.options["model"],
        "response_time": exchange.seconds,
    }


def write_job(job: Job, elapsed: float) -> tuple[int, dict[str, Any]]:
    """The status and the body of a look at a job."""
    known: dict[str, Any] = {"request_id": job.id, "response_time": round(elapsed, 3)}
    if not job.finished:
        status = "pending" if job.status == "queued" else "in_progress"
        return 202, known | {"status": status}
    created = job.created.isoformat().replace("+00:00", "Z") if job.created else _now()
    report = job.result or {}
    if job.status != "done" or report.get("outcome") == "unavailable":
        why = job.error or "; ".join(report.get("notes", ())) or f"it was {job.status}"
        return 200, known | {"status": "failed", "error": why, "created_at": created}
    return 200, known | {
        "status": "completed",
        "created_at": created,
        "content": report.get("content") or "",
        "sources": [
            {"title": s["title"], "url": s["url"], "favicon": s.get("favicon") or ""}
            for s in report["sources"]
        ],
    }


@dataclass(frozen=True, slots=True)
class Frames:
    """Writes the events of one run as the frames of its stream."""

    id: str
    model: str
    created: int

    def of(self, event: Event) -> Iterator[bytes]:
        """The frames of an event, each whole: clients do not join halves."""
        if isinstance(event, Failed):
            yield self.failed(event.message)
        for delta in _deltas(event):
            chunk = {
                "id": self.id,
                "object": "chat.completion.chunk",
                "model": self.model,
                "created": self.created,
                "choices": [{"delta": delta}],
            }
            yield data_frame(chunk)

    def failed(self, message: str) -> bytes:
        """The frame of a run that came to nothing."""
        return data_frame({"id": self.id, "object": "error", "error": message})


DONE = b"event: done\n\n"


def _deltas(event: Event) -> Iterator[dict[str, Any]]:
    if isinstance(event, Planned):
        text = "\n".join(event.questions)
        yield _call("Planning", "fc_plan", "planning")
        yield _response("Planning", "fc_plan", text)
    elif isinstance(event, SubtopicStarted):
        yield _call("ResearchSubtopic", f"fc_{event.id}", event.question)
    elif isinstance(event, SubtopicEnded):
        yield _response("ResearchSubtopic", f"fc_{event.id}", event.question)
    elif isinstance(event, SearchStarted):
        parent = {"parent_tool_call_id": f"fc_{event.parent}"} if event.parent else {}
        more = {"queries": [event.query], **parent}
        yield _call("WebSearch", f"fc_{event.id}", f"searching for {event.query}", more)
    elif isinstance(event, SearchEnded):
        found = f"{len(event.sources)} sources ({event.outcome})"
        yield _response("WebSearch", f"fc_{event.id}", found, event.sources)
    elif isinstance(event, Writing):
        yield _call("Generating", "fc_write", "writing the report")
    elif isinstance(event, TextDelta):
        yield {"role": "assistant", "content": event.text}
    elif isinstance(event, SourcesFound):
        yield _response("Generating", "fc_write", "the report is written")
        yield {"role": "assistant", "sources": _sources(event.sources)}
    elif isinstance(event, Completed) and event.report.structured is not None:
        yield {"role": "assistant", "content": event.report.structured}


def _call(name: str, id: str, arguments: str, more: Mapping[str, Any] | None = None) -> Any:
    call = {"name": name, "id": id, "arguments": arguments, **(more or {})}
    return {"role": "assistant", "tool_calls": {"type": "tool_call", "tool_call": [call]}}


def _response(
    name: str, id: str, arguments: str, sources: Iterable[Reference] = ()
) -> dict[str, Any]:
    reply = {"name": name, "id": id, "arguments": arguments, "sources": _sources(sources)}
    return {"tool_calls": {"type": "tool_response", "tool_response": [reply]}}


def _sources(sources: Iterable[Reference]) -> list[dict[str, str]]:
    return [{"url": s.url, "title": s.title, "favicon": s.favicon or ""} for s in sources]


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
