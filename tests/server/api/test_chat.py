"""Chat for programs and for the page: what a call returns, and the events of a conversation."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from kensaku.assistant.approval import Question
from kensaku.assistant.events import ApprovalNeeded, Planned, TextDelta, ToolStarted
from kensaku.database import runs
from kensaku.database.questions import add_question, remove_question
from kensaku.errors import InvalidQuery
from kensaku.server.api import chat
from kensaku.server.auth import ANYONE
from kensaku.server.chat import NoConversation, Thread
from kensaku.server.page.render import render
from kensaku.server.page.turns import Turn, ask_view
from kensaku.server.page.words import Words
from tests.server.test_chat import CONFIRM, ID, WHICH, Heard, exchange_of, stored_run

EN = Words("en")
THREAD = Thread.of(ANYONE, ID)
PLAN = Planned(("How do otters sleep?", "What do they eat?"), "rule")
SEARCH = ToolStarted("1", "web_search", {"query": "otters"})


class Assistant(Heard):
    """Begins an exchange when it hears something; the first is the one under way."""

    def __init__(self) -> None:
        super().__init__()
        self.queue: list[Any] = []

    def current(self, sender: Any) -> Any:
        return self.queue[0] if self.queue else None

    def find(self, id: str, tenant: str = "") -> Any:
        return next((e for e in self.queue if e.id == id and tenant == ""), None)

    async def receive(self, sender: Any, text: str, *, update: str | None = None) -> Any:
        self.queue.append(exchange_of(sender))
        self.queue[-1].id, self.queue[-1].question = f"r{len(self.queue)}", text
        return self.queue[-1]


@pytest.fixture
def assistant(state) -> Assistant:
    """The assistant of the state."""
    state.assistant = made = Assistant()
    return made


@pytest.fixture(autouse=True)
def beat(monkeypatch) -> None:
    """Nobody waits in a test."""
    assert (chat.BEAT, chat.FOLLOWED) == (2.0, 60.0)
    monkeypatch.setattr(chat, "BEAT", 0.0)


def turn_of(run: str, question: str, *asks: Question, **more: Any) -> Turn:
    return Turn(run, question, EN, asks=[ask_view(q) for q in asks], **more)


def asks_of(call: Any, turn: Turn) -> list[list[str]]:
    """The forms of the questions of a turn."""
    return [
        [ask.id, render(call.page, "_ask.html", ask=ask, turn=turn, thread=ID)] for ask in turn.asks
    ]


def parts_of(call: Any, turn: Turn) -> dict[str, str]:
    names = {"steps": "_steps.html", "said": "_said.html"}
    return {n: render(call.page, t, turn=turn, thread=ID) for n, t in names.items()}


async def test_to_ask_begins_a_conversation_or_goes_on_with_it(make_call, assistant):
    """The turn comes as a part of the page; one that waits for another says so."""
    call = make_call({"text": "otters?"}, thread=ID)

    first = await chat.start(call)
    new = Thread.of(ANYONE, first["id"])
    on = await chat.add(call)

    shown = render(call.page, "_turn.html", turn=turn_of("r1", "otters?"), thread=new.id)
    address = f"/root/chat/{new.id}"
    assert first == {"id": new.id, "run": "r1", "address": address, "html": shown}
    waits = turn_of("r2", "otters?", started=False)
    shown = render(call.page, "_turn.html", turn=waits, thread=ID)
    assert on == {"id": ID, "run": "r2", "address": f"/root/chat/{ID}", "html": shown}
    assert shown != render(call.page, "_turn.html", turn=turn_of("r2", "otters?"), thread=ID)


async def test_words_that_reply_begin_nothing(make_call, state, assistant):
    """There is no turn to show."""
    await stored_run(state, THREAD, WHICH)

    told = await chat.add(make_call({"text": "yes"}, thread=ID))

    assert told == {"id": ID, "run": None, "address": f"/root/chat/{ID}", "html": ""}


@pytest.mark.parametrize("text", [None, "", "x" * 10_001])
async def test_what_is_asked_is_a_text(make_call, assistant, text):
    """Of 10,000 characters at most."""
    with pytest.raises(InvalidQuery, match="text must be a text of 1 to 10,000 characters"):
        await chat.start(make_call({"text": text}))
    assert (await chat.start(make_call({"text": "x" * 10_000})))["run"] == "r1"


async def test_conversations_are_listed_read_and_deleted(make_call, state, assistant):
    """By the ids of their threads."""
    assert await chat.listed(make_call()) == {"conversations": []}
    run = await stored_run(state, THREAD)
    await runs.finish(state.database, run, "other", "failed", text="No.", answer={"answer": "No."})
    call = make_call(thread=ID)

    (listed,) = (await chat.listed(call))["conversations"]
    talk = await chat.read(call)

    assert listed == {"id": ID, "title": "What of r1?", "updated": listed["updated"]}
    assert listed["updated"].endswith("+00:00")
    assert talk["id"] == ID
    assert [m["role"] for m in talk["messages"]] == ["user", "assistant"]
    assert await chat.delete(call) == {"deleted": ID}
    with pytest.raises(NoConversation):
        await chat.read(call)
    with pytest.raises(NoConversation):
        await chat.read(make_call(thread="short"))


async def test_a_reply_and_a_cancel_say_whether_they_counted(make_call, state, assistant):
    """The second press of a button does not."""
    await stored_run(state, THREAD, WHICH)
    call = make_call({"question": WHICH.id, "action": "proceed"}, thread=ID)

    assert [await chat.reply(call) for _ in "12"] == [{"taken": True}, {"taken": False}]
    assert [await chat.cancel(call) for _ in "12"] == [{"cancelled": True}, {"cancelled": False}]


# --- following


async def test_a_run_elsewhere_is_followed_by_its_questions(make_call, state, assistant):
    """Each is sent once; when the run has ended, its turn is sent as a whole."""
    run = await stored_run(state, THREAD, WHICH)
    call = make_call(query="runs=r0,r1", thread=ID)
    events = chat.follow(call)
    shown = asks_of(call, turn_of("r1", "What of r1?", WHICH))

    assert await anext(events) == ("turn", {"run": "r1", "asks": shown})
    assert await anext(events) == ("wait", {})
    assert await anext(events) == ("wait", {})
    await add_question(state.database, "r1", CONFIRM.id, CONFIRM.to_dict())
    name, data = await anext(events)
    assert (name, data["run"]) == ("turn", "r1")
    assert sorted(id for id, _ in data["asks"]) == sorted([WHICH.id, CONFIRM.id])
    assert await anext(events) == ("wait", {})
    for question in (WHICH, CONFIRM):
        await remove_question(state.database, "r1", question.id)
    assert await anext(events) == ("turn", {"run": "r1", "asks": []})
    assert await anext(events) == ("wait", {})
    await runs.finish(state.database, run, "other", "failed")
    name, data = await anext(events)
    ended = turn_of("r1", "What of r1?", state="failed")
    assert (name, data) == (
        "turn",
        {"run": "r1", **parts_of(call, ended), "asks": [], "state": "failed"},
    )
    assert await anext(events) == ("end", {})
    assert [event async for event in events] == []


async def test_a_run_without_questions_is_waited_for(make_call, state, assistant):
    """Nothing has changed on the page."""
    await stored_run(state, THREAD)
    events = chat.follow(make_call(thread=ID))

    assert [await anext(events) for _ in "12"] == [("wait", {})] * 2
    await events.aclose()


async def test_a_conversation_that_rests_ends_at_once(make_call, state, assistant):
    """A turn that the page does not show as running is not sent."""
    run = await stored_run(state, THREAD)
    await runs.finish(state.database, run, "other", "failed")

    assert [e async for e in chat.follow(make_call(thread=ID))] == [("end", {})]
    again = [e async for e in chat.follow(make_call(query="runs=r1", thread=ID))]
    assert [name for name, _ in again] == ["turn", "end"]


@pytest.mark.parametrize("why", ["time", "stop"])
async def test_a_stream_lasts_a_minute_and_no_longer_than_the_server(
    make_call, state, assistant, clock, why
):
    """The page then follows again."""
    await stored_run(state, THREAD)
    events = chat.follow(make_call(thread=ID))
    assert await anext(events) == ("wait", {})
    clock.advance(30)
    assert await anext(events) == ("wait", {})
    if why == "time":
        clock.advance(31)
    else:
        state.draining = True

    assert [e async for e in events] == []


async def under_way(state: Any, assistant: Assistant, *events: Any) -> Any:
    """A run of this process that has said something."""
    await runs.begin(state.database, "r1", THREAD.sender, "otters?", {}, owner="us")
    exchange = await assistant.receive(THREAD.sender, "otters?")
    for event in events:
        exchange.emit(event)
    return exchange


async def test_the_events_of_a_run_come_with_the_parts_that_they_change(
    make_call, state, assistant
):
    """And with a number each, behind which a stream can go on."""
    exchange = await under_way(state, assistant, PLAN, SEARCH)
    call = make_call(thread=ID)
    events = chat.follow(call)
    turn = turn_of("r1", "otters?")
    turn.take(PLAN.to_dict())
    first = parts_of(call, turn)

    assert await anext(events) == (
        "event",
        {"run": "r1", "event": PLAN.to_dict(), **first, "asks": [], "state": "running"},
        "r1:1",
    )
    turn.take(SEARCH.to_dict())
    second = {n: part for n, part in parts_of(call, turn).items() if part != first[n]}
    assert second
    assert await anext(events) == (
        "event",
        {"run": "r1", "event": SEARCH.to_dict(), **second},
        "r1:2",
    )
    assert await anext(events) == ("wait", {})

    asking = asyncio.create_task(exchange.ask(WHICH))
    await asyncio.sleep(0)
    exchange.emit(ApprovalNeeded(WHICH))
    name, data, number = await anext(events)
    turn.asks = [ask_view(WHICH)]
    assert (name, number, data["asks"]) == ("event", "r1:3", asks_of(call, turn))
    asking.cancel()
    await asyncio.gather(asking, return_exceptions=True)
    await events.aclose()


async def test_a_stream_goes_on_behind_the_event_that_was_seen(make_call, state, assistant):
    """What came before is taken in, and not sent again."""
    await under_way(state, assistant, PLAN, SEARCH, TextDelta("Otters "), TextDelta("swim."))
    call = make_call(thread=ID, headers={"last-event-id": "r1:2"})
    events = chat.follow(call)
    turn = turn_of("r1", "otters?")
    for event in (PLAN, SEARCH, TextDelta("Otters ")):
        turn.take(event.to_dict())

    name, data, number = await anext(events)

    assert (name, number, data["event"]) == ("event", "r1:3", TextDelta("Otters ").to_dict())
    assert {n: data[n] for n in ("steps", "said")} == parts_of(call, turn)
    assert (await anext(events))[2] == "r1:4"
    await events.aclose()


async def test_a_run_that_ends_while_it_is_followed_is_sent_as_a_whole(make_call, state, assistant):
    """The stored turn says how it ended, also when it broke."""
    exchange = await under_way(state, assistant, PLAN)

    async def breaks() -> None:
        raise InvalidQuery("no")

    exchange.task = asyncio.create_task(breaks())
    await asyncio.wait([exchange.task])
    events = chat.follow(make_call(thread=ID))
    assert (await anext(events))[0] == "event"
    stored = runs.StoredRun("r1", THREAD.sender, "", "otters?", {})
    await runs.finish(state.database, stored, "us", "cancelled")
    exchange.end()
    assistant.queue.clear()

    rest = [e async for e in events]

    assert [e[0] for e in rest] == ["turn", "end"]
    assert (rest[0][1]["run"], rest[0][1]["state"]) == ("r1", "cancelled")


@pytest.mark.parametrize("why", ["time", "stop"])
async def test_a_run_is_not_followed_for_ever(make_call, state, assistant, clock, why):
    """What was waited for is let go."""
    exchange = await under_way(state, assistant)
    left: list[str] = []

    async def silent(after: int) -> Any:
        yield PLAN
        try:
            await asyncio.get_running_loop().create_future()
        finally:
            left.append("left")

    exchange.follow = silent
    events = chat.follow(make_call(thread=ID))
    assert [(await anext(events))[0] for _ in "123"] == ["event", "wait", "wait"]
    assert left == []
    if why == "time":
        clock.advance(61)
    else:
        state.draining = True

    assert [e async for e in events] == []
    assert left == ["left"]


def test_the_id_of_the_last_event_has_a_bound(make_call):
    """A header is anybody's."""
    assert chat._number("r1:" + "9" * 97, exchange_of(THREAD.sender)) == 0
