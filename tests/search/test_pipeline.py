"""One search, from the question to the response, over a real socket."""

from __future__ import annotations

import asyncio

import pytest

from kensaku import Budget, Outcome, Query
from kensaku.errors import (
    BadQuery,
    Blocked,
    BudgetExceeded,
    CalledOff,
    CircuitOpen,
    Cooling,
    DoesNotFit,
    InvalidQuery,
    KeyRefused,
    NotAsked,
    NotConfigured,
    Outage,
    QuotaExhausted,
    RateLimited,
    Timeout,
    UnknownName,
    Unreachable,
    Unreadable,
    UsageError,
)
from kensaku.models import Hit
from kensaku.testing import FakeUpstream, faults

LONG = "word " * 100 + "end"  # 503 characters: more than Tavily takes


def hit(name: str, title: str = "Otters", content: str = "All about otters") -> Hit:
    return Hit(url=f"https://{name}.example/", title=title, content=content)


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


# --- what each error means for the next try: the rows of THE table


@pytest.mark.parametrize("status", [400, 422])
async def test_a_wrong_query_stops_and_nobody_else_is_asked(status, make_client, upstream):
    """Who sends it on spreads the mistake, and pays for it."""
    upstream.fails("tavily", faults.status(status, {"detail": {"error": "bad dates"}}))

    found = await make_client("tavily", "brave").search("otters")

    assert found.outcome is Outcome.UNAVAILABLE
    assert [type(a.error) for a in found.attempts] == [BadQuery]
    assert "bad dates" in str(found.attempts[0].error)
    assert len(upstream.requests) == 1


@pytest.mark.parametrize(
    ("status", "error"), [(401, KeyRefused), (402, QuotaExhausted), (432, QuotaExhausted)]
)
async def test_a_refused_key_gives_way_to_the_next_key(status, error, make_client, upstream):
    """Several keys of one provider stand in for each other, and the bad one rests."""
    upstream.fails("tavily", faults.status(status), when=with_key("one"))
    client = make_client("tavily", "brave", env={"TAVILY_API_KEY": "one-key,two-key"})

    first = await client.search("otters", cache=False)
    rest = [await client.search("otters", cache=False) for _ in range(3)]

    assert [type(a.error) for a in first.attempts] == [error, type(None)]
    assert [a.key for a in first.attempts] == [1, 2]
    assert [[a.key for a in r.attempts] for r in rest] == [[2], [2], [2]]
    assert not upstream.asked("brave")


async def test_without_another_key_the_next_provider_is_asked(make_client, upstream):
    """The first provider then cools down: the second search does not send it anything."""
    upstream.fails("tavily", faults.status(432))
    client = make_client("tavily", "brave")

    first = await client.search("otters", cache=False)
    second = await client.search("otters", cache=False)

    assert [a.provider for a in first.attempts] == ["tavily", "brave"]
    assert isinstance(second.attempts[0].error, Cooling)
    assert not second.attempts[0].sent
    assert second.attempts[0].error.retry_after == pytest.approx(900, abs=5)
    assert len(upstream.asked("tavily")) == 1


async def test_a_short_rate_is_waited_for_when_there_is_no_one_else(make_client, upstream):
    """Retry-After is kept to: the second request is not sent before it is over."""
    header = {"Retry-After": "0.04"}
    upstream.fails("tavily", faults.status(429, headers=header), times=1)
    loop = asyncio.get_running_loop()

    began = loop.time()
    found = await make_client("tavily").search("otters")

    assert found.outcome is Outcome.FOUND
    assert [type(a.error) for a in found.attempts] == [RateLimited, type(None)]
    assert found.attempts[0].error.retry_after == 0.04
    assert loop.time() - began >= 0.04


async def test_a_long_rate_sends_the_search_to_the_next_one(make_client, upstream):
    """Nobody waits half a minute while somebody else could answer now."""
    upstream.fails("tavily", faults.status(429, headers={"Retry-After": "30"}))

    found = await make_client("tavily", "brave").search("otters")

    assert [a.provider for a in found.attempts] == ["tavily", "brave"]
    assert found.outcome is Outcome.FOUND


