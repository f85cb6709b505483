"""Requests that are decoded once, and replies that are written once: never another's."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kensaku.errors import InvalidQuery
from kensaku.models import Hit
from kensaku.server.prepared import MAX_REPLY, MAX_SENT, Prepared, prepare
from kensaku.server.wires import load_wires
from kensaku.server.wires.base import Asked, Endpoint, Exchange, Found, Search, Text

SEARCHES = [
    pytest.param(endpoint, id=f"{wire.name} {endpoint.method} {endpoint.path}")
    for wire in load_wires()
    for endpoint in wire.endpoints()
    if "search" in endpoint.read.__name__
]
TAVILY = next(p.values[0] for p in SEARCHES if p.id == "tavily POST /search")
JINA = next(p.values[0] for p in SEARCHES if p.id == "jina GET /s/")
HIT = Hit(
    url="https://a.example/", title="Otters", content="They hold \x00hands\x01.", provider="x"
)
FIELDS: dict[str, Any] = {"query": "otters", "q": "otters", "format": "json"}


def scope(query: bytes = b"", **path: str) -> dict[str, Any]:
    return {"query_string": query, "path_params": path}


def of(endpoint: Endpoint, **fields: Any) -> Prepared:
    """The request with these fields, as this endpoint takes them."""
    if endpoint.method == "GET":
        query = "&".join(f"{n}={v}" for n, v in fields.items()).encode()
        return prepare(endpoint, scope(query), {}, b"")
    return prepare(endpoint, scope(), {}, json.dumps(fields).encode())


def written(endpoint: Endpoint, request: Prepared, found: Found, id: str, seconds: float) -> Any:
    """What the wire itself writes."""
    call = endpoint.read(request.asked)
    reply = endpoint.write(call, found, Exchange(request.asked, id, seconds))
    return reply.body if isinstance(reply, Text) else json.loads(json.dumps(reply))


def told(body: bytes, kind: bytes) -> Any:
    return json.loads(body) if kind == b"application/json" else body.decode()


@pytest.mark.parametrize("endpoint", SEARCHES)
def test_a_kept_reply_is_what_the_wire_would_write(endpoint):
    """For every wire: with the id and the time of this request, and hostile texts in the page."""
    found, request = Found((HIT,), answer="\x00\x01", cached=True), of(endpoint, **FIELDS)
    call = request.read()
    for n in range(3):
        id, seconds = f"request-{n}", n / 8
        body = request.write(call, found, id, seconds)
        assert told(*body) == written(endpoint, request, found, id, seconds)


texts = st.sampled_from(["", "a", "b", "\x00", "\x01", '"', "\ud800"])
founds = st.builds(
    lambda titles, answer, cost: Found(
        tuple(replace(HIT, title=t) for t in titles), answer=answer, cost=cost, cached=True
    ),
    st.lists(texts, max_size=3),
    st.none() | texts,
    st.sampled_from([0.0, 0.5]),
)


@settings(max_examples=150, deadline=None)
@given(st.lists(founds, min_size=1, max_size=6))
def test_one_tenants_result_is_never_written_for_another(results):
    """All tenants share what is kept of a request; their results differ in any field or in none."""
    request = of(TAVILY, query="otters", include_answer=True)
    call = request.read()
    for n, found in enumerate(results):
        body, kind = request.write(call, found, f"request-{n}", 0.5)
        expected = written(TAVILY, request, found, f"request-{n}", 0.5)
        assert told(body, kind) == json.loads(
            json.dumps(expected, ensure_ascii=False).encode("utf-8", "replace")
        )


parts = st.sampled_from(["", "a", "b", "ab", "bb"])


@settings(max_examples=200, deadline=None)
@given(st.lists(st.tuples(parts, parts, parts, parts, parts), min_size=2, max_size=8))
def test_what_is_kept_of_a_request_has_all_that_a_wire_sees_in_its_key(requests):
    """Body, query, captured path, content type and each header: none is taken for another."""
    endpoint = replace(JINA, sees=("accept", "x-respond-with"))
    for body, query, path, accept, respond in requests:
        headers = {"accept": accept, "x-respond-with": respond, "authorization": "Bearer secret"}
        raw = json.dumps({"q": body}).encode()
        request = prepare(endpoint, scope(f"q={query}".encode(), q=path), headers, raw)
        asked = request.asked

        assert (asked.body, asked.params, asked.path) == ({"q": body}, {"q": query}, {"q": path})
        assert asked.query_string == f"q={query}"
        assert asked.headers == {
            n: v for n, v in headers.items() if v and n in ("accept", "x-respond-with")
        }


def test_a_form_and_json_of_the_same_bytes_are_two_requests():
    """The content type says which of them it is."""
    raw = b'"query=otters"'
    form = {"content-type": "application/x-www-form-urlencoded"}

    assert prepare(TAVILY, scope(), form, raw).asked.body == {'"query': 'otters"'}
    with pytest.raises(InvalidQuery):
        prepare(TAVILY, scope(), {"content-type": "application/json"}, raw)


def test_two_endpoints_share_nothing():
    """The same bytes mean something else at another path."""
    one, two = (replace(TAVILY) for _ in range(2))

    assert of(one, query="otters") is of(one, query="otters")
    assert of(one, query="otters") is not of(two, query="otters")


def test_a_request_is_read_again_on_the_next_day(monkeypatch):
    """Tavily's `days` counts from today."""
    now = 1_790_000_000.0
    monkeypatch.setattr("time.time", lambda: now)
    endpoint = Endpoint("POST", "/search", _read_at(lambda: now), TAVILY.write)
    request = of(endpoint, query="otters")
    first = request.read()

    assert request.read() is first
    now += 86_400
    assert request.read() != first


def _read_at(clock: Any) -> Any:
    def read(asked: Asked) -> Search:
        return replace(TAVILY.read(asked), most=int(clock()) // 86_400)

    return read


def test_only_small_requests_and_replies_of_the_cache_are_kept():
    """The memory of a server is bounded, whatever it is sent; others will hardly come again."""
    written: list[Any] = []

    def write(call: Any, found: Any, exchange: Any) -> Any:
        written.append(found)
        return TAVILY.write(call, found, exchange)

    def times(found: Found) -> int:
        """How often a reply is written for two equal requests."""
        written.clear()
        request = of(Endpoint("POST", "/search", TAVILY.read, write), query="otters")
        for n in range(2):
            request.write(request.read(), found, f"request-{n}", 0.1)
        return len(written)

    large = "x" * MAX_SENT
    assert of(TAVILY, query=large) is not of(TAVILY, query=large)
    assert times(Found((HIT,), cached=True)) == 1
    assert times(Found((HIT,))) == 2
    assert times(Found((replace(HIT, content="x" * MAX_REPLY),), cached=True)) > 2
