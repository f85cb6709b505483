"""Structured logs: one JSON object a line, with the request's id and without a secret.

    record → RequestFields → Redaction (log_redaction.py) → JsonFormatter → stderr

    {"time": …, "level": "INFO", "logger": "kensaku.request", "message": "request", "status": 200,
     "request_id": …, "endpoint": …, "key_id": …, "elapsed_ms": 3.1, "outcome": "found"}

Queries are logged at DEBUG alone, and so is the text of an exception, which may quote one.
"""

from __future__ import annotations

import logging
import sys
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, TextIO

from kensaku.config.settings import secrets_in
from kensaku.log_redaction import Redaction
from kensaku.observe import Observer, Operation, caller
from kensaku.operations import RequestOperation, SearchOperation
from kensaku.server.http import encode

if TYPE_CHECKING:
    from kensaku.config.settings import Settings

log = logging.getLogger("kensaku.request")
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


class OwnId(str):
    """The id of a request, made by this server: no client can have put a key into it."""

    __slots__ = ()


class RequestFields(logging.Filter):
    """Adds to a record which request it is about."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Fields that the record has are kept."""
        own = getattr(record, "fields", {})
        if (who := caller.get()) is not None:
            of_request = {"request_id": who.request_id, "endpoint": who.endpoint, "key_id": who.key}
            own = {name: value for name, value in of_request.items() if value} | own
        record.fields = own
        return True


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
            clean = isinstance(operation.request_id, OwnId) and not operation.path
            log.log(level, "request", extra={"fields": _fields(operation), "is_clean": clean})


def _fields(operation: Operation, *, texts: bool = False) -> dict[str, Any]:
    fields: dict[str, Any] = operation.attributes(texts=texts)
    fields["elapsed_ms"] = round(operation.elapsed_ms, 1)
    return fields
