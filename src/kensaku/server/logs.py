"""Structured logs: one JSON object a line, with the request's id and without a secret.

    record → RequestFields → Redaction → JsonFormatter → stderr

    {"time": …, "level": "INFO", "logger": "kensaku.request", "message": "request", "status": 200,
     "request_id": …, "endpoint": …, "key_id": …, "elapsed_ms": 3.1, "outcome": "found"}

Queries are logged at DEBUG alone, and so is the text of an exception, which may quote one.
"""

from __future__ import annotations

import logging
import sys
import traceback
from collections.abc import Iterable, Mapping
from contextvars import ContextVar
from datetime import UTC, datetime
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TextIO

from kensaku.config.settings import secrets_in
from kensaku.observe import Observer, Operation, caller
from kensaku.operations import RequestOperation, SearchOperation
from kensaku.server.http import encode
from kensaku.text.redact import redact, redact_known

if TYPE_CHECKING:
    from kensaku.config.settings import Settings

log = logging.getLogger("kensaku.request")
# Keys that the current request brought, known or not: they are removed from what it logs.
request_secrets: ContextVar[tuple[str, ...]] = ContextVar("kensaku_request_secrets", default=())

MAX_CHARS = 8_000  # of a message
FRAMES = 20  # of a traceback, the innermost
PROBES = ("healthz", "readyz", "metrics")  # asked every few seconds: logged at DEBUG
# They write whole addresses, or statements with their parameters, at INFO.
QUIET = ("aiohttp.access", "aiosqlite", "alembic", "httpx", "sqlalchemy", "uvicorn")


def configure_logging(
    settings: Settings, level: int | str = logging.INFO, stream: TextIO | None = None
) -> logging.Handler:
    """Write what this process logs as JSON lines to `stream`, stderr by default."""
    handler = logging.StreamHandler(stream or sys.stderr)
    handler.setFormatter(JsonFormatter())
    handler.addFilter(RequestFields())
    handler.addFilter(Redaction(secrets_in(settings)))
    root = logging.getLogger()
    root.handlers = [handler]
    root.setLevel(level)
    for name in QUIET:
        logging.getLogger(name).setLevel(logging.WARNING)
    # No line says which thread, process or task wrote it: a record need not find out.
    logging.logThreads = logging.logProcesses = logging.logMultiprocessing = False
    return handler


class GeneratedId(str):
    """The id of a request, made by this server: no client can have put a key into it."""

    __slots__ = ()


class CleanFields(dict[str, Any]):
    """Fields of a record that hold no secret, as its message does not: nothing is redacted."""


class RequestFields(logging.Filter):
    """Adds to a record which request it is about."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Fields that the record has are kept."""
        own = getattr(record, "fields", {})
        if isinstance(own, CleanFields):
            return True
        if (who := caller.get()) is not None:
            of_request = {"request_id": who.request_id, "endpoint": who.endpoint, "key_id": who.key}
            own = {name: value for name, value in of_request.items() if value} | own
        record.fields = own
        return True


class Redaction(logging.Filter):
    """Removes secrets from a record: message, fields and exception. Lets every record pass."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        super().__init__()
        self._secrets = tuple(secrets)
        # Endpoints, outcomes and ids of keys come again and again.
        self._clean_short = lru_cache(maxsize=4_096)(self._clean)

    def filter(self, record: logging.LogRecord) -> bool:
        """Replace what the record holds by its redacted form."""
        fields: Mapping[str, Any] = getattr(record, "fields", {})
        if isinstance(fields, CleanFields):
            return True
        record.msg, record.args = self._text(_message_of(record)), None
        if record.exc_info:
            fields = {**fields, "error": _described(record)}
        record.fields = self._value(fields)
        record.exc_info = record.exc_text = record.stack_info = None
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


class JsonFormatter(logging.Formatter):
    """Writes a record as one line of JSON. Not without `Redaction` before it."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line, without its end."""
        at = datetime.fromtimestamp(record.created, UTC)
        line = {
            "time": at.isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
            **getattr(record, "fields", {}),
        }
        return encode(line).decode()


class RequestLog(Observer):
    """Logs each request to the server as one line; at DEBUG, each search with its query."""

    kinds = (RequestOperation, SearchOperation)

    def end(self, operation: Operation) -> None:
        """Log what has ended."""
        if isinstance(operation, SearchOperation):
            if log.isEnabledFor(logging.DEBUG):
                log.debug("search", extra={"fields": _fields(operation, texts=True)})
        elif isinstance(operation, RequestOperation):
            usual = logging.DEBUG if operation.endpoint in PROBES else logging.INFO
            level = logging.WARNING if operation.error else usual
            if log.isEnabledFor(level):
                _log_request(level, operation)


def _log_request(level: int, request: RequestOperation) -> None:
    """Log a request. Its fields are names and numbers of ours, and an id that may be a client's."""
    fields = _fields(request)
    # Not `log.log`, which looks through the stack for its caller.
    record = logging.LogRecord(log.name, level, __file__, 0, "request", None, None)
    record.fields = CleanFields(fields) if isinstance(request.request_id, GeneratedId) else fields
    log.handle(record)


def _fields(operation: Operation, *, texts: bool = False) -> dict[str, Any]:
    fields: dict[str, Any] = operation.attributes(texts=texts)
    fields["elapsed_ms"] = round(operation.elapsed_ms, 1)
    return fields


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


def _described(record: logging.LogRecord) -> dict[str, Any]:
    """The exception of a record: its type and where it was raised; its text only at DEBUG."""
    kind, error, trace = record.exc_info or (None, None, None)
    frames = traceback.extract_tb(trace)[-FRAMES:]
    told: dict[str, Any] = {
        "type": "" if kind is None else kind.__name__,
        "at": [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in frames],
    }
    if logging.getLogger(record.name).isEnabledFor(logging.DEBUG):
        told["text"] = _shown(error)
    return told
