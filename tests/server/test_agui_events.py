"""AG-UI below HTTP: what a request begins or answers, and which events are sent of it."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from kensaku.assistant.approval import Question, Reply
from kensaku.assistant.events import Answered, ApprovalNeeded, Planned, QuestionAsked, ToolStarted
from kensaku.assistant.exchange import Exchange
from kensaku.database.conversations import Sender
from kensaku.errors import InvalidQuery
from kensaku.server.agui import AgentEndpoint, TakenBefore, UnknownInterrupt, routes
from kensaku.server.auth import Principal
from kensaku.server.limits import RateExceeded
from kensaku.server.wires.agui import encode_event, interrupt_of, read_input, update_of

from .page.page_request import api_key
from .test_chat import exchange_of
from .test_openai_events import CONSENT, DOUBT, NOTHING, Sent, Served, Session
from .wires.test_agui import body, user

ANN = Principal("ann", "t1", key=api_key("ann"))
SENDER = Sender("agui", "id-ann", "t", "t1")
PLAN = Planned(("otters?",), "rule")
SEARCH = ToolStarted("1", "web_search", {"query": "otters"})
DONE = Answered(NOTHING)


class Assistant:
    """Has one exchange of a thread, or gets it when it resumes; notes what it hears."""

    def __init__(self, exchange: Exchange | None = None) -> None:
        self.exchange = exchange
        self.left_behind: Exchange | None = None
        self.gives: Exchange | None = None
        self.heard: list[Any] = []

    def current(self, sender: Sender) -> Exchange | None:
        return self.exchange

    async def receive(self, sender: Sender, text: str, **given: Any) -> Exchange | None:
        self.heard.append((sender, text, given))
        return self.gives

    async def resume(self, channel: str) -> None:
        self.heard.append(("resume", channel))
        self.exchange = self.left_behind


@pytest.fixture
def assistant() -> Assistant:
    return Assistant()


@pytest.fixture
def session() -> Session:
    return Session(None, ANN)


@pytest.fixture
def endpoint(assistant, session) -> AgentEndpoint:
    """The endpoint over these."""
    state: Any = Served(session)
    state.assistant = assistant
    return AgentEndpoint(state)


async def post(endpoint: AgentEndpoint, raw: bytes | None) -> Sent:
    """Send a request; None: the client has gone."""
    messages: list[Any] = [] if raw is None else [{"type": "http.request", "body": raw}]
    silent = asyncio.get_running_loop().create_future()

    async def receive() -> Any:
        if messages:
            return messages.pop(0)
        return {"type": "http.disconnect"} if raw is None else await silent

    sent = Sent()
    scope: Any = {"headers": [(b"a", b"b")], "state": {"request_id": "req-1"}}
    await endpoint(scope, receive, sent)
    silent.cancel()
    return sent


def events_of(sent: Sent) -> list[dict[str, Any]]:
    """The events of a stream; the last message has none."""
    assert [m["more_body"] for m in sent.messages[1:]] == [True] * (len(sent.bodies) - 1) + [False]
    assert sent.bodies[-1] == b""
    return [json.loads(frame.removeprefix(b"data: ")) for frame in sent.bodies[:-1]]


def kinds(sent: Sent) -> list[str]:
    return [event["type"] for event in events_of(sent)]


def ended(*events: Any) -> Exchange:
    """An exchange that has said all this."""
    made = exchange_of(SENDER)
    for event in events:
        made.emit(event)
    made.end()
    return made


def waits(exchange: Exchange, question: Question) -> asyncio.Task[Reply]:
    """Let an exchange wait with a question."""
    return asyncio.create_task(exchange.ask(question))


async def first_of(asking: asyncio.Task[Reply], following: asyncio.Task[Any]) -> Reply:
    """The reply to a question; what follows the exchange goes on."""
    await asyncio.wait([asking, following], return_when=asyncio.FIRST_COMPLETED)
    assert not following.done()
    return asking.result()


def test_there_is_one_route():
    """For runs, which are sent."""
    (route,) = routes(None)

    assert (route.path, route.methods) == ("/agent", {"POST"})
    assert isinstance(route.endpoint, AgentEndpoint)
    assert AgentEndpoint.name == "agui/agent"


async def test_a_request_begins_a_run_that_is_sent_to_its_end(endpoint, assistant, session):
    """The thread belongs to the key; what the client says of earlier questions counts."""
    assistant.gives = ended(PLAN, SEARCH, DONE)
    raw = body(user("kelp?"), user("otters?"))

    sent = await post(endpoint, raw)

    assert sent.status == 200
    assert sent.messages[0]["headers"][0] == (
        b"content-type",
        b"text/event-stream; charset=utf-8",
    )
    assert kinds(sent) == [
        "RUN_STARTED", "CUSTOM", "TOOL_CALL_START", "TOOL_CALL_ARGS", "TOOL_CALL_END",
        "RUN_FINISHED",
    ]  # fmt: skip
    update = update_of("t1/id-ann", read_input(raw))
    assert assistant.heard == [(SENDER, "otters?", {"update": update, "earlier": ["kelp?"]})]
    assert (session.counted, session.outcome) == (["run"], "empty")
    assert endpoint._state.admitted == [("agui/agent", {"a": "b"}, {})]


async def test_a_question_ends_the_stream_with_an_interrupt(endpoint, assistant, session):
    """The next run answers it, and goes on behind what the client has seen."""
    assistant.gives = assistant.exchange = exchange = exchange_of(SENDER)
    asking = waits(exchange, CONSENT)
    await asyncio.sleep(0)
    for event in (PLAN, ApprovalNeeded(CONSENT)):
        exchange.emit(event)

    first = await post(endpoint, body(user("otters?")))

    assert kinds(first) == ["RUN_STARTED", "CUSTOM", "RUN_FINISHED"]
    interrupt = json.loads(encode_event(interrupt_of(CONSENT)).removeprefix(b"data: "))
    assert events_of(first)[-1]["outcome"] == {"type": "interrupt", "interrupts": [interrupt]}
    assert session.outcome == "found"
    resume = [{"interruptId": CONSENT.id, "status": "resolved", "payload": True}]
    following = asyncio.create_task(post(endpoint, body(runId="r2", resume=resume)))
    assert await first_of(asking, following) == Reply("proceed")
    exchange.emit(SEARCH)
    exchange.emit(DONE)
    exchange.end()
    second = await following
    assert kinds(second) == [
        "RUN_STARTED", "TOOL_CALL_START", "TOOL_CALL_ARGS", "TOOL_CALL_END", "RUN_FINISHED",
    ]  # fmt: skip
    assert events_of(second)[0]["runId"] == "r2"
    assert session.outcome == "empty"


async def test_a_question_that_was_answered_meanwhile_is_not_asked(endpoint, assistant):
    """By another client of the thread, say."""
    assistant.gives = ended(PLAN, QuestionAsked(DOUBT), DONE)

    assert kinds(await post(endpoint, body(user("x")))) == ["RUN_STARTED", "CUSTOM", "RUN_FINISHED"]


async def test_an_exchange_of_a_process_that_is_gone_is_taken_up(endpoint, assistant):
    """What it did before is not sent again, and its calls are known."""
    assistant.left_behind = exchange = exchange_of(SENDER)
    asking = waits(exchange, CONSENT)
    await asyncio.sleep(0)
    for event in (PLAN, SEARCH, ApprovalNeeded(CONSENT)):
        exchange.emit(event)
    resume = [{"interruptId": CONSENT.id, "status": "cancelled"}]

    following = asyncio.create_task(post(endpoint, body(runId="r2", resume=resume)))
    assert await first_of(asking, following) == Reply("cancel")
    exchange.emit(DONE)
    exchange.end()

    assert kinds(await following) == ["RUN_STARTED", "RUN_FINISHED"]
    assert assistant.heard == [("resume", "agui")]
    shown = endpoint._shown[exchange]
    assert (shown.events, shown.frames._called) == (4, {"1"})


@pytest.mark.parametrize("why", ["no run", "another's", "another question", "answered"])
async def test_an_answer_that_nobody_waits_for_is_refused(endpoint, assistant, why):
    """It was given before, or too late, or is not this person's."""
    if why != "no run":
        whose = Sender("agui", "id-ben", "t", "t1") if why == "another's" else SENDER
        assistant.exchange = exchange_of(whose)
        asked = DOUBT if why == "another question" else CONSENT
        assistant.exchange.emit(ApprovalNeeded(asked))
        if why == "another's":
            asking = waits(assistant.exchange, CONSENT)
        assistant.exchange.end()
    resume = [{"interruptId": CONSENT.id, "status": "resolved", "payload": True}]

    sent = await post(endpoint, body(resume=resume))

    error = UnknownInterrupt(
        "no run waits for this answer", remedy="ask again: it was late, or given before"
    )
    assert sent.status == 409
    assert json.loads(sent.bodies[0]) == {"error": error.to_dict()}
    if why == "another's":
        assert not asking.done()
        asking.cancel()


