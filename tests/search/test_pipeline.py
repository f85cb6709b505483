"""One search, from the question to the response, over a real socket."""

from __future__ import annotations

import asyncio
import threading
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from kensaku import Kensaku, Outcome, Query
from kensaku.errors import (
    CalledOff,
    InvalidQuery,
    KeyRefused,
    NotAsked,
    NotConfigured,
    Outage,
    Timeout,
    UnknownName,
    Unreadable,
    UsageError,
)
from kensaku.models import Attempt, Explain, Hit, Image, Response, Source
from kensaku.providers.base import Findings
from kensaku.search import pipeline
from kensaku.search.clean import MAX_CONTENT
from kensaku.search.listen import Asked, PartialHits, Said, listening
from kensaku.search.route import Route
from kensaku.testing import faults
from tests.recorder import Recorder
from tests.search.support import HANGS, Script, hit, timeless, turns, until


async def test_a_search_finds_and_says_who_answered(make_client, upstream):
    """The whole path: request, reply, hits, attempt, confidence."""
    upstream.answers("tavily", [hit("a"), hit("b")])

    found = await make_client("tavily").search("otters", max_results=2)

    assert found.outcome is Outcome.FOUND
    assert [h.url for h in found.hits] == ["https://a.example/", "https://b.example/"]
    assert [h.provider for h in found.hits] == ["tavily", "tavily"]
    (attempt,) = found.attempts
    assert (attempt.provider, attempt.outcome, attempt.error) == ("tavily", Outcome.FOUND, None)
    assert attempt.key == 1
    assert attempt.cost == found.cost > 0
    assert found.confidence.level == "high"
    assert upstream.requests[0].json == {
        "query": "otters",
        "max_results": 2,
        "include_published_date": True,
    }


async def test_nothing_found_is_empty_and_not_unavailable(make_client, upstream):
    """Somebody searched, and there is nothing: the route does not go on."""
    upstream.answers("tavily", [])

    found = await make_client("tavily", "brave").search("otters")

    assert found.outcome is Outcome.EMPTY
    assert found.confidence.level == "none"
    assert not upstream.asked("brave")


async def test_nobody_could_search_is_unavailable_with_every_reason(make_client, upstream):
    """An agent that is told "no results" answers from memory."""
    upstream.fails("tavily", faults.status(401))
    upstream.fails("brave", faults.bad_json())

    found = await make_client("tavily", "brave", "exa", env={"EXA_API_KEY": ""}).search("otters")

    assert found.outcome is Outcome.UNAVAILABLE
    reasons = {a.provider: type(a.error) for a in found.attempts}
    assert reasons == {"tavily": KeyRefused, "brave": Unreadable, "exa": NotConfigured}
    assert not next(a for a in found.attempts if a.provider == "exa").sent


@pytest.mark.parametrize(
    "options",
    [
        {"max_results": 0},
        {"max_results": -1},
        {"max_results": 10**9},
        {"max_results": 10**5000},
        {"max_results": "five"},
        {"max_results": True},
        {"depth": "deep"},
        {"topic": ["news"]},
        {"time_range": "decade"},
        {"time_range": ["day"]},
        {"start_date": "yesterday"},
        {"start_date": "2026-02-01", "end_date": "2026-01-01"},
        {"start_date": "2026-02-01", "time_range": "day"},
        {"include_domains": "example.com"},
        {"include_domains": ["not a host"]},
        {"exclude_domains": ["a.example"] * 301},
        {"country": "Atlantis"},
        {"language": "klingon!"},
        {"collection": "../etc"},
        {"include_answer": "yes"},
        {"timeout": 0},
        {"timeout": -1},
        {"timeout": float("nan")},
        {"timeout": "5"},
        {"max_result": 5},
        {"route": "tavly"},
        {"route": []},
        {"route": [5]},
        {"mode": "al"},
        {"mode": 5},
    ],
    ids=lambda o: next(iter(o)),
)
async def test_bad_input_is_one_sentence_and_nothing_is_sent(options, make_client, upstream):
    """The caller can mend it, so the caller is told, before anything happens."""
    client = make_client("tavily")

    with pytest.raises(UsageError) as refused:
        await client.search("otters", **options)

    assert str(refused.value)
    assert "\n" not in str(refused.value)
    assert upstream.requests == []


