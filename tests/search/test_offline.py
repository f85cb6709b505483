"""Without a network: said once, at once, and nobody's rate is used up."""

from __future__ import annotations

import asyncio
import errno
import socket

import pytest

from kensaku import Kensaku, Outcome, Settings
from kensaku.dialects import write
from kensaku.errors import Cooling, NoNetwork, NotConnected
from kensaku.testing import faults
from tests.search.support import document


@pytest.fixture
async def lookups(monkeypatch):
    """No name can be looked up; the names that were asked for."""
    asked: list[str] = []

    async def fail(host, *_args, **_more):
        asked.append(host)
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(asyncio.get_running_loop(), "getaddrinfo", fail)
    return asked


@pytest.fixture
async def client(machine, lookups):
    """As on a fresh machine, but that there is something in the local index already."""
    async with Kensaku(Settings.load(environ={"KENSAKU_HOME": str(machine)})) as made:
        await made.index.add([document("https://x.example/", "All about zebras")])
        yield made


async def test_two_lookups_are_enough_to_know(client, lookups):
    """The rest of the route is on the internet, too."""
    found = await client.search("otters")

    assert len(lookups) == 2
    web = [a for a in found.attempts if a.provider != "local"]
    assert len(web) >= 6
    assert all(type(a.error) is NoNetwork for a in web)
    assert [a.sent for a in web] == [True, True] + [False] * (len(web) - 2)
    assert found.outcome is Outcome.UNAVAILABLE


async def test_it_is_said_once(client):
    """One line for all, in both languages."""
    found = await client.search("otters")

    english, japanese = write(found, "plain"), write(found, "plain:ja")

    assert english.count("there is no network") == 1
    assert "tavily, you, " in english
    assert japanese.count("ネットワークに接続されていません") == 1


async def test_the_second_search_has_the_same_reason(client, lookups):
    """What was never sent uses up no rate of ours, and opens no circuit."""
    answers = [await client.search(f"otters {n}") for n in range(15)]

    for found in answers:
        assert {type(a.error) for a in found.attempts if a.provider != "local"} == {NoNetwork}
    assert len(lookups) == 2 * 15


async def test_one_provider_alone_is_looked_up_once(machine, lookups):
    """A route of one: the name is asked for once, and the reason is its own."""
    async with Kensaku(Settings.load(environ={"KENSAKU_HOME": str(machine)})) as client:
        found = await client.search("otters", route="tavily")

    assert len(lookups) == 1
    assert [type(a.error) for a in found.attempts] == [NotConnected]
    assert "its name cannot be looked up" in str(found.attempts[0].error)


async def test_all_at_once_have_one_reason(client):
    """Mode `all`: nobody is spared, and it is still one reason."""
    found = await client.search("otters", mode="all", route="tavily,you,keenable")

    assert [type(a.error) for a in found.attempts] == [NoNetwork] * 3


async def test_a_provider_nearby_is_asked_all_the_same(machine, upstream, lookups):
    """A SearXNG in the next room needs no internet."""
    environ = {"KENSAKU_HOME": str(machine), **upstream.environment("searxng")}
    async with Kensaku(Settings.load(environ=environ)) as client:
        found = await client.search("otters", route="tavily,you,keenable,searxng")

    assert found.outcome is Outcome.FOUND
    assert [a.provider for a in found.attempts if a.error is None] == ["searxng"]


async def test_an_answer_says_that_there_is_a_network(machine, upstream, lookups):
    """Two names are gone and a third provider answered: nobody is called offline."""
    environ = {"KENSAKU_HOME": str(machine), **upstream.environment("brave")}
    async with Kensaku(Settings.load(environ=environ)) as client:
        found = await client.search("otters", route="tavily,brave", mode="all")

    assert [type(a.error) for a in found.attempts if a.error] == [NotConnected]


@pytest.mark.parametrize("store", ["memory:", "", "valkey"])
async def test_a_turn_that_was_not_used_is_given_back(store, machine, request, lookups):
    """In every store; 1 a minute is 1 request a minute, not 1 failed lookup."""
    url = request.getfixturevalue("valkey") if store == "valkey" else store
    environ = {"KENSAKU_HOME": str(machine), "TAVILY_RATE": "1/m", "KENSAKU_STATE_URL": url}
    async with Kensaku(Settings.load(environ=environ)) as client:
        await client.resources.store.forget("")
        found = [await client.search(f"otters {n}", route="tavily") for n in range(3)]

    assert {type(r.attempts[0].error) for r in found} == {NotConnected}
    assert len(lookups) == 3


