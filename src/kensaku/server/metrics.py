"""Prometheus: counts and durations of every operation, in a registry of their own.

    metrics = Metrics()
    Kensaku(observers=[metrics]) … metrics.render() → the body and content type of /metrics

A label is the name of a provider, a tool, an endpoint or an error: never a key, a tenant, a host or
a query. Each label has a bounded number of values; whatever comes after them is "other". Every
process counts by itself: Prometheus scrapes each of them.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterator
from itertools import accumulate
from threading import Lock
from typing import Any, ClassVar

from prometheus_client import (
    CONTENT_TYPE_LATEST,
    CollectorRegistry,
    GCCollector,
    PlatformCollector,
    ProcessCollector,
    generate_latest,
)
from prometheus_client.metrics_core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    Metric,
)
from prometheus_client.registry import Collector

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


class _Series:
    """A counter or a histogram: a list of sums for every combination of labels.

    The client library's own objects take several times as long to count, and each request counts
    nine times. Here they are made when they are scraped.
    """

    size: ClassVar[int]

    def __init__(self, name: str, about: str, *labels: str) -> None:
        self.name, self.about, self.labels = f"kensaku_{name}", about, labels
        self.sums: dict[tuple[str, ...], list[float]] = {}

    def collect(self) -> Metric:
        """The series as the client library writes it."""
        raise NotImplementedError


class _Counter(_Series):
    size = 1

    def collect(self) -> Metric:
        family = CounterMetricFamily(self.name, self.about, labels=self.labels)
        for labels, (count,) in self.sums.items():
            family.add_metric(labels, count)
        return family


class _Histogram(_Series):
    """Seconds: those in each bucket, those above, and their sum."""

    size = len(SECONDS) + 2

    def collect(self) -> Metric:
        family = HistogramMetricFamily(self.name + "_seconds", self.about, labels=self.labels)
        for labels, (*counts, total) in self.sums.items():
            bounds = (*map(str, SECONDS), "+Inf")
            buckets = list(zip(bounds, accumulate(counts), strict=True))
            family.add_metric(labels, buckets, total)
        return family


class Metrics(Observer, Collector):
    """Counts operations."""

    def __init__(self) -> None:
        self._values: defaultdict[str, set[str]] = defaultdict(set)
        self._sums: dict[tuple[Any, ...], list[float]] = {}
        self._counting = Lock()  # jobs run in threads
        self._in_flight = 0
        self._operation = _Histogram("operation", "Duration of operations", "operation")
        self._searches = _Counter("searches", "Searches", "outcome", "cached")
        self._attempts = _Counter("attempts", "Requests", "provider", "outcome", "error")
        self._attempt = _Histogram("attempt", "Duration of requests", "provider")
        self._cost = _Counter("cost_dollars", "Cost of requests, in US dollars", "provider")
        self._lookups = _Counter("cache_lookups", "Lookups in the response cache", "result")
        self._retries = _Counter("retries", "Repeated requests", "provider", "after")
        self._fetches = _Counter("fetches", "Pages, by class of status", "status")
        self._index = _Histogram("index", "Duration of calls of the index", "action")
        self._tools = _Counter("tool_calls", "Calls of tools", "tool", "error")
        self._tool = _Histogram("tool", "Duration of calls of tools", "tool")
        self._requests = _Counter("http_requests", "HTTP requests", "endpoint", "status")
        self._request = _Histogram("http_request", "Duration of HTTP requests", "endpoint")
        self._registry = CollectorRegistry()
        self._registry.register(self)
        for collector in (ProcessCollector, PlatformCollector, GCCollector):
            collector(registry=self._registry)

    def render(self) -> tuple[bytes, str]:
        """Return the metrics in Prometheus' text format, and its content type."""
        return generate_latest(self._registry), CONTENT_TYPE_LATEST

    def collect(self) -> Iterator[Metric]:
        """Return what was counted; the registry asks for it."""
        about = "HTTP requests under way"
        yield GaugeMetricFamily("kensaku_http_requests_in_flight", about, self._in_flight)
        with self._counting:
            families = [s.collect() for s in vars(self).values() if isinstance(s, _Series)]
        yield from families

    def begin(self, operation: Operation) -> None:
        """Count the requests under way."""
        if isinstance(operation, RequestOperation):
            with self._counting:
                self._in_flight += 1

    def end(self, operation: Operation) -> None:
        """Count the operation, and how long it took."""
        took = operation.elapsed_ms / 1000
        with self._counting:
            if getattr(operation, "sent", True):
                self._observe(took, self._operation, operation.name)
            if (count := _COUNT.get(type(operation))) is not None:
                count(self, operation, took)

    def _count_search(self, search: SearchOperation, took: float) -> None:
        cached = "stale" if search.stale else "yes" if search.cached else "no"
        outcome = search.outcome or OTHER  # it was called off
        self._add(1, self._searches, outcome, cached)

    def _count_attempt(self, attempt: AttemptOperation, took: float) -> None:
        name = attempt.provider
        outcome = (attempt.outcome or OTHER) if attempt.sent else "skipped"
        self._add(1, self._attempts, name, outcome, attempt.error)
        if attempt.sent:
            self._observe(took, self._attempt, name)
            self._add(max(0.0, attempt.cost), self._cost, name)

    def _count_lookup(self, lookup: CacheOperation, took: float) -> None:
        self._add(1, self._lookups, lookup.result or OTHER)

    def _count_retry(self, retry: RetryOperation, took: float) -> None:
        self._add(1, self._retries, retry.provider or "route", retry.after)

    def _count_fetch(self, fetch: FetchOperation, took: float) -> None:
        status = f"{fetch.status // 100}xx" if fetch.status else "none"
        self._add(1, self._fetches, "cached" if fetch.via == "cache" else status)

    def _count_index(self, call: IndexOperation, took: float) -> None:
        self._observe(took, self._index, call.action)

    def _count_tool(self, call: ToolOperation, took: float) -> None:
        self._add(1, self._tools, call.tool, call.error)
        self._observe(took, self._tool, call.tool)

    def _count_request(self, request: RequestOperation, took: float) -> None:
        self._in_flight -= 1
        status = str(request.status or "none")
        self._add(1, self._requests, request.endpoint, status)
        self._observe(took, self._request, request.endpoint)

    def _add(self, amount: float, counter: _Counter, *values: str) -> None:
        self._sums_of(counter, values)[0] += amount

    def _observe(self, seconds: float, histogram: _Histogram, *values: str) -> None:
        sums = self._sums_of(histogram, values)
        sums[bisect_left(SECONDS, seconds)] += 1
        sums[-1] += seconds

    def _sums_of(self, series: _Series, values: tuple[str, ...]) -> list[float]:
        """The sums of a series by the values of its labels, of which each has a bounded number."""
        if (sums := self._sums.get((series, values))) is not None:
            return sums
        labels = tuple(map(self._bounded, series.labels, values))
        sums = series.sums.setdefault(labels, [0.0] * series.size)
        if OTHER not in labels:  # as many as there are series, and no more
            self._sums[series, values] = sums
        return sums

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