async def test_the_same_run_is_not_made_twice(endpoint, assistant):
    """Nor is it shown to who does not wait with it."""
    for current in (None, exchange_of(Sender("agui", "id-ben", "t", "t1"))):
        assistant.exchange = current
        sent = await post(endpoint, body(user("otters?")))

        error = TakenBefore("this run was asked for before", remedy="use a new runId")
        assert (sent.status, json.loads(sent.bodies[0])) == (409, {"error": error.to_dict()})


async def test_words_that_answer_go_on_with_the_run_that_waited(endpoint, assistant):
    """For front ends without interrupts."""
    assistant.exchange = ended(PLAN, DONE)

    assert kinds(await post(endpoint, body(user("yes")))) == [
        "RUN_STARTED", "CUSTOM", "RUN_FINISHED",
    ]  # fmt: skip


async def test_a_run_that_breaks_ends_with_an_error(endpoint, assistant, session):
    """After what it had said."""

    async def breaks() -> None:
        raise InvalidQuery("no such route", remedy="choose another")

    assistant.gives = ended(PLAN)
    assistant.gives.task = asyncio.create_task(breaks())

    sent = await post(endpoint, body(user("otters?")))

    assert kinds(sent) == ["RUN_STARTED", "CUSTOM", "RUN_ERROR"]
    error = InvalidQuery("no such route", remedy="choose another")
    assert events_of(sent)[-1]["message"] == str(error)
    assert events_of(sent)[-1]["code"] == "InvalidQuery"
    assert session.outcome == "found"


