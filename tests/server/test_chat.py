"""The web channel below its pages: whose thread it is, what is kept, asked, replied and ended."""

from __future__ import annotations

import asyncio
import re
from types import SimpleNamespace
from typing import Any

import pytest

from kensaku.assistant.approval import Question, Reply
from kensaku.assistant.exchange import Exchange
from kensaku.database import runs
from kensaku.database.conversations import Conversation, Sender
from kensaku.database.keys import create_key
from kensaku.database.questions import add_question, open_questions, replies_to
from kensaku.errors import DatabaseFault, InvalidQuery, UsageError
from kensaku.search.budget import Budget
from kensaku.server import chat
from kensaku.server.auth import ANYONE, Principal
from kensaku.server.chat import NoConversation, Thread
from kensaku.server.state import State

from .page.page_request import api_key

ID = "abcdefghijkl_-09"
ANN = Principal("ann", "t1", key=api_key("ann", tenant="t1"))
WHICH = Question(
    "approve", "May it run?", choices=("proceed", "modify", "retry", "skip", "cancel"),
    tool="web_search", arguments={"query": "otters"},
)  # fmt: skip
CONFIRM = Question("confirm", "Is this right?", choices=("proceed", "cancel"))


@pytest.fixture
async def state(make_client):
    """A server's state over a database that is empty."""
    client = make_client("tavily")
    made = State(client.settings, client=client)
    await made.start()
    yield made
    await made.close()


@pytest.fixture
def thread() -> Thread:
    return Thread.of(ANYONE, ID)


async def stored_run(state: State, thread: Thread, *asks: Question, id: str = "r1") -> Any:
    """A run of another process, which waits with questions."""
    run = await runs.begin(state.database, id, thread.sender, f"What of {id}?", {}, owner="other")
    for question in asks:
        await add_question(state.database, id, question.id, question.to_dict())
    return run


def exchange_of(sender: Sender) -> Exchange:
    """A run of this process that has not said anything."""

    async def remember(memory: Any) -> None: ...

    return Exchange(runs.StoredRun("r1", sender, "c1", "What?", {}), remember)


# --- threads


@pytest.mark.parametrize(
    ("principal", "sender"),
    [
        (ANYONE, Sender("web", "local", f"local/{ID}", "")),
        (ANN, Sender("web", "id-ann", f"id-ann/{ID}", "t1")),
    ],
    ids=["no key", "key"],
)
def test_a_thread_has_its_person_in_front(principal, sender):
    """So nobody can name the conversation of another."""
    assert Thread.of(principal, ID) == Thread(ID, sender)


@pytest.mark.parametrize("id", [ID[:15], ID + "x", "", "a/cdefghijklmnop", "é" * 16, ID + "\n"])
def test_the_id_of_a_thread_has_sixteen_characters_of_an_address(id):
    """Whatever else is named is not there."""
    with pytest.raises(NoConversation) as refused:
        Thread.of(ANYONE, id)

    assert refused.value.status == 404
    assert refused.value.to_dict()["message"].startswith("there is no such conversation here")
    assert refused.value.remedy == "choose one of the list"


def test_a_new_thread_is_nobodys_yet():
    """Its id cannot be guessed."""
    one, two = Thread.new(ANN), Thread.new(ANN)

    assert one.id != two.id
    assert Thread.of(ANN, one.id) == one


# --- what is stored


async def test_the_conversations_of_a_person_are_listed_newest_first(state, thread):
    """By the ids that stand in addresses; not those of others, nor of other channels."""
    other = Thread.of(ANYONE, "0123456789abcdef")
    for n, of in enumerate((thread, other, Thread.of(ANN, ID))):
        await stored_run(state, of, id=f"r{n}")
    elsewhere = Sender("telegram", "local", "local/x", "")
    await runs.begin(state.database, "r9", elsewhere, "Hello?", {}, owner="other")

    found = await chat.listed(state, ANYONE)

    assert [id for id, _ in found] == [other.id, thread.id]
    assert [c.title for _, c in found] == ["What of r1?", "What of r0?"]
    assert all(isinstance(c, Conversation) for _, c in found)
    assert [id for id, _ in await chat.listed(state, ANN)] == [ID]
    assert await chat.listed(state, Principal("ben", "t1", key=api_key("ben"))) == []


