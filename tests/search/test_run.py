"""A search under way: whose turn lasts how long, and what is recorded."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace

import pytest

from kensaku import errors
from kensaku.models import Attempt, Outcome, Query, Response
from kensaku.search.listen import Asked, Said, listener
from kensaku.search.run import Run
from tests.recorder import Recorder


@pytest.fixture
def make_run(make_client):
    """`make_run("tavily", "brave", seconds=8)`: a search that has so many seconds left."""

    def make(*names: str, seconds: float = 8.0, specialists: tuple[str, ...] = (), **settings):
        client = make_client(*names, **settings)
        loop = asyncio.get_running_loop()
        now = loop.time()
        loop.time = lambda: now
        route = client._route(None, None)
        run = Run(client._resources, Query("otters"), route, now + seconds, client.budget)
        run.beside = SimpleNamespace(names=specialists, asked_for=False)
        return run

    return make


@pytest.mark.parametrize(
    ("names", "seconds", "shares"),
    [
        (("tavily",), 8, [8]),
        (("tavily", "brave", "exa"), 8, [4, 4, 8]),
        (("tavily", "local"), 40, [38, 40]),  # two seconds are enough for the index
        (("tavily", "local"), 4, [3, 4]),  # or a quarter of what is left
        (("tavily", "brave", "local"), 40, [20, 38, 40]),
    ],
)
async def test_each_provider_leaves_time_to_those_behind_it(make_run, names, seconds, shares):
    """Half of it to the web, little to the local index."""
    run = make_run(*names, seconds=seconds)
    now = asyncio.get_running_loop().time()

    assert [run.deadline_of(n) - now for n in names] == [pytest.approx(s) for s in shares]
    assert run.seconds_left == pytest.approx(seconds)
    assert not run.over


async def test_nobody_leaves_time_to_those_who_have_failed(make_run):
    """Nor in modes that ask all at once, nor beside the web."""
    run = make_run("tavily", "brave", seconds=8, specialists=("arxiv",))
    whole = run.deadline

    assert run.deadline_of("arxiv") == whole
    run.errors["brave"] = errors.Outage("brave", "down")
    assert run.deadline_of("tavily") == whole
    together = make_run("tavily", "brave", mode="all")
    assert together.deadline_of("tavily") == together.deadline


async def test_a_turn_is_waited_for_two_seconds_while_another_could_be_asked(make_run):
    """Until the deadline when there is nobody else, or it is nearer."""
    run = make_run("tavily", "brave", "local", seconds=8, specialists=("arxiv",))
    now = asyncio.get_running_loop().time()

    assert run.alternatives("tavily") == ["brave"]
    assert run.alternatives("local") == ["tavily", "brave"]
    assert run.wait_deadline("tavily", now + 8) - now == pytest.approx(2)
    assert run.wait_deadline("tavily", now + 1) - now == pytest.approx(1)
    assert run.wait_deadline("arxiv", now + 8) == now
    run.beside.asked_for = True
    run.errors["brave"] = errors.Outage("brave", "down")
    assert run.alternatives("tavily") == []
    assert run.wait_deadline("tavily", now + 8) - now == pytest.approx(8)
    alone = make_run("tavily", seconds=0, specialists=())
    assert alone.over


async def test_who_had_no_turn_is_recorded_with_the_reason(make_run):
    """Specialists, too; who listens hears it, and so do observers."""
    run, recorder, heard = make_run("tavily", "brave", specialists=("arxiv",)), Recorder(), []
    run.resources.observers.add(recorder)
    run.record(Attempt("tavily", Outcome.FOUND))
    token = listener.set(heard.append)
    run.begin("tavily")
    run.skip_rest()
    listener.reset(token)
    run.begin("tavily")

    assert [(a.provider, a.sent, str(a.error)) for a in run.attempts[1:]] == [
        ("brave", False, "brave: no time was left for it"),
        ("arxiv", False, "arxiv: no time was left for it"),
    ]
    assert set(run.errors) == {"brave", "arxiv"}
    assert (run.requests, run.requests_to("tavily"), run.requests_to("brave")) == (1, 1, 0)
    assert [type(event) for event in heard] == [Asked, Said, Said]
    assert (heard[0].provider, heard[1].attempt) == ("tavily", run.attempts[1])
    assert [(o.provider, o.error, o.sent) for o in recorder.of("attempt")] == [
        ("brave", "NotAsked", False),
        ("arxiv", "NotAsked", False),
    ]


def _unreached(name: str, sent: bool = True) -> Attempt:
    return Attempt(name, Outcome.UNAVAILABLE, errors.NotConnected(name, "no"), sent=sent)


@pytest.mark.parametrize(
    ("attempts", "offline"),
    [
        ([], False),
        ([_unreached("tavily")], False),
        ([_unreached("tavily"), _unreached("tavily")], False),
        ([_unreached("tavily"), _unreached("brave")], True),
        ([_unreached("tavily"), _unreached("brave", sent=False)], False),
        ([_unreached("tavily"), _unreached("brave"), Attempt("exa", Outcome.EMPTY)], False),
        ([_unreached("tavily"), _unreached("brave"), Attempt("local", Outcome.EMPTY)], True),
    ],
)
async def test_two_hosts_that_cannot_be_reached_are_no_network(make_run, attempts, offline):
    """Unless somebody on the web has answered; the index is not on the web."""
    run = make_run("tavily", "brave", "exa", "local")
    for name in ("tavily", "brave", "exa"):
        provider = run.resources.provider(name)
        provider.base_url = provider.url
    run.attempts.extend(attempts)

    assert run.offline is offline
    kinds = [type(a.error) for a in run.final_attempts()]
    expected = [errors.NoNetwork if a.error and offline else type(a.error) for a in attempts]
    assert kinds == expected
    run.check_network("local")
    if offline:
        with pytest.raises(errors.NoNetwork):
            run.check_network("exa")
    else:
        run.check_network("exa")


async def test_an_address_of_the_operators_is_not_the_internet(make_run):
    """It may be near: two of them that are down say nothing about the network."""
    run = make_run("tavily", "brave")
    run.attempts.extend([_unreached("tavily"), _unreached("brave")])

    assert not run.offline
    run.check_network("tavily")


async def test_a_finished_response_has_its_own_time_and_notes(make_run):
    """A cached one is that of many calls."""
    run = make_run("tavily")
    run.resources.__dict__["confidence_models"] = models = {"web": None}
    first = Response(Query("otters"), Outcome.EMPTY, notes=("cut",), answer="A", stale=True)

    found = run.finish(first)

    assert (found.notes, found.answer, found.stale) == (("cut",), "A", True)
    assert found.models is models
    assert found.elapsed_ms > 0
    assert first.elapsed_ms == 0