async def test_another_key_is_tried_before_waiting_for_a_rate(make_client, upstream):
    """A rate belongs to a key, as a rule."""
    limited = faults.status(429, headers={"Retry-After": "30"})
    upstream.fails("tavily", limited, when=with_key("one"))

    found = await make_client("tavily", env={"TAVILY_API_KEY": "one-key,two-key"}).search("otters")

    assert [a.key for a in found.attempts] == [1, 2]


async def test_keys_that_are_told_to_wait_a_moment_do_not_make_a_storm(make_client, upstream):
    """With two keys and a tiny Retry-After, somebody could ask back and forth until the end."""
    upstream.fails("tavily", faults.status(429, headers={"Retry-After": "0.001"}))
    client = make_client("tavily", env={"TAVILY_API_KEY": "one-key,two-key"})

    found = await client.search("otters", timeout=2)

    assert found.outcome is Outcome.UNAVAILABLE
    assert len(upstream.requests) <= 12


@pytest.mark.parametrize(
    ("fault", "error"),
    [(faults.status(503), Outage), (faults.reset(), Unreachable), (faults.half(), Unreachable)],
)
async def test_an_outage_is_retried_once_and_then_left(fault, error, make_client, upstream):
    """One retry with jitter; then the next provider."""
    upstream.fails("tavily", fault)

    found = await make_client("tavily", "brave").search("otters")

    assert [a.provider for a in found.attempts] == ["tavily", "tavily", "brave"]
    assert [type(a.error) for a in found.attempts] == [error, error, type(None)]
    assert found.outcome is Outcome.FOUND


async def test_an_outage_that_passes_needs_no_other_provider(make_client, upstream):
    """The retry finds it up again."""
    upstream.fails("tavily", faults.status(502), times=1)

    found = await make_client("tavily", "brave").search("otters")

    assert [a.provider for a in found.attempts] == ["tavily", "tavily"]


async def test_a_challenge_page_means_blocked_and_a_rest(make_client, upstream):
    """It takes us for a robot: asking again at once makes it worse."""
    upstream.fails("tavily", faults.html())
    client = make_client("tavily", "brave")

    first = await client.search("otters", cache=False)
    second = await client.search("otters", cache=False)

    assert [type(a.error) for a in first.attempts] == [Blocked, type(None)]
    assert isinstance(second.attempts[0].error, Cooling)
    assert len(upstream.asked("tavily")) == 1


@pytest.mark.parametrize("slip", [faults.html(), faults.status(401), faults.status(432)])
async def test_a_key_that_has_worked_is_forgiven_a_slip(slip, make_client, upstream):
    """Gateways refuse good keys once in a while; five times in a row is no slip."""
    client = make_client("tavily", "brave")
    await client.search("otters", cache=False)
    upstream.fails("tavily", slip)

    found = [await client.search("otters", cache=False) for _ in range(8)]

    assert [r.hits[0].provider for r in found] == ["brave"] * 8
    assert len(upstream.asked("tavily")) == 1 + 5
    assert isinstance(found[-1].attempts[0].error, Cooling)


async def test_a_slip_of_the_only_provider_is_not_noticed(make_client, upstream):
    """The route is walked again: the key works, so the refusal was not meant."""
    client = make_client("tavily")
    await client.search("otters", cache=False)
    upstream.fails("tavily", faults.status(401), times=1)

    assert (await client.search("otters", cache=False)).outcome is Outcome.FOUND


async def test_refusals_that_come_back_before_the_results_rest_no_key(make_client, upstream):
    """Of ten searches at once one is refused, sooner than the others are answered."""
    upstream.fails("tavily", faults.status(401), times=1)
    upstream.fails("tavily", faults.delay(0.05))
    client = make_client("tavily", "brave")

    await asyncio.gather(*(client.search(f"otters {n}", cache=False) for n in range(10)))
    later = await client.search("otters", cache=False)

    assert later.hits[0].provider == "tavily"


