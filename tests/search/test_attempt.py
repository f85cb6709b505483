"""Asking one provider: queries that do not fit, filters it lacks, and why it was not asked."""

from __future__ import annotations

import asyncio
import re
from dataclasses import replace

import pytest

from kensaku import Budget, Outcome, Query
from kensaku.errors import (
    BadQuery,
    Blocked,
    BudgetExceeded,
    ConfigError,
    DoesNotFit,
    KensakuError,
    KeyRefused,
    MissingExtra,
    NotAsked,
    NotConfigured,
    NotConnected,
    Outage,
    QuotaExhausted,
    RateLimited,
    Timeout,
    Unreadable,
)
from kensaku.models import Attempt
from kensaku.providers.base import Findings
from kensaku.search import attempt
from kensaku.search.attempt import outcome_of
from kensaku.search.route import NOBODY, Beside, Route
from kensaku.search.run import Run
from kensaku.testing import faults
from tests.recorder import Recorder
from tests.search.support import HANGS, LONG, Script, document, hit, timeless, turns
from tests.search.test_planned import SECRET


async def test_a_long_query_goes_to_one_that_takes_it_whole(make_client, upstream):
    """Tavily takes 400 characters, Exa takes more."""
    found = await make_client("tavily", "exa").search(LONG)

    assert isinstance(found.attempts[0].error, DoesNotFit)
    assert not upstream.asked("tavily")
    assert upstream.asked("exa")[0].json["query"] == LONG


async def test_a_long_query_is_cut_at_a_word_when_nobody_takes_it(make_client, upstream):
    """And a note says so."""
    found = await make_client("tavily").search(LONG)

    sent = upstream.requests[0].json["query"]
    assert len(sent) <= 400
    assert LONG.startswith(sent + " ")
    assert found.notes == (f"tavily: the query was cut at a word to {len(sent)} characters",)


async def test_a_long_query_is_cut_after_all_when_the_others_cannot_answer(make_client, upstream):
    """Exa would take it whole, but has no key: Tavily still searches."""
    client = make_client("tavily", "exa", env={"EXA_API_KEY": ""})

    found = await client.search(LONG)

    assert found.outcome is Outcome.FOUND
    assert len(upstream.asked("tavily")[0].json["query"]) <= 400


async def test_what_the_upstream_cannot_filter_is_filtered_here_and_said(make_client, upstream):
    """Wikipedia takes no list of domains: the hits are filtered, and more are asked."""
    client = make_client("wikipedia")
    assert "domains" not in client._resources.provider("wikipedia").filters
    upstream.answers("wikipedia", [hit("a"), hit("b"), hit("c")])

    found = await client.search("otters", include_domains=["b.example"], country="jp")

    assert [h.url for h in found.hits] == ["https://b.example/"]
    assert found.notes == (
        "wikipedia: it cannot filter by domains; its hits were filtered here",
        "wikipedia: it cannot filter by country; that was not applied",
        "wikipedia: 2 of 3 hits were of other domains and were left out",
    )


async def test_a_language_that_the_upstream_does_not_know_is_not_sent_and_said(
    make_client, upstream
):
    """You.com has no Persian: a value outside its list would end the search with 422."""
    found = await make_client("you").search("otters", language="fa", country="jp")

    assert found.outcome is Outcome.FOUND
    sent = upstream.requests[0].json
    assert ("language" in sent, sent["country"]) == (False, "JP")
    assert found.notes == ("you: it cannot filter by language; that was not applied",)


async def test_a_bound_on_results_is_said(make_client, upstream):
    """SerpApi gives one page of Google's, and a caller who wants thirty hits learns why."""
    found = await make_client("serpapi").search("otters", max_results=30)
    fits = await make_client("serpapi").search("otters", max_results=10)

    assert found.notes == ("serpapi: it gives at most 10 results for one search",)
    assert fits.notes == ()


async def test_notes_tell_only_of_those_that_answered(make_client, upstream):
    """What Marginalia cannot do is no news when Tavily found it."""
    upstream.fails("marginalia", faults.bad_json())

    found = await make_client("marginalia", "tavily").search("otters", country="jp")

    assert found.notes == ()


