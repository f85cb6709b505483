"""The operations of the core: names and errors that dashboards group by."""

from __future__ import annotations

import pytest

from kensaku.models import Outcome, Query, Response
from kensaku.observe import Observers, observe
from kensaku.operations import (
    ExtractOperation,
    RequestOperation,
    SearchOperation,
    ToolOperation,
    host_of,
)
from kensaku.tools import ToolResult
from tests.recorder import Recorder


def test_a_stranger_makes_no_new_names():
    """Unusual methods are one, and a content type is without its parameters."""
    assert [RequestOperation(m).method for m in ("DELETE", "BREW", "get")] == [
        "DELETE", "_OTHER", "_OTHER",
    ]  # fmt: skip
    assert ExtractOperation(" Text/HTML ; charset=x", 9).content_type == "text/html"
    assert len(ExtractOperation("x" * 1_000, 9).content_type) == 100


@pytest.mark.parametrize(("status", "error"), [(200, ""), (499, ""), (500, "500")])
def test_a_refused_request_is_no_error_of_the_server(status, error):
    """Alerts are for what its operator can mend."""
    request = RequestOperation("GET")
    request.record(status, "/")

    assert request.error == error


@pytest.mark.parametrize(
    ("result", "error"),
    [
        (ToolResult(True), ""),
        (ToolResult(False, error_kind="empty"), ""),
        (ToolResult(False, error_kind="arguments"), "arguments"),
        (ToolResult(False), "tool"),
    ],
)
def test_a_tool_that_found_nothing_has_done_its_work(result, error):
    """What did not work has a kind, whatever the tool says."""
    tool = ToolOperation("web_search")
    tool.record(result)

    assert (tool.success, tool.error) == (not error, error)


def test_a_request_learns_the_outcome_of_its_search():
    """Whatever lies between them."""
    with (
        observe(Observers([Recorder()]), RequestOperation, "GET") as request,
        observe(Observers([Recorder()]), ToolOperation, "web_search"),
        observe(Observers([Recorder()]), SearchOperation, "otters", 5, "first") as search,
    ):
        search.record(Response(Query("otters"), Outcome.EMPTY))

    assert request.outcome == "empty"


@pytest.mark.parametrize(
    ("url", "host"),
    [("https://A.example:80/x", "a.example"), ("no address", ""), ("http://[", ""), ("", "")],
)
def test_the_host_of_an_address(url, host):
    """Nothing for what is none."""
    assert host_of(url) == host