async def test_a_search_waits_for_a_rate_that_somebody_else_ran_into(make_client, upstream):
    """Nobody else can be asked, and there is time."""
    client = make_client("tavily")
    upstream.fails("tavily", faults.status(429, headers={"Retry-After": "0.3"}), times=1)

    found = await asyncio.gather(*(client.search(f"otters {n}", timeout=8) for n in range(3)))

    assert all(r.outcome is Outcome.FOUND for r in found)
    assert len(upstream.asked("tavily")) == 1 + 3


@pytest.mark.parametrize("fault", [faults.bad_json(), faults.error_body(), faults.wrong_shape([])])
async def test_what_cannot_be_read_goes_to_the_next_one(fault, make_client, upstream):
    """Garbage is neither a result nor "no results"."""
    upstream.fails("tavily", fault)

    found = await make_client("tavily", "brave").search("otters")

    assert [type(a.error) for a in found.attempts] == [Unreadable, type(None)]


async def test_several_keys_take_turns(make_client, upstream):
    """Nobody's quota is used up before the others'."""
    client = make_client("tavily", env={"TAVILY_API_KEY": "k-1,k-2", "TAVILY_API_KEY_2": "k-3"})

    for _ in range(6):
        await client.search("otters", cache=False)

    keys = [r.headers["authorization"].removeprefix("Bearer ") for r in upstream.requests]
    assert keys == ["k-1", "k-2", "k-3", "k-1", "k-2", "k-3"]


async def test_one_revoked_and_one_empty_key_are_not_noticed(make_client, upstream):
    """While one key is healthy, nobody sees an error; a dead key is tried once per cooldown."""
    upstream.fails("tavily", faults.status(401), when=with_key("dead"))
    upstream.fails("tavily", faults.status(432), when=with_key("spent"))
    client = make_client("tavily", env={"TAVILY_API_KEY": "dead-key,spent-key,good-key"})

    found = [await client.search("otters", cache=False) for _ in range(20)]

    assert all(r.outcome is Outcome.FOUND for r in found)
    used = [r.headers["authorization"] for r in upstream.requests]
    assert (used.count("Bearer dead-key"), used.count("Bearer spent-key")) == (1, 1)


async def test_a_bad_key_never_opens_the_circuit_for_others(make_client, upstream):
    """The breaker is about the provider; a key is its owner's trouble alone."""
    upstream.fails("tavily", faults.status(401))
    client = make_client("tavily", env={"TAVILY_API_KEY": ",".join(f"k{n}" for n in range(30))})

    await client.search("otters")

    assert len(upstream.requests) == 30
    assert client.gate("tavily").breaker.until == 0


async def test_a_provider_that_is_down_is_soon_not_asked(make_client, upstream):
    """The breaker makes the loss of one provider cheap."""
    upstream.fails("tavily", faults.status(500))
    client = make_client("tavily", "brave")

    found = [await client.search("otters", cache=False) for _ in range(30)]

    assert all(r.outcome is Outcome.FOUND for r in found)
    assert isinstance(found[-1].attempts[0].error, CircuitOpen)
    assert len(upstream.asked("tavily")) <= 12


async def test_when_both_fail_in_passing_the_route_is_walked_again(make_client, upstream):
    """Both down for a moment: the second walk finds one of them up."""
    upstream.fails("tavily", faults.status(503), times=2)
    upstream.fails("brave", faults.status(503), times=2)

    found = await make_client("tavily", "brave").search("otters")

    assert found.outcome is Outcome.FOUND
    assert [a.provider for a in found.attempts] == ["tavily"] * 2 + ["brave"] * 2 + ["tavily"]


async def test_the_retry_budget_bounds_the_extra_calls(make_client, upstream):
    """On a bad day for all, retries must not double the load."""
    upstream.fails("tavily", faults.status(503), chance=0.3)
    client = make_client("tavily", retry_budget=0.1)

    for _ in range(10):
        await asyncio.gather(*(client.search("otters", cache=False) for _ in range(20)))

    assert 200 < len(upstream.requests) <= 200 * 1.1 + 10


# --- bad input


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