@pytest.mark.parametrize("text", ["", "   ", "\n\t", "x" * 2001, "\ud800", None, 5, b"otters"])
async def test_a_query_that_is_none_is_refused(text, make_client, upstream):
    """Empty, blank, too long, not text, not Unicode."""
    with pytest.raises(InvalidQuery):
        await make_client("tavily").search(text)

    assert upstream.requests == []


@pytest.mark.parametrize(
    ("options", "nearest"),
    [
        ({"route": "tavly"}, "tavily"),
        ({"route": ["brave", "serpr"]}, "serper"),
        ({"mode": "hegde"}, "hedge"),
        ({"max_result": 5}, "max_results"),
    ],
)
async def test_an_unknown_name_gets_the_nearest(options, nearest, make_client):
    """A typing mistake should cost one look."""
    with pytest.raises(UnknownName) as refused:
        await make_client("tavily").search("otters", **options)

    assert nearest in refused.value.remedy


async def test_a_query_and_options_together_are_refused(make_client):
    """Which of the two should count?"""
    with pytest.raises(InvalidQuery):
        await make_client("tavily").search(Query("otters"), max_results=3)


# --- what becomes of the providers' findings


def found_by(name: str, *hits: Hit, **more: Any) -> Findings:
    """Findings of that provider."""
    return Findings([replace(h, provider=name) for h in hits], **more)


def down(name: str) -> Outage:
    return Outage(name, "it is down", transient=False)


async def test_a_response_holds_all_that_its_provider_said(make_client):
    """Hits as they were cleaned, the answer, images, what it cost, what was left out."""
    client = make_client("brave", "tavily")
    picture = Image("https://i.example/1.png", "An otter", "https://a.example/", "brave")
    Script(
        client,
        brave=found_by(
            "brave",
            Hit(
                "https://a.example/", "<b>Otters</b>", "They swim", 0.5, "2026-01-02", author="Ann"
            ),
            Hit("https://b.example/", "Zebras", "They run"),
            answer="An\u200b answer",
            cost=0.25,
            notes=("1 row was left out",),
            images=(picture, picture),
        ),
    )

    found = await client.search("otters", max_results=3)

    assert found.elapsed_ms > 0
    assert found.attempts[0].elapsed_ms > 0
    assert timeless(found) == Response(
        query=Query("otters", max_results=3),
        outcome=Outcome.FOUND,
        hits=(
            Hit(
                *("https://a.example/", "Otters", "They swim", 0.5, "2026-01-02", "brave", "Ann"),
                sources=(Source("brave", 1, 0.5, "brave"),),
                explain=Explain(1.0),
            ),
            Hit(
                *("https://b.example/", "Zebras", "They run", None, None, "brave"),
                sources=(Source("brave", 2, None, "brave"),),
                explain=Explain(0.0),
            ),
        ),
        answer="An answer",
        answered_by="brave",
        images=(picture,),
        attempts=(Attempt("brave", Outcome.FOUND, key=1, cost=0.25, hits=2),),
        notes=("brave: 1 row was left out",),
    )


async def test_an_answer_alone_is_found_and_an_endless_one_is_cut(make_client):
    """The first provider of the route that has one is quoted."""
    client = make_client("tavily", "exa", mode="all")
    Script(client, tavily=Findings([]), exa=Findings([], "x" * (MAX_CONTENT + 9)))

    found = await client.search("otters")

    assert (found.outcome, found.hits, found.answered_by) == (Outcome.FOUND, (), "exa")
    assert len(found.answer) == MAX_CONTENT
    assert [a.outcome for a in found.attempts] == [Outcome.EMPTY, Outcome.EMPTY]


