"""The nouns of a search: frozen, comparable, ready for JSON and for another process."""

from __future__ import annotations

import copy
import dataclasses
import json
import pickle

import pytest

from kensaku import Attempt, Document, Hit, Outcome, Page, Passage, Query, Response, errors
from kensaku.models import Explain, LocalMatch, Source

HIT = Hit("https://a.example/", "A", "text", 0.0, "2026-01-31", "tavily", sources=(Source("t", 1),))
FAILED = Attempt(
    "brave",
    Outcome.UNAVAILABLE,
    errors.RateLimited("brave", "too fast", status=429, retry_after=3.0, request_id="r1"),
)
RESPONSE = Response(
    Query("otters"),
    Outcome.FOUND,
    (HIT,),
    attempts=(FAILED, Attempt("tavily", Outcome.FOUND, cost=0.008, hits=1)),
)


@pytest.mark.parametrize(
    "value",
    [Query("otters"), HIT, FAILED, RESPONSE, Page("u"), Passage("u", "t", 0, 1), Document("u")],
    ids=lambda v: type(v).__name__,
)
def test_every_noun_is_frozen_and_survives_pickle_and_copy(value):
    """They go between threads, processes and caches."""
    name = dataclasses.fields(value)[0].name
    with pytest.raises((dataclasses.FrozenInstanceError, TypeError)):
        setattr(value, name, "changed")

    for other in (pickle.loads(pickle.dumps(value)), copy.deepcopy(value)):
        assert repr(other) == repr(value)


@pytest.mark.parametrize(
    "error",
    [
        errors.RateLimited("brave", "too fast", status=429, retry_after=3.0, remedy="wait"),
        errors.UnknownName("provider", "tavly", ["tavily"]),
        errors.MissingExtra("ddgs", "ddgs"),
        errors.InvalidQuery("no"),
    ],
    ids=lambda e: type(e).__name__,
)
def test_every_error_survives_a_pickle_whole(error):
    """A worker process hands it back with its status, its remedy and its type."""
    other = pickle.loads(pickle.dumps(error))

    assert type(other) is type(error)
    assert str(other) == str(error)
    assert vars(other) == vars(error)
    assert other.args == error.args


def test_the_json_form_is_the_promised_one():
    """What `--json` prints: people parse it."""
    told = json.loads(json.dumps(RESPONSE.to_dict()))

    assert {"query", "outcome", "hits", "answer", "attempts", "confidence", "elapsed_ms"} <= set(
        told
    )
    assert {"title", "url", "content", "score", "published", "provider"} <= set(told["hits"][0])
    assert told["hits"][0]["score"] == 0.0
    assert {"provider", "outcome", "error", "elapsed_ms"} <= set(told["attempts"][0])
    assert told["attempts"][0]["error"]["type"] == "RateLimited"
    assert told["attempts"][0]["error"]["retry_after"] == 3.0
    assert told["attempts"][1]["error"] is None
    assert told["cost"] == 0.008


def test_the_json_of_a_page_can_be_written():
    """Tuples become lists."""
    assert json.loads(json.dumps(Page("u", links=("a",)).to_dict()))["links"] == ["a"]


def test_a_repr_does_not_show_what_was_asked():
    """What people search for is theirs: no log shows it by accident."""
    assert "otters" not in repr(Query("otters"))
    assert "otters" not in repr(RESPONSE)


def test_the_error_tree_in_the_docstring_is_the_real_one():
    """Every class is drawn, and nothing is drawn that is not there."""
    drawn = {
        word
        for line in errors.__doc__.splitlines()
        for word in [line.strip(" │├└─").split(" ")[0].split("(")[0]]
        if word and (word == "KensakuError" or "──" in line)
    }
    real = {
        name
        for name, kind in vars(errors).items()
        if isinstance(kind, type) and issubclass(kind, errors.KensakuError)
    }

    assert drawn == real


def test_a_query_reads_back_what_it_was_given():
    """`max_results` is a field; `limit` is what providers call it."""
    query = Query("otters", max_results=7)

    assert query.max_results == query.limit == 7


def test_every_hit_of_a_search_can_be_put_into_a_set():
    """With its explanation, and with the metadata of a local document."""
    local = LocalMatch("docs", bm25=1.5, start=0, end=6, metadata={"tags": ["a"]})
    hit = Hit("doc:1", "Otters", explain=Explain(0.5, local=local))

    assert len({hit, dataclasses.replace(hit)}) == 1
    assert hit.to_dict()["explain"] == {
        "coverage": 0.5, "agreement": 1, "collection": "docs", "bm25": 1.5, "start": 0, "end": 6,
        "metadata": {"tags": ["a"]},
    }  # fmt: skip
    assert Hit.from_dict(json.loads(json.dumps(hit.to_dict()))) == hit


def test_a_response_can_be_written_and_read_back():
    """What an agent stores, it can load."""
    again = Response.from_dict(json.loads(json.dumps(RESPONSE.to_dict())))

    assert again.to_dict() == RESPONSE.to_dict()
    assert again.hits == RESPONSE.hits


def test_what_the_index_says_of_a_hit_reads_back_whole():
    """Lists of JSON become tuples again: a hit can be put into a set."""
    local = LocalMatch(collection="docs", bm25=1.5, highlights=("One.", "Two."))
    hit = dataclasses.replace(HIT, explain=Explain(copies=("https://b.example/",), local=local))

    again = Hit.from_dict(json.loads(json.dumps(hit.to_dict())))

    assert again == hit
    assert len({again, hit}) == 1


def test_a_response_is_short_in_a_notebook():
    """Outcome, count and who was asked; no content and no query."""
    text = repr(RESPONSE)

    assert len(text) < 200
    assert RESPONSE.query.text not in text
