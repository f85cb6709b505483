"""Faults of an upstream, as values: `up.fails("brave", status(429), times=2)`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal


@dataclass(frozen=True, slots=True)
class Fault:
    """One faulty answer. `body` None means the body that would have been sent."""

    status: int = 200
    body: bytes | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    delay: float = 0.0  # seconds before the answer
    end: Literal["whole", "half", "reset", "hang", "empty"] = "whole"


def status(code: int, body: Any = None, headers: Mapping[str, str] | None = None) -> Fault:
    """Refuse with this status; `body` is text, or anything that can be written as JSON."""
    if body is None:
        body = {"error": {"message": f"fake refusal {code}"}}
    return Fault(code, as_bytes(body), dict(headers or {}))


def delay(seconds: float) -> Fault:
    """Send the usual answer, late."""
    return Fault(delay=seconds)


def hang() -> Fault:
    """Keep the connection open and send nothing."""
    return Fault(end="hang")


def reset() -> Fault:
    """Reset the connection (RST) before an answer."""
    return Fault(end="reset")


def half() -> Fault:
    """Promise the whole body, send half of it and close the connection."""
    return Fault(end="half")


def html(code: int = 200) -> Fault:
    """Send a web page instead of an API's answer: a captcha, a login, a gateway."""
    page = b"<!doctype html><html><title>Just a moment...</title><p>Are you a robot?</p></html>"
    return Fault(code, page, {"Content-Type": "text/html; charset=utf-8"})


def bad_json() -> Fault:
    """Send a body that claims to be JSON and is not."""
    return Fault(body=b'{"results": [{"title": "cut off he')


def error_body(body: Any = None) -> Fault:
    """Send status 200 with an error inside."""
    return Fault(body=as_bytes({"error": "something broke inside"} if body is None else body))


def wrong_shape(body: Any) -> Fault:
    """Send status 200 with valid JSON of another form."""
    return Fault(body=as_bytes(body))


def empty() -> Fault:
    """Send the upstream's own reply for no results."""
    return Fault(end="empty")


def as_bytes(body: Any) -> bytes:
    """Encode a body: bytes and text as they are, anything else as JSON."""
    if isinstance(body, bytes):
        return body
    return body.encode() if isinstance(body, str) else json.dumps(body, ensure_ascii=False).encode()