async def test_a_hundred_conversations_are_listed_and_a_hundred_messages_shown(
    state, thread, monkeypatch
):
    """Of more, the last ones."""
    assert (chat.MAX_LISTED, chat.MAX_SHOWN) == (100, 100)
    monkeypatch.setattr(chat, "MAX_LISTED", 1)
    monkeypatch.setattr(chat, "MAX_SHOWN", 2)
    await stored_run(state, Thread.of(ANYONE, "0123456789abcdef"), id="r0")
    for n in (1, 2, 3):
        await stored_run(state, thread, id=f"r{n}")

    assert [id for id, _ in await chat.listed(state, ANYONE)] == [thread.id]
    talk = await chat.load(state, thread)
    assert [m.text for m in talk.messages] == ["What of r2?", "What of r3?"]


async def test_a_conversation_is_loaded_with_its_runs_and_their_questions(state, thread):
    """A run that has ended asks nothing any more."""
    with pytest.raises(NoConversation):
        await chat.load(state, thread)
    done = await stored_run(state, thread, id="r1")
    await runs.finish(state.database, done, "other", "failed")
    await stored_run(state, thread, WHICH, CONFIRM, id="r2")
    await stored_run(state, thread, CONFIRM, id="r3")

    talk = await chat.load(state, thread)

    assert talk.conversation.thread == thread.sender.thread
    assert [(m.role, m.text) for m in talk.messages] == [
        ("user", "What of r1?"), ("user", "What of r2?"), ("user", "What of r3?"),
    ]  # fmt: skip
    assert talk.states == {"r1": "failed", "r2": "running", "r3": "running"}
    assert set(talk.asks) == {"r2", "r3"}
    assert sorted(talk.asks["r2"], key=lambda q: q.kind) == [WHICH, CONFIRM]
    assert talk.asks["r3"] == [CONFIRM]


async def test_of_a_conversation_that_rests_no_questions_are_looked_for(state, thread, monkeypatch):
    """Most pages show one; that is a query less."""
    asked: list[Sender] = []

    async def questions(_: Any, sender: Sender) -> list[Any]:
        asked.append(sender)
        return []

    monkeypatch.setattr("kensaku.database.questions.open_questions", questions)
    run = await stored_run(state, thread)
    await runs.finish(state.database, run, "other", "done")

    assert (await chat.load(state, thread)).asks == {}
    assert asked == []


# --- asking


class Heard:
    """An assistant that notes what it is told."""

    def __init__(self, exchange: Exchange | None = None, here: tuple[str, ...] = ()) -> None:
        self.exchange, self.here = exchange, here
        self.chosen: dict[str, Any] = {}
        self.told: list[Any] = []

    def current(self, sender: Sender) -> Exchange | None:
        return self.exchange

    def find(self, id: str, tenant: str = "") -> Any:
        return (id, tenant) if f"{tenant}:{id}" in self.here else None

    async def options(self, sender: Sender) -> dict[str, Any]:
        return dict(self.chosen)

    async def choose(self, sender: Sender, name: str, value: Any) -> None:
        self.told.append(("choose", sender, name, value))

    async def receive(self, sender: Sender, text: str, *, update: str | None = None) -> str:
        self.told.append(("receive", sender, text, update))
        return "the exchange"

    async def resume(self, channel: str) -> None:
        self.told.append(("resume", channel))


@pytest.fixture
def heard(state) -> Heard:
    """The assistant of the state."""
    state.assistant = made = Heard()
    return made