@pytest.mark.parametrize(
    ("content", "wanted", "answer", "by"),
    [
        ("Sea otters hold hands while they sleep.", True,
         "Sea otters hold hands while they sleep. [1]", "extract"),
        ("Sea otters hold hands while they sleep.", False, None, None),
        ("", True, None, None),
        (None, True, None, None),
    ],
)  # fmt: skip
async def test_an_answer_is_made_of_the_hits_only_when_one_was_asked_for(
    make_client, content, wanted, answer, by
):
    """None where the hits say nothing, or there are none."""
    client = make_client("brave")
    hits = [] if content is None else [Hit("https://a.example/", "", content)]
    Script(client, brave=found_by("brave", *hits))

    found = await client.search("why do sea otters hold hands", include_answer=wanted)

    assert (found.answer, found.answered_by) == (answer, by)


async def test_notes_say_first_how_each_was_asked_then_what_it_left_out(make_client):
    """One provider after the other, each by its name; then what was folded."""
    text = "Sea otters hold hands while they sleep so that they do not drift apart in the dark sea."
    client = make_client("wikipedia", "marginalia", mode="all", rank_block_domains=("bad.example",))
    Script(
        client,
        wikipedia=found_by(
            "wikipedia", Hit("https://a.example/", "A", text), Hit("https://bad.example/", "B"),
            notes=("1 row had no address",),
        ),
        marginalia=found_by("marginalia", Hit("https://c.example/", "C", text)),
    )  # fmt: skip

    found = await client.search("otters", country="jp")

    assert found.notes == (
        "wikipedia: it cannot filter by country; that was not applied",
        "wikipedia: 1 row had no address",
        "wikipedia: 1 of 2 hits were of other domains and were left out",
        "marginalia: it cannot filter by country; that was not applied",
        "1 hit with the text of another, or nearly, left out",
    )
    assert [(h.url, h.explain.copies) for h in found.hits] == [
        ("https://a.example/", ("https://c.example/",))
    ]


@pytest.mark.parametrize(
    ("undated", "urls", "note"),
    [
        ("keep", ["none", "new"], "1 of 3 hits have no date and were kept"),
        ("last", ["new", "none"], "1 of 3 hits have no date and were put last"),
        ("drop", ["new"], "1 of 3 hits have no date and were left out"),
    ],
)
async def test_the_settings_say_what_becomes_of_hits_without_a_date(
    make_client, undated, urls, note
):
    """The range counts from today."""
    today = datetime.now(UTC).date()
    client = make_client("tavily", rank_undated=undated)
    Script(
        client,
        tavily=found_by(
            "tavily",
            Hit("https://none.example/", "Otters"),
            Hit("https://new.example/", "Otters", published=today.isoformat()),
            Hit("https://old.example/", "Otters", published="2001-01-01"),
        ),
    )

    found = await client.search("otters", time_range="month")

    assert [h.url for h in found.hits] == [f"https://{name}.example/" for name in urls]
    assert found.notes == (
        "tavily: 1 of 3 hits were outside the dates and were left out",
        f"tavily: {note}",
    )


async def test_a_bounded_number_of_hits_is_looked_at(make_client):
    """The hundredth can still be the best; nobody reads ten thousand."""
    client = make_client("tavily", "exa", mode="all")
    many = [Hit(f"https://{n}.example/", "Zebra") for n in range(200)]
    many[99] = Hit("https://last.example/", "Otters")
    many[100] = Hit("https://late.example/", "Otters")
    Script(client, tavily=found_by("tavily", *many), exa=Findings([]))

    found = await client.search("otters", max_results=2)

    assert [h.url for h in found.hits] == ["https://last.example/", "https://0.example/"]
    assert found.attempts[0].hits == 200


@pytest.mark.parametrize(
    ("name", "family", "content"),
    [("serper", "google", "otters swim"), ("local", "local", "otters <b>swim</b>")],
)
async def test_hits_are_cleaned_as_their_provider_says(make_client, name, family, content):
    """Whose index it is, whether its texts are markup, whether its addresses are the web's."""
    client = make_client(name)
    Script(client, **{name: found_by(name, Hit("https://a.example/", "A", "otters <b>swim</b>"),
                                     Hit("doc:12", "B"))})  # fmt: skip

    found = await client.search("otters")

    urls = ["https://a.example/", "doc:12"] if name == "local" else ["https://a.example/"]
    assert [h.url for h in found.hits] == urls
    assert found.hits[0].content == content
    assert found.hits[0].sources == (Source(name, 1, None, family),)


