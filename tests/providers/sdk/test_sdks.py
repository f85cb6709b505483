"""Our providers send what the services' own clients send, and read what these read.

`make test-sdks` drives the clients and writes `readings/`; these tests need none of them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import product
from string import ascii_lowercase
from typing import Any, get_args
from urllib.parse import urlsplit

import pytest

from kensaku.errors import InvalidQuery
from kensaku.models import Depth, Query
from kensaku.providers import BUILT_IN, provider_class
from kensaku.testing import load_sample
from kensaku.testing._filter_queries import FILTERS
from kensaku.transport.request import Request

from .drive import drive
from .reading import KEY, READINGS, fingerprint, replies, sent

NAMES = sorted(path.stem for path in READINGS.glob("*.json"))
QUERIES = [
    *(query for queries in FILTERS.values() for query in queries),
    *(Query("otter", depth=depth) for depth in get_args(Depth)),
    Query("otter", include_answer=True),
    Query("otter", include_raw_content=True),
]
# What a client does not send, and why we do.
BEYOND = {
    "baidu": {
        "block_websites[]": "documented; the client has no such parameter",
        "search_filter.range.page_time.gte": "documented, and seen to work; the client writes gth",
        "search_filter.range.page_time.lte": "documented, and seen to work; the client writes lth",
    },
    "brave": {"text_decorations": "documented for the web; the client has no such member for news"},
    "firecrawl": {"sources[]": "documented as texts; the client writes an object around each"},
    "keenable": {"max_results": "documented; the client has no such parameter yet"},
    "mojeek": dict.fromkeys(
        ("site", "since", "before", "rb", "lb"), "documented; pymojeek is the work of others"
    ),
    "tavily": {"include_published_date": "seen in clients of 2026, not in the official one"},
}
OTHER_PATHS = {
    "GET /search.json": "GET /search",  # SerpApi: the format by the path, or by default
    # Baidu's client has the call that writes an answer about the same list.
    "POST /v2/ai_search/web_search": "POST /v2/ai_search/chat/completions",
}
BEYOND_CHOICES = {"keenable": {"realtime"}}  # documented; the client knows its default alone
# Known by a client that is not driven here.
ELSEWHERE = {
    **dict.fromkeys(("duckduckgo", "startpage", "mojeek_web"), "the provider itself uses ddgs"),
    "exa_mcp": "its server's own source; test_mcp.py asks a server of the official library",
    "parallel_mcp": "OpenClaw's client, in TypeScript; test_mcp.py as for Exa",
}
CODES = ["".join(pair) for pair in product(ascii_lowercase, repeat=2)]
every_client = pytest.mark.parametrize("name", NAMES)


def reading(name: str) -> dict[str, Any]:
    return json.loads((READINGS / f"{name}.json").read_text(encoding="utf-8"))


def requests(name: str, queries: Iterable[Query], key: str = KEY) -> list[Request]:
    """What our provider describes."""
    cls = provider_class(name)
    provider = cls("https://upstream.example", {o: f"test-{o}" for o in cls.needs})
    return [provider.request(query, key) for query in queries]


def endpoint(request: Request) -> str:
    return f"{request.method} {urlsplit(request.url).path}"


def ours(name: str) -> dict[str, dict[str, str]]:
    """What our provider sends, over all that a query can ask for."""
    return sent((endpoint(r), dict(r.params or {}), r.json) for r in requests(name, QUERIES))


def everywhere() -> Iterator[Query]:
    """A query for each country and each language that a query takes."""
    for code, member in product(CODES, ("country", "language")):
        with suppress(InvalidQuery):
            yield Query("otter", **{member: code})


@every_client
def test_we_read_what_the_client_reads(name):
    """The same addresses, titles and texts, in the same order."""
    provider = provider_class(name)()
    for reply, read in zip(replies(load_sample(name)), reading(name)["read"], strict=True):
        hits = [(h.url, h.title, h.content) for h in provider.hits(reply.body)]

        # A page without a title is shown by its address: what a client hands on is a null.
        assert hits == [
            (r["url"], (r["title"] or r["url"]).strip(), (r["content"] or "").strip())
            for r in read["rows"]
        ]


@every_client
def test_we_send_what_the_client_sends(name):
    """A member that its own client does not know is one that we have made up."""
    theirs = reading(name)["sent"]
    for endpoint, members in ours(name).items():
        known = theirs[OTHER_PATHS.get(endpoint, endpoint)]
        unknown = members.keys() - known.keys() - BEYOND.get(name, {}).keys()
        assert not unknown
        shared = members.keys() & known.keys()
        assert {n: members[n] for n in shared} == {n: known[n] for n in shared}


@pytest.mark.parametrize("name", [n for n in NAMES if "choices" in reading(n)])
def test_we_send_no_value_that_the_client_does_not_allow(name):
    """Services answer 422 to a country or a mode that they do not know."""
    asked = requests(name, [*QUERIES, *everywhere()])
    for member, allowed in reading(name)["choices"].items():
        values = {r.json[member] for r in asked if r.json and member in r.json}
        assert values - set(allowed) - BEYOND_CHOICES.get(name, set()) == set()


@pytest.mark.parametrize("name", [n for n in NAMES if "keyless" in reading(n)])
def test_a_search_without_a_key_is_sent_as_theirs_is(name):
    """To the same endpoint, with the same headers of the service's own."""
    (request,) = requests(name, [Query("otter")], key="")
    theirs = reading(name)["keyless"]

    assert endpoint(request) == theirs["endpoint"]
    assert {header.lower() for header in request.headers} <= set(theirs["headers"])


@every_client
def test_our_key_travels_where_theirs_does(name):
    """The contract then tests that ours is there, and nowhere else."""
    assert reading(name)["key"] == [load_sample(name).key.lower()]


@every_client
def test_the_client_has_read_the_sample_as_it_is_now(name):
    """After a change of a sample: make test-sdks."""
    read = [r["of"] for r in reading(name)["read"]]

    assert read == [fingerprint(reply) for reply in replies(load_sample(name))]


def test_whoever_is_known_by_a_client_is_compared_with_it():
    """Or it stands above why not."""
    known = {n for n in BUILT_IN if provider_class(n).known_by == "sdk"}

    assert known - set(NAMES) == ELSEWHERE.keys()


def test_tavilys_client_still_reads_the_same():
    """It is among the test dependencies: one of the readings is made anew in every run."""
    now, then = drive("tavily"), reading("tavily")

    assert {**now, "version": ""} == {**then, "version": ""}