async def test_a_run_that_was_stopped_ends_as_cancelled(endpoint, assistant):
    """By the person, elsewhere: it is no error."""
    assistant.gives = ended(PLAN)
    assistant.gives.task = asyncio.create_task(asyncio.sleep(60))
    await asyncio.sleep(0)
    assistant.gives.task.cancel()

    sent = await post(endpoint, body(user("otters?")))

    assert events_of(sent)[-1]["outcome"] == {"type": "cancelled"}


async def test_a_client_that_leaves_ends_the_run(endpoint, assistant):
    """Nobody can follow the rest."""
    assistant.gives = exchange = exchange_of(SENDER)
    exchange.task = asyncio.create_task(asyncio.sleep(60))
    following = asyncio.create_task(post(endpoint, body(user("otters?"))))
    for _ in range(5):
        await asyncio.sleep(0)
    following.cancel()
    with pytest.raises(asyncio.CancelledError):
        await following
    for _ in range(3):
        await asyncio.sleep(0)

    assert exchange.task.cancelled()


async def test_who_has_gone_is_told_nothing(endpoint):
    """There is nobody to read it."""
    assert (await post(endpoint, None)).messages == []


async def test_a_request_over_its_rate_is_told_when_to_come_again(endpoint, session):
    """Before anything begins."""

    async def refuse() -> str:
        raise RateExceeded(7.0)

    session.check_run = refuse  # type: ignore[method-assign]

    sent = await post(endpoint, body(user("otters?")))

    assert sent.status == 429
    assert (b"retry-after", b"7") in sent.messages[0]["headers"]
    assert json.loads(sent.bodies[0]) == {"error": RateExceeded(7.0).to_dict()}


async def test_a_wrong_request_is_refused(endpoint, session):
    """It is not counted."""
    sent = await post(endpoint, b"{}")

    assert (sent.status, session.counted) == (400, [])