def test_texts_are_counted_whatever_else_a_hit_holds():
    """Titles, contents and whole pages of all providers."""
    hits = [Hit("https://a.example/", "abc", "de"), Hit("u", None, 5, raw_content="f")]

    assert pipeline._text_size({}) == 0
    assert pipeline._text_size({"a": Findings(hits), "b": Findings(hits[:1])}) == 11


@pytest.mark.parametrize("more", [0, 1])
async def test_long_texts_are_cleaned_in_a_thread_and_not_shown_before(
    make_client, monkeypatch, more
):
    """Some milliseconds' work would hold up every other search."""
    client = make_client("tavily")
    text = "x" * (200_000 - len("Otters") + more)
    Script(client, tavily=found_by("tavily", Hit("https://a.example/", "Otters", text)))
    rank, threads, heard = pipeline._rank, [], []

    def ranked(*args):
        threads.append(threading.current_thread() is threading.main_thread())
        return rank(*args)

    monkeypatch.setattr(pipeline, "_rank", ranked)
    with listening(heard.append):
        found = await client.search("otters")

    assert threads == [not more]
    assert found.hits[0].content == text
    assert [type(event) for event in heard] == [Asked, Said] + [PartialHits] * (not more)


async def test_who_listens_sees_as_many_hits_as_were_asked_for(make_client):
    """Cleaned, and in the provider's own order."""
    client, heard = make_client("tavily"), []
    hits = [Hit(f"https://{n}.example/", "<b>Otters</b>") for n in range(4)]
    Script(client, tavily=found_by("tavily", *hits))

    with listening(heard.append):
        found = await client.search("otters", max_results=2)

    assert heard[-1] == PartialHits("tavily", list(found.hits))
    assert len(found.hits) == 2


async def test_specialists_join_and_do_not_decide_whether_a_search_was_partial(make_client):
    """One of them that times out has nothing to do with the web."""
    client = make_client("tavily", mode="all")
    route = Route(("tavily",), "all", specialists={"papers": ("arxiv", "crossref")})
    client.__dict__["_default_route"] = route
    Script(
        client,
        tavily=found_by("tavily", hit("web"), images=(Image("https://i.example/1.png"),)),
        arxiv=found_by(
            "arxiv", hit("paper"), answer="no", images=(Image("https://i.example/2.png"),)
        ),
        crossref=Timeout("crossref", "too slow"),
    )

    found = await client.search("papers on otters", topic="papers")

    assert [h.provider for h in found.hits] == ["arxiv", "tavily"]
    assert (found.partial, found.answer, found.outcome) == (False, None, Outcome.FOUND)
    assert [i.url for i in found.images] == ["https://i.example/1.png"]
    assert found.notes == (
        "asked beside the web, as asked: arxiv, crossref",
        "tavily: it cannot filter by topic; that was not applied",
    )


@pytest.mark.parametrize(
    ("tavily", "exa", "mode", "partial"),
    [
        (Timeout("tavily", "slow"), found_by("exa", hit("e")), "all", True),
        (Timeout("tavily", "slow"), found_by("exa", hit("e")), "first", False),
        (Timeout("tavily", "slow"), Timeout("exa", "slow"), "all", False),
        (down("tavily"), found_by("exa", hit("e")), "all", False),
    ],
)
async def test_a_response_is_partial_when_all_were_to_be_fused_and_one_had_no_time(
    make_client, tavily, exa, mode, partial
):
    """Not when it failed for another reason, nor when there is nothing at all."""
    client = make_client("tavily", "exa", mode=mode)
    Script(client, tavily=tavily, exa=exa)

    assert (await client.search("otters")).partial is partial


# --- the local index instead of the web


ABOUT = Hit("https://a.example/", "Sea otters", "hold hands")
OTHER = Hit("https://b.example/", "Zebra")
NEITHER = "the local index has nothing about this either"


