"""Structured logs: JSON lines that say who asked what endpoint, and hold no secret."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from urllib.parse import quote

import pytest

from kensaku import Settings
from kensaku.log_redaction import MAX_CHARS, request_secrets
from kensaku.observe import Caller, Observers, caller, observe
from kensaku.operations import RequestOperation
from kensaku.server.logs import QUIET, RequestLog

from .logged import Logs, forms, logged

KEY = "tvly-CANARY+a/0123456789=="
PRESENTED = "CANARY-presented+b/0123456789=="
QUERY = "where does Person-zz91 live?"


@pytest.fixture
def logs(level) -> Iterator[Logs]:
    """The logs of this process, until the end of the test."""
    with logged(Settings.load(environ={"TAVILY_API_KEY": KEY}), level) as told:
        yield told


async def test_a_request_is_one_line(make_client, logs, level):
    """What an operator greps for; the query is there at DEBUG alone."""
    client = make_client("tavily", observers=[RequestLog()])
    with observe(Observers([RequestLog()]), RequestOperation, "POST", "request-1") as request:
        await client.search(QUERY)
        request.record(200, "tavily/search", "k1")

    (line,) = logs.requests
    assert line.pop("elapsed_ms") > 0
    assert line.pop("time").endswith("+00:00")
    assert line == {
        "level": "INFO", "logger": "kensaku.request", "message": "request", "method": "POST",
        "request_id": "request-1", "endpoint": "tavily/search", "status": 200, "key_id": "k1",
        "outcome": "found",
    }  # fmt: skip
    assert (QUERY in logs.text) is (level == "DEBUG")


@pytest.mark.parametrize("form", range(6))
@pytest.mark.parametrize("secret", [KEY, PRESENTED])
def test_no_secret_is_written_in_any_form(logs, secret, form):
    """In a message, its arguments, a field, an exception, the id of a request."""
    hidden = forms(secret)[form]
    other = logging.getLogger("somebody.else")
    token = request_secrets.set((PRESENTED,))
    who = caller.set(Caller(hidden))
    other.warning("GET /search?api_key=%s&q=x", hidden)
    other.warning(f"headers: {{'authorization': 'Bearer {hidden}', 'x-own': '{hidden}'}}")
    other.warning("%s", {"api_key": hidden, "nested": [hidden]})
    other.warning("fields", extra={"fields": {"a": hidden, "b": [{"c": hidden}], "d": object}})
    try:
        raise RuntimeError(f"cannot use {hidden}")
    except RuntimeError:
        other.exception("failed with %s", hidden)
    caller.reset(who)
    request_secrets.reset(token)

    assert len(logs.lines) == 5
    for written in forms(secret):
        assert written not in logs.text


def test_what_cannot_be_formatted_breaks_nothing(logs):
    """Wrong arguments, half characters, line ends, endless text: one line each."""

    class Hostile:
        def __str__(self) -> str:
            raise RuntimeError

    other = logging.Logger("somebody.else")  # pytest cannot report half characters
    other.addHandler(logs.handler)
    other.warning("%d", "no number")
    other.warning("%s", Hostile())
    other.warning('half \ud800, a line\n{"level": "forged"}')
    other.warning("x" * 1_000_000)
    other.warning("fields", extra={"fields": {"a": Hostile(), ("b",): 1}})

    assert len(logs.lines) == 5
    assert max(map(len, logs.text.splitlines())) < MAX_CHARS + 500


def test_loggers_that_write_whole_addresses_are_quiet(logs):
    """An access log with `?q=…` is a log of queries."""
    for name in QUIET:
        logging.getLogger(name).info("GET /search?q=%s", QUERY)

    assert logs.text == ""


async def test_a_path_that_nobody_serves_is_logged_without_a_key_in_it(http, logs):
    """Whoever wonders why a program finds nothing sees what it asks for."""
    reply = await http.get(f"/v9/nothing/{quote(KEY, safe='')}")
    served = await http.post("/search", json={"query": QUERY})
    lines = logs.requests

    assert (reply.status_code, served.status_code) == (404, 200)
    assert lines[0]["path"].startswith("/v9/nothing/")
    assert lines[0]["endpoint"] == "none"
    assert not lines[1].get("path")
    assert not any(form in logs.text for form in forms(KEY))
