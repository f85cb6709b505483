"""What can go wrong with an upstream, as values: `up.fails("brave", status(429), times=2)`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal


@dataclass(frozen=True, slots=True)
class Fault:
    """One way to answer badly. `body` None means: the body that would have been sent."""

    status: int = 200
    body: bytes | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    delay: float = 0.0  # seconds before the answer
    end: Literal["whole", "half", "reset", "hang", "empty"] = "whole"


def status(code: int, body: Any = None, headers: Mapping[str, str] | None = None) -> Fault:
    """A refusal with this status; `body` is text, or anything that can be written as JSON."""
    if body is None:
        body = {"error": {"message": f"fake refusal {code}"}}
    return Fault(code, as_bytes(body), dict(headers or {}))


def delay(seconds: float) -> Fault:
    """The usual answer, late."""
    return Fault(delay=seconds)


def hang() -> Fault:
    """The connection stays open, and nothing comes."""
    return Fault(end="hang")


def reset() -> Fault:
    """The connection is reset (RST) before an answer."""
    return Fault(end="reset")


def half() -> Fault:
    """The headers promise the whole body, half of it comes, and the connection ends."""
    return Fault(end="half")


def html(code: int = 200) -> Fault:
    """A web page instead of an API's answer: a captcha, a login, a gateway."""
    page = b"<!doctype html><html><title>Just a moment...</title><p>Are you a robot?</p></html>"
    return Fault(code, page, {"Content-Type": "text/html; charset=utf-8"})


def bad_json() -> Fault:
    """Something that says it is JSON and is not."""
    return Fault(body=b'{"results": [{"title": "cut off he')


def error_body(body: Any = None) -> Fault:
    """Status 200 with an error inside."""
    return Fault(body=as_bytes({"error": "something broke inside"} if body is None else body))


def wrong_shape(body: Any) -> Fault:
    """Status 200 with valid JSON of another form."""
    return Fault(body=as_bytes(body))


def empty() -> Fault:
    """The upstream's own way to say that it found nothing."""
    return Fault(end="empty")


def as_bytes(body: Any) -> bytes:
    """A body as it is sent: bytes and text as they are, anything else as JSON."""
    if isinstance(body, bytes):
        return body
    return body.encode() if isinstance(body, str) else json.dumps(body, ensure_ascii=False).encode()