# --- too long, and filters


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
    """Serper and the like take no list of domains: the hits are filtered, and more are asked."""
    client = make_client("marginalia")
    assert "domains" not in client.provider("marginalia").filters
    upstream.answers("marginalia", [hit("a"), hit("b"), hit("c")])

    found = await client.search("otters", include_domains=["b.example"], country="jp")

    assert [h.url for h in found.hits] == ["https://b.example/"]
    assert found.notes == (
        "marginalia: it cannot filter by domains; its hits were filtered here",
        "marginalia: it cannot filter by country; that was not applied",
        "marginalia: 2 of 3 hits were of other domains and were left out",
    )


async def test_notes_tell_only_of_those_that_answered(make_client, upstream):
    """What Marginalia cannot do is no news when Tavily found it."""
    upstream.fails("marginalia", faults.bad_json())

    found = await make_client("marginalia", "tavily").search("otters", country="jp")

    assert found.notes == ()


# --- all


async def test_all_are_asked_at_once_and_fused(make_client, upstream):
    """The same page found by two counts for more, and stands once."""
    upstream.answers("tavily", [hit("t"), hit("both")])
    upstream.answers("exa", [hit("e"), hit("both")])

    found = await make_client("tavily", "exa", mode="all").search("otters")

    assert found.hits[0].url == "https://both.example/"
    assert len(found.hits) == 3
    assert {s.provider for s in found.hits[0].sources} == {"tavily", "exa"}
    assert found.hits[0].explain["agreement"] == 2
    assert not found.partial


async def test_engines_that_resell_one_index_agree_only_once(make_client, upstream):
    """Serper, SerpApi and Google are one opinion."""
    client = make_client("serper", "serpapi", "exa", mode="all")
    upstream.answers("serper", [hit("x"), hit("google")])
    upstream.answers("serpapi", [hit("y"), hit("google")])
    upstream.answers("exa", [hit("exa"), hit("z")])

    found = await client.search("otters")

    google = next(h for h in found.hits if "google" in h.url)
    assert client.provider("serper").family == client.provider("serpapi").family
    assert google.explain["agreement"] == 1
    assert found.hits[0].url != google.url


async def test_one_host_does_not_fill_the_list(make_client, upstream):
    """At most `per_domain` of a host come first; the rest follow at the end."""
    same = [
        Hit(url=f"https://big.example/{n}", title=f"Otters {n}", content=f"otters {n}")
        for n in range(6)
    ]
    upstream.answers("tavily", [*same, hit("small")])

    found = await make_client("tavily", mode="all", per_domain=2).search("otters", max_results=5)

    hosts = [h.url.split("/")[2] for h in found.hits]
    assert hosts == ["big.example", "big.example", "small.example", "big.example", "big.example"]


async def test_at_the_deadline_what_is_there_comes_back(make_client, upstream):
    """Who has not answered is left out, and named."""
    upstream.fails("exa", faults.hang())

    found = await make_client("tavily", "exa", mode="all").search("otters", timeout=0.2)

    assert found.outcome is Outcome.FOUND
    assert found.partial
    assert {a.provider: type(a.error) for a in found.attempts} == {
        "tavily": type(None),
        "exa": Timeout,
    }
    assert found.confidence.factors.partial


async def test_a_wrong_query_for_one_does_not_stop_the_others_of_all(make_client, upstream):
    """They were asked at the same time."""
    upstream.fails("tavily", faults.status(400))

    found = await make_client("tavily", "exa", mode="all").search("otters")

    assert found.outcome is Outcome.FOUND


# --- hedge


async def test_the_second_starts_when_the_first_is_slow(make_client, upstream):
    """Slower than its own 95th percentile; the loser is called off, and said."""
    client = make_client("tavily", "brave", mode="hedge")
    client.gate("tavily").latencies.extend([0.01] * 20)
    upstream.fails("tavily", faults.hang())

    found = await client.search("otters")

    assert found.hits[0].provider == "brave"
    assert {a.provider: type(a.error) for a in found.attempts} == {
        "tavily": CalledOff,
        "brave": type(None),
    }
    assert len(asyncio.all_tasks()) == 1  # the loser is no longer on its way