async def test_local_emptiness_is_no_answer_about_the_web(make_client, upstream, machine):
    """The web could not be searched, the local index has nothing: nobody has looked."""
    upstream.fails("tavily", faults.status(401))
    client = make_client("tavily", "local")
    await client.index.add([document("https://x.example/", "Zebra")], collection="own")

    found = await client.search("otters", collection="own")
    alone = await client.search("otters", collection="own", route="local")

    assert found.outcome is Outcome.UNAVAILABLE
    assert alone.outcome is Outcome.EMPTY


async def test_a_provider_that_is_switched_off_is_not_asked(make_client, upstream):
    """Also when a route names it."""
    client = make_client("tavily", "brave", env={"TAVILY_ENABLED": "off"})

    found = await client.search("otters")

    assert isinstance(found.attempts[0].error, NotConfigured)
    assert found.outcome is Outcome.FOUND
    assert not upstream.asked("tavily")


async def test_a_spent_budget_sends_nothing_more(make_client, upstream):
    """The next search is unavailable, and says why; the local index costs nothing."""
    client = make_client("tavily", "brave")
    budget = Budget(searches=2)

    found = [await client.search("otters", budget=budget, cache=False) for _ in range(3)]

    assert [r.outcome for r in found] == [Outcome.FOUND, Outcome.FOUND, Outcome.UNAVAILABLE]
    assert isinstance(found[-1].attempts[0].error, BudgetExceeded)
    assert len(upstream.requests) == 2
    assert budget.left() == {"searches": 0}


async def test_money_is_counted_as_it_was_spent(make_client, upstream):
    """A failed call and a keyless one cost nothing; a good one costs its price."""
    client, budget = make_client("tavily"), Budget(money=1.0, seconds=60)
    price = client._resources.provider("tavily").price
    upstream.fails("tavily", faults.status(500), times=1)

    found = await client.search("otters", budget=budget)

    assert len(upstream.requests) == 2
    assert found.cost == price
    assert budget.left()["money"] == pytest.approx(1.0 - price)
    assert budget.left()["seconds"] < 60

    keyless = make_client("tavily", env={"TAVILY_API_KEY": ""})
    await keyless.search("otters", budget=budget)
    assert budget.left()["money"] == pytest.approx(1.0 - price)


async def test_a_run_that_has_used_up_its_seconds_is_over(make_client, upstream):
    """Seconds are a budget like searches and money."""
    budget = Budget(seconds=0.02)
    upstream.fails("tavily", faults.delay(0.03), times=1)
    client = make_client("tavily")

    first = await client.search("otters", budget=budget)
    second = await client.search("beavers", budget=budget)

    assert first.outcome is Outcome.FOUND
    assert isinstance(second.attempts[0].error, BudgetExceeded)


async def test_somebody_elses_bug_does_not_take_the_rest_along(make_client, upstream):
    """A provider that raises whatever it likes is one failed attempt."""
    client = make_client("tavily", "brave")

    class Broken(type(client._resources.provider("tavily"))):
        def request(self, query, key):
            raise ZeroDivisionError(f"{query.text} {key}")

    client._resources._providers["tavily"] = Broken("http://127.0.0.1:9")

    found = await client.search("otters")

    assert isinstance(found.attempts[0].error, Unreadable)
    assert "ZeroDivisionError" in str(found.attempts[0].error)
    assert found.outcome is Outcome.FOUND


# --- the query as a provider takes it


@pytest.fixture
def make_run(make_client):
    """`make_run("otters", "tavily", country="jp")`: a search that has eight seconds left."""

    def make(text: str, *names: str, env=None, budget=None, beside=NOBODY, scrub=None, **options):
        client = make_client(*names, env=env)
        deadline = asyncio.get_running_loop().time() + 8
        query = Query(text, **options)
        run = Run(client._resources, query, Route(names), deadline, budget or Budget(), scrub=scrub)
        run.beside = beside
        return run

    return make


def fitted(run: Run, name: str) -> Query:
    return attempt._fit_query(run, run.resources.provider(name))


HERE, NOT = "its hits were filtered here", "that was not applied"
MANY = "it gives at most 20 results for one search"


