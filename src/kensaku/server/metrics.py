"""Prometheus: counts and durations of every operation, in a registry of their own.

    metrics = Metrics()
    Kensaku(observers=[metrics]) … metrics.render() → the body and content type of /metrics

A label is the name of a provider, a tool, an endpoint or an error: never a key, a tenant, a host or
a query. Each label has a bounded number of values; whatever comes after them is "other". Every
process counts by itself: Prometheus scrapes each of them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from typing import Any

from prometheus_client import (
    CONTENT_TYPE_LATEST,
    CollectorRegistry,
    Counter,
    Gauge,
    GCCollector,
    Histogram,
    PlatformCollector,
    ProcessCollector,
    generate_latest,
)

from kensaku.observe import Observer, Operation
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

MAX_VALUES = 100  # of one label
OTHER = "other"
SECONDS = (0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)


class Metrics(Observer):
    """Counts operations."""

    def __init__(self) -> None:
        self._registry = registry = CollectorRegistry()
        self._values: defaultdict[str, set[str]] = defaultdict(set)
        self._children: dict[tuple[Any, ...], Any] = {}  # to look one up takes several times less

        def counter(name: str, about: str, *labels: str) -> Counter:
            return Counter(f"kensaku_{name}", about, labels, registry=registry)

        def seconds(name: str, about: str, *labels: str) -> Histogram:
            return Histogram(
                f"kensaku_{name}_seconds", about, labels, registry=registry, buckets=SECONDS
            )

        self._operation = seconds("operation", "Duration of operations", "operation")
        self._searches = counter("searches", "Searches", "outcome", "cached")
        self._attempts = counter("attempts", "Requests", "provider", "outcome", "error")
        self._attempt = seconds("attempt", "Duration of requests", "provider")
        self._cost = counter("cost_dollars", "Cost of requests, in US dollars", "provider")
        self._lookups = counter("cache_lookups", "Lookups in the response cache", "result")
        self._retries = counter("retries", "Repeated requests", "provider", "after")
        self._fetches = counter("fetches", "Pages, by class of status", "status")
        self._index = seconds("index", "Duration of calls of the index", "action")
        self._tools = counter("tool_calls", "Calls of tools", "tool", "error")
        self._tool = seconds("tool", "Duration of calls of tools", "tool")
        self._requests = counter("http_requests", "HTTP requests", "endpoint", "status")
        self._request = seconds("http_request", "Duration of HTTP requests", "endpoint")
        self._in_flight = Gauge(
            "kensaku_http_requests_in_flight", "HTTP requests under way", registry=registry
        )
        for collector in (ProcessCollector, PlatformCollector, GCCollector):
            collector(registry=registry)

    def render(self) -> tuple[bytes, str]:
        """Return the metrics in Prometheus' text format, and its content type."""
        return generate_latest(self._registry), CONTENT_TYPE_LATEST

    def begin(self, operation: Operation) -> None:
        """Count the requests under way."""
        if isinstance(operation, RequestOperation):
            self._in_flight.inc()

    def end(self, operation: Operation) -> None:
        """Count the operation, and how long it took."""
        took = operation.elapsed_ms / 1000
        if getattr(operation, "sent", True):
            self._labels(self._operation, operation=operation.name).observe(took)
        if (count := _COUNT.get(type(operation))) is not None:
            count(self, operation, took)

    def _count_search(self, search: SearchOperation, took: float) -> None:
        cached = "stale" if search.stale else "yes" if search.cached else "no"
        outcome = search.outcome or OTHER  # it was called off
        self._labels(self._searches, outcome=outcome, cached=cached).inc()

    def _count_attempt(self, attempt: AttemptOperation, took: float) -> None:
        name = attempt.provider
        outcome = (attempt.outcome or OTHER) if attempt.sent else "skipped"
        self._labels(self._attempts, provider=name, outcome=outcome, error=attempt.error).inc()
        if attempt.sent:
            self._labels(self._attempt, provider=name).observe(took)
            self._labels(self._cost, provider=name).inc(max(0.0, attempt.cost))

    def _count_lookup(self, lookup: CacheOperation, took: float) -> None:
        self._labels(self._lookups, result=lookup.result or OTHER).inc()

    def _count_retry(self, retry: RetryOperation, took: float) -> None:
        self._labels(self._retries, provider=retry.provider or "route", after=retry.after).inc()

    def _count_fetch(self, fetch: FetchOperation, took: float) -> None:
        status = f"{fetch.status // 100}xx" if fetch.status else "none"
        self._labels(self._fetches, status="cached" if fetch.via == "cache" else status).inc()

    def _count_index(self, call: IndexOperation, took: float) -> None:
        self._labels(self._index, action=call.action).observe(took)

    def _count_tool(self, call: ToolOperation, took: float) -> None:
        self._labels(self._tools, tool=call.tool, error=call.error).inc()
        self._labels(self._tool, tool=call.tool).observe(took)

    def _count_request(self, request: RequestOperation, took: float) -> None:
        self._in_flight.dec()
        status = str(request.status or "none")
        self._labels(self._requests, endpoint=request.endpoint, status=status).inc()
        self._labels(self._request, endpoint=request.endpoint).observe(took)

    def _labels(self, metric: Any, **labels: str) -> Any:
        """The child of a metric; a label that has too many values gets no more of them."""
        asked = (metric, *labels.values())
        if (child := self._children.get(asked)) is not None:
            return child
        for name, value in labels.items():
            known = self._values[name]
            if value not in known:
                if len(known) >= MAX_VALUES:
                    labels[name] = OTHER
                else:
                    known.add(value)
        child = metric.labels(**labels)
        if OTHER not in labels.values():  # as many as there are series, and no more
            self._children[asked] = child
        return child


_COUNT: dict[type[Operation], Callable[[Metrics, Any, float], None]] = {
    SearchOperation: Metrics._count_search,
    AttemptOperation: Metrics._count_attempt,
    CacheOperation: Metrics._count_lookup,
    RetryOperation: Metrics._count_retry,
    FetchOperation: Metrics._count_fetch,
    IndexOperation: Metrics._count_index,
    ToolOperation: Metrics._count_tool,
    RequestOperation: Metrics._count_request,
}