async def test_a_fast_first_needs_no_second(make_client, upstream):
    """Hedging costs nothing while all is well."""
    client = make_client("tavily", "brave", mode="hedge")
    client.gate("tavily").latencies.extend([5.0] * 20)

    for _ in range(20):
        await client.search("otters", cache=False)

    assert not upstream.asked("brave")


async def test_a_hedged_answer_is_kept(make_client, upstream):
    """The loser did not fail: the answer is whole."""
    client = make_client("tavily", "brave", mode="hedge")
    client.gate("tavily").latencies.extend([0.01] * 20)
    upstream.fails("tavily", faults.hang())

    await client.search("otters")

    assert (await client.search("otters")).cached


async def test_hedging_is_bounded(make_client, upstream):
    """When all are slow, twice the calls are no medicine: 5 in 100, and two to begin."""
    client = make_client("tavily", "brave", mode="hedge")
    client.gate("tavily").latencies.extend([0.001] * 20)
    upstream.fails("tavily", faults.delay(0.02))

    for _ in range(40):
        client.gate("tavily").latencies.extend([0.001] * 100)
        await client.search("otters", cache=False)

    assert 1 <= len(upstream.asked("brave")) <= 2 + 40 * 0.05


async def test_a_hedge_that_is_not_granted_does_not_spin(make_client, upstream):
    """Without leave for a second, one wait lasts until the first answers."""
    client = make_client("tavily", "brave", mode="hedge")
    client.gate("tavily").latencies.extend([0.00001] * 100)
    while client.hedges.take():
        pass
    looked = 0
    slow = client.gate("tavily").slow

    def counted(fallback: float) -> float:
        nonlocal looked
        looked += 1
        return slow(fallback)

    client.gate("tavily").slow = counted
    upstream.fails("tavily", faults.delay(0.05))

    found = await client.search("otters")

    assert found.hits[0].provider == "tavily"
    assert looked <= 2


async def test_when_the_first_fails_the_second_starts_at_once(make_client, upstream):
    """No token is needed to go on to the next."""
    client = make_client("tavily", "brave", mode="hedge")
    while client.hedges.take():
        pass
    upstream.fails("tavily", faults.status(401))

    found = await client.search("otters")

    assert [a.provider for a in found.attempts] == ["tavily", "brave"]


# --- deadline, cancellation, bulkhead


@pytest.mark.parametrize("mode", ["first", "hedge", "all"])
async def test_no_search_returns_later_than_its_deadline(mode, make_client, upstream):
    """At most 250 ms over, whatever hangs."""
    upstream.fails("*", faults.hang())
    client, loop = make_client("tavily", "brave", "exa", mode=mode), asyncio.get_running_loop()
    began = loop.time()

    found = await client.search("otters", timeout=0.3)

    assert loop.time() - began <= 0.55
    assert found.outcome is Outcome.UNAVAILABLE
    assert all(isinstance(a.error, Timeout) for a in found.attempts)


async def test_who_joins_a_flight_keeps_to_their_own_deadline(make_client, upstream):
    """The leader may have ten seconds; who joins with 0.2 waits for 0.2."""
    upstream.fails("tavily", faults.hang())
    client, loop = make_client("tavily"), asyncio.get_running_loop()
    leader = asyncio.create_task(client.search("otters", timeout=30))
    await until(lambda: upstream.requests)
    began = loop.time()

    found = await client.search("otters", timeout=0.2)

    assert loop.time() - began <= 0.45
    assert found.outcome is Outcome.UNAVAILABLE
    assert isinstance(found.attempts[0].error, Timeout)
    leader.cancel()
    with pytest.raises(asyncio.CancelledError):
        await leader


async def test_a_hanging_first_leaves_time_for_the_second(make_client, upstream):
    """In mode `first`, nobody may use up the whole deadline while others wait."""
    upstream.fails("tavily", faults.hang())

    found = await make_client("tavily", "brave").search("otters", timeout=0.5)

    assert found.outcome is Outcome.FOUND
    assert [type(a.error) for a in found.attempts] == [Timeout, type(None)]