@pytest.mark.parametrize(
    ("nonce", "update"),
    [
        ("n1", "local:n1"),
        ("x" * 65, "local:" + "x" * 64),
        ("", None),
        (None, None),
        (7, None),
    ],
)
async def test_a_message_is_told_apart_by_the_pages_number(state, thread, heard, nonce, update):
    """Of 64 characters at most, for each person by itself."""
    got = await chat.ask(state, thread, {"text": "otters?", "update": nonce})

    assert got == "the exchange"
    assert heard.told == [("receive", thread.sender, "otters?", update)]


@pytest.mark.parametrize("nonce", ["n1", None])
async def test_words_reply_to_what_a_run_elsewhere_asks(state, thread, heard, nonce):
    """Once, if the page says which message it is; nothing new begins."""
    await stored_run(state, thread, WHICH)
    fields = {"text": "river otters", "update": nonce}

    assert await chat.ask(state, thread, fields) is None

    said = {"action": "modify", "text": "river otters"}
    assert await replies_to(state.database, ["r1"]) == [("r1", WHICH.id, said)]
    assert heard.told == []
    if nonce:
        await stored_run(state, thread, CONFIRM, id="r2")
        assert await chat.ask(state, thread, fields | {"text": "yes"}) is None
        assert await replies_to(state.database, ["r2"]) == []


@pytest.mark.parametrize(
    ("fields", "known", "chosen"),
    [
        ({}, {"route": "tavily"}, {}),
        ({"route": "tavily"}, {}, {"route": "tavily"}),
        ({"route": "tavily"}, {"route": "tavily"}, {}),
        ({"route": ""}, {"route": "tavily"}, {"route": None}),
        ({"route": ""}, {}, {}),
        ({"collection": "notes"}, {"collection": "x"}, {"collection": "notes"}),
        ({"collection": "", "route": ""}, {"collection": "x"}, {"collection": None}),
        (
            {"ask_first": True},
            {},
            {"approvals": {"web_search": "ask", "web_extract": "ask"}},
        ),
        ({"ask_first": "on"}, {"approvals": {"web_search": "ask", "web_extract": "ask"}}, {}),
        ({"ask_first": False}, {"approvals": {"web_search": "ask"}}, {"approvals": None}),
        ({"ask_first": ""}, {}, {}),
        ({"other": "x"}, {}, {}),
    ],
)
async def test_what_was_chosen_beside_a_message_is_kept(
    state, thread, heard, fields, known, chosen
):
    """Where it differs from what is kept already."""
    heard.chosen = known

    await chat._choose(state, thread.sender, fields)

    assert heard.told == [("choose", thread.sender, n, v) for n, v in chosen.items()]


@pytest.mark.parametrize(
    ("fields", "error"),
    [
        ({"route": ["tavily"]}, InvalidQuery),
        ({"collection": 5}, InvalidQuery),
        ({"route": "nosuch"}, UsageError),
    ],
)
async def test_a_choice_that_no_run_would_take_is_refused(state, thread, heard, fields, error):
    """Before anything is kept or begun."""
    with pytest.raises(error):
        await chat.ask(state, thread, {"text": "x", **fields, "ask_first": True})

    assert heard.told == []


# --- replies


REPLIES: list[tuple[dict[str, Any], Reply | None]] = [
    ({"action": "proceed"}, Reply("proceed")),
    ({"action": "proceed", "text": "otters"}, Reply("proceed")),
    ({"action": "proceed", "text": "  river   otters "}, Reply("modify", "river otters")),
    ({"action": "modify", "text": "kelp"}, Reply("modify", "kelp")),
    ({"action": "retry", "text": "kelp"}, Reply("retry", "kelp")),
    ({"action": "skip", "text": "kelp"}, Reply("skip")),
    ({"action": "cancel", "text": ""}, Reply("cancel")),
    ({"choice": "sea otters"}, Reply("modify", "sea otters")),
    ({"choice": "sea otters", "text": " "}, Reply("modify", "sea otters")),
    ({"choice": "sea otters", "text": "kelp"}, Reply("modify", "kelp")),
    ({"choice": "sea otters", "action": "skip"}, Reply("skip")),
    ({"question": "another", "action": "proceed"}, None),
]


