"""The values between HTTP and the core: their defaults, and what is never shown of them."""

from __future__ import annotations

import pytest

from kensaku.errors import InvalidQuery
from kensaku.fetch import Plan
from kensaku.models import Query
from kensaku.server.wires import base, load_wires
from kensaku.server.wires.base import Asked, Crawl, Endpoint, Exchange, Extract, Parse, Wire
from kensaku.server.wires.openai import Chat

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
    ("call", "kind", "values"),
    [
        (
            base.Search(Query("q")),
            "search",
            {"answer": False, "raw": None, "images": False, "prefer_domains": (), "phrases": (), "dated": False, "most": None, "route": None},
        ),
        (
            Extract(("u",)),
            "extract",
            {"query": None, "chunks": 3, "format": "markdown", "timeout": 30.0, "depth": "basic"},
        ),
        (Parse(b""), "extract", {"content_type": "", "name": ""}),
        (Crawl(Plan("https://a.example/")), "crawl", {"format": "markdown", "chunks": None, "depth": "basic"}),
        (base.Map(Plan("https://a.example/")), "map", {}),
        (base.Research("i"), "research", {"options": {}, "stream": False}),
        (base.Found([]), None, {"answer": None, "images": (), "page_images": {}, "cost": 0.0, "cached": False}),
        (base.Read([]), None, {"failed": (), "base_url": ""}),
        (base.Text("t"), None, {"media_type": "text/plain; charset=utf-8"}),
    ],
)  # fmt: skip
def test_what_is_not_said_of_a_call_or_a_result(call, kind, values):
    """Nothing more than was asked for is done."""
    assert getattr(call, "kind", None) == kind
    assert {name: getattr(call, name) for name in values} == values


def test_a_wire_has_plain_errors_unless_it_says_otherwise():
    """And is served under its prefix alone."""

    class Plain(Wire):
        name = label = "plain"

    wire = Plain()

    assert (wire.docs, wire.at_root, wire.client) == ("", False, "")
    assert (wire.error(400, "why"), wire.status(432)) == ({"error": "why"}, 432)
    with pytest.raises(NotImplementedError):
        wire.endpoints()


def test_every_wire_refuses_in_its_own_words():
    """A request without a query is wrong everywhere, and nowhere a crash."""
    for wire in load_wires():
        for endpoint in wire.endpoints():
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
    kinds = (base.Search, Extract, Parse, Crawl, base.Map, base.Research)
    assert [k.kind for k in kinds] == ["search", "extract", "extract", "crawl", "map", "research"]
