"""A search under way: the parts of the page that its events change."""

from __future__ import annotations

import re
from types import SimpleNamespace

from kensaku.models import Attempt, Hit, Outcome, Query, Response
from kensaku.search.listen import Asked, PartialHits, Said
from kensaku.server.api.chat import _number
from kensaku.server.api.search import Follow
from kensaku.server.page.form import SearchForm
from tests.server.page.page_request import page_of

HITS = [Hit("https://a.example/", "Alpha", "otters"), Hit("https://b.example/", "Beta", "otters")]
DONE = Attempt("tavily", Outcome.FOUND, elapsed_ms=20.0, hits=2)


def call(llm_url: str = "", mode: str = "first") -> SimpleNamespace:
    settings = SimpleNamespace(llm_url=llm_url, mode=mode)
    return SimpleNamespace(client=SimpleNamespace(settings=settings))


def text(html: str) -> str:
    """What a person reads of it."""
    return " ".join(re.sub("<[^>]+>", " ", html).split())


def test_who_is_asked_waits_until_it_has_said_something():
    """One row each, also for those that were not asked."""
    follow = Follow(page_of(), SearchForm(q="otters"))

    name, first = follow.shown(Asked("tavily", 5.0))
    assert name == "asked"
    assert (follow.waiting, follow.ended) == ({"tavily": 5.0}, [])
    assert "waiting" in text(first["html"])

    _, second = follow.shown(Said(DONE, 25.0))
    assert (follow.waiting, follow.ended) == ({}, [(DONE, 5.0)])
    assert "2 results" in text(second["html"])

    unasked = Attempt("exa", Outcome.UNAVAILABLE, elapsed_ms=3.0)
    follow.shown(Said(unasked, 10.0))
    assert follow.ended[1] == (unasked, 7.0)


def test_hits_are_shown_once_as_they_come():
    """Before they are ranked."""
    follow = Follow(page_of(), SearchForm(q="otters"))

    name, first = follow.shown(PartialHits("tavily", HITS[:1]))
    again = Hit("https://a.example/", "Other title")
    _, second = follow.shown(PartialHits("brave", [again, HITS[1]]))

    assert (name, first["n"], second["n"]) == ("hits", 1, 2)
    assert ["Alpha" in text(first["html"]), "Beta" in text(first["html"])] == [True, False]
    assert "Other title" not in second["html"]
    assert "Beta" in second["html"]


def test_the_whole_replaces_what_was_shown():
    """With its address, its title, and the texts to use."""
    follow = Follow(page_of(), SearchForm(q="otters", n="7"))
    follow.shown(Asked("tavily", 5.0))
    follow.shown(Said(DONE, 25.0))
    follow.shown(Asked("brave", 6.0))
    response = Response(
        Query("otters"), Outcome.FOUND, tuple(HITS), attempts=(DONE,), elapsed_ms=30
    )

    shown = follow.whole(call(), response)

    assert shown.keys() == {"html", "asked", "use", "outcome", "address", "title"}
    assert (shown["outcome"], shown["title"]) == ("found", "otters")
    assert shown["address"] == "/root/?q=otters&n=7"
    assert follow.ended == [(DONE, 5.0)]  # as it was followed
    assert "brave" not in shown["asked"]
    assert "kensaku search otters" in text(shown["use"])
    assert "Working" not in text(shown["html"])
    assert "Working" in text(follow.whole(call("http://llm"), response)["html"])


def test_a_search_that_was_silent_is_shown_from_its_response():
    """From the cache, or begun by somebody else: one after the other, or together."""
    response = Response(Query("otters"), Outcome.EMPTY, attempts=(DONE, DONE))
    expected = {("", "first"): 20.0, ("", "all"): 0.0, ("all", "first"): 0.0}

    for (route, mode), began in expected.items():
        follow = Follow(page_of(), SearchForm(q="otters", route=route))
        follow.whole(call("http://llm", mode), response)
        assert follow.ended == [(DONE, 0.0), (DONE, began)]


def test_a_follower_goes_on_behind_the_event_that_it_has_seen():
    """Of the same run; a number that cannot be is none."""
    exchange = SimpleNamespace(id="run", events=[1, 2, 3])

    seen = {last: _number(last, exchange) for last in
            ("run:2", "run:3", "run:4", "other:2", "run:x", "run:٣", "run", "")}  # fmt: skip

    assert seen == {
        "run:2": 2, "run:3": 3, "run:4": 0, "other:2": 0, "run:x": 0, "run:٣": 0, "run": 0, "": 0,
    }  # fmt: skip
