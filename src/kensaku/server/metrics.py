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
from typing import Any, TypeVar

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
_Family = TypeVar("_Family", Counter, Histogram)


class Metrics(Observer):
    """Counts operations."""

    def __init__(self) -> None:
        self._values: defaultdict[str, set[str]] = defaultdict(set)
        self._labels: dict[Counter | Histogram, tuple[str, ...]] = {}
        self._children: dict[tuple[Any, ...], Any] = {}
        self._registry = CollectorRegistry()
        counter, histogram = self._counter, self._histogram
        self._in_flight = Gauge(
            "kensaku_http_requests_in_flight", "HTTP requests under way", registry=self._registry
        )
        self._operation = histogram("operation", "Duration of operations", "operation")
        self._searches = counter("searches", "Searches", "outcome", "cached")
        self._attempts = counter("attempts", "Requests", "provider", "outcome", "error")
        self._attempt = histogram("attempt", "Duration of requests", "provider")
        self._cost = counter("cost_dollars", "Cost of requests, in US dollars", "provider")
        self._lookups = counter("cache_lookups", "Lookups in the response cache", "result")
        self._retries = counter("retries", "Repeated requests", "provider", "after")
        self._fetches = counter("fetches", "Pages, by class of status", "status")
        self._index = histogram("index", "Duration of calls of the index", "action")
        self._tools = counter("tool_calls", "Calls of tools", "tool", "error")
        self._tool = histogram("tool", "Duration of calls of tools", "tool")
        self._requests = counter("http_requests", "HTTP requests", "endpoint", "status")
        self._request = histogram("http_request", "Duration of HTTP requests", "endpoint")
        for collector in (ProcessCollector, PlatformCollector, GCCollector):
            collector(registry=self._registry)

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
            self._of(self._operation, operation.name).observe(took)
        if (count := _COUNT.get(type(operation))) is not None:
            count(self, operation, took)

    def _count_search(self, search: SearchOperation, took: float) -> None:
        cached = "stale" if search.stale else "yes" if search.cached else "no"
        outcome = search.outcome or OTHER  # it was called off
        self._of(self._searches, outcome, cached).inc()

    def _count_attempt(self, attempt: AttemptOperation, took: float) -> None:
        name = attempt.provider
        outcome = (attempt.outcome or OTHER) if attempt.sent else "skipped"
        self._of(self._attempts, name, outcome, attempt.error).inc()
        if attempt.sent:
            self._of(self._attempt, name).observe(took)
            self._of(self._cost, name).inc(max(0.0, attempt.cost))

    def _count_lookup(self, lookup: CacheOperation, took: float) -> None:
        self._of(self._lookups, lookup.result or OTHER).inc()

    def _count_retry(self, retry: RetryOperation, took: float) -> None:
        self._of(self._retries, retry.provider or "route", retry.after).inc()

    def _count_fetch(self, fetch: FetchOperation, took: float) -> None:
        status = f"{fetch.status // 100}xx" if fetch.status else "none"
        self._of(self._fetches, "cached" if fetch.via == "cache" else status).inc()

    def _count_index(self, call: IndexOperation, took: float) -> None:
        self._of(self._index, call.action).observe(took)

    def _count_tool(self, call: ToolOperation, took: float) -> None:
        self._of(self._tools, call.tool, call.error).inc()
        self._of(self._tool, call.tool).observe(took)

    def _count_request(self, request: RequestOperation, took: float) -> None:
        self._in_flight.dec()
        self._of(self._requests, request.endpoint, str(request.status or "none")).inc()
        self._of(self._request, request.endpoint).observe(took)

    def _counter(self, name: str, about: str, *labels: str) -> Counter:
        made = Counter(f"kensaku_{name}", about, labels, registry=self._registry)
        self._labels[made] = labels
        return made

    def _histogram(self, name: str, about: str, *labels: str) -> Histogram:
        name = f"kensaku_{name}_seconds"
        made = Histogram(name, about, labels, buckets=SECONDS, registry=self._registry)
        self._labels[made] = labels
        return made

    def _of(self, family: _Family, *values: str) -> _Family:
        """The series of a family by the values of its labels, of which each has a bounded number.

        What `labels` returns is kept: it takes as long as all else of a request together.
        """
        if (child := self._children.get((family, values))) is None:
            labels = tuple(map(self._bounded, self._labels[family], values))
            child = family.labels(*labels)
            if OTHER not in labels:  # as many as there are series, and no more
                self._children[family, values] = child
        found: _Family = child
        return found

    def _bounded(self, label: str, value: str) -> str:
        known = self._values[label]
        if value not in known:
            if len(known) >= MAX_VALUES:
                return OTHER
            known.add(value)
        return value


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