@pytest.mark.parametrize(
    ("name", "options", "count", "notes"),
    [
        ("wikipedia", {}, 5, []),
        ("wikipedia", {"time_range": "day"}, 15, [f"it cannot filter by dates; {HERE}"]),
        ("wikipedia", {"start_date": "2026-01-01"}, 15, [f"it cannot filter by dates; {HERE}"]),
        ("wikipedia", {"end_date": "2026-01-01"}, 15, [f"it cannot filter by dates; {HERE}"]),
        ("wikipedia", {"include_domains": ["a.example"]}, 15,
         [f"it cannot filter by domains; {HERE}"]),
        ("wikipedia", {"exclude_domains": ["a.example"]}, 15,
         [f"it cannot filter by domains; {HERE}"]),
        ("wikipedia", {"country": "jp"}, 5, [f"it cannot filter by country; {NOT}"]),
        ("wikipedia", {"language": "ja"}, 5, []),
        ("wikipedia", {"topic": "news"}, 5, [f"it cannot filter by topic; {NOT}"]),
        ("wikipedia", {"max_results": 20}, 20, []),
        ("wikipedia", {"max_results": 21}, 20, [MANY]),
        ("wikipedia", {"max_results": 6, "time_range": "day", "exclude_domains": ["a.example"]}, 18,
         [f"it cannot filter by dates; {HERE}", f"it cannot filter by domains; {HERE}"]),
        ("wikipedia", {"max_results": 7, "time_range": "day"}, 20,
         [f"it cannot filter by dates; {HERE}"]),
        ("wikipedia", {"max_results": 30, "topic": "news", "country": "jp", "time_range": "day"},
         20, [MANY, f"it cannot filter by dates; {HERE}", f"it cannot filter by country; {NOT}",
              f"it cannot filter by topic; {NOT}"]),
        ("exa", {"language": "ja"}, 5, [f"it cannot filter by language; {NOT}"]),
        ("tavily", {"time_range": "day", "include_domains": ["a.example"], "country": "jp",
                    "language": "ja"}, 5, []),
        ("tavily", {"topic": "news", "language": "ja"}, 5, []),
    ],
)  # fmt: skip
async def test_a_provider_gets_what_it_can_filter_and_notes_say_the_rest(
    make_run, name, options, count, notes
):
    """More hits are asked for where some will be left out here, as many as it gives."""
    run = make_run("otters", name, **options)

    assert fitted(run, name) == replace(run.query, max_results=count)
    assert run.notes == {name: notes}


async def test_a_specialist_is_asked_for_the_subject_alone(make_run):
    """The topic is why it is asked; a text that is too long is cut, whoever else there is."""
    beside = Beside("papers", ("arxiv",), asked_for=True, text="otters")
    run = make_run("papers on otters", "tavily", beside=beside, topic="papers")
    long = replace(beside, text="otter " * 250)

    assert fitted(run, "arxiv") == replace(run.query, text="otters")
    assert run.notes == {"arxiv": []}
    run.beside = replace(long, names=("brave",))
    assert len(fitted(run, "brave").text) <= 400
    assert run.notes["brave"][0].startswith("the query was cut at a word to ")


async def test_a_key_in_the_query_leaves_for_no_web_provider(make_run):
    """And the note says so; the local index gets the query as it is."""
    run = make_run(f"why does {SECRET} fail", "tavily", "local")

    assert fitted(run, "tavily").text == "why does fail"
    assert fitted(run, "local").text == run.query.text
    assert run.notes == {
        "tavily": ["a key was removed from the query before it was sent"],
        "local": [],
    }


async def test_a_long_query_waits_for_one_that_takes_it_whole(make_run):
    """Unless that one has failed; the local index is no such one."""
    run = make_run(LONG, "tavily", "exa", "local")

    with pytest.raises(DoesNotFit) as refused:
        fitted(run, "tavily")
    assert str(refused.value) == "tavily: the query is too long for it (at most 400 characters)"
    assert fitted(run, "exa").text == LONG
    run.errors["exa"] = NotConfigured("exa", "no key")
    assert len(fitted(run, "tavily").text) <= 400


