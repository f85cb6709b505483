"""One search, from the question to the response, over a real socket."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime

import pytest

from kensaku import Outcome
from kensaku.errors import (
    CalledOff,
    KeyRefused,
    NotAsked,
    NotConfigured,
    Outage,
    Timeout,
    UnknownName,
    Unreadable,
    UsageError,
)
from kensaku.models import Hit
from kensaku.testing import faults, load_sample
from tests.recorder import Recorder
from tests.search.support import document, hit, noticed, turns


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
        "search_depth": "basic",
        "max_results": 2,
        "include_published_date": True,
    }


async def test_what_the_upstream_searched_for_is_told(make_client, upstream):
    """When it says so, and only if that is not the query; from the cache as well."""
    body = upstream.samples["tavily"].with_hits([hit("a")])
    upstream.answers("tavily", body={**body, "query": "sea\notters"})
    client = make_client("tavily")

    for query, searched in (
        ("otters", "sea otters"),
        ("otters", "sea otters"),
        ("sea otters", None),
    ):
        found = await client.search(query)
        assert [a.searched for a in found.attempts] == [searched]
        assert ("searched" in found.to_dict()["attempts"][0]) is bool(searched)
    assert len(upstream.requests) == 2


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
        {"text": "   "},
        {"text": None},
        {"max_results": 0},
        {"route": []},
        {"route": [5]},
        {"mode": "al"},
        {"mode": 5},
    ],
    ids=lambda o: next(iter(o)),
)
async def test_bad_input_is_one_sentence_and_nothing_is_sent(options, make_client, upstream):
    """The caller can mend it, so the caller is told, before anything happens."""
    client, options = make_client("tavily"), {"text": "otters", **options}

    with pytest.raises(UsageError) as refused:
        await client.search(options.pop("text"), **options)

    assert str(refused.value)
    assert "\n" not in str(refused.value)
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


async def test_an_answer_of_an_upstream_is_cleaned_bounded_and_found(make_client, upstream):
    """It alone is a result; nothing in it is invisible, and nobody reads a million characters."""
    sample = load_sample("tavily").body
    client = make_client("tavily", "exa", mode="all")
    upstream.answers("exa", [])
    for text, read in (("An\u200b answer", "An answer"), ("x" * 10**6, None)):
        upstream.answers("tavily", body={**sample, "results": [], "answer": text})

        found = await client.search("otters", include_answer=True, cache=False)

        assert (found.outcome, found.hits, found.answered_by) == (Outcome.FOUND, (), "tavily")
        assert found.answer == read or len(found.answer) <= 300_000


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
    make_client, upstream, content, wanted, answer, by
):
    """None where the hits say nothing, or there are none."""
    hits = [] if content is None else [Hit("https://a.example/", "Otters", content)]
    upstream.answers("brave", hits)

    found = await make_client("brave").search("why do sea otters hold hands", include_answer=wanted)

    assert (found.answer, found.answered_by) == (answer, by)


async def test_notes_say_how_each_was_asked_and_what_was_left_out(make_client, upstream):
    """One provider after the other, each by its name; then what was folded."""
    text = "Sea otters hold hands while they sleep so that they do not drift apart in the dark sea."
    upstream.answers(
        "exa", [Hit("https://a.example/", "A", text), Hit("https://bad.example/", "B")]
    )
    upstream.answers("marginalia", [Hit("https://c.example/", "C", text)])
    client = make_client("exa", "marginalia", mode="all", rank_block_domains=("bad.example",))

    found = await client.search("otters", country="jp")

    assert [h.url for h in found.hits] == ["https://a.example/"]
    assert found.hits[0].explain.copies == ("https://c.example/",)
    left_out, asked, folded = found.notes
    assert left_out.startswith("exa: 1 of 2 hits")
    assert asked.startswith("marginalia: it cannot filter by country")
    assert folded.startswith("1 hit ")


async def test_the_settings_say_what_becomes_of_hits_without_a_date(make_client, upstream):
    """The range counts from today; notes say what became of them."""
    today = datetime.now(UTC).date()
    upstream.answers(
        "tavily",
        [
            Hit("https://none.example/", "Otters"),
            Hit("https://new.example/", "Otters", published=today.isoformat()),
            Hit("https://old.example/", "Otters", published="2001-01-01"),
        ],
    )

    found = await make_client("tavily", rank_undated="last").search("otters", time_range="month")

    assert [h.url for h in found.hits] == ["https://new.example/", "https://none.example/"]
    assert "outside the dates" in found.notes[0]
    assert "1 of 3 hits have no date" in found.notes[1]


async def test_a_bounded_number_of_hits_is_looked_at(make_client, upstream):
    """The hundredth can still be the best; nobody reads ten thousand."""
    many = [Hit(f"https://{n}.example/", f"Zebra {n}") for n in range(200)]
    many[99] = Hit("https://last.example/", "Otters")
    many[150] = Hit("https://late.example/", "Otters")
    upstream.answers("tavily", many)

    found = await make_client("tavily", mode="all").search("otters", max_results=2)

    assert [h.url for h in found.hits] == ["https://last.example/", "https://0.example/"]


@pytest.mark.parametrize("mode", ["all", "first"])
async def test_a_response_is_not_partial_because_one_has_failed(make_client, upstream, mode):
    """Only the want of time makes it so: asking again will not find more."""
    upstream.fails("tavily", faults.status(401))

    found = await make_client("tavily", "exa", mode=mode).search("otters")

    assert (found.outcome, found.partial) == (Outcome.FOUND, False)


async def test_the_local_index_lets_the_route_go_on_only_when_it_has_nothing(make_client, upstream):
    """What it finds ends the route; its emptiness says nothing about the web."""
    client = make_client("local", "brave")
    await client.index.add([document("doc:1", "All about zebras")])

    local = await client.search("zebras")
    web = await client.search("otters")

    assert [a.provider for a in local.attempts] == ["local"]
    assert [h.url for h in local.hits] == ["doc:1"]
    assert [a.provider for a in web.attempts] == ["local", "brave"]
    assert {h.provider for h in web.hits} == {"brave"}


async def test_observers_see_the_cache_every_attempt_and_the_search(make_client, upstream, later):
    """A dashboard counts them: no step is told twice, and none is left out."""
    recorder = Recorder()
    client = make_client("tavily", observers=[recorder], cache_ttl=60)

    async def seen(query: str = "otters", **options: bool) -> list[str]:
        recorder.ended.clear()
        await client.search(query, **options)
        told = [(o.name, o.attributes(texts=True)) for o in recorder.ended]
        return [f"{name} {a.get('result') or a.get('outcome') or ''}".strip() for name, a in told]

    assert await seen() == ["cache miss", "attempt found", "search found"]
    assert await seen() == ["cache fresh", "search found"]
    assert await seen(cache=False) == ["attempt found", "search found"]
    later(61)
    upstream.fails("tavily", faults.status(422))
    failed = "attempt unavailable"
    assert await seen() == ["cache miss", failed, "cache stale", "search found"]
    assert await seen("zebras") == ["cache miss", failed, "cache miss", "search unavailable"]

    search, attempt = recorder.of("search")[-1], recorder.of("attempt")[-1]
    assert search.attributes(texts=True)["query"] == "zebras"
    assert "zebras" not in str(search.attributes(texts=False))
    assert attempt.attributes(texts=True)["error"] == "BadQuery"


async def test_a_search_that_a_store_holds_up_ends_shortly_after_its_deadline(make_client, clock):
    """Whoever was not asked is named, and so is the reason."""
    held: list[asyncio.StreamWriter] = []  # connections to a store that says nothing
    server = await asyncio.start_server(lambda _, writer: held.append(writer), "127.0.0.1", 0)
    url = f"valkey://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    client = make_client("tavily", "brave", cache_url=url)
    clock.stop()
    began = asyncio.get_running_loop().time()
    task = asyncio.create_task(client.search("otters", timeout=3))
    await noticed(lambda: held)
    while not task.done():
        clock.advance(0.01)
        await turns(5)
    for writer in held:
        writer.close()
    server.close()

    assert 3 <= asyncio.get_running_loop().time() - began < 4.5
    found = task.result()
    assert found.outcome is Outcome.UNAVAILABLE
    assert [(a.provider, a.sent, type(a.error)) for a in found.attempts] == [
        ("tavily", False, Timeout),
        ("brave", False, NotAsked),
    ]


async def test_observers_are_told_of_every_pause(make_client, upstream):
    """A provider is asked once more, then the next one, then the route once more."""
    recorder = Recorder()
    upstream.fails("tavily", faults.status(503), times=2)
    upstream.fails("exa", faults.status(503), times=2)

    found = await make_client("tavily", "exa", observers=[recorder]).search("otters")

    assert [(a.provider, type(a.error)) for a in found.attempts] == [
        *[("tavily", Outage)] * 2,
        *[("exa", Outage)] * 2,
        ("tavily", type(None)),
    ]
    assert [o.provider for o in recorder.of("retry")] == ["tavily", "exa", ""]
    assert all(o.delay > 0 for o in recorder.of("retry"))


async def test_the_second_starts_when_the_first_is_slow_and_the_slower_one_is_called_off(
    make_client, upstream, clock
):
    """A second after it, while nothing is known of its speed; nothing is left running."""
    upstream.fails("tavily", faults.hang())
    client = make_client("tavily", "brave", mode="hedge")
    clock.stop()
    task = asyncio.create_task(client.search("otters", timeout=30))
    await noticed(lambda: upstream.asked("tavily"))
    clock.advance(0.9)
    await turns(100)
    assert not upstream.asked("brave")

    clock.advance(0.2)
    await noticed(task.done)

    found = task.result()
    assert {h.provider for h in found.hits} == {"brave"}
    assert {a.provider: type(a.error) for a in found.attempts} == {
        "tavily": CalledOff,
        "brave": type(None),
    }
    assert asyncio.all_tasks() == {asyncio.current_task()}
    assert (await client.search("otters")).cached  # the loser did not fail: the answer is whole


async def test_the_local_index_is_no_hedge(make_client, upstream, clock):
    """It is always faster, and knows less: it is asked when the others have failed."""
    upstream.fails("tavily", faults.hang(), times=1)
    upstream.fails("tavily", faults.status(401))
    client = make_client("tavily", "local", mode="hedge")
    await client.index.add([document("doc:1", "All about otters")])
    clock.stop()
    task = asyncio.create_task(client.search("otters", timeout=30))
    await noticed(lambda: upstream.asked("tavily"))
    for _ in range(29):
        clock.advance(1)
        await turns(20)
    assert not task.done()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task

    assert [h.url for h in (await client.search("otters")).hits] == ["doc:1"]