async def test_a_request_that_was_sent_uses_its_turn(make_client, upstream):
    """The counterpart: a refusal, a break, an outage are requests."""
    upstream.fails("tavily", faults.status(500))
    client = make_client("tavily", env={"TAVILY_RATE": "1/m"}, retry_budget=0.0)

    await client.search("otters")
    refused = await client.search("otters")

    assert isinstance(refused.attempts[0].error, Cooling)
    assert len(upstream.requests) == 1


async def test_a_budget_of_searches_is_not_spent_offline(machine, lookups):
    """Nothing was sent, nothing is counted."""
    environ = {"KENSAKU_HOME": str(machine), "KENSAKU_BUDGET_SEARCHES": "1"}
    async with Kensaku(Settings.load(environ=environ)) as client:
        for n in range(3):
            found = await client.search(f"otters {n}", route="tavily")
            assert isinstance(found.attempts[0].error, NotConnected)


async def test_an_unreachable_network_is_no_network(machine, monkeypatch):
    """An address is known, and no route leads there."""
    loop = asyncio.get_running_loop()

    async def known(host, port, **_more):
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("192.0.2.1", port))]

    async def no_route(_sock, _address):
        raise OSError(errno.ENETUNREACH, "Network is unreachable")

    monkeypatch.setattr(loop, "getaddrinfo", known)
    monkeypatch.setattr(loop, "sock_connect", no_route)
    async with Kensaku(Settings.load(environ={"KENSAKU_HOME": str(machine)})) as client:
        found = await client.search("otters", route="tavily,you,keenable")

    assert {type(a.error) for a in found.attempts} == {NoNetwork}


# --- the local index does not pose as the web


@pytest.mark.parametrize(
    ("query", "text"),
    [
        (
            "what is the capital of Mongolia",
            "Capitalize a value: the first character is upper case",
        ),
        ("モンゴルの首都はどこですか", "文字列の最初の文字を大文字にします。首都高速の案内。"),
        ("Kensaku", "All about zebras"),
    ],
)
async def test_what_is_not_about_the_question_is_no_answer_about_the_web(client, query, text):
    """Nobody could search; what comes nearest is there, and marked."""
    await client.index.add([document("doc:1", text)])

    found = await client.search(query, include_answer=True)
    packed = await client.context(query)

    assert found.outcome is Outcome.UNAVAILABLE
    assert found.answer is None
    assert {hit.provider for hit in found.hits} <= {"local"}
    assert packed.outcome is Outcome.UNAVAILABLE
    assert packed.text == ""


async def test_what_is_about_the_question_stands_in_for_the_web(client):
    """Marked as local, and found."""
    await client.index.add([document("doc:1", "Ulaanbaatar is the capital of Mongolia")])

    found = await client.search("what is the capital of Mongolia")

    assert found.outcome is Outcome.FOUND
    assert "not from the web" in write(found, "plain")


async def test_who_asks_the_local_index_gets_what_it_has(client):
    """The floor is for an index that stands in for others."""
    await client.index.add([document("doc:1", "Capital letters")])

    found = await client.search("what is the capital of Mongolia", route="local")

    assert found.outcome is Outcome.FOUND


async def test_a_least_score_can_be_asked_for(client):
    """`min_score` leaves out what the index itself thinks little of."""
    await client.index.add([document("doc:1", "Capital letters")])

    found = await client.search("capital", route="local", min_score=1.0)

    assert found.outcome is Outcome.EMPTY
    assert "scored below 1" in found.notes[0]


async def test_the_nearest_is_shown_as_what_it_is(client):
    """In words, in both languages, and never as a list of results."""
    await client.index.add([document("doc:1", "Capital letters")])
    found = await client.search("what is the capital of Mongolia")

    english, japanese = write(found, "plain"), write(found, "markdown:ja")

    assert english.startswith("Nobody could search")
    assert "Nearest in the local index, though not about this:\n- Capital letters doc:1" in english
    assert "この問いの答えではありません" in japanese