@pytest.mark.parametrize(
    ("name", "env", "error", "said"),
    [
        ("tavily", {"TAVILY_ENABLED": "off"}, NotConfigured, "the settings switch it off"),
        ("google", {"GOOGLE_CX": "", "GOOGLE_CSE_ID": ""}, NotConfigured, "it needs cx; set "),
        ("searxng", {"SEARXNG_BASE_URL": ""}, NotConfigured,
         "it has no address; set SEARXNG_BASE_URL"),
        ("tavily", {"KENSAKU_EGRESS": "other.example"}, NotAsked,
         "egress does not allow 127.0.0.1; "),
    ],
)  # fmt: skip
async def test_why_a_provider_cannot_be_asked_at_all(make_run, name, env, error, said):
    """Before a turn is waited for, and with what to do."""
    run = make_run("otters", name, env=env)

    with pytest.raises(NotAsked) as refused:
        fitted(run, name)
    assert type(refused.value) is error
    assert str(refused.value).startswith(f"{name}: {said}")
    assert run.notes == {}


# --- what came back


class Odd(KensakuError):
    """An error of no provider."""


@pytest.mark.parametrize(
    ("raised", "kind", "message", "remedy", "transient"),
    [
        (Odd("the index is full", remedy="make room"), Unreadable, "the index is full",
         "make room", True),
        (MissingExtra("qdrant", "index"), NotConfigured, "qdrant is not installed",
         'install it with: pip install "kensaku-search[index]"', False),
        (KeyError("otters"), Unreadable, "its adapter failed (KeyError)", "", False),
        (BadQuery("tavily", "no otters with tvly-key-1"), BadQuery, "no … with …", "", False),
    ],
)  # fmt: skip
async def test_whatever_a_provider_raises_is_one_failed_attempt(
    make_client, raised, kind, message, remedy, transient
):
    """With a reason that holds neither key nor query."""
    client = make_client("tavily", mode="all", env={"TAVILY_API_KEY": "tvly-key-1"})
    Script(client, tavily=raised)

    (tried,) = (await client.search("otters")).attempts

    error = tried.error
    assert (type(error), error.provider, error.message, error.remedy, error.transient) == (
        *(kind, "tavily", message, remedy, transient),
    )
    assert replace(tried, elapsed_ms=0.0) == Attempt(
        "tavily", Outcome.UNAVAILABLE, error, key=1, cost=0.0, hits=0
    )


async def test_the_callers_own_mistake_is_the_callers(make_client):
    """No other provider would make it right."""
    client = make_client("tavily", "brave")
    script = Script(client, tavily=ConfigError("no such collection"))

    with pytest.raises(ConfigError):
        await client.search("otters")
    assert script.names == ["tavily"]


async def test_who_does_not_answer_in_its_share_of_the_time_has_timed_out(make_client, clock):
    """In mode `first` it is half of what there is."""
    client = make_client("tavily", "brave")
    await client._resources.http.ready()
    clock.stop()
    script = Script(client, tavily=HANGS, brave=Findings([]))
    task = asyncio.create_task(client.search("otters", timeout=30))
    await turns(20)
    clock.advance(14.9)
    await turns(20)
    assert script.names == ["tavily"]
    clock.advance(0.2)
    found = await task

    assert [(a.provider, str(a.error), a.sent, a.key) for a in found.attempts] == [
        ("tavily", "tavily: it did not answer within 0.0 s", True, 1),
        ("brave", "None", True, 1),
    ]
    assert found.attempts[1].outcome is Outcome.EMPTY


async def test_who_is_called_off_is_recorded_and_costs_nothing(make_client, clock):
    """Observers hear of it, too."""
    recorder = Recorder()
    client = make_client("tavily", "exa", mode="hedge", observers=[recorder])
    await client._resources.http.ready()
    Script(client, tavily=HANGS, exa=Findings([]))
    task = asyncio.create_task(client.search("otters"))
    await turns(20)
    clock.advance(1.1)
    found = await task

    off = next(a for a in found.attempts if a.provider == "tavily")
    assert replace(off, elapsed_ms=0.0) == Attempt(
        "tavily", Outcome.UNAVAILABLE, off.error, sent=True, key=1
    )
    assert off.error.message == f"it was called off after {off.elapsed_ms / 1000:.1f} s"
    (told,) = [o for o in recorder.of("attempt") if o.provider == "tavily"]
    assert told.attributes() == {
        "provider": "tavily",
        "number": 1,
        "outcome": "unavailable",
        "sent": True,
        "hits": 0,
        "cost": 0.0,
        "key": 1,
        "error": "CalledOff",
    }