@pytest.mark.parametrize(("fields", "said"), REPLIES)
async def test_a_reply_reaches_the_run_that_waits(state, thread, heard, fields, said):
    """Words that were typed count, whichever button is pressed with them."""
    heard.exchange = exchange_of(thread.sender)
    asking = asyncio.create_task(heard.exchange.ask(WHICH))
    await asyncio.sleep(0)

    taken = await chat.reply(state, thread, {"question": WHICH.id, **fields})

    assert taken is (said is not None)
    if said is None:
        asking.cancel()
    else:
        assert await asking == said
        assert not await chat.reply(state, thread, {"question": WHICH.id, **fields})
    await asyncio.gather(asking, return_exceptions=True)


@pytest.mark.parametrize(("fields", "said"), REPLIES)
async def test_a_reply_to_a_run_elsewhere_is_left_in_the_database(
    state, thread, heard, fields, said
):
    """The process that waits finds it there; the second press of a button does nothing."""
    await stored_run(state, thread, WHICH)
    fields = {"question": WHICH.id, **fields}

    assert await chat.reply(state, thread, fields) is (said is not None)
    assert not await chat.reply(state, thread, fields)

    stored = [] if said is None else [("r1", WHICH.id, {"action": said.action, "text": said.text})]
    assert await replies_to(state.database, ["r1"]) == stored


async def test_only_what_was_offered_is_a_reply(state, thread, heard):
    """Other words are not searched for where they were not asked for."""
    await stored_run(state, thread, CONFIRM)

    with pytest.raises(InvalidQuery):
        await chat.reply(state, thread, {"question": CONFIRM.id})
    for action in ("skip", "modify"):
        assert not await chat.reply(state, thread, {"question": CONFIRM.id, "action": action})
    said = {"question": CONFIRM.id, "action": "proceed", "text": "other words"}
    assert await chat.reply(state, thread, said)
    stored = {"action": "proceed", "text": ""}
    assert await replies_to(state.database, ["r1"]) == [("r1", CONFIRM.id, stored)]


async def test_a_run_of_this_process_is_not_elsewhere(state, thread, heard):
    """It is answered without the database; the tenant is part of its name."""
    await stored_run(state, thread, WHICH)
    await stored_run(state, thread, CONFIRM, id="r2")

    assert await chat._elsewhere(state, thread) == ("r1", WHICH)
    assert await chat._elsewhere(state, thread, CONFIRM.id) == ("r2", CONFIRM)
    assert await chat._elsewhere(state, thread, "another") is None
    heard.here = (":r1",)
    assert await chat._elsewhere(state, thread) == ("r2", CONFIRM)
    assert await chat._elsewhere(state, thread, WHICH.id) is None
    heard.here = (":r1", ":r2")
    assert await chat._elsewhere(state, thread) is None


# --- the end


async def test_to_cancel_waits_for_the_end_of_the_run(state, thread, heard):
    """So that the page that comes next shows it as ended."""
    ended: list[str] = []

    async def run() -> None:
        try:
            await asyncio.get_running_loop().create_future()
        finally:
            await asyncio.sleep(0)
            ended.append("run")

    heard.exchange = exchange_of(thread.sender)
    heard.exchange.task = asyncio.create_task(run())
    await asyncio.sleep(0)

    assert await chat.cancel(state, thread) is True
    assert ended == ["run"]
    assert heard.exchange.task.cancelled()


async def test_a_run_that_does_not_end_is_not_waited_for_any_longer(state, thread, heard, clock):
    """Than five seconds."""
    may_end = asyncio.Event()

    async def run() -> None:
        while not may_end.is_set():
            try:
                await may_end.wait()
            except asyncio.CancelledError:
                continue

    heard.exchange = exchange_of(thread.sender)
    heard.exchange.task = asyncio.create_task(run())
    clock.stop()
    cancelling = asyncio.create_task(chat.cancel(state, thread))
    for _ in range(5):
        await asyncio.sleep(0)
    clock.advance(4.9)
    for _ in range(5):
        await asyncio.sleep(0)
    assert not cancelling.done()
    clock.advance(0.2)
    for _ in range(5):
        await asyncio.sleep(0)

    assert cancelling.done()
    assert await cancelling is True
    may_end.set()
    await heard.exchange.task


