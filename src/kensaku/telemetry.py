"""OpenTelemetry: a span for each operation, in the words of the GenAI conventions.

    Kensaku(observers=[Telemetry()])

Only the API is needed (extra `telemetry`); which SDK and exporter there are is the application's
affair. Searches of the web and of the index are `retrieval` operations, tools `execute_tool`;
cache lookups and retries are events of the span that they belong to. Conventions as of version
1.41 (https://github.com/open-telemetry/semantic-conventions-genai), all in development there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kensaku.errors import MissingExtra
from kensaku.observe import Observer, Operation, Value, caller
from kensaku.operations import (
    AttemptOperation,
    CacheOperation,
    FetchOperation,
    IndexOperation,
    RequestOperation,
    RetryOperation,
    SearchOperation,
    ToolOperation,
)

try:
    from opentelemetry import context, trace
    from opentelemetry.trace import SpanKind, Status, StatusCode
except ImportError:
    raise MissingExtra("OpenTelemetry", "telemetry") from None

if TYPE_CHECKING:
    from contextvars import Token

    from opentelemetry.context import Context

EVENTS = (CacheOperation, RetryOperation)
_KINDS = {
    SearchOperation: SpanKind.CLIENT,
    AttemptOperation: SpanKind.CLIENT,
    FetchOperation: SpanKind.CLIENT,
    RequestOperation: SpanKind.SERVER,
}
# What is not here has the prefix "kensaku.".
_CONVENTIONAL = {
    "collection": "gen_ai.data_source.id",
    "endpoint": "http.route",
    "error": "error.type",
    "host": "server.address",
    "max_results": "gen_ai.retrieval.top_k",
    "method": "http.request.method",
    "query": "gen_ai.retrieval.query.text",
    "status": "http.response.status_code",
    "tool": "gen_ai.tool.name",
    "url": "url.full",
}


class Telemetry(Observer):
    """Makes spans. With `texts` they also hold queries and whole addresses."""

    def __init__(
        self, tracer_provider: trace.TracerProvider | None = None, *, texts: bool = False
    ) -> None:
        from kensaku import __version__

        self._tracer = trace.get_tracer("kensaku", __version__, tracer_provider)
        self._texts = texts
        self._spans: dict[Operation, tuple[trace.Span, Token[Context]]] = {}

    def begin(self, operation: Operation) -> None:
        """Start a span as a child of the current one, and make it the current one."""
        if isinstance(operation, EVENTS):
            return
        span = self._tracer.start_span(
            _name_of(operation),
            kind=_KINDS.get(type(operation), SpanKind.INTERNAL),
            attributes={**_gen_ai(operation), **self._attributes(operation)},
        )
        token = context.attach(trace.set_span_in_context(span))
        self._spans[operation] = (span, token)

    def end(self, operation: Operation) -> None:
        """End the span; its status is an error when the operation failed."""
        if isinstance(operation, EVENTS):
            trace.get_current_span().add_event(operation.name, self._attributes(operation))
            return
        span, token = self._spans.pop(operation)
        context.detach(token)
        span.update_name(_name_of(operation))  # the route of a request is found meanwhile
        span.set_attributes(self._attributes(operation))
        if operation.error and getattr(operation, "sent", True):
            span.set_status(Status(StatusCode.ERROR, operation.error))
        span.end()

    def _attributes(self, operation: Operation) -> dict[str, Value]:
        known = operation.attributes(texts=self._texts)
        named = {_CONVENTIONAL.get(n, f"kensaku.{n}"): value for n, value in known.items()}
        if (who := caller.get()) is not None and who.request_id:
            named["kensaku.request_id"] = who.request_id
        return named


def _name_of(operation: Operation) -> str:
    """The name of the span: few different ones, as backends group by it."""
    match operation:
        case ToolOperation(tool=tool):
            return f"execute_tool {tool}"
        case SearchOperation():
            return "retrieval"
        case IndexOperation(action="search", collection=collection):
            return f"retrieval {collection}".rstrip()
        case IndexOperation(action=action):
            return f"index {action}"
        case AttemptOperation(provider=provider):
            return f"attempt {provider}"
        case RequestOperation(method=method, endpoint=endpoint):
            return f"{method} {endpoint}".rstrip()
        case _:
            return operation.name


def _gen_ai(operation: Operation) -> dict[str, str]:
    """The attributes that the GenAI conventions require at the start of a span."""
    match operation:
        case ToolOperation():
            return {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.type": "function"}
        case SearchOperation() | IndexOperation(action="search"):
            return {"gen_ai.operation.name": "retrieval"}
        case _:
            return {}