@pytest.mark.parametrize(
    ("hits", "outcome", "answer", "notes"),
    [
        ((), Outcome.FOUND, "A", ("cut",)),
        ((OTHER, ABOUT), Outcome.FOUND, "A", ("cut",)),
        ((OTHER,), Outcome.UNAVAILABLE, None, ("cut", NEITHER)),
    ],
)
def test_hits_that_are_not_about_the_query_are_no_search(hits, outcome, answer, notes):
    """They stay, but nobody has searched."""
    response = Response(Query("sea otters"), Outcome.FOUND, hits, "A", "extract", notes=("cut",))

    assert pipeline.instead_of_web(response) == replace(
        response, outcome=outcome, answer=answer, answered_by=answer and "extract", notes=notes
    )


@pytest.mark.parametrize(
    ("route", "local", "outcome", "asked"),
    [
        (("tavily", "local"), (ABOUT,), Outcome.FOUND, ["tavily", "local"]),
        (("tavily", "local"), (OTHER,), Outcome.UNAVAILABLE, ["tavily", "local"]),
        (("tavily", "local"), (), Outcome.UNAVAILABLE, ["tavily", "local"]),
        (("local",), (OTHER,), Outcome.FOUND, ["local"]),
        (("local",), (), Outcome.EMPTY, ["local"]),
        (("local", "brave"), (OTHER,), Outcome.UNAVAILABLE, ["local"]),
        (("local", "brave"), (), Outcome.EMPTY, ["local", "brave"]),
    ],
)
async def test_the_local_index_answers_for_itself_and_not_for_the_web(
    make_client, route, local, outcome, asked
):
    """Emptiness of the index lets the route go on; what it finds ends it."""
    client = make_client(*route)
    script = Script(
        client, tavily=down("tavily"), local=found_by("local", *local), brave=Findings([])
    )

    found = await client.search("sea otters")

    assert found.outcome is outcome
    assert found.hits == tuple(h for h in found.hits if h.provider == "local")
    assert len(found.hits) == len(local)
    assert script.names == asked
    assert found.notes == ((NEITHER,) if outcome is Outcome.UNAVAILABLE and local else ())


# --- cache, deadline, observers


def operations(recorder: Recorder) -> list[dict[str, Any]]:
    """What observers were told, in the order in which it ended."""
    return [{"name": o.name, **o.attributes(texts=True)} for o in recorder.ended]


SEARCH = {"name": "search", "query": "otters", "max_results": 5, "mode": "first",
          "outcome": "found", "hits": 1, "cached": False, "stale": False}  # fmt: skip
ATTEMPT = {"name": "attempt", "provider": "tavily", "number": 1, "outcome": "found", "sent": True,
           "hits": 1, "cost": 0.0, "key": 1}  # fmt: skip
FAILED = ATTEMPT | {"outcome": "unavailable", "hits": 0, "error": "Outage"}


async def test_observers_see_the_cache_the_attempt_and_the_search(make_client):
    """A dashboard counts them: no step is told twice, and none is left out."""
    recorder = Recorder()
    client = make_client("tavily", observers=[recorder])
    script = Script(client, tavily=found_by("tavily", hit("a"), cost=0.0))

    first = await client.search("otters")
    seen = operations(recorder)
    recorder.ended.clear()
    again = await client.search("otters")
    cached = operations(recorder)
    recorder.ended.clear()
    past = await client.search("otters", cache=False)

    assert seen == [{"name": "cache", "result": "miss"}, ATTEMPT, SEARCH]
    assert cached == [{"name": "cache", "result": "fresh"}, SEARCH | {"cached": True}]
    assert operations(recorder) == [ATTEMPT, SEARCH]
    assert (first.cached, again.cached, past.cached) == (False, True, False)
    assert script.names == ["tavily", "tavily"]
    assert again.hits == first.hits


