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
    RequestOperation,
    RetryOperation,
    SearchOperation,
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


def test_a_request_that_breaks_is_no_longer_under_way(metrics):
    """It is counted without a status."""
    with (
        pytest.raises(RuntimeError),
        observe(Observers([metrics]), RequestOperation, "POST", endpoint="/search"),
    ):
        raise RuntimeError

    assert value(metrics, "http_requests_in_flight") == 0
    assert value(metrics, "http_requests_total", endpoint="/search", status="none") == 1


def test_a_label_has_a_bounded_number_of_values(metrics):
    """Whoever can choose a label must not fill the memory; those that there are go on."""
    for number in (*range(MAX_VALUES + 500), MAX_VALUES - 1):
        with observe(Observers([metrics]), RequestOperation, "GET") as request:
            request.record(200, f"/{number}")

    endpoints = {dict(labels).get("endpoint") for _, labels in samples(metrics)} - {None}
    assert len(endpoints) == MAX_VALUES + 1
    assert value(metrics, "http_requests_total", endpoint="other", status="200") == 500
    last = f"/{MAX_VALUES - 1}"
    assert value(metrics, "http_requests_total", endpoint=last, status="200") == 2


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


def test_what_is_not_known_of_an_operation_is_counted_all_the_same(metrics):
    """It was called off, or costs nothing that anybody knows; nor is a stale result a fresh one."""
    stale = SearchOperation("q", 5, "first")
    stale.outcome, stale.cached, stale.stale = "empty", True, True
    free = AttemptOperation("brave")
    free.cost = -1.0
    for operation in (
        SearchOperation("q", 5, "first"), stale, free, CacheOperation(""),
        RetryOperation("", "Timeout", 1.0), FetchOperation("https://a.example/"),
    ):  # fmt: skip
        metrics.begin(operation)
        metrics.end(operation)

    assert value(metrics, "searches_total", outcome="other", cached="no") == 1
    assert value(metrics, "searches_total", outcome="empty", cached="stale") == 1
    assert value(metrics, "attempts_total", provider="brave", outcome="other", error="") == 1
    assert value(metrics, "cost_dollars_total", provider="brave") == 0
    assert value(metrics, "cache_lookups_total", result="other") == 1
    assert value(metrics, "retries_total", provider="route", after="Timeout") == 1
    assert value(metrics, "fetches_total", status="none") == 1
