"""The nouns of a search: frozen, comparable, ready for JSON and for another process."""

from __future__ import annotations

import copy
import dataclasses
import json
import pickle

import pytest

from kensaku import Attempt, Document, Hit, Outcome, Page, Passage, Query, Response, errors
from kensaku.models import Explain, Image, LocalMatch, Source

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

FULL = Response(
    Query("otters"),
    Outcome.FOUND,
    (
        dataclasses.replace(
            HIT,
            author="Ann",
            sources=(Source("tavily", 1, 0.5), Source("brave", 2, family="web")),
            explain=Explain(
                0.0,
                2,
                read=True,
                local=LocalMatch(start=0, highlights=("One.",)),
                copies=("https://b.example/",),
            ),
        ),
    ),
    answer="They do.",
    answered_by="tavily",
    images=(Image("https://a.example/1.png", "An otter", provider="t"),),
    attempts=(
        dataclasses.replace(FAILED, elapsed_ms=1.26, sent=False, key=2, cost=0.25),
        Attempt("tavily", Outcome.FOUND, cost=0.5, hits=1),
    ),
    notes=("cut",),
    cached=True,
    partial=True,
    elapsed_ms=12.34,
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
    told = json.loads(json.dumps(FULL.to_dict()))

    assert told.pop("confidence") == FULL.confidence.to_dict()
    assert told == {
        "query": "otters",
        "outcome": "found",
        "hits": [
            {
                "title": "A",
                "url": "https://a.example/",
                "content": "text",
                "score": 0.0,
                "published": "2026-01-31",
                "provider": "tavily",
                "author": "Ann",
                "sources": [
                    {"provider": "tavily", "rank": 1, "score": 0.5},
                    {"provider": "brave", "rank": 2, "score": None, "family": "web"},
                ],
                "explain": {
                    "coverage": 0.0,
                    "agreement": 2,
                    "read": True,
                    "copies": ["https://b.example/"],
                    "start": 0,
                    "highlights": ["One."],
                },
            }
        ],
        "answer": "They do.",
        "answered_by": "tavily",
        "images": [
            {
                "url": "https://a.example/1.png",
                "description": "An otter",
                "page": "",
                "provider": "t",
            }
        ],
        "attempts": [
            {
                "provider": "brave",
                "outcome": "unavailable",
                "error": {
                    "type": "RateLimited",
                    "message": "too fast",
                    "remedy": "",
                    "retry_after": 3.0,
                    "status": 429,
                    "request_id": "r1",
                },
                "elapsed_ms": 1.3,
                "sent": False,
                "key": 2,
                "cost": 0.25,
                "hits": 0,
            },
            {
                "provider": "tavily",
                "outcome": "found",
                "error": None,
                "elapsed_ms": 0.0,
                "sent": True,
                "key": None,
                "cost": 0.5,
                "hits": 1,
            },
        ],
        "notes": ["cut"],
        "cached": True,
        "stale": False,
        "partial": True,
        "cost": 0.75,
        "elapsed_ms": 12.3,
    }


def test_what_is_not_known_is_left_out_of_the_json_of_a_hit():
    """Six fields are always there."""
    assert Hit("https://a.example/", "A").to_dict() == {
        "title": "A",
        "url": "https://a.example/",
        "content": "",
        "score": None,
        "published": None,
        "provider": "",
    }
    assert "images" not in RESPONSE.to_dict()


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


@pytest.mark.parametrize("response", [RESPONSE, FULL, Response(Query("otters"), Outcome.EMPTY)])
def test_a_response_can_be_written_and_read_back(response):
    """What an agent stores, it can load."""
    again = Response.from_dict(json.loads(json.dumps(response.to_dict())))

    assert again.to_dict() == response.to_dict()
    assert again.hits == response.hits
    assert again.query.max_results == max(1, len(response.hits))


def test_a_response_of_more_hits_than_can_be_asked_for_is_read_back():
    """A client fuses what several found; the query that is read back is a valid one."""
    many = dataclasses.replace(RESPONSE, hits=(HIT,) * 60)

    again = Response.from_dict(many.to_dict())

    assert (len(again.hits), again.query.max_results) == (60, 50)


def test_confidence_knows_what_was_wrong_with_the_response():
    """Stale and partial hits are trusted less, and the reasons say so."""
    plain = dataclasses.replace(FULL, partial=False)
    stale = dataclasses.replace(plain, stale=True)

    told = [r.confidence.to_dict() for r in (plain, FULL, stale)]

    assert told[0] != told[1]
    assert told[0] != told[2]
    assert told[1] != told[2]


def test_the_json_of_pages_passages_and_documents_has_every_field():
    """Whether a browser is needed is for the fetcher only."""
    page = Page("u", "T", images=("i",), notes=("n",), needs_browser=True).to_dict()
    assert page == {
        "url": "u",
        "title": "T",
        "text": "",
        "markdown": "",
        "author": None,
        "published": None,
        "language": None,
        "canonical_url": None,
        "content_type": "",
        "fetched_at": None,
        "images": ("i",),
        "links": (),
        "favicon": None,
        "notes": ("n",),
        "rung": None,
        "source_url": None,
    }
    assert Passage("u", "text", 3, 7).to_dict() == {
        "url": "u", "text": "text", "start": 3, "end": 7, "title": "", "heading": "", "score": None,
    }  # fmt: skip
    assert Document("u", metadata={"a": 1}).to_dict() == {
        "url": "u", "title": "", "text": "", "published": None, "language": None,
        "metadata": {"a": 1}, "headings": (),
    }  # fmt: skip


def test_a_response_is_short_in_a_notebook():
    """Outcome, count and who was asked; no content and no query."""
    assert repr(RESPONSE) == "<Response found, 1 hits; asked: brave unavailable, tavily found>"
    nothing = Response(Query("otters"), Outcome.UNAVAILABLE)
    assert repr(nothing) == "<Response unavailable, 0 hits; asked: nobody>"