async def test_a_deadline_that_nobody_could_meet_does_not_count_against_them(make_client, upstream):
    """Twenty callers in a hurry must not open the circuit for those with patience."""
    upstream.fails("tavily", faults.delay(0.2))
    client = make_client("tavily")

    for _ in range(20):
        await client.search("otters", timeout=0.01, cache=False)

    assert client.gate("tavily").breaker.until == 0


async def test_a_caller_who_gives_up_stops_the_work(make_client, upstream):
    """The connection is closed, and nothing is left running."""
    upstream.fails("tavily", faults.hang())
    client = make_client("tavily")
    task = asyncio.create_task(client.search("otters"))
    await until(lambda: upstream.requests)

    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task

    await until(lambda: not upstream._open)
    assert asyncio.all_tasks() == {asyncio.current_task()}


async def test_a_hanging_provider_takes_nothing_from_the_others(make_client, upstream):
    """Bulkhead: 200 searches hang at one host; another host still answers in its usual time."""
    async with FakeUpstream() as other:
        upstream.fails("tavily", faults.hang())
        env = {
            "BRAVE_BASE_URL": other.base_url("brave"),
            "BRAVE_API_KEY": "k",
            "BRAVE_RATE": "9999/s",
        }
        client = make_client("tavily", env=env)
        stuck = [
            asyncio.create_task(client.search(f"{n}", route="tavily", timeout=30, cache=False))
            for n in range(200)
        ]
        await until(lambda: len(upstream.requests) >= 100)

        found = [await client.search("otters", route="brave", cache=False) for _ in range(20)]

        assert all(r.outcome is Outcome.FOUND for r in found)
        assert len(upstream.requests) <= 128
        for task in stuck:
            task.cancel()
        await asyncio.gather(*stuck, return_exceptions=True)


# --- what is not asked


async def test_local_emptiness_is_no_answer_about_the_web(make_client, upstream, machine):
    """The web could not be searched, the local index has nothing: nobody has looked."""
    upstream.fails("tavily", faults.status(401))
    client = make_client("tavily", "local")
    await client.index.add([_document("https://x.example/", "Zebra")], collection="own")

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


async def test_without_a_network_the_keyless_pool_is_spared(make_client, machine):
    """After two hosts that cannot be reached, the rest are not waited for."""
    nowhere = "http://127.0.0.1:9"  # the discard port: refused
    names = ("tavily", "you", "keenable", "marginalia", "wikipedia")
    env = {f"{n.upper()}_BASE_URL": nowhere for n in names} | {"TAVILY_API_KEY": ""}
    client = make_client(env=env, route=("auto",))
    assert {"keenable", "wikipedia"} <= client._usual_route.pool
    await client.index.add([_document("https://x.example/", "Zebra")])  # or pydocs is built

    found = await client.search("otters", timeout=10)

    spared = [a for a in found.attempts if type(a.error) is NotAsked]
    assert len({a.provider for a in found.attempts if isinstance(a.error, Unreachable)}) == 2
    assert spared


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
    price = client.provider("tavily").price
    upstream.fails("tavily", faults.status(500), times=1)

    found = await client.search("otters", budget=budget)

    assert len(upstream.requests) == 2
    assert found.cost == price
    assert budget.left()["money"] == pytest.approx(1.0 - price)
    assert 0 < 60 - budget.left()["seconds"] < 5

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

    class Broken(type(client.provider("tavily"))):
        def request(self, query, key):
            raise ZeroDivisionError(f"{query.text} {key}")

    client._providers["tavily"] = Broken("http://127.0.0.1:9")

    found = await client.search("otters")

    assert isinstance(found.attempts[0].error, Unreadable)
    assert "ZeroDivisionError" in str(found.attempts[0].error)
    assert found.outcome is Outcome.FOUND


async def until(happened) -> None:
    """Let others work until something has happened; five seconds are enough for anything."""
    async with asyncio.timeout(5):
        while not happened():  # noqa: ASYNC110 - the upstream tells nobody
            await asyncio.sleep(0.001)


def with_key(start: str):
    return lambda seen: seen.headers.get("authorization", "").startswith(f"Bearer {start}")


def _document(url: str, text: str):
    from kensaku import Document

    return Document(url=url, title=text, text=text)