async def test_a_run_of_another_process_is_cancelled_in_the_database(state, thread, heard):
    """Also one that this process has only begun to take up."""
    assert await chat.cancel(state, thread) is False
    await stored_run(state, thread, WHICH)
    heard.exchange = exchange_of(thread.sender)  # without a task

    assert await chat.cancel(state, thread) is True
    assert (await chat.load(state, thread)).states == {"r1": "cancelled"}
    assert await chat.cancel(state, thread) is False


async def test_a_conversation_is_deleted_once(state, thread, heard):
    """With what runs in it; that of another stays."""
    others = Thread.of(ANN, ID)
    await stored_run(state, others)
    await stored_run(state, thread, WHICH, id="r2")

    await chat.delete(state, thread)

    assert await open_questions(state.database, thread.sender) == []
    with pytest.raises(NoConversation):
        await chat.delete(state, thread)
    assert (await chat.load(state, others)).states == {"r1": "running"}


async def test_to_delete_cancels_also_the_questions_that_wait(state, thread, monkeypatch):
    """One after the other, until nothing is under way."""
    left = [True, True, False, True]

    async def cancel(*_: Any) -> bool:
        return left.pop(0)

    monkeypatch.setattr(chat, "cancel", cancel)
    await stored_run(state, thread)

    await chat.delete(state, thread)

    assert left == [True]


# --- going on


async def test_conversations_of_a_killed_server_are_taken_up(monkeypatch, clock, caplog):
    """Every five seconds, where there are any, and whatever went wrong the time before."""
    clock.stop()
    found: list[Any] = [False, True, DatabaseFault("down"), True]
    looked: list[Any] = []

    async def any_expired(database: Any, channel: str) -> bool:
        looked.append((database, channel))
        answer = found.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    monkeypatch.setattr("kensaku.database.runs.any_expired", any_expired)
    heard = Heard()
    state: Any = SimpleNamespace(draining=False, database="db", assistant=heard)
    task = asyncio.create_task(chat.resume_runs(state))
    times = []
    for step in (0.0, 4.9, 0.2, 4.9, 0.2, 4.9, 0.2):
        clock.advance(step)
        for _ in range(5):
            await asyncio.sleep(0)
        times.append((len(looked), len(heard.told)))

    assert times == [(1, 0), (1, 0), (2, 1), (2, 1), (3, 1), (3, 1), (4, 2)]
    assert set(looked) == {("db", "web")}
    assert heard.told == [("resume", "web")] * 2
    assert "unfinished conversations wait: down" in caplog.text
    state.draining = True
    clock.advance(5.1)
    await task
    assert len(looked) == 4


async def test_the_key_of_a_person_bounds_a_run(state):
    """Its money and its searches, within what the operator allows; not the key of another tenant."""
    key, _ = await create_key(state.database, "ann", tenant="t1", money_per_month=0.5)
    principal = Principal("ann", "t1", key=key)
    sender = Thread.new(principal).sender
    operators = Budget(money=9.0)
    state.client_of_tenant("t1")._resources.budget = operators

    budget = await chat.budget_of(state, sender)

    assert budget is not None
    assert budget.money == 0.5
    assert budget.parent is operators
    elsewhere = Sender("web", key.id, sender.thread, "t2")
    assert await chat.budget_of(state, elsewhere) is None
    assert await chat.budget_of(state, Thread.new(ANYONE).sender) is None


def test_the_ids_of_threads_need_no_quoting():
    """They stand in addresses."""
    assert all(re.fullmatch(r"[\w-]{16}", Thread.new(ANYONE).id) for _ in range(20))
