"""Logs without secrets: a filter that redacts message, fields and exception of every record.

handler.addFilter(Redaction(secrets_in(settings)))
"""

from __future__ import annotations

import logging
import traceback
from collections.abc import Iterable, Mapping
from contextvars import ContextVar
from functools import lru_cache
from typing import Any

from kensaku.text.redact import redact, redact_known

# Keys that the current request brought, known or not: they are removed from what it logs.
request_secrets: ContextVar[tuple[str, ...]] = ContextVar("kensaku_request_secrets", default=())

MAX_CHARS = 8_000  # of a message
FRAMES = 20  # of a traceback, the innermost


class Redaction(logging.Filter):
    """Removes secrets from a record. Lets every record pass."""

    def __init__(self, secrets: Iterable[str] = (), *, tracebacks: bool = False) -> None:
        """With `tracebacks`, exceptions are kept as text; else as a field of their own."""
        super().__init__()
        self._secrets, self._tracebacks = tuple(secrets), tracebacks
        # Endpoints, outcomes and ids of keys come again and again.
        self._clean_short = lru_cache(maxsize=4_096)(self._clean)

    def filter(self, record: logging.LogRecord) -> bool:
        """Replace what the record holds by its redacted form.

        One that says `is_clean` holds nothing that others wrote, as the line of a request: to look
        for secrets there takes a sixth of a cached search (docs/decisions/server.md).
        """
        if getattr(record, "is_clean", False):
            return True
        fields: Mapping[str, Any] = getattr(record, "fields", {})
        record.msg, record.args = self._text(_message_of(record)), None
        exception = record.exc_info if record.exc_info and record.exc_info[0] else None
        record.exc_info = record.exc_text = record.stack_info = None
        if exception and self._tracebacks:
            record.exc_text = self._clean(
                "".join(traceback.format_exception(*exception)).rstrip(), request_secrets.get()
            )
        elif exception:
            fields = {**fields, "error": _described(record.name, *exception)}
        record.fields = self._value(fields)
        return True

    def _value(self, value: Any) -> Any:
        if isinstance(value, Mapping):
            return {self._text(_shown(n)): self._value(inner) for n, inner in value.items()}
        if isinstance(value, (list, tuple)):
            return [self._value(inner) for inner in value]
        if value is None or isinstance(value, (bool, int, float)):
            return value
        return self._text(_shown(value))

    def _text(self, text: str) -> str:
        presented = request_secrets.get()
        clean = self._clean_short if len(text) <= 100 else self._clean
        return clean(text[:MAX_CHARS], presented)

    def _clean(self, text: str, presented: tuple[str, ...]) -> str:
        clean = redact(text, self._secrets)
        return redact_known(clean, presented) if presented else clean


def _message_of(record: logging.LogRecord) -> str:
    try:
        return record.getMessage()
    except Exception:  # arguments that do not fit must not break what is logged about
        return f"a message of {record.module} that does not fit its arguments"


def _shown(value: object) -> str:
    try:
        return str(value)
    except Exception:
        return f"<{type(value).__name__}>"


def _described(logger: str, kind: Any, error: Any, trace: Any) -> dict[str, Any]:
    """An exception: its type and where it was raised; its text only at DEBUG."""
    frames = traceback.extract_tb(trace)[-FRAMES:]
    told: dict[str, Any] = {
        "type": kind.__name__,
        "at": [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in frames],
    }
    if logging.getLogger(logger).isEnabledFor(logging.DEBUG):
        told["text"] = _shown(error)
    return told
