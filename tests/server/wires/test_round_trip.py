"""A wire is a provider turned round: our provider asks the wire of its name, and gets back what
went in."""

from __future__ import annotations

import json
from dataclasses import replace
from urllib.parse import parse_qsl, urlencode, urlsplit

import pytest
from starlette.routing import compile_path

from kensaku.models import Query
from kensaku.providers import provider_class
from kensaku.server.wires.base import Asked, Exchange, Found
from tests.server.wires import exchanges
from tests.server.wires.performed import WIRES

HITS = [replace(hit, raw_content=None) for hit in exchanges.HITS]
BOTH = ["tavily", "searxng", "perplexity", "firecrawl", "brave", "serper", "exa", "jina"]


def ask(name: str, query: Query, hits=HITS):
    """Send a provider's request through the wire: the query that it read, the hits that came."""
    wire = WIRES[name]
    provider = provider_class(name)(
        f"http://k.example/{wire.name}" + ("/s" if name == "jina" else "")
    )
    request = provider.request(query, "secret")
    method = "POST" if request.json is not None else "GET"
    path = urlsplit(request.url).path.removeprefix(f"/{wire.name}")
    endpoint = next(
        e
        for e in wire.endpoints()
        if e.method == method and compile_path(e.path)[0].fullmatch(path)
    )
    pairs = request.params.items() if hasattr(request.params, "items") else request.params or ()
    query_string = urlencode([(k, str(v)) for k, v in pairs])
    params: dict[str, str] = {}
    for k, v in parse_qsl(query_string):
        params.setdefault(k, v)
    sent = {k.lower(): v for k, v in (request.headers or {}).items()}
    headers = {name: sent[name] for name in endpoint.sees if name in sent}
    body = json.loads(json.dumps(request.json or {}))
    asked = Asked(body, params, {}, headers, query_string)
    call = endpoint.read(asked)
    reply = endpoint.write(call, Found(hits), Exchange(asked, "request-1", 0.1))
    return call.query, provider.hits(json.loads(json.dumps(reply)))


@pytest.mark.parametrize("name", BOTH)
def test_hits_come_back_as_they_went_in(name):
    """Address, title and text to the letter; the date to the day."""
    _, hits = ask(name, Query("otters", max_results=7))

    for sent, came in zip(HITS, hits, strict=True):
        assert (came.url, came.title, came.content) == (sent.url, sent.title, sent.content)
        if name not in ("tavily",):  # it tells dates of news, or when asked
            assert str(came.published or "")[:10] == (sent.published or "")


@pytest.mark.parametrize("name", BOTH)
def test_nothing_found_is_an_empty_list(name):
    """Not an error, and not a missing member that a client stumbles over."""
    _, hits = ask(name, Query("otters"), [])

    assert hits == []


QUERIES = {
    "plain": Query("how do otters sleep", max_results=7),
    "Japanese": Query("カワウソの生態", max_results=3),
    "sites": Query("otters", include_domains=["a.example", "b.example"]),
    "no sites": Query("otters", exclude_domains=["c.example"]),
    "time": Query("otters", time_range="week"),
    "dates": Query("otters", start_date="2026-01-31", end_date="2026-02-15"),
    "country": Query("otters", country="jp"),
    "language": Query("otters", language="ja"),
    "news": Query("otters", topic="news"),
    "pages": Query("otters", include_raw_content=True),
    "operators": Query('C++ "site: a" -x OR y (z)', max_results=2),
}
_NEEDS = {
    "time": "dates",
    "dates": "dates",
    "country": "country",
    "language": "language",
    "news": "topic",
    "sites": "domains",
    "no sites": "domains",
}
# What a provider can only say roughly.
ROUGH = {
    ("searxng", "dates"),  # it has ranges that end today
    ("searxng", "country"),  # it has locales, which begin with a language
    ("searxng", "plain"), ("searxng", "Japanese"), ("searxng", "operators"),  # it has no count
    ("exa", "time"),  # it has dates alone
    *((n, "pages") for n in ("searxng", "perplexity", "brave", "serper")),  # they read none
}  # fmt: skip


@pytest.mark.parametrize("kind", QUERIES)
@pytest.mark.parametrize("name", BOTH)
def test_a_query_is_read_as_it_was_meant(name, kind):
    """Every filter that a provider can send, the wire understands."""
    query = QUERIES[kind]
    if (name, kind) in ROUGH or _NEEDS.get(kind, "domains") not in provider_class(name).filters:
        pytest.skip("this provider cannot say it exactly")

    read, _ = ask(name, query)

    for field in (
        "text", "topic", "time_range", "start_date", "end_date", "include_domains",
        "exclude_domains", "country", "language", "include_raw_content",
    ):  # fmt: skip
        assert getattr(read, field) == getattr(query, field), field
    if name != "searxng":
        assert read.max_results == query.max_results
