"""What a server opens and closes, its tenants' clients, and the names that it answers to."""

from __future__ import annotations

import pytest

from kensaku.server.session import ForeignPage, _check_origin
from kensaku.server.state import State, WrongHost, _name


@pytest.mark.parametrize(
    ("authority", "name"),
    [
        ("localhost:80", "localhost"),
        ("LOCALHOST", "localhost"),
        ("[::1]:80", "[::1]"),
        ("[::1]", "[::1]"),
        ("", ""),
    ],
)
def test_the_host_of_an_authority(authority, name):
    """Without its port, in lower case."""
    assert _name(authority) == name


@pytest.mark.parametrize(
    ("host", "peer", "served"),
    [
        ("localhost:8080", ("127.0.0.1", 5), True),
        ("[::1]:8080", ("::1", 5), True),
        ("Search.Example", ("127.0.0.1", 5), True),
        ("search.example", ("192.0.2.1", 5), False),
        ("evil.example", ("127.0.0.1", 5), False),
        ("localhost", None, True),
        ("", None, False),
    ],
)
def test_without_keys_a_server_answers_to_its_own_machine(make_client, host, peer, served):
    """Under its own names, and those that it was given."""
    client = make_client("tavily")
    state = State(client.settings, client=client, hosts=["SEARCH.example"])
    if served:
        state._check_host({"client": peer}, {"host": host})
    else:
        with pytest.raises(WrongHost) as refused:
            state._check_host({"client": peer}, {"host": host} if host else {})
        assert refused.value.status == 421


def test_each_tenant_has_a_client_of_its_own(make_client, monkeypatch):
    """Of as many as there are, those that were used last are kept."""
    monkeypatch.setattr("kensaku.server.state.MAX_TENANTS", 2)
    client = make_client("tavily", tenant="home")
    state = State(client.settings, client=client)
    one, two = state.client_of_tenant("one"), state.client_of_tenant("two")

    assert state.client_of_tenant("home") is client
    assert state.client_of_tenant("one") is one  # used last: two is the oldest now
    state.client_of_tenant("three")
    assert state.client_of_tenant("one") is one
    assert state.client_of_tenant("two") is not two
    assert (one.settings.tenant, len(state._tenants)) == ("one", 2)


@pytest.mark.parametrize(
    ("headers", "allowed"),
    [
        ({}, True),
        ({"origin": "http://a.example:1", "host": "a.example:1"}, True),
        ({"origin": "http://a.example:1", "host": "a.example"}, False),
        ({"origin": "null", "host": "a.example"}, False),
        ({"origin": "http://a.example"}, False),
        ({"sec-fetch-site": "same-origin"}, True),
        ({"sec-fetch-site": "none"}, True),
        ({"sec-fetch-site": "cross-site"}, False),
        ({"sec-fetch-site": "same-site"}, False),
    ],
)
def test_the_page_of_another_site_may_not_search_without_a_key(headers, allowed):
    """A browser sends where a script comes from."""
    if allowed:
        _check_origin(headers)
    else:
        with pytest.raises(ForeignPage) as refused:
            _check_origin(headers)
        assert refused.value.status == 403


@pytest.fixture
def client(make_client):
    return make_client("tavily", env={"TAVILY_API_KEY": "key"})


async def test_what_was_opened_is_closed_before_the_rest(client):
    """A run of the assistant stores its last events while there is a client and a database."""
    state = State(client.settings)
    await state.start()
    seen: list[tuple[str, bool]] = []

    async def first() -> None:
        seen.append(("first", state.draining))

    async def second() -> None:
        await state.database.ping()
        seen.append(("second", state.draining))

    state.on_close(first)
    state.on_close(second)
    await state.close()

    assert seen == [("first", True), ("second", True)]


async def test_a_client_that_was_given_is_given_back(client):
    """It works on, and nobody listens to it any more."""
    listening = len(client.observers.all)
    state = State(client.settings, client=client)
    await state.start()
    assert len(client.observers.all) > listening

    await state.close()

    assert len(client.observers.all) == listening
    assert await client.search("otters")
