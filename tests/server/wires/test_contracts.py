"""What the wires publish, read and answer; the bounds that they publish are those that hold."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Mapping
from typing import Any

import pytest

from kensaku.errors import InvalidQuery
from kensaku.server.wires.base import Call, Endpoint
from tests.golden import assert_kept
from tests.server.wires import combinations, exchanges
from tests.server.wires.performed import ENDPOINTS, WIRES

# Read, but of no effect: the vendor's own search has pieces, and ours has passages.
LENIENT = {("/search", "chunks_per_source")}
# Published, and without an effect when it is given alone, or with the values of these tests.
ALONE = {
    "category": "news is the only one that we know",
    "chunks_per_source": "see above; of a crawl, together with instructions",
    "exact_match": "of a query with a phrase in it",
    "filter_by_language": "a language is always a filter here",
    "format": "the one that a client asks for",
    "include_domains_mode": "together with include_domains",
    "safe_search": "read, and of no effect: upstreams decide about it",
    "scrapeOptions": "its formats have one",
    "sources": "news alone have one",
    "type": "news and images have one",
}


def published_bounds() -> list[Any]:
    """Endpoint, parameter and schema of all that has a bound."""
    return [
        (endpoint, name, schema)
        for endpoint in ENDPOINTS
        for name, schema in endpoint.parameters.items()
        if (endpoint.path, name) not in LENIENT and "{" not in endpoint.path
    ]


def read(endpoint: Endpoint, **values: Any) -> Call:
    return endpoint.read(exchanges.asked_of(endpoint, values))


def beyond(schema: Mapping[str, Any], name: str) -> list[tuple[Any, Any]]:
    """Values at a bound of a schema, each with the one that is just outside."""
    pairs: list[tuple[Any, Any]] = []
    if "maximum" in schema:
        pairs.append((schema["maximum"], schema["maximum"] + 1))
    if "minimum" in schema:
        pairs.append((schema["minimum"], schema["minimum"] - 1))
    if "maxItems" in schema and "language" not in name:
        entries = [f"https://a{n}.example/" for n in range(schema["maxItems"] + 1)]
        pairs.append((entries[:-1], entries))
    if "maxLength" in schema and name not in ("url", "country", "language"):
        pairs.append(("x" * schema["maxLength"], "x" * (schema["maxLength"] + 1)))
    return pairs


def test_a_bound_is_taken_and_beyond_it_is_refused_or_means_the_bound():
    """Some vendors refuse a number that is too high, others take it for the highest."""
    for endpoint, name, schema in published_bounds():
        for at_bound, outside in beyond(schema, name):
            taken = read(endpoint, **{name: at_bound})
            with contextlib.suppress(InvalidQuery):
                assert read(endpoint, **{name: outside}) == taken, (endpoint, name)


def test_every_published_word_is_taken():
    """Each value of an enumeration is one that a client may send."""
    for endpoint, name, schema in published_bounds():
        for word in schema.get("enum", ()):
            read(endpoint, **{name: word})


def test_what_is_endless_is_refused_or_of_no_effect():
    """A client cannot fill the memory; each bound by itself is in `combinations.json`."""
    for endpoint, name, _ in published_bounds():
        for endless in ("x" * 1_000_001, ["a.example"] * 10_001):
            if name != "urls":  # its addresses are counted; each is bounded where it is fetched
                with contextlib.suppress(InvalidQuery):
                    assert read(endpoint, **{name: endless}) == read(endpoint), endpoint


@pytest.mark.parametrize("wire", WIRES)
def test_an_interface_reads_and_answers_as_it_did(wire):
    """Each parameter, and each member of a reply, to the letter: clients rely on both."""
    assert_kept(exchanges.describe(wire), exchanges.FILE, wire)


@pytest.mark.parametrize("wire", WIRES)
def test_parameters_together_are_read_and_answered_as_they_were(wire):
    """Also refusals, errors, and results with gaps; one reply would not show what is left out."""
    found = combinations.as_json(combinations.describe(wire))

    assert_kept(found, combinations.FILE, wire)


@pytest.mark.parametrize("wire", WIRES)
def test_what_is_published_has_an_effect(wire):
    """Honoured, or not published: a client cannot tell what is ignored."""
    for path, told in json.loads(exchanges.FILE.read_text(encoding="utf-8"))[wire].items():
        if isinstance(told, str):  # the same as another one
            continue
        effects = {*(n for n, change in told["changed"].items() if change), *told["replies"]}
        ignored = {n.partition("=")[0] for n in told["changed"]}
        ignored -= {n.partition("=")[0] for n in effects}

        assert ignored <= ALONE.keys(), path
