"""What a server opens and closes, its tenants' clients, and the names that it answers to."""

from __future__ import annotations

import asyncio
from typing import Any, ClassVar

import pytest

from kensaku.database import Database
from kensaku.database.conversations import Sender
from kensaku.database.keys import create_key
from kensaku.errors import DatabaseFault
from kensaku.observe import Caller, caller
from kensaku.server.auth import ANYONE, Principal, Unauthorized
from kensaku.server.logs import request_secrets
from kensaku.server.session import ForeignPage, Session, _check_origin
from kensaku.server.state import MAX_TENANTS, Draining, State, WrongHost, _name

from .page.page_request import api_key


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


async def test_a_server_opens_once_and_closes_all_that_it_opened(client, monkeypatch):
    """However many requests come first; a client of its own is closed, too."""
    opened: list[Database] = []
    open_database = Database.open

    async def opening(settings: Any) -> Database:
        opened.append(await open_database(settings))
        return opened[-1]

    monkeypatch.setattr(Database, "open", opening)
    state = State(client.settings)
    closed: list[str] = []
    monkeypatch.setattr(state.client, "close", noting(closed, "client", state.client.close))
    assert not state.started

    await asyncio.gather(*(state.start() for _ in range(3)))
    await state.start()
    assert (state.started, len(opened)) == (True, 1)
    tasks = [state._resuming, state._resuming_runs]
    monkeypatch.setattr(state._usage, "close", noting(closed, "usage", state._usage.close))
    monkeypatch.setattr(opened[0], "close", noting(closed, "database", opened[0].close))
    await state.close()

    assert closed == ["usage", "client", "database"]
    assert not state.started
    assert state.draining
    assert all(task is not None and task.done() for task in tasks)


def noting(closed: list[str], name: str, close: Any) -> Any:
    """Close, and note that it was done."""

    async def noted() -> None:
        closed.append(name)
        await close()

    return noted


async def test_a_server_that_never_started_can_be_closed(client):
    """As one that was stopped while it started."""
    state = State(client.settings, client=client)

    await state.close()

    assert state.draining


async def test_a_server_that_stops_takes_no_requests(client):
    """It says when to ask again, and does not start for it."""
    state = State(client.settings, client=client)
    state.draining = True

    with pytest.raises(Draining) as refused:
        await state.principal({}, {"host": "localhost"}, {})

    assert (refused.value.status, refused.value.retry_after) == (503, 2.0)
    assert not state.started


@pytest.fixture
async def state(client):
    made = State(client.settings, client=client)
    yield made
    await made.close()


async def test_who_asks_is_known_by_the_key_or_by_the_machine(state):
    """What a request brought as keys is not logged."""
    local = {"host": "localhost", "authorization": "Bearer sk-1"}
    assert await state.principal({}, local, {"api_key": "sk-2"}) is ANYONE
    assert set(request_secrets.get()) == {"sk-1", "sk-2"}
    with pytest.raises(WrongHost):
        await state.principal({}, {"host": "evil.example"}, {})

    key, secret = await create_key(state.database, "ann", tenant="t1")
    state.keys.require()

    there = {"host": "evil.example", "authorization": f"Bearer {secret}"}
    assert await state.principal({}, there, {}) == Principal("ann", "t1", False, key)
    assert state.client_of(Principal("ann", "t1")) is state.client_of_tenant("t1")
    with pytest.raises(Unauthorized):
        await state.principal({}, local, {})


async def test_a_request_is_recorded_with_who_made_it(state, monkeypatch):
    """Whatever it came to; before the server has started there is nothing to write to."""
    session = Session(Principal("ann", "t1", key=api_key("ann")), state.client, state.limits)
    session.outcome, session.cached = "found", True
    state.record(session, "tavily/search", 12.5)
    await state.start()
    written: list[Any] = []
    monkeypatch.setattr(state._usage, "record", lambda **values: written.append(values))

    state.record(session, "tavily/search", 12.5)

    assert written == [
        {
            "outcome": "found", "tenant": "t1", "key": "id-ann", "endpoint": "tavily/search",
            "cached": True, "elapsed_ms": 12.5,
        }
    ]  # fmt: skip


