"""The values between HTTP and the core: what is refused, and what is never shown of them."""

from __future__ import annotations

import pytest

from kensaku.errors import InvalidQuery
from kensaku.server.wires import base
from kensaku.server.wires._completion import Chat
from kensaku.server.wires.base import Asked, Endpoint, Parse
from tests.server.wires.performed import ENDPOINTS

SECRET = "CANARY-1"


def test_what_a_person_sent_is_not_in_a_log():
    """Values are printed in logs and tracebacks; a schema is as long as the documentation."""
    for value in (
        Asked({"a": SECRET}, {"b": SECRET}, {"c": "d"}, {"e": SECRET}, SECRET, SECRET.encode()),
        Parse(SECRET.encode(), "text/plain", "a.txt"),
        base.Research(SECRET, {"a": SECRET}),
        Chat("q", replies=((SECRET, SECRET),)),
        Endpoint("GET", "/a", str, str, "Search", {"q": {"type": SECRET}}),
    ):
        assert SECRET not in repr(value)


def test_fields_of_the_body_come_before_those_of_the_query():
    """For endpoints that take either."""
    asked = Asked(body={"a": 1, "b": 2}, params={"a": "x", "c": "y"})

    assert asked.fields == {"a": 1, "b": 2, "c": "y"}


def test_every_wire_refuses_in_its_own_words():
    """A request without a query is wrong everywhere, and nowhere a crash."""
    for endpoint in ENDPOINTS:
        if "{" in endpoint.path:
            continue
        with pytest.raises(InvalidQuery):
            endpoint.read(Asked())
