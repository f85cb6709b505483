"""The assistant as a model, below HTTP: events of a run to the frames of a reply, and refusals."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from kensaku.assistant.approval import Question, Reply
from kensaku.assistant.events import (
    Answered,
    ApprovalNeeded,
    Event,
    Failed,
    Planned,
    QuestionAsked,
    TextDelta,
    ToolStarted,
)
from kensaku.database.people import list_decisions
from kensaku.errors import BudgetExceeded, InvalidQuery, KeyRefused
from kensaku.models import Attempt, Outcome
from kensaku.server import openai
from kensaku.server.auth import ANYONE, Principal, Unauthorized
from kensaku.server.http import BodyTooLarge
from kensaku.server.limits import RateExceeded
from kensaku.server.openai import ChatCompletions, Models, _is_open, _Written, refuse, routes
from kensaku.server.perform import Unavailable
from kensaku.server.state import State
from kensaku.server.wires.openai import Chat, Completion, error_body, models

from .page.page_request import api_key
from .wires.test_openai import ANSWER

SEARCH = ToolStarted("1", "web_search", {"query": "otters"})
CONSENT = Question("approve", "May web_search run?", tool="web_search", arguments={"query": "x"})
WHICH = Question("help", "Which otters?", choices=("modify", "skip"), tool="ask_user",
                 options=("sea", "river"))  # fmt: skip
HELP = Question("help", "Other words?", choices=("modify", "skip"))
DOUBT = Question("confirm", "Is it right?")
NOTHING = replace(ANSWER, outcome=Outcome.EMPTY, text=None, citations=(), doubt="", notes=())
TEXT = "They swim [1].\n\nUnsure."
SOURCES = '\n\n[1]: <https://a.example/> "A"\n\n[2] B'


class Sent:
    """What was sent."""

    def __init__(self) -> None:
        self.messages: list[Any] = []

    async def __call__(self, message: Any) -> None:
        part = "body" if self.messages else "start"
        assert message["type"] == f"http.response.{part}"
        self.messages.append(message)

    @property
    def status(self) -> int:
        return int(self.messages[0]["status"])

    @property
    def bodies(self) -> list[bytes]:
        return [m["body"] for m in self.messages[1:]]


async def run_of(*events: Event | Exception) -> AsyncIterator[Event]:
    for event in events:
        if isinstance(event, Exception):
            raise event
        yield event


def written(*events: Event | Exception, chat: Chat | None = None) -> _Written:
    return _Written(Completion("c", 7, chat or Chat("otters?")), run_of(*events))


async def parts(*events: Event | Exception, chat: Chat | None = None) -> list[tuple[str, str]]:
    return [part async for part in written(*events, chat=chat)._parts()]


def test_the_routes_are_at_the_root_and_under_the_prefix():
    """One endpoint each, however it is reached."""
    made = [(r.path, sorted(r.methods - {"HEAD"}), type(r.endpoint)) for r in routes(None)]

    assert made == [
        ("/v1/chat/completions", ["POST"], ChatCompletions),
        ("/v1/models", ["GET"], Models),
        ("/openai/v1/chat/completions", ["POST"], ChatCompletions),
        ("/openai/v1/models", ["GET"], Models),
    ]
    assert (ChatCompletions.name, Models.name) == (
        "openai/v1/chat/completions",
        "openai/v1/models",
    )
    assert openai.STATUS_SECONDS == 10.0


# --- events


@pytest.mark.parametrize(
    ("events", "said"),
    [
        ([TextDelta("They "), TextDelta("swim.")], [("content", "They "), ("content", "swim.")]),
        ([TextDelta("❓ May it run?")], [("content", "? May it run?")]),
        ([Planned(("a",), "rule")], []),
        ([SEARCH], [("reasoning_content", "web_search: otters\n")]),
        (
            [ApprovalNeeded(CONSENT)],
            [("content", "❓ May web_search run?\n\nweb_search: x")],
        ),
        ([QuestionAsked(WHICH)], [("content", "❓ Which otters?\n\n1. sea\n2. river")]),
        ([QuestionAsked(DOUBT)], []),
        ([Answered(NOTHING)], []),
        ([Answered(ANSWER)], [("content", "\n\nUnsure."), ("content", SOURCES)]),
        ([Failed("Nothing was found.", NOTHING)], [("content", "Nothing was found.")]),
        (
            [QuestionAsked(HELP), Failed("Nothing was found.", NOTHING)],
            [("content", "Nothing was found.\n\nOther words?")],
        ),
        (
            [QuestionAsked(HELP), QuestionAsked(DOUBT), Failed("", NOTHING)],
            [("content", "Other words?")],
        ),
    ],
)
async def test_an_event_is_a_part_of_the_reply(events, said):
    """Text, tools, questions that nobody could be asked, doubts and sources."""
    assert await parts(*events) == said


async def test_a_question_that_was_answered_is_not_asked_again(monkeypatch):
    """The conversation has the answer; of help it keeps what could have been said."""
    asked = "❓ May web_search run?\n\nweb_search: x"
    chat = Chat("otters?", replies=((asked, "yes"),))

    assert await parts(ApprovalNeeded(CONSENT), chat=chat) == []
    assert _is_open(ApprovalNeeded(CONSENT), Chat("otters?"))
    assert not _is_open(ApprovalNeeded(CONSENT), chat)
    assert not _is_open(QuestionAsked(DOUBT), Chat("otters?"))
    assert not _is_open(SEARCH, Chat("otters?"))


@pytest.mark.parametrize(
    ("outcome", "error", "raises"),
    [
        (Outcome.UNAVAILABLE, KeyRefused("brave", "no"), True),
        (Outcome.UNAVAILABLE, None, False),
        (Outcome.EMPTY, KeyRefused("brave", "no"), False),
    ],
)
async def test_nobody_could_search_is_no_reply(outcome, error, raises):
    """It is an error, with who failed; to have found nothing is an answer."""
    tried = (Attempt("exa", Outcome.EMPTY), Attempt("brave", Outcome.UNAVAILABLE, error))
    failed = Failed("No.", replace(NOTHING, outcome=outcome, attempts=tried))

    if raises:
        with pytest.raises(Unavailable) as refused:
            await parts(failed)
        assert refused.value.attempts == tried
    else:
        assert await parts(failed) == [("content", "No.")]


@pytest.mark.parametrize(
    ("events", "outcome"),
    [
        ([TextDelta("x")], Outcome.FOUND),
        ([ApprovalNeeded(CONSENT)], Outcome.FOUND),
        ([Answered(ANSWER)], Outcome.FOUND),
        ([Failed("No.", NOTHING)], Outcome.EMPTY),
    ],
)
async def test_a_run_is_counted_as_what_it_came_to(events, outcome):
    """A question is an answer, too."""
    made = written(*events)
    await made.begin()
    await made.whole(Sent())

    assert made.outcome is outcome


# --- replies


async def test_a_reply_in_one_piece():
    """The lines of tools are no part of it."""
    made, sent = written(SEARCH, TextDelta("They swim [1]."), Answered(ANSWER)), Sent()
    await made.begin()

    await made.whole(sent)

    assert sent.status == 200
    whole = made._completion.whole(TEXT + SOURCES, ANSWER)
    assert json.loads(sent.bodies[0]) == whole
    assert whole["choices"][0]["message"]["content"] == TEXT + SOURCES


async def test_a_stream_is_frames_of_the_same_text():
    """Who speaks, tools, text, sources, the usage, the end."""
    chat = Chat("otters?", stream=True, include_usage=True)
    made = written(SEARCH, TextDelta("They swim [1]."), Answered(ANSWER), chat=chat)
    sent, of = Sent(), made._completion
    await made.begin()

    await made.stream(sent)

    assert sent.messages[0] == {
        "type": "http.response.start",
        "status": 200,
        "headers": [
            (b"content-type", b"text/event-stream; charset=utf-8"),
            (b"cache-control", b"no-store"),
            (b"x-accel-buffering", b"no"),
        ],
    }
    assert sent.bodies == [
        of.chunk(role="assistant", content=""),
        of.chunk(reasoning_content="web_search: otters\n"),
        of.chunk(content="They swim [1]."),
        of.chunk(content="\n\nUnsure."),
        of.chunk(content=SOURCES),
        *of.last(TEXT + SOURCES, ANSWER),
        b"",
    ]
    assert {m["type"] for m in sent.messages[1:]} == {"http.response.body"}
    assert [m["more_body"] for m in sent.messages[1:]] == [True] * (len(sent.bodies) - 1) + [False]


async def test_an_error_after_the_first_frame_is_the_last_one():
    """The status has been sent."""
    made, sent = written(TextDelta("They"), RateExceeded(3.0)), Sent()
    await made.begin()

    await made.stream(sent)

    error = error_body(429, str(RateExceeded(3.0)))
    assert sent.bodies[-1].startswith(b"data: ")
    assert sent.bodies[-1].endswith(b"\n\n")
    assert json.loads(sent.bodies[-1][6:]) == error
    assert [m["more_body"] for m in sent.messages[1:]] == [True, True, False]


async def test_what_is_wrong_at_once_is_known_before_a_status_is_sent():
    """The client gets a status for it."""
    with pytest.raises(InvalidQuery):
        await written(InvalidQuery("no")).begin(5.0)


async def test_a_stream_begins_although_its_run_is_silent(clock):
    """A proxy that gets no status gives up; the first event is not lost by that."""
    clock.stop()
    may_go_on, sent = asyncio.Event(), Sent()

    async def late() -> AsyncIterator[Event]:
        await may_go_on.wait()
        yield TextDelta("late")

    made = _Written(Completion("c", 7, Chat("otters?")), late())
    beginning = asyncio.create_task(made.begin(10.0))
    for seconds, begun in ((9.9, False), (0.2, True)):
        for _ in range(5):
            await asyncio.sleep(0)
        clock.advance(seconds)
        for _ in range(5):
            await asyncio.sleep(0)
        assert beginning.done() is begun
    may_go_on.set()
    await made.stream(sent)

    assert made._completion.chunk(content="late") in sent.bodies


async def test_a_client_that_leaves_before_the_first_event_ends_the_run():
    """What waits for the event is let go."""
    ended: list[str] = []

    async def silent() -> AsyncIterator[Event]:
        try:
            await asyncio.get_running_loop().create_future()
            yield TextDelta("never")
        finally:
            ended.append("run")

    beginning = asyncio.create_task(_Written(Completion("c", 7, Chat("?")), silent()).begin())
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    beginning.cancel()
    with pytest.raises(asyncio.CancelledError):
        await beginning

    assert ended == ["run"]


# --- refusals


@pytest.mark.parametrize(
    ("error", "status", "code", "param", "headers"),
    [
        (InvalidQuery("no"), 400, None, "messages", {}),
        (Unauthorized("no"), 401, "invalid_api_key", None, {}),
        (BodyTooLarge("no"), 413, "request_too_large", "messages", {}),
        (RateExceeded(3.2), 429, "rate_limit_exceeded", None, {"retry-after": "3"}),
        (BudgetExceeded("no"), 429, "insufficient_quota", None, {"x-should-retry": "false"}),
        (Unavailable([]), 503, "unavailable", None, {"retry-after": "5"}),
    ],
)
async def test_an_error_is_told_as_openais_clients_read_it(error, status, code, param, headers):
    """They ask again by the status, and not where it would be in vain."""
    sent = Sent()

    await refuse(sent, error)

    body = json.loads(sent.bodies[0])["error"]
    assert (sent.status, body["code"], body["param"]) == (status, code, param)
    assert body["message"] == str(error)
    told = {n.decode(): v.decode() for n, v in sent.messages[0]["headers"]}
    usual = {"content-type": "application/json", "content-length": str(len(sent.bodies[0]))}
    assert told == usual | headers


# --- requests


class Client:
    """Notes what it is asked; asks the person what it was given, and says the replies."""

    def __init__(self, settings: Any, *questions: Question) -> None:
        self.settings, self.questions = settings, questions
        self.asked: list[Any] = []

    async def ask_events(self, question: str, *, person: Any, **given: Any) -> AsyncIterator[Event]:
        self.asked.append((question, given))
        for asked in self.questions:
            yield QuestionAsked(asked)
            yield TextDelta(repr(await person(asked)))
        yield Answered(NOTHING)


class Served:
    """A state that admits everybody, and what became of the requests."""

    def __init__(self, session: Any, database: Any = None) -> None:
        self.session, self.database = session, database
        self.admitted: list[Any] = []

    @asynccontextmanager
    async def request(self, scope: Any, name: str, headers: Any, body: Any) -> Any:
        self.admitted.append((name, dict(headers), dict(body)))
        yield self.session

    async def principal(self, scope: Any, headers: Any, body: Any) -> Principal:
        if "authorization" not in headers:
            raise Unauthorized("no")
        return ANYONE


class Session:
    """Notes how a request is counted."""

    def __init__(self, client: Any, principal: Principal = ANYONE) -> None:
        self.client, self.principal, self.outcome = client, principal, "failed"
        self.counted: list[str] = []

    async def check_limits(self, searches: int = 0) -> None:
        self.counted.append(f"limits {searches}")

    async def check_run(self) -> str:
        self.counted.append("run")
        return "the budget"


@pytest.fixture
def settings(make_client, monkeypatch):
    """Those of a client; nothing is registered for the assistant."""

    async def nothing(url: str, person: str) -> dict[str, str]:
        return {}

    monkeypatch.setattr(openai, "registered_tiers", nothing)
    return make_client("tavily").settings


async def post(state: Any, body: Any, *, gone: bool = False) -> Sent:
    """Send a request to the endpoint itself."""
    raw = json.dumps(body).encode()
    messages: list[Any] = [{"type": "http.request", "body": raw}] * (not gone)

    async def receive() -> Any:
        return messages.pop(0) if messages else {"type": "http.disconnect"}

    scope: Any = {"headers": [(b"content-type", b"application/json")],
                  "state": {"request_id": "req-1"}}  # fmt: skip
    sent = Sent()
    await ChatCompletions(state)(scope, receive, sent)
    return sent


def body_of(*said: str, **more: Any) -> dict[str, Any]:
    roles = ("user", "assistant")
    return {"messages": [{"role": roles[i % 2], "content": t} for i, t in enumerate(said)], **more}


async def test_a_request_is_one_run(settings, monkeypatch):
    """With the questions before it, the tiers of the person, and the budget of the key."""
    people: list[Any] = []

    async def tiers(url: str, person: str) -> dict[str, str]:
        people.append(person)
        return {"web_search": "ask"}

    monkeypatch.setattr(openai, "registered_tiers", tiers)
    monkeypatch.setattr(openai.time, "time", lambda: 1234.5)
    client = Client(settings)
    session = Session(client, Principal("ann", "t1", key=api_key("ann")))
    state = Served(session)

    sent = await post(state, body_of("kelp?", "Yes.", "otters?"))

    reply = json.loads(sent.bodies[0])
    assert (sent.status, reply["id"], reply["created"]) == (200, "chatcmpl-req-1", 1234)
    given = {"earlier": ("kelp?",), "approvals": {"web_search": "ask"}, "budget": "the budget"}
    assert client.asked == [("otters?", given)]
    assert people == ["id-ann"]
    assert session.counted == ["run"]
    assert session.outcome == "empty"
    (admitted,) = state.admitted
    assert admitted[0] == "openai/v1/chat/completions"
    assert admitted[2] == body_of("kelp?", "Yes.", "otters?")


async def test_a_stream_is_streamed(settings):
    """Where it is asked for."""
    session = Session(Client(settings))

    sent = await post(Served(session), body_of("otters?", stream=True))

    assert sent.bodies[-2:] == [b"data: [DONE]\n\n", b""]
    assert session.outcome == "empty"


@pytest.mark.parametrize("stream", [True, False])
async def test_a_run_that_is_refused_at_once_has_a_status(settings, stream):
    """Also where a stream was asked for: it has not begun."""

    class Refusing(Client):
        async def ask_events(self, question: str, **given: Any) -> AsyncIterator[Event]:
            raise InvalidQuery("no")
            yield

    sent = await post(Served(Session(Refusing(settings))), body_of("otters?", stream=stream))

    assert sent.status == 400


async def test_a_title_counts_as_a_request_and_runs_nothing(settings):
    """It searches nothing, so that it costs no search."""
    from .test_openai import OF_LIBRECHAT

    client = Client(settings)
    session = Session(client)

    sent = await post(Served(session), body_of(OF_LIBRECHAT))

    said = json.loads(sent.bodies[0])["choices"][0]["message"]["content"]
    assert said == "ラッコは何を食べますか"
    assert client.asked == []
    assert (session.counted, session.outcome) == (["limits 0"], "found")


async def test_who_has_gone_is_told_nothing(settings):
    """There is nobody to read it."""
    sent = await post(Served(Session(Client(settings))), {}, gone=True)

    assert sent.messages == []


async def test_a_wrong_request_is_refused(settings):
    """Before it is counted."""
    session = Session(Client(settings))

    sent = await post(Served(session), {"messages": []})

    assert sent.status == 400
    assert session.counted == []


@pytest.fixture
async def state(make_client):
    client = make_client("tavily")
    made = State(client.settings, client=client)
    await made.start()
    yield made
    await made.close()


async def test_what_the_person_said_reaches_the_run_and_the_audit_trail(state, settings):
    """A doubt is confirmed without asking; help nobody gives; a decision is recorded once."""
    chat = Chat("otters?", replies=(("❓ May web_search run?\n\nweb_search: x", "yes"),))
    session = Session(Client(settings, DOUBT, HELP, CONSENT), ANYONE)
    completions = ChatCompletions(Served(session, state.database))

    events = [e async for e in completions._run(chat, session, None)]

    said = [e.text for e in events if isinstance(e, TextDelta)]
    assert said == [repr(Reply("proceed")), repr(None), repr(Reply("proceed"))]
    trail = await list_decisions(state.database, "", "openai", "")
    assert [(d["kind"], d["tool"], d["decision"]) for d in trail] == [
        ("approve", "web_search", "proceed")
    ]


async def test_a_question_without_an_answer_ends_the_run(settings):
    """It is the reply."""
    session = Session(Client(settings, CONSENT))
    completions = ChatCompletions(SimpleNamespace())

    events = [e async for e in completions._run(Chat("otters?"), session, None)]

    assert events == [QuestionAsked(CONSENT)]


async def test_the_list_of_models_needs_a_key(monkeypatch):
    """It says since when there is one."""
    monkeypatch.setattr(openai.time, "time", lambda: 1234.5)
    endpoint = Models(Served(None))
    for headers, status, body in (
        ([(b"authorization", b"Bearer x")], 200, models(1234)),
        ([], 401, error_body(401, "no")),
    ):
        sent = Sent()
        await endpoint({"headers": headers}, None, sent)
        assert (sent.status, json.loads(sent.bodies[0])) == (status, body)
        assert len(sent.messages) == 2
