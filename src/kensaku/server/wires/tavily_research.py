"""Tavily's /research: a request read, a job told, events as the frames of a stream. Pure.

event → deltas → data: {"id", "object": "chat.completion.chunk", "choices": [{"delta": …}]}
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

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
from kensaku.errors import InvalidQuery
from kensaku.server.wires import _fields as fields
from kensaku.server.wires.base import Asked, Research

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kensaku.answers.evidence import Reference
    from kensaku.jobs.job import Job

MODELS = ("mini", "pro", "auto")
FORMATS = ("numbered", "mla", "apa", "chicago")
LENGTHS = ("short", "standard", "long")
MAX_DOMAINS, MAX_FILES = 20, 5
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


def write_created(call: Research, job_id: str, elapsed: float) -> dict[str, Any]:
    """The reply to a request that was queued."""
    return {
        "request_id": job_id,
        "created_at": _now(),
        "status": "pending",
        "input": call.input,
        "model": call.options["model"],
        "response_time": round(elapsed, 3),
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
            yield _frame(chunk)

    def failed(self, message: str) -> bytes:
        """The frame of a run that came to nothing."""
        return _frame({"id": self.id, "object": "error", "error": message})


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


def _frame(value: Any) -> bytes:
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return b"data: " + text.encode("utf-8", "replace") + b"\n\n"


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
