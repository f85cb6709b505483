"""The values between HTTP and the core: their defaults, and what is never shown of them."""

from __future__ import annotations

import pytest

from kensaku.errors import InvalidQuery
from kensaku.fetch import Plan
from kensaku.models import Query
from kensaku.server.wires import base
from kensaku.server.wires._completion import Chat
from kensaku.server.wires.base import (
    Asked,
    Crawl,
    Endpoint,
    Exchange,
    Extract,
    Parse,
    Wire,
    searches_of,
)
from tests.server.wires.performed import ENDPOINTS

SECRET = "CANARY-1"


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (
            Asked({"a": SECRET}, {"b": SECRET}, {"c": "d"}, {"e": SECRET}, SECRET, SECRET.encode()),
            "Asked(path={'c': 'd'})",
        ),
        (Parse(SECRET.encode(), "text/plain", "a.txt"), "Parse(content_type='text/plain', name='a.txt')"),
        (base.Research(SECRET, {"a": SECRET}), "Research(stream=False)"),
        (Chat("q", replies=((SECRET, SECRET),)), "Chat(question='q', earlier=(), stream=False, include_usage=False, tokens=0, done=None)"),
    ],
)  # fmt: skip
def test_what_a_person_sent_is_not_in_a_log(value, shown):
    """Values are printed in logs and tracebacks."""
    assert repr(value) == shown


def test_an_endpoint_is_shown_without_its_schema():
    """It is as long as the documentation."""
    endpoint = Endpoint("GET", "/a", str, str, "Search", {"q": {"type": SECRET}})

    assert SECRET not in repr(endpoint)
    assert (endpoint.sees, endpoint.takes_bytes) == ((), False)
    assert Endpoint("GET", "/a", str, str).parameters == {}


def test_fields_of_the_body_come_before_those_of_the_query():
    """For endpoints that take either."""
    asked = Asked(body={"a": 1, "b": 2}, params={"a": "x", "c": "y"})

    assert asked.fields == {"a": 1, "b": 2, "c": "y"}
    assert (Asked().fields, Asked().raw, Asked().headers, Asked().query_string) == ({}, b"", {}, "")


@pytest.mark.parametrize(
    ("call", "values"),
    [
        (
            base.Search(Query("q")),
            {"answer": False, "raw": None, "images": False, "prefer_domains": (), "phrases": (), "dated": False, "most": None, "route": None},
        ),
        (
            Extract(("u",)),
            {"query": None, "chunks": 3, "format": "markdown", "timeout": 30.0, "depth": "basic"},
        ),
        (Parse(b""), {"content_type": "", "name": ""}),
        (Crawl(Plan("https://a.example/")), {"format": "markdown", "chunks": None, "depth": "basic"}),
        (base.Map(Plan("https://a.example/")), {}),
        (base.Research("i"), {"options": {}, "stream": False}),
        (base.Found([]), {"answer": None, "images": (), "page_images": {}, "cost": 0.0, "cached": False}),
        (base.Read([]), {"failed": (), "base_url": ""}),
        (base.Text("t"), {"media_type": "text/plain; charset=utf-8"}),
    ],
)  # fmt: skip
def test_what_is_not_said_of_a_call_or_a_result(call, values):
    """Nothing more than was asked for is done."""
    assert {name: getattr(call, name) for name in values} == values


def test_a_wire_has_plain_errors_unless_it_says_otherwise():
    """And is served under its prefix alone."""

    class Plain(Wire):
        name = label = "plain"

    wire = Plain()

    assert (wire.docs, wire.prefixes, wire.client) == ("", ("/plain",), "")
    assert (wire.error(400, "why"), wire.status(432)) == ({"error": "why"}, 432)
    with pytest.raises(NotImplementedError):
        wire.endpoints()


def test_every_wire_refuses_in_its_own_words():
    """A request without a query is wrong everywhere, and nowhere a crash."""
    for endpoint in ENDPOINTS:
        if "{" in endpoint.path:
            continue
        with pytest.raises(InvalidQuery):
            endpoint.read(Asked())
    assert Exchange(Asked(), "r", 0.5).seconds == 0.5


def test_what_was_found_has_nothing_that_it_was_not_given():
    """A wire writes what is there."""
    found, read = base.Found([]), base.Read([])

    assert found == base.Found([], None, (), {}, 0.0, False)
    assert (read.failed, read.base_url) == ((), "")
    assert base.Text("x").media_type == "text/plain; charset=utf-8"
    assert base.Research("x") == base.Research("x", {}, False)


def test_a_call_says_what_it_costs():
    """In searches of the key; a run makes as many as it needs, and five pages cost one."""
    calls = [base.Search(Query("q")), Extract(("u",) * 6), base.Research("i"), Chat("q")]

    assert [searches_of(call) for call in calls] == [1, 2, None, None]
    assert searches_of(Chat("q", done="A title")) == 0