async def test_each_request_to_a_provider_has_its_number(make_client, clock):
    """A retry is the second, and the pause before it is told."""
    recorder = Recorder()
    client = make_client("tavily", observers=[recorder])
    Script(client, tavily=[Outage("tavily", "down"), Findings([])])
    task = asyncio.create_task(client.search("otters"))
    while not task.done():
        clock.advance(0.05)
        await turns(5)

    attempts = [(o.number, o.outcome, o.error) for o in recorder.of("attempt")]
    assert attempts == [(1, "unavailable", "Outage"), (2, "empty", "")]
    (pause,) = recorder.of("retry")
    assert (pause.provider, pause.after) == ("tavily", "Outage")
    assert 0.01 <= pause.delay <= 0.2


@pytest.mark.parametrize(
    ("found", "key", "cost"),
    [
        (Findings([hit("a")]), "k", 0.008),  # its price
        (Findings([hit("a")], cost=0.5), "k", 0.5),  # what it says
        (Findings([hit("a")], cost=0.0), "k", 0.0),
        (Findings([hit("a")]), "", 0.0),
    ],
)
async def test_an_attempt_costs_what_the_reply_says_or_the_price(make_client, found, key, cost):
    """Without a key nobody pays."""
    client = make_client("tavily", env={"TAVILY_API_KEY": key})
    budget = Budget(money=1.0)
    script = Script(client, tavily=found)

    response = await client.search("otters", budget=budget)

    assert timeless(response).attempts == (
        Attempt("tavily", Outcome.FOUND, key=1 if key else None, cost=cost, hits=1),
    )
    assert budget.left() == {"money": pytest.approx(1.0 - cost)}
    assert script.asked == [("tavily", Query("otters"), key)]


@pytest.mark.parametrize(
    ("name", "answer", "searches", "money"),
    [
        ("tavily", Findings([]), 1, 0.008),
        ("tavily", KeyRefused("tavily", "no"), 1, 0.0),
        ("tavily", NotConnected("tavily", "refused", transient=False), 0, 0.0),
        ("local", Findings([]), 0, 0.0),
        ("local", NotConnected("local", "refused", transient=False), 0, 0.0),
    ],
)
async def test_a_budget_pays_for_what_was_sent_to_the_web(
    make_client, name, answer, searches, money
):
    """A request that reached nobody is given back, and so is the price of one that failed."""
    client, budget = make_client(name), Budget(searches=2, money=1.0, seconds=60)
    Script(client, **{name: answer})

    found = await client.search("otters", budget=budget)

    left = budget.left()
    assert (left["searches"], left["money"]) == (2 - searches, pytest.approx(1.0 - money))
    assert left["seconds"] == pytest.approx(60 - found.attempts[0].elapsed_ms / 1000)


async def test_specialists_take_nothing_from_a_budget(make_client):
    """Neither searches nor seconds."""
    client, budget = make_client("tavily"), Budget(searches=2, seconds=60)
    client.__dict__["_default_route"] = Route(("tavily",), specialists={"papers": ("arxiv",)})
    Script(client, tavily=Findings([]), arxiv=Findings([]))

    found = await client.search("papers on otters", topic="papers", budget=budget)

    web = next(a for a in found.attempts if a.provider == "tavily")
    assert len(found.attempts) == 2
    assert budget.left() == {"searches": 1, "seconds": pytest.approx(60 - web.elapsed_ms / 1000)}


async def test_a_budget_that_is_spent_is_why_nobody_was_asked(make_client):
    """A thousandth of a second is sure to be taken."""
    client = make_client("tavily")
    script = Script(client)

    for budget in (Budget(searches=0), Budget(seconds=0.0009), Budget(money=0.001)):
        (tried,) = (await client.search("otters", budget=budget, cache=False)).attempts
        assert (type(tried.error), tried.sent) == (BudgetExceeded, False)
    Script(client, tavily=Findings([]))
    (tried,) = (await client.search("otters", budget=Budget(seconds=0.001), cache=False)).attempts
    assert tried.sent
    assert script.names == []


