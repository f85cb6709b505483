"""Research as Tavily's API has it, below HTTP: queued, streamed and looked at."""

from __future__ import annotations

import json
from typing import Any

import pytest
from starlette.requests import Request

from kensaku.errors import InvalidQuery, UnknownJob
from kensaku.observe import caller
from kensaku.research.events import TextDelta
from kensaku.search.budget import current_budget
from kensaku.server import tavily_account
from kensaku.server.auth import Principal
from kensaku.server.tavily_account import TavilyAccount, _telling, routes
from kensaku.server.wires.tavily_research import DONE, Frames

from .page.page_request import api_key
from .test_openai_events import Served, Session

ANN = Principal("ann", "t1", key=api_key("ann"))
OPTIONS = {
    "model": "auto",
    "citation_format": "numbered",
    "output_length": "standard",
    "include_domains": (),
    "exclude_domains": (),
}


class Jobs:
    """Notes what it is asked."""

    def __init__(self) -> None:
        self.asked: list[Any] = []

    async def submit(self, kind: str, arguments: Any, **given: Any) -> str:
        self.asked.append((kind, arguments, given))
        return "job-1"

    async def get(self, id: str, **given: Any) -> Any:
        self.asked.append((id, given))
        raise UnknownJob(id)


class Client:
    """Says two words, and breaks where it is told to."""

    def __init__(self, error: Exception | None = None) -> None:
        self.asked: list[Any] = []
        self.error = error

    async def research_events(self, input: str, **options: Any) -> Any:
        self.asked.append((input, options, caller.get(), current_budget.get()))
        yield TextDelta("Otters ")
        if self.error:
            raise self.error
        yield TextDelta("swim.")


class State(Served):
    """Also has jobs."""

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self.of_jobs = Jobs()

    async def jobs(self) -> Jobs:
        return self.of_jobs


def request(body: Any = None, **path: str) -> Request:
    messages = [{"type": "http.request", "body": json.dumps(body).encode()}]

    async def receive() -> Any:
        return messages.pop(0)

    headers = [(b"content-type", b"application/json"), (b"authorization", b"Bearer x")]
    scope = {"type": "http", "headers": headers, "path_params": path, "method": "POST",
             "state": {"request_id": "req-1"}}  # fmt: skip
    return Request(scope, receive)


@pytest.fixture
def session() -> Session:
    return Session(Client(), ANN)


def test_the_routes_are_at_the_root_and_under_tavily():
    """Each is logged under its name."""
    made = [(r.path, sorted(r.methods - {"HEAD"}), r.endpoint.__name__) for r in routes(None)]

    assert made == [
        ("/research", ["POST"], "tavily/create"),
        ("/tavily/research", ["POST"], "tavily/create"),
        ("/research/{id}", ["GET"], "tavily/poll"),
        ("/tavily/research/{id}", ["GET"], "tavily/poll"),
        ("/usage", ["GET"], "tavily/usage"),
        ("/tavily/usage", ["GET"], "tavily/usage"),
        ("/feedback", ["POST"], "tavily/feedback"),
        ("/tavily/feedback", ["POST"], "tavily/feedback"),
    ]
    assert tavily_account.MAX_BODY == 12 * 1024 * 1024


async def test_a_report_is_queued(session):
    """With all that was asked for, for the tenant and the key."""
    state = State(session)

    reply = await TavilyAccount(state).create(request({"input": "Otters?"}))

    told = json.loads(reply.body)
    assert reply.status_code == 200
    assert {n: told[n] for n in ("request_id", "status", "input", "model")} == {
        "request_id": "job-1", "status": "pending", "input": "Otters?", "model": "auto",
    }  # fmt: skip
    assert 0 <= told["response_time"] < 600
    ((kind, arguments, who),) = state.of_jobs.asked
    assert (kind, who) == ("research", {"tenant": "t1", "key_id": "id-ann"})
    assert arguments == {"input": "Otters?", **OPTIONS}
    assert (session.counted, session.outcome) == (["run"], "found")
    ((name, headers, body),) = state.admitted
    assert (name, body) == ("tavily/research", {"input": "Otters?"})
    assert headers["authorization"] == "Bearer x"


@pytest.mark.parametrize("error", [None, InvalidQuery("enough")], ids=["whole", "broken"])
async def test_a_report_is_streamed(session, monkeypatch, error):
    """Its searches count for the key; an error is the last frame but one."""
    monkeypatch.setattr(tavily_account.time, "time", lambda: 1234.5)
    session.client = client = Client(error)
    before = caller.get(), current_budget.get()

    reply = await TavilyAccount(State(session)).create(
        request({"input": "Otters?", "stream": True})
    )
    try:
        frames = [frame async for frame in reply.body_iterator]
    finally:
        caller.set(before[0])
        current_budget.set(before[1])

    of = Frames("req-1", "auto", 1234)
    rest = [of.failed("enough")] if error else list(of.of(TextDelta("swim.")))
    assert frames == [*of.of(TextDelta("Otters ")), *rest, DONE]
    assert (reply.status_code, reply.media_type) == (200, "text/event-stream")
    assert reply.headers["cache-control"] == "no-store"
    assert reply.headers["x-accel-buffering"] == "no"
    ((input, options, who, budget),) = client.asked
    assert (input, options, budget) == ("Otters?", OPTIONS, "the budget")
    assert (who.request_id, who.tenant, who.key, who.endpoint) == (
        "req-1", "t1", "id-ann", "tavily/research",
    )  # fmt: skip
    assert session.outcome == "found"


async def test_a_report_is_looked_at_by_its_tenant(session):
    """One that is not there, or another's, is not found."""
    state = State(session)

    reply = await TavilyAccount(state).poll(request(id="x" * 201))

    assert (reply.status_code, json.loads(reply.body)) == (
        404,
        {"detail": {"error": "Research task not found"}},
    )
    assert state.of_jobs.asked == [("x" * 200, {"tenant": ""})]


async def test_an_error_is_told_as_tavily_tells_it():
    """With its status."""

    async def create(_: Request) -> Any:
        raise InvalidQuery("no", remedy="ask")

    reply = await _telling(create)(request())

    assert (reply.status_code, json.loads(reply.body)) == (
        400,
        {"detail": {"error": str(InvalidQuery("no", remedy="ask"))}},
    )
