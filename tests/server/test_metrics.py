"""Prometheus metrics, read back by the client library's own parser."""

from __future__ import annotations

import pytest
from prometheus_client.parser import text_string_to_metric_families

from kensaku import Document
from kensaku.observe import Observers, observe
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
from kensaku.server.metrics import MAX_VALUES, Metrics
from kensaku.testing import faults
from kensaku.tools import WebSearchTool

QUERY = "where does Person-zz91 live?"
KEY = "tvly-CANARY0123456789"


@pytest.fixture
def metrics() -> Metrics:
    return Metrics()


def samples(metrics: Metrics) -> dict[tuple[str, frozenset[tuple[str, str]]], float]:
    """(name, labels) → value, of all that a scrape would get."""
    body, _ = metrics.render()
    return {
        (sample.name, frozenset(sample.labels.items())): sample.value
        for family in text_string_to_metric_families(body.decode())
        for sample in family.samples
    }


def value(metrics: Metrics, name: str, **labels: str) -> float:
    return samples(metrics).get((f"kensaku_{name}", frozenset(labels.items())), 0.0)


async def test_attempts_are_counted_by_provider_outcome_and_error(make_client, upstream, metrics):
    """The first question of whoever is called at night: who fails, and how?"""
    upstream.fails("tavily", faults.status(401))
    await make_client("tavily", "brave", observers=[metrics]).search("otters")

    refused = {"provider": "tavily", "outcome": "unavailable", "error": "KeyRefused"}
    assert value(metrics, "attempts_total", **refused) == 1
    assert value(metrics, "attempts_total", provider="brave", outcome="found", error="") == 1
    assert value(metrics, "attempt_seconds_count", provider="brave") == 1
    assert value(metrics, "cost_dollars_total", provider="brave") > 0
    assert value(metrics, "searches_total", outcome="found", cached="no") == 1
    assert value(metrics, "operation_seconds_count", operation="search") == 1


async def test_a_provider_that_was_not_asked_has_no_duration(make_client, metrics):
    """Else its median would be zero."""
    client = make_client("brave", env={"BRAVE_API_KEY": ""}, observers=[metrics])
    await client.search("otters")

    skipped = {"provider": "brave", "outcome": "skipped", "error": "NotConfigured"}
    assert value(metrics, "attempts_total", **skipped) == 1
    assert value(metrics, "attempt_seconds_count", provider="brave") == 0
    assert value(metrics, "operation_seconds_count", operation="attempt") == 0


async def test_cache_lookups_and_retries_are_counted(make_client, upstream, metrics):
    """A hit rate can be computed."""
    upstream.fails("tavily", faults.status(503), times=1)
    client = make_client("tavily", observers=[metrics])
    await client.search("kelp")  # not kept: a request failed
    for _ in range(2):
        await client.search("otters")

    assert value(metrics, "cache_lookups_total", result="miss") == 2
    assert value(metrics, "cache_lookups_total", result="fresh") == 1
    assert value(metrics, "retries_total", provider="tavily", after="Outage") == 1
    assert value(metrics, "searches_total", outcome="found", cached="yes") == 1


async def test_fetches_are_counted_by_class_of_status(make_client, upstream, metrics):
    """And the page cache by itself."""
    page = upstream.serves("/otter", "<h1>Otters</h1><p>They hold hands all night.</p>")
    client = make_client("tavily", fetch_allow="127.0.0.1", fetch_ports="any", observers=[metrics])
    await client.extract([page, upstream.url + "/missing"])
    await client.extract(page)

    assert value(metrics, "fetches_total", status="2xx") == 1
    assert value(metrics, "fetches_total", status="4xx") == 1
    assert value(metrics, "fetches_total", status="cached") == 1
    assert value(metrics, "operation_seconds_count", operation="extract") == 2


async def test_index_and_tools_have_durations(make_client, metrics):
    """Each call by what it did."""
    client = make_client("local", observers=[metrics])
    await client.index.add([Document("https://otter.example/", "Otters", "hands")])
    tool = WebSearchTool(client)
    await tool.invoke({"query": "hands"})
    await tool.invoke({})

    assert value(metrics, "index_seconds_count", action="add") == 1
    assert value(metrics, "index_seconds_count", action="search") == 1
    assert value(metrics, "tool_calls_total", tool="web_search", error="") == 1
    assert value(metrics, "tool_calls_total", tool="web_search", error="arguments") == 1
    assert value(metrics, "tool_seconds_count", tool="web_search") == 2


def test_requests_are_counted_by_endpoint_and_status(metrics):
    """Those under way are a gauge, which an error does not leave behind."""
    observers = Observers([metrics])
    with observe(observers, RequestOperation, "POST") as request:
        assert value(metrics, "http_requests_in_flight") == 1
        request.record(200, "/search")
    with (
        pytest.raises(RuntimeError),
        observe(observers, RequestOperation, "POST", endpoint="/search"),
    ):
        raise RuntimeError

    assert value(metrics, "http_requests_in_flight") == 0
    assert value(metrics, "http_requests_total", endpoint="/search", status="200") == 1
    assert value(metrics, "http_requests_total", endpoint="/search", status="none") == 1
    assert value(metrics, "http_request_seconds_count", endpoint="/search") == 2


def test_a_label_has_a_bounded_number_of_values(metrics):
    """Whoever can choose a label must not be able to fill the memory."""
    for number in range(MAX_VALUES + 500):
        with observe(Observers([metrics]), RequestOperation, "GET") as request:
            request.record(200, f"/{number}")

    endpoints = {dict(labels).get("endpoint") for _, labels in samples(metrics)} - {None}
    assert len(endpoints) == MAX_VALUES + 1
    assert value(metrics, "http_requests_total", endpoint="other", status="200") == 500