# --- keys that are left alone


@pytest.mark.parametrize(
    ("error", "seconds"),
    [
        (KeyRefused("tavily", "no"), 300),
        (QuotaExhausted("tavily", "no"), 900),
        (QuotaExhausted("tavily", "no", retry_after=7), 7),
        (RateLimited("tavily", "no"), 1),
        (RateLimited("tavily", "no", retry_after=5), 5),
        (Blocked("tavily", "no"), 120),
        (Outage("tavily", "no", retry_after=5), None),
        (Timeout("tavily", "no"), None),
        (BadQuery("tavily", "no"), None),
    ],
)
async def test_a_refusal_says_how_long_a_key_is_left_alone(make_client, error, seconds):
    """As long as the upstream asks, or as the rule says for a key that has not worked yet."""
    limiter = make_client("tavily")._resources.limiter("tavily")
    permit, cooled = await limiter.acquire(0.0), []

    async def cool_down(*given):
        cooled.append(given)

    limiter.cool_down = cool_down
    await attempt.cool_down_after(limiter, permit, error)

    assert cooled == ([] if seconds is None else [(permit, seconds, type(error).__name__)])


async def test_one_refusal_of_a_key_that_has_worked_is_forgiven(make_client):
    """Upstreams refuse good keys now and then."""
    client = make_client("tavily")
    Script(client, tavily=[Findings([]), KeyRefused("tavily", "no"), Findings([])])

    found = [await client.search("otters", cache=False, timeout=600) for _ in range(2)]

    assert [r.outcome for r in found] == [Outcome.EMPTY, Outcome.EMPTY]
    assert client._resources.limiter("tavily").state() == "ready"


async def test_the_log_says_what_came_of_an_attempt_and_where_an_adapter_failed(
    make_client, caplog
):
    """For who looks for the reason: never with a key or a query."""
    client = make_client("tavily", "brave", "exa", mode="all")
    error = Outage("tavily", "it is down", transient=False)
    Script(client, tavily=error, brave=Findings([]), exa=KeyError("otters"))

    with caplog.at_level("DEBUG", logger="kensaku"):
        found = await client.search("otters")

    took = {a.provider: f"{a.elapsed_ms:.0f} ms" for a in found.attempts}
    lines = [r.getMessage() for r in caplog.records if r.name == "kensaku"]
    where = [line for line in lines if line.startswith("exa: KeyError at ")]
    assert sorted(set(lines) - set(where)) == [
        f"brave: answered in {took['brave']}",
        f"exa: exa: its adapter failed (KeyError) in {took['exa']}",
        f"tavily: tavily: it is down in {took['tavily']}",
    ]
    assert re.fullmatch(r"exa: KeyError at .*support\.py:\d+", *where)


async def test_http_is_loaded_before_a_turn_is_waited_for(make_client):
    """So that a turn is used when it comes; without turns there is nothing to wait for."""
    loaded = []
    for env in ({}, {"TAVILY_RATE": ""}):
        client = make_client("tavily", env=env)
        Script(client, tavily=Findings([]))

        async def load_http(provider):
            loaded.append(provider.name)

        client._resources.load_http = load_http
        await client.search("otters")

    limited = [make_client("tavily", env=e)._resources.limiter("tavily").limited
               for e in ({}, {"TAVILY_RATE": ""})]  # fmt: skip
    assert loaded == ["tavily"] * sum(limited)
    assert limited[0]


@pytest.mark.parametrize(
    ("hits", "searched", "outcome"),
    [
        (True, True, Outcome.FOUND),
        (True, False, Outcome.FOUND),
        (False, True, Outcome.EMPTY),
        (False, False, Outcome.UNAVAILABLE),
    ],
)
def test_the_outcome_of_a_search(hits, searched, outcome):
    """Nothing found and nobody searched are two things."""
    assert outcome_of(hits, searched) is outcome