async def test_an_expired_response_stands_in_with_the_attempts_of_today(make_client):
    """What is old is said to be old, and who failed is named."""
    recorder = Recorder()
    client = make_client("tavily", observers=[recorder], cache_ttl=0.000001)
    script = Script(client, tavily=found_by("tavily", hit("a"), cost=0.0))
    first = await client.search("otters")
    client._resources.cache._memory.clear()
    recorder.ended.clear()
    script.answers["tavily"] = error = down("tavily")

    found = await client.search("otters")
    seen = operations(recorder)
    recorder.ended.clear()
    nothing = await client.search("zebras")
    without = await client.search("otters", cache=False)

    assert (found.outcome, found.stale, found.cached) == (Outcome.FOUND, True, True)
    assert found.hits == first.hits
    assert timeless(found).attempts == (Attempt("tavily", Outcome.UNAVAILABLE, error, key=1),)
    assert seen == [
        {"name": "cache", "result": "miss"},
        FAILED,
        {"name": "cache", "result": "stale"},
        SEARCH | {"cached": True, "stale": True},
    ]
    assert [o.get("result") for o in operations(recorder) if o["name"] == "cache"] == [
        "miss",
        "miss",
    ]
    assert nothing.outcome is without.outcome is Outcome.UNAVAILABLE


async def test_every_search_earns_a_share_of_a_retry(make_client):
    """One share, once."""
    client = make_client("tavily", retry_budget=0.25)
    Script(client, tavily=found_by("tavily", hit("a")))
    before = client._resources.retries._tokens

    await client.search("otters")
    await client.search("otters")  # the cache answers: nothing was searched

    assert client._resources.retries._tokens == before + 0.25


async def test_a_search_that_a_store_holds_up_ends_shortly_after_its_deadline(make_client, clock):
    """Whoever was not asked is named, and so is the reason."""
    client = make_client("tavily", "brave")
    Script(client)
    clock.stop()
    client._resources.cache.fresh = client._resources.cache.stale = lambda *_: asyncio.sleep(600)
    task = asyncio.create_task(client.search("otters", timeout=30))
    await turns(5)

    clock.advance(30)
    await turns(100)
    assert not task.done()
    for _ in range(15):  # a grace of 50 ms, in steps
        clock.advance(0.005)
        await turns(5)
    assert not task.done()  # it looks for an expired one
    for _ in range(15):  # half a second
        clock.advance(0.05)
        await turns(5)

    assert timeless(task.result()) == Response(
        Query("otters"),
        Outcome.UNAVAILABLE,
        attempts=(
            Attempt("tavily", Outcome.UNAVAILABLE, task.result().attempts[0].error, sent=False),
            Attempt("brave", Outcome.UNAVAILABLE, task.result().attempts[1].error, sent=False),
        ),
    )
    assert [str(a.error) for a in task.result().attempts] == [
        "tavily: the search did not end before its deadline",
        "brave: no time was left for it",
    ]
    assert [type(a.error) for a in task.result().attempts] == [Timeout, NotAsked]
    assert task.result().elapsed_ms > 0


# --- the modes


async def test_those_behind_the_first_answer_are_not_asked(make_client):
    """In their order; what failed before is recorded."""
    client = make_client("tavily", "exa", "brave")
    script = Script(client, tavily=down("tavily"), exa=found_by("exa", hit("e")))

    found = await client.search("otters")

    assert script.names == ["tavily", "exa"]
    assert [(a.provider, a.outcome) for a in found.attempts] == [
        ("tavily", Outcome.UNAVAILABLE),
        ("exa", Outcome.FOUND),
    ]


async def test_a_route_whose_providers_were_only_slowed_down_is_tried_once_more(make_client, clock):
    """After a pause, which observers are told of."""
    clock.stop()
    recorder = Recorder()
    client = make_client("tavily", "exa", observers=[recorder])
    slow = [Outage(n, "a moment") for n in ("tavily", "tavily", "exa", "exa")]
    script = Script(
        client, tavily=[*slow[:2], found_by("tavily", hit("t"))], exa=[*slow[2:], Findings([])]
    )
    task = asyncio.create_task(client.search("otters", timeout=30))
    while not task.done():
        clock.advance(0.05)
        await turns(5)

    assert script.names == ["tavily", "tavily", "exa", "exa", "tavily"]
    assert task.result().outcome is Outcome.FOUND
    retries = [(o.provider, o.after) for o in recorder.of("retry")]
    assert retries == [("tavily", "Outage"), ("exa", "Outage"), ("", "")]
    assert all(0.01 <= o.delay <= 0.2 for o in recorder.of("retry"))


