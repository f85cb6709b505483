"""How a query leaves: as it is, without what should stay, or not at all."""

from __future__ import annotations

import pytest

from kensaku import Outcome
from kensaku.errors import NotAsked
from kensaku.search.scrub import QueryWithheld, Scrubbed, scrub

ANN = "who is ann@example.com"


@pytest.mark.parametrize(
    ("query", "settings", "options", "sent"),
    [
        (ANN, {"scrub_kinds": ("emails",)}, {}, "who is"),
        (ANN, {"scrub_kinds": ("emails",)}, {"scrub": False}, ANN),
        (ANN, {"scrub_kinds": ()}, {}, ANN),
        (ANN, {"scrub_kinds": ("keys",)}, {}, ANN),
        ("who is ann", {"scrub_kinds": ("emails",)}, {}, "who is ann"),
        (ANN, {"scrub_kinds": ("emails",), "scrub_action": "ask"}, {"scrub": True}, "who is"),
        (ANN, {"scrub_kinds": ("emails",), "scrub_action": "block"}, {"scrub": True}, "who is"),
        ("is tavily-test-key good", {}, {}, "is good"),  # a key of ours, whatever it looks like
    ],
)
async def test_what_should_stay_is_removed_and_that_is_said(
    make_client, upstream, query, settings, options, sent
):
    """The caller decides, then the settings; the rest of the query stays as it is."""
    found = await make_client("tavily", **settings).search(query, max_results=7, **options)

    [request] = upstream.requests
    assert (request.json["query"], request.json["max_results"]) == (sent, 7)
    assert any("removed from the query" in note for note in found.notes) is (sent != query)


async def test_what_may_leave_is_decided_by_each_caller(make_client, upstream):
    """What one sends on purpose is removed for the next, with the same client."""
    client = make_client("tavily", scrub_kinds=("emails",))

    for wanted in (False, True, None, False):
        await client.search(ANN, scrub=wanted, cache=False)

    assert [r.json["query"] for r in upstream.requests] == [ANN, "who is", "who is", ANN]


@pytest.mark.parametrize(
    ("query", "action", "held"),
    [
        (ANN, "block", "an e-mail address"),
        ("ann@example.com", "redact", "an e-mail address"),  # nothing is left of it
        ("tavily-test-key ann@example.com x", "block", "a key and an e-mail address"),
    ],
)
async def test_a_query_that_stays_asks_nobody_on_the_web(
    make_client, upstream, query, action, held
):
    """By the setting, or because nothing is left; the reason does not repeat what was held."""
    client = make_client("tavily", scrub_kinds=("keys", "emails"), scrub_action=action)

    found = await client.search(query)

    assert found.outcome is Outcome.UNAVAILABLE
    [error] = [a.error for a in found.attempts]
    assert isinstance(error, NotAsked)
    assert held in str(error)
    assert "scrub.action" in error.remedy
    assert "ann@" not in str(error)
    assert upstream.requests == []


async def test_asking_names_both_answers(make_client, upstream):
    """Nothing is sent before."""
    client = make_client("tavily", scrub_kinds=("emails",), scrub_action="ask")

    for _ in range(2):  # a refusal is not forgotten
        with pytest.raises(QueryWithheld, match="an e-mail address") as withheld:
            await client.search(ANN)

    assert "scrub=True" in withheld.value.remedy
    assert "scrub=False" in withheld.value.remedy
    assert "ann@" not in str(withheld.value)
    assert upstream.requests == []


@pytest.mark.parametrize(
    ("text", "known", "found"),
    [
        ("a 12345678 b", "12345678", Scrubbed("a b", ("keys",))),
        ("a 1234567 b", "1234567", Scrubbed("a 1234567 b")),  # seven characters are a word
        ("a  b", "x" * 8, Scrubbed("a  b")),
    ],
)
def test_a_known_key_has_eight_characters(text, known, found):
    """A shorter one would take words out of queries."""
    assert scrub(text, ["keys"], [known]) == found
    assert scrub(text, ["emails"], [known]) == Scrubbed(text)


@pytest.mark.parametrize(
    ("token", "random"),
    [
        ("aB1" * 10 + "aB", True),
        ("aB1" * 10 + "a", False),  # 31 characters
        ("ab1" * 11, False),  # no capitals
        ("aB" * 15 + "12", False),  # two digits
        ("aB" * 15 + "123", True),
        ("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaB123", False),  # as in a name
    ],
)
def test_a_long_token_is_a_key_when_nobody_writes_names_like_it(token, random):
    """Three digits, capitals, and a change at every third character."""
    assert bool(scrub(f"x {token} y", ["keys"]).found) is random
