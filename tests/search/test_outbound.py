"""How a query leaves: as it is, without what should stay, or not at all."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from kensaku import Query
from kensaku.errors import NotAsked
from kensaku.search.outbound import AS_IT_IS, Outbound, check_egress, to_send
from kensaku.search.scrub import QueryWithheld, Scrubbed, scrub
from kensaku.transport.egress import Egress

QUERY = Query("who is ann@example.com")


def _sent(query=QUERY, names=("local", "tavily"), wanted=None, kinds=("emails",), action="redact"):
    settings = SimpleNamespace(scrub_kinds=kinds, scrub_action=action)
    resources = SimpleNamespace(settings=settings, keys=("known-key",))
    return to_send(query, SimpleNamespace(names=names), resources, wanted)


def test_what_should_stay_is_removed_and_that_is_said():
    """The filters of the query stay."""
    found = _sent(Query("who is ann@example.com", max_results=7, country="jp"))

    assert found == Outbound(
        Query("who is", max_results=7, country="jp"),
        "an e-mail address was removed from the query before it was sent",
    )
    asked = Query("other", max_results=3)
    assert found.to("tavily", asked) == Query("who is", max_results=3)
    assert AS_IT_IS.to("tavily", asked) is asked


@pytest.mark.parametrize(
    "options",
    [
        {"wanted": False},
        {"kinds": ()},
        {"query": Query("who is ann")},
        {"names": ("local",)},
    ],
)
def test_otherwise_it_leaves_as_it_is(options):
    """The caller says so, nothing is wanted or found, or nobody on the web is asked."""
    assert _sent(**options) is AS_IT_IS


@pytest.mark.parametrize(
    ("options", "refused"),
    [
        ({"action": "block"}, "the query holds an e-mail address, and stays here"),
        ({"query": Query("ann@example.com")}, "the query holds an e-mail address, and stays here"),
        ({"query": Query("known-key ann@example.com x"), "kinds": ("keys", "emails"),
          "action": "block"},
         "the query holds a key and an e-mail address, and stays here"),
    ],
)  # fmt: skip
def test_a_query_that_stays_asks_nobody(options, refused):
    """By the setting, or because nothing is left of it."""
    found = _sent(**options)

    assert found == Outbound(refused=refused)
    with pytest.raises(NotAsked) as error:
        found.to("tavily", QUERY)
    assert str(error.value) == (
        f"tavily: {refused}; reword the query; "
        "the setting scrub.action says what happens to such queries"
    )


def test_asking_is_for_the_caller_to_answer():
    """Who wants it removed has answered."""
    with pytest.raises(QueryWithheld) as withheld:
        _sent(action="ask")
    assert str(withheld.value) == (
        "the query holds an e-mail address; nothing was sent; "
        "send it without (scrub=True), or as it is (scrub=False)"
    )
    assert _sent(action="ask", wanted=True).query == Query("who is")
    assert _sent(action="block", wanted=True).query == Query("who is")


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


def _provider(base_url: str, url: str = "https://api.exa.ai") -> SimpleNamespace:
    return SimpleNamespace(name="exa", base_url=base_url, url=url)


@pytest.mark.parametrize(
    ("words", "base_url", "refused"),
    [
        ("public,private", "https://evil.example", False),
        ("api.exa.ai", "https://api.exa.ai", False),
        ("other.example", "https://api.exa.ai", True),
        ("none", "", False),
        # The vendor's own host is a public one; another's address decides when it is known.
        ("public", "https://api.exa.ai", False),
        ("private", "https://api.exa.ai", True),
        ("private", "https://proxy.example", False),
        ("private", "http://8.8.8.8/", True),
    ],
)
def test_a_provider_that_may_not_be_reached_is_not_asked(words, base_url, refused):
    """Before anything is resolved."""
    egress = Egress.from_words(words.split(","))
    if not refused:
        check_egress(_provider(base_url), egress)
        return
    with pytest.raises(NotAsked) as error:
        check_egress(_provider(base_url), egress)
    host = base_url.split("/")[2]
    assert str(error.value) == (
        f"exa: egress does not allow {host}; the setting egress says where connections may go"
    )