async def test_a_request_is_admitted_with_all_that_is_known_of_it(state):
    """Who asks may be known already."""
    scope = {"state": {"request_id": "req-1"}, "client": ("127.0.0.1", 1)}
    who = Principal("ann", "t1", key=api_key("ann"))

    async with state.request(scope, "tavily/search", {"host": "localhost"}, {}) as session:
        assert session.principal is ANYONE
        assert caller.get() == Caller("req-1", "", "", "tavily/search")
    async with state.request(scope, "x", {}, {}, who) as session:
        assert session.principal is who
        assert session.client is state.client_of_tenant("t1")
        assert caller.get() == Caller("req-1", "t1", "id-ann", "x")
    assert scope["state"]["key_id"] == "id-ann"
    assert session.outcome == "failed"


class Unstarted:
    """Jobs that note how they are made, started and closed."""

    made: ClassVar[list[Any]] = []

    def __init__(self, settings: Any, *, observers: Any) -> None:
        self.steps: list[Any] = [settings, list(observers)]
        Unstarted.made.append(self)

    async def start(self) -> None:
        self.steps.append("start")

    async def close(self) -> None:
        self.steps.append("close")


@pytest.fixture
def jobs(monkeypatch) -> list[Any]:
    """The jobs that were made."""
    monkeypatch.setattr(Unstarted, "made", [])
    monkeypatch.setattr("kensaku.jobs.jobs.Jobs", Unstarted)
    return Unstarted.made


async def test_jobs_are_started_once_and_closed(client, jobs):
    """With those that listen to every request; not with the usage, which is another thread's."""
    state = State(client.settings, client=client)
    await state.start()
    one, two = await asyncio.gather(state.jobs(), state.jobs())
    await state.close()

    assert one is two
    (made,) = jobs
    assert made.steps == [client.settings, state._observers, "start", "close"]
    assert [type(o).__name__ for o in state._observers] == ["Metrics", "RequestLog"]


@pytest.mark.parametrize(
    ("unfinished", "draining", "started"),
    [(True, False, 1), (True, True, 0), (False, False, 0)],
)
async def test_unfinished_jobs_are_taken_up(
    client, jobs, monkeypatch, unfinished, draining, started
):
    """Of a server that was killed; not by one that is about to stop."""
    monkeypatch.setattr("kensaku.jobs.tables.any_unfinished", lambda _: unfinished)
    state = State(client.settings, client=client)
    await state.start()
    state.draining = draining
    assert state._resuming is not None
    await state._resuming
    await state.close()

    assert len(jobs) == started


async def test_jobs_that_cannot_be_taken_up_wait(client, jobs, monkeypatch, caplog):
    """The server answers without them."""

    def fails(_: Any) -> bool:
        raise DatabaseFault("locked")

    monkeypatch.setattr("kensaku.jobs.tables.any_unfinished", fails)
    state = State(client.settings, client=client)
    await state.start()
    assert state._resuming is not None
    await state._resuming
    await state.close()

    assert "unfinished jobs wait until the next job or start: locked" in caplog.text


async def test_the_assistant_is_closed_with_the_server(client):
    """It is one for all tenants, and knows what a person may spend."""
    state = State(client.settings, client=client)
    await state.start()
    assistant = state.assistant
    assert state.assistant is assistant
    assert assistant.database is state.database
    assert assistant._client_of("t1") is state.client_of_tenant("t1")
    assert assistant._budget_of is not None
    nobody = Sender("web", "local", "local/x", "")
    assert await assistant._budget_of(nobody) is None
    assert state._closers == [assistant.close]
    assert state.limits is state.limits
    await state.close()

    assert MAX_TENANTS == 512