async def test_nobody_is_asked_after_the_deadline(make_client, clock):
    """They are named all the same."""
    clock.stop()
    client = make_client("tavily", "brave")

    async def late(*_):
        clock.advance(31)
        raise down("tavily")

    Script(client)
    client._resources.ask = late
    found = await client.search("otters", timeout=30)

    assert [(a.provider, a.sent, type(a.error)) for a in found.attempts] == [
        ("tavily", True, Outage),
        ("brave", False, NotAsked),
    ]


async def hedging(client: Kensaku, **answers: Any) -> tuple[Script, asyncio.Task[Response]]:
    """A hedged search under way."""
    script = Script(client, **answers)
    task = asyncio.create_task(client.search("otters", timeout=30, cache=False))
    await turns(20)
    return script, task


async def test_the_second_starts_a_second_after_the_first_when_nothing_is_known(make_client, clock):
    """And the third a second after the second, as long as hedges are granted."""
    client = make_client("tavily", "exa", "brave", "serper", mode="hedge")
    await client._resources.http.ready()
    clock.stop()
    script, task = await hedging(client, tavily=HANGS, exa=HANGS, brave=HANGS, serper=HANGS)
    began = []
    for _ in range(5):
        began.append(len(script.names))
        clock.advance(0.9)
        await turns(20)
        began.append(len(script.names))
        clock.advance(0.11)
        await turns(20)

    assert began == [1, 1, 2, 2, 3, 3, 3, 3, 3, 3]
    assert script.names == ["tavily", "exa", "brave"]
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert asyncio.all_tasks() == {asyncio.current_task()}


async def test_the_local_index_is_no_hedge(make_client, clock):
    """It is always faster, and knows less: it is asked when the others have failed."""
    client = make_client("tavily", "local", mode="hedge")
    await client._resources.http.ready()
    clock.stop()
    script, task = await hedging(client, tavily=HANGS, local=found_by("local", ABOUT))
    for _ in range(29):
        clock.advance(1)
        await turns(20)

    assert script.names == ["tavily"]
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    Script(client, tavily=down("tavily"), local=found_by("local", ABOUT))
    assert [h.provider for h in (await client.search("sea otters")).hits] == ["local"]


async def test_a_hedge_takes_one_of_those_that_searches_earn(make_client, clock):
    """A fast first takes none."""
    client = make_client("tavily", "exa", mode="hedge")
    await client._resources.http.ready()
    hedges = client._resources.hedges
    hedges._tokens = 1.0
    clock.stop()
    Script(client, tavily=found_by("tavily", hit("t")))
    await client.search("otters", cache=False)
    assert hedges._tokens == pytest.approx(1.05)
    script, task = await hedging(client, tavily=HANGS, exa=found_by("exa", hit("e")))
    clock.advance(1.1)
    found = await task

    assert hedges._tokens == pytest.approx(0.10)
    assert script.names == ["tavily", "exa"]
    assert [(a.provider, type(a.error)) for a in found.attempts] == [
        ("exa", type(None)),
        ("tavily", CalledOff),
    ]


async def test_when_all_of_a_hedged_route_fail_each_was_asked_in_turn(make_client):
    """And the response says why."""
    client = make_client("tavily", "exa", "brave", mode="hedge")
    names = ("tavily", "exa", "brave")
    script = Script(client, **{name: down(name) for name in names})

    found = await client.search("otters")

    assert script.names == [a.provider for a in found.attempts] == list(names)
    assert found.outcome is Outcome.UNAVAILABLE


async def test_a_mode_that_asks_all_is_called_off_as_a_whole(make_client):
    """Nothing is left running behind a caller who has gone."""
    client = make_client("tavily", "exa", mode="all")
    script = Script(client, tavily=HANGS, exa=HANGS)
    task = asyncio.create_task(client.search("otters", cache=False))
    await until(lambda: len(script.names) == 2)

    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task

    assert asyncio.all_tasks() == {asyncio.current_task()}
