"""A reply of an upstream, whole, as the HTTP client hands it over."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

from kensaku.foreign_json import decode_json


@dataclass(slots=True)
class Reply:
    """What came back, whole: the header names are in lower case."""

    status: int
    headers: Mapping[str, str] = field(repr=False)
    body: bytes = field(repr=False)
    keyless: bool = False  # the request was sent without a key, though there could be one

    def json(self) -> Any:
        """The body as JSON. Raises `ValueError` when it is something else."""
        body = self.body
        if body[:1] == b"{" and body[1:2] != b"\0":  # UTF-8: no need to guess
            return decode_json(body.decode("utf-8", "surrogatepass"))
        return decode_json(body)

    @property
    def is_html(self) -> bool:
        """Whether this is a web page: a gateway's, a captcha's, a login's."""
        kind, start = self.headers.get("content-type", ""), self.body[:256].lstrip()
        return "html" in kind or (start[:1] == b"<" and start[:5] != b"<?xml")

    def retry_after(self) -> float | None:
        """Seconds to wait: of `Retry-After`, a number or a date, or of the body."""
        value = self.headers.get("retry-after", "").strip()
        with suppress(ValueError):
            return _bounded(float(value))
        with suppress(ValueError, TypeError):
            return _bounded((parsedate_to_datetime(value) - datetime.now(UTC)).total_seconds())
        try:
            body = self.json()
        except ValueError:
            return None
        for read in _WAITS:
            with suppress(ValueError, TypeError, KeyError, AttributeError):
                return _bounded(read(body))
        return None


def _seconds_until(reset: str) -> float:
    at = datetime.fromisoformat(reset)
    return (at if at.tzinfo else at.replace(tzinfo=UTC)).timestamp() - datetime.now(UTC).timestamp()


# How upstreams write the wait into a body.
_WAITS: tuple[Callable[[Any], float], ...] = (
    lambda body: float(body["error"]["retry_after_seconds"]),  # Tavily
    lambda body: _seconds_until(body["reset_at"]),  # You.com
    lambda body: float(body["retryAfter"].removesuffix("s")),  # Web IQ: "30s"
)


def _bounded(seconds: float) -> float:
    return min(max(0.0, seconds), 366 * 86_400.0)  # "inf" is a number, too