async def test_no_key_query_host_or_tenant_is_in_the_metrics(make_client, upstream, metrics):
    """Whoever may read /metrics may not read these."""
    page = upstream.serves("/Person-zz91", "<p>Otters hold hands all night.</p>")
    client = make_client(
        "tavily", "brave", env={"TAVILY_API_KEY": KEY}, tenant="tenant-zz91", fetch_allow="127.0.0.1",
        fetch_ports="any", observers=[metrics],
    )  # fmt: skip
    await client.search(QUERY)
    await client.extract(page)

    text = metrics.render()[0].decode()
    assert "operation_seconds" in text
    for canary in ("zz91", "CANARY", "127.0.0.1"):
        assert canary not in text


def test_the_process_is_measured_in_a_registry_of_its_own(metrics):
    """Two servers in one process, or a host application with metrics, do not meet."""
    from prometheus_client import REGISTRY

    body, content_type = Metrics().render()

    assert content_type.startswith("text/plain; version=")
    assert b"process_resident_memory_bytes" in body
    assert not [m.name for m in REGISTRY.collect() if m.name.startswith("kensaku")]


def ended(metrics: Metrics, operation, seconds: float, **fields) -> None:
    """An operation that has taken so long."""
    operation.elapsed_ms = seconds * 1000
    for name, value in fields.items():
        setattr(operation, name, value)
    metrics.begin(operation)
    metrics.end(operation)


def families(metrics: Metrics) -> dict[str, list[str]]:
    """Each family of ours with its series, labels by name; no buckets of histograms."""
    body = metrics.render()[0].decode()
    return {
        family.name.removeprefix("kensaku_"): sorted(
            f"{','.join(s.labels.values())} {s.value:g}"
            for s in family.samples
            if not s.name.endswith(("_bucket", "_created", "_count"))
        )
        for family in text_string_to_metric_families(body)
        if family.name.startswith("kensaku_") and not family.name.endswith("_created")
    }


def test_every_operation_is_counted_in_its_own_families(metrics):
    """Also those that were called off, or of which nothing is known."""
    for search in ({"outcome": "found"}, {"outcome": "found", "cached": True},
                   {"outcome": "empty", "cached": True, "stale": True}, {}):  # fmt: skip
        ended(metrics, SearchOperation("q", 5, "first"), 1, **search)
    ended(metrics, AttemptOperation("brave"), 2, outcome="found", cost=0.25)
    ended(metrics, AttemptOperation("brave"), 1, cost=-1.0)
    ended(metrics, AttemptOperation("exa"), 9, sent=False, error="NotConfigured", cost=1.0)
    for result in ("fresh", ""):
        ended(metrics, CacheOperation(result), 0.5)
    ended(metrics, RetryOperation("brave", "Outage", 1.0), 1)
    ended(metrics, RetryOperation("", "Timeout", 1.0), 1)
    for status, via in ((299, "http"), (404, "http"), (None, ""), (200, "cache")):
        ended(metrics, FetchOperation("https://a.example/"), 1, status=status, via=via)
    ended(metrics, IndexOperation("add", "docs"), 3)
    ended(metrics, ToolOperation("web_search"), 4, error="arguments")
    ended(metrics, RequestOperation("GET"), 5, status=200, endpoint="a")
    ended(metrics, RequestOperation("GET"), 5, endpoint="a")

    assert families(metrics) == {
        "http_requests_in_flight": [" 0"],
        "operation_seconds": [
            "attempt 3", "cache 1", "fetch 4", "index 3", "request 10", "retry 2", "search 4",
            "tool 4",
        ],
        "searches": ["no,found 1", "no,other 1", "stale,empty 1", "yes,found 1"],
        "attempts": [",found,brave 1", ",other,brave 1", "NotConfigured,skipped,exa 1"],
        "attempt_seconds": ["brave 3"],
        "cost_dollars": ["brave 0.25"],
        "cache_lookups": ["fresh 1", "other 1"],
        "retries": ["Outage,brave 1", "Timeout,route 1"],
        "fetches": ["2xx 1", "4xx 1", "cached 1", "none 1"],
        "index_seconds": ["add 3"],
        "tool_calls": ["arguments,web_search 1"],
        "tool_seconds": ["web_search 4"],
        "http_requests": ["a,200 1", "a,none 1"],
        "http_request_seconds": ["a 10"],
    }  # fmt: skip


def test_durations_are_counted_in_buckets(metrics):
    """Each holds what is below it and what is equal to it."""
    for seconds in (0.001, 0.002, 0.25, 7.0, 30.0, 31.0):
        ended(metrics, IndexOperation("add", "docs"), seconds)

    counted = {
        dict(labels)["le"]: value
        for (name, labels), value in samples(metrics).items()
        if name == "kensaku_index_seconds_bucket"
    }
    assert counted == {
        "0.001": 1, "0.005": 2, "0.01": 2, "0.025": 2, "0.05": 2, "0.1": 2, "0.25": 3, "0.5": 3,
        "1.0": 3, "2.5": 3, "5.0": 3, "10.0": 4, "30.0": 5, "+Inf": 6,
    }  # fmt: skip
    assert value(metrics, "index_seconds_count", action="add") == 6


def test_a_label_of_a_hundred_values_has_no_room_for_another(metrics):
    """But those that it has are counted on."""
    for number in (*range(100), 100, 99):
        ended(metrics, IndexOperation(str(number), "docs"), 1)  # type: ignore[arg-type]

    assert value(metrics, "index_seconds_count", action="99") == 2
    assert value(metrics, "index_seconds_count", action="100") == 0
    assert value(metrics, "index_seconds_count", action="other") == 1
