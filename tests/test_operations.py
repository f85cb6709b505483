"""The operations of the core: their names, and what is recorded of each."""

from __future__ import annotations

import pytest

from kensaku import operations
from kensaku.errors import PageUnavailable, RateLimited
from kensaku.fetch import Extraction, FetchedPage
from kensaku.models import Attempt, Hit, Outcome, Page, Query, Response
from kensaku.observe import Observers, observe
from kensaku.operations import (
    AttemptOperation,
    ExtractOperation,
    FetchOperation,
    PagesOperation,
    RequestOperation,
    SearchOperation,
    ToolOperation,
    host_of,
)
from kensaku.tools import ToolResult
from tests.recorder import Recorder

HIT = Hit("https://a.example/", "A")
GONE = PageUnavailable("gone", status=410)


def _recorded(operation, *result):
    if result:
        operation.record(*result)
    return operation


@pytest.mark.parametrize(
    ("operation", "name", "known"),
    [
        (_recorded(RequestOperation("POST", "r1"), 200, "/search", "k1"), "request",
         {"error": "", "method": "POST", "request_id": "r1", "endpoint": "/search", "status": 200,
          "key_id": "k1", "outcome": ""}),
        (_recorded(RequestOperation("BREW"), 499, "/"), "request",
         {"error": "", "method": "_OTHER", "request_id": "", "endpoint": "/", "status": 499,
          "key_id": "", "outcome": ""}),
        (_recorded(RequestOperation("GET"), 500, "/"), "request",
         {"error": "500", "method": "GET", "request_id": "", "endpoint": "/", "status": 500,
          "key_id": "", "outcome": ""}),
        (_recorded(SearchOperation("otters", 5, "all"),
                   Response(Query("otters"), Outcome.UNAVAILABLE, stale=True)), "search",
         {"error": "unavailable", "query": "otters", "max_results": 5, "mode": "all",
          "outcome": "unavailable", "hits": 0, "cached": False, "stale": True}),
        (_recorded(AttemptOperation("exa"),
                   Attempt("exa", Outcome.UNAVAILABLE, RateLimited("exa", "no"), sent=False)),
         "attempt",
         {"error": "RateLimited", "provider": "exa", "number": 0, "outcome": "unavailable",
          "sent": False, "hits": 0, "cost": 0.0, "key": None}),
        (_recorded(PagesOperation(3),
                   Extraction((Page("u"),), (("v", GONE), ("w", GONE)))), "pages",
         {"error": "", "urls": 3, "results": 1, "failed": 2}),
        (FetchOperation("https://A.example/?api_key=tvly-canary"), "fetch",
         {"error": "", "url": "https://A.example/?api_key=…", "host": "a.example", "status": None,
          "via": "", "bytes": 0}),
        (ExtractOperation(" Text/HTML ; charset=x", 9), "extract",
         {"error": "", "content_type": "text/html", "bytes": 9, "characters": 0}),
        (_recorded(ToolOperation("t"), ToolResult(True)), "tool",
         {"error": "", "tool": "t", "success": True}),
        (_recorded(ToolOperation("t"), ToolResult(False, error_kind="empty")), "tool",
         {"error": "", "tool": "t", "success": True}),
        (_recorded(ToolOperation("t"), ToolResult(False, error_kind="arguments")), "tool",
         {"error": "arguments", "tool": "t", "success": False}),
        (_recorded(ToolOperation("t"), ToolResult(False)), "tool",
         {"error": "tool", "tool": "t", "success": False}),
    ],
)  # fmt: skip
def test_what_an_observer_can_read(operation, name, known):
    """Names are what dashboards group by; what is not known is left out of the attributes."""
    fields = {key: getattr(operation, key) for key in known}

    assert operation.name == name
    assert fields == known
    assert operation.attributes(texts=True) == {
        key: value for key, value in known.items() if value is not None and value != ""
    }
    texts = {"query", "url"}
    assert operation.attributes() == {
        key: value for key, value in operation.attributes(texts=True).items() if key not in texts
    }
    assert not any(text in repr(operation) for text in ("otters", "example/"))


def test_a_fetch_has_what_came_or_the_status_of_the_error():
    """Also when the error knows no status."""
    good, bad, broken = (FetchOperation("https://a.example/") for _ in range(3))
    good.record(FetchedPage("u", "v", 203, "text/html", b"12345", via="cache"))
    bad.fail(GONE)
    broken.fail(RuntimeError())

    assert (good.status, good.via, good.bytes) == (203, "cache", 5)
    assert (bad.status, bad.error) == (410, "PageUnavailable")
    assert (broken.status, broken.error) == (None, "RuntimeError")


def test_a_request_learns_the_outcome_of_its_search():
    """Whatever lies between them; a search by itself has no request."""
    observers, response = Observers([Recorder()]), Response(Query("otters"), Outcome.EMPTY)
    with (
        observe(observers, RequestOperation, "GET") as request,
        observe(observers, ToolOperation, "web_search"),
        observe(observers, SearchOperation, "otters", 5, "first") as search,
    ):
        search.record(response)
    with (
        observe(observers, ToolOperation, "web_search") as tool,
        observe(observers, SearchOperation, "otters", 5, "first") as alone,
    ):
        alone.record(response)

    assert (request.outcome, search.outermost, request.outermost) == ("empty", request, request)
    assert alone.outermost is tool
    assert not hasattr(tool, "outcome")


@pytest.mark.parametrize(
    ("url", "host"),
    [("https://A.example:80/x", "a.example"), ("no address", ""), ("http://[", ""), ("", "")],
)
def test_the_host_of_an_address(url, host):
    """Nothing for what is none."""
    assert host_of(url) == host


@pytest.mark.parametrize("method", ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"])
def test_the_usual_methods_are_named(method):
    """The others are one: a stranger cannot make new names."""
    assert operations.RequestOperation(method).method == method
