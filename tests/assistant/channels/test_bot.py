"""The bot behind every service: who may speak, what a press does, and what people are told."""

from __future__ import annotations

import asyncio
import logging
from types import SimpleNamespace
from typing import Any

import pytest

from kensaku.assistant.assistant import Assistant
from kensaku.assistant.channels._bot import Allowed, Bot, open_bot
from kensaku.assistant.channels._message import Content, NotDelivered, Undeliverable
from kensaku.assistant.exchange import Exchange
from kensaku.database import Database, deliveries, runs
from kensaku.database.conversations import Sender
from kensaku.errors import DatabaseFault
from kensaku.testing import FakeUpstream, faults
from tests.assistant.test_assistant import SLEEP, until_asked
from tests.assistant.test_assistant import assistant as assistant
from tests.assistant.test_assistant import db as db
from tests.assistant.test_assistant import k as k
from tests.research.conftest import client as client
from tests.research.conftest import web as web
from tests.search.support import until

from .test_message import Scripted

CLOSED = "This question is not open any more."
NOT_YOURS = "Only the person who asked can answer this."
BROKEN = "This went wrong; nothing is known about the answer. Please ask again."
HANDS = "Sea otters hold hands while they sleep."
PLACE = {"chat": "t1"}


class Clock:
    """Seconds, as a test says."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def service() -> Scripted:
    """A service that takes everything."""
    return Scripted()


@pytest.fixture
async def bot(assistant: Assistant, service: Scripted) -> Any:
    """A bot for Ann and Ben."""
    allowed = Allowed(["ann", "ben"], "KENSAKU_ALLOW_TEST")
    made = Bot("test", assistant, service, allowed, interval=0.0, now=Clock())
    yield made
    await made.close()


async def waiting(bot: Bot, assistant: Assistant) -> tuple[Exchange, Any]:
    """Let Ann ask something that needs her consent."""
    ann = Sender("test", "ann", "t1")
    await assistant.choose(ann, "approvals", {"web_search": "ask"})
    await bot.receive("ann", "t1", SLEEP, update="1", place=PLACE)
    exchange = assistant.current(ann)
    assert exchange is not None
    return exchange, await until_asked(exchange)


@pytest.mark.parametrize(
    ("ids", "person", "may"),
    [
        (["ann"], "ann", True),
        (["ann"], "an", False),
        (["*"], "anybody", True),
        (["ann", "*"], "ben", True),
        ([], "ann", False),
        (["*ann"], "ann", False),
    ],
)
def test_who_may_speak(ids: list[str], person: str, may: bool) -> None:
    """Nobody, at first."""
    assert Allowed(ids, "X")(person) is may


def test_strangers_are_named_once_each_up_to_a_bound(caplog: pytest.LogCaptureFixture) -> None:
    """A flood of names does not fill the log."""
    caplog.set_level(logging.WARNING, "kensaku.assistant.channels")
    allowed = Allowed([], "KENSAKU_ALLOW_X")
    for person in ("eve", "eve", "mallory"):
        assert not allowed(person)
    assert [r.getMessage() for r in caplog.records] == [
        f"a message of {name} was ignored; to allow that person, add {name} to KENSAKU_ALLOW_X"
        for name in ("eve", "mallory")
    ]
    caplog.clear()
    for n in range(10_000):
        allowed(str(n))
    assert len(caplog.records) == 9_998


async def test_what_a_press_says(bot: Bot, assistant: Assistant, service: Scripted) -> None:
    """For the person who was asked, once; other channels and runs are none of it."""
    exchange, question = await waiting(bot, assistant)
    yes, id = f"proceed:{exchange.id}:{question.id}", exchange.id

    assert bot.press("eve", yes) == ""  # not allowed
    assert bot.press("ann", f"explode:{id}:{question.id}") == ""
    assert bot.press("ann", "proceed:unknown:x") == CLOSED
    assert bot.press("ann", f"proceed:{id}:unknown") == CLOSED
    assert bot.press("ben", yes) == NOT_YOURS
    elsewhere = Bot("other", assistant, service, Allowed(["*"], "X"))
    assert elsewhere.press("ann", yes) == CLOSED
    acme = Bot("test", assistant, service, Allowed(["*"], "X"), tenant="acme")
    assert acme.press("ann", yes) == CLOSED
    assert exchange.waits_for(question.id)
    assert bot.press("ann", yes) == ""
    assert bot.press("ann", yes) == CLOSED
    await until(lambda: exchange.last is not None)


async def test_a_press_without_a_question_stops_the_run(bot: Bot, assistant: Assistant) -> None:
    """The button below the status; the message says so."""
    exchange, _ = await waiting(bot, assistant)
    assert bot.press("ben", f"cancel:{exchange.id}:") == NOT_YOURS
    assert bot.press("ann", f"cancel:{exchange.id}:") == ""
    assert exchange.task is not None
    await asyncio.wait([exchange.task])
    assert exchange.task.cancelled()


async def test_words_are_a_reply_where_that_persons_run_waits(
    bot: Bot, assistant: Assistant
) -> None:
    """In that thread."""
    assert not bot.expects("ann", "t1")
    await waiting(bot, assistant)

    assert bot.expects("ann", "t1")
    assert not bot.expects("ben", "t1")
    assert not bot.expects("ann", "t2")


async def test_only_the_own_run_is_cancelled_by_a_word(
    bot: Bot, assistant: Assistant, upstream: FakeUpstream, service: Scripted
) -> None:
    """Of another person in the same thread it is not, and starts none."""
    upstream.heals("tavily")
    upstream.fails("tavily", faults.hang())
    await bot.receive("ann", "t1", SLEEP, update="1", place=PLACE)
    exchange = assistant.current(Sender("test", "ann", "t1"))
    assert exchange is not None
    assert exchange.memory["chat"] == "t1"
    await until(lambda: upstream.asked("tavily"))
    await bot.receive("ben", "t1", "stop", update="2", place=PLACE)
    await asyncio.sleep(0)
    assert exchange.task is not None
    assert not exchange.task.cancelling()

    await bot.receive("ann", "t1", "Stop!", update="3", place=PLACE)
    await until(lambda: service.calls[-1][-1] == "Cancelled.")
    assert exchange.task.cancelled()


async def test_an_answer_replaces_the_status(bot: Bot, service: Scripted, web: Any) -> None:
    """In one message, where it was asked; strangers get nothing."""
    await bot.receive("eve", "t1", SLEEP, update="1", place=PLACE)
    await bot.receive("ann", "t1", SLEEP, update="2", place=PLACE)
    await until(lambda: bool(service.calls) and not bot._tasks)

    how, status = service.calls[0]
    assert (how, status[:11]) == ("send", "Searching …")
    [answer] = [call for call in service.calls if HANDS in call[-1]]
    assert answer[:2] == ("edit", f"id-{status}")
    assert all(place["chat"] == "t1" for place in service.places)
    assert web.queries == [SLEEP]


async def test_people_are_greeted_and_complained_to_once_a_minute(
    bot: Bot, service: Scripted
) -> None:
    """Each for themselves; strangers are not greeted."""
    clock: Any = bot._now
    hello = ("send", "Ask me something. I search, and answer with sources.")
    for now, person, said in [
        (0.0, "ann", 1), (0.0, "ann", 1), (0.0, "ben", 2), (59.9, "ann", 2), (60.0, "ann", 3),
        (60.0, "eve", 3), (119.9, "ann", 3),
    ]:  # fmt: skip
        clock.now = now
        await bot.greet(person, PLACE, "en")
        assert service.calls == [hello] * said
    clock.now = 500.0
    await bot.greet("ann", PLACE, "ja-JP")
    assert service.calls[-1] == ("send", "質問を送ってください。検索して、出典とともに答えます。")


async def test_what_cannot_be_taken_is_said(
    bot: Bot, assistant: Assistant, service: Scripted, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Wrong usage with its own words; a database that is down without them."""
    await bot.receive("ann", "t1", "x" * 4_001, update="1", place=PLACE)
    assert service.calls[-1][1].startswith("the question has 4,001 characters")

    async def down(*_: Any, **__: Any) -> None:
        raise DatabaseFault("postgres at 10.0.0.1 is gone")

    monkeypatch.setattr(assistant, "receive", down)
    await bot.receive("ann", "t1", SLEEP, update="2", place=PLACE)
    assert service.calls[-1] == ("send", BROKEN)


async def test_a_complaint_that_is_not_delivered_is_let_go(
    assistant: Assistant, caplog: pytest.LogCaptureFixture
) -> None:
    """The bot goes on."""
    service = Scripted(NotDelivered("the service is down"))
    bot = Bot("test", assistant, service, Allowed(["*"], "X"))
    await bot.greet("ann", PLACE, "en")
    await bot.greet("ben", PLACE, "en")

    assert len(service.calls) == 2
    assert "a message was not delivered: the service is down" in caplog.text


@pytest.mark.parametrize(
    ("failures", "left"),
    [([], 0), ([Undeliverable("gone")] * 9, 0), ([NotDelivered("down")] * 99, 1)],
)
async def test_an_end_that_was_not_delivered_is_kept_for_later(
    failures: list[Exception],
    left: int,
    assistant: Assistant,
    db: Database,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Unless the chat is gone for ever; then nobody tries again."""
    monkeypatch.setattr(runs, "LEASE_SECONDS", -1.0)  # as if its process were long gone
    bot = Bot("test", assistant, Scripted(*failures), Allowed(["*"], "X"), interval=0.0)
    await bot.receive("ann", "t1", SLEEP, update="1", place=PLACE)
    await until(lambda: not bot._tasks)

    assert len(await deliveries.list_undelivered(db, "test")) == left
    later = Scripted()
    await Bot("test", assistant, later, Allowed(["*"], "X")).recover_once()
    assert sum(HANDS in call[-1] for call in later.calls) == left
    assert await deliveries.list_undelivered(db, "test") == []


async def test_a_long_text_is_split_as_the_service_counts(bot: Bot) -> None:
    """Buttons and links stay with every part."""
    content = Content("word " * 30, {1: "https://a.example/"})
    parts = bot._split(content)

    assert len(parts) == 2
    assert all(len(part.text) <= 100 and part.links == content.links for part in parts)


# --- what a killed process left behind


def exchange(*, ended: bool = True, memory: Any = None) -> Exchange:
    """A run of Ann's that nobody runs here."""

    async def forget(_: Any) -> None:
        """Nothing."""

    sender = Sender("test", "ann", "t1")
    made = Exchange(runs.StoredRun("r1", sender, "c1", SLEEP, {}, memory or {}), forget)
    if ended:
        made.end()
    return made


class Left:
    """An assistant with what a killed process left."""

    database = "the database"

    def __init__(self, *exchanges: Exchange | Exception) -> None:
        self.exchanges = list(exchanges)
        self.asked: list[str] = []

    async def resume(self, channel: str) -> list[Exchange]:
        self.asked.append(channel)
        if not self.exchanges:
            raise asyncio.CancelledError  # the test is over
        if isinstance(found := self.exchanges.pop(0), Exception):
            raise found
        return [found]


@pytest.fixture
def ends(monkeypatch: pytest.MonkeyPatch) -> list[deliveries.Undelivered]:
    """Ends of runs that nobody has shown."""
    from kensaku.assistant.channels import _bot

    listed: list[deliveries.Undelivered] = []

    async def list_undelivered(database: Any, channel: str) -> list[deliveries.Undelivered]:
        assert (database, channel) == ("the database", "test")
        return listed

    monkeypatch.setattr(_bot, "list_undelivered", list_undelivered)
    return listed


def bot_of(left: Any, service: Scripted) -> Bot:
    """A bot that anybody may talk to."""
    return Bot("test", left, service, Allowed(["*"], "X"), interval=0.0)


async def test_what_is_left_is_looked_for_every_five_seconds(
    ends: Any, service: Scripted, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Whatever happens: the next look may succeed."""
    slept, sleep = list[float](), asyncio.sleep

    async def wait(delay: float, result: Any = None) -> Any:
        slept.append(delay)
        return await sleep(0, result)

    monkeypatch.setattr(asyncio, "sleep", wait)
    left = Left(DatabaseFault("gone"), ZeroDivisionError("x"))
    with pytest.raises(asyncio.CancelledError):
        await bot_of(left, service).recover()

    assert slept == [5.0, 5.0]
    assert left.asked == ["test"] * 3
    assert [r.getMessage() for r in caplog.records] == [
        "unfinished runs were not looked for: gone", "a run was not recovered: ZeroDivisionError",
    ]  # fmt: skip
    assert caplog.records[1].exc_info is not None


@pytest.mark.parametrize(
    ("cancelled", "answer", "text"),
    [
        (True, None, "Cancelled."),
        (False, None, BROKEN),
        (False, {"answer": None, "reason": "Nothing was found."}, "Nothing was found."),
        (True, {"answer": HANDS, "citations": []}, HANDS),
    ],
)
async def test_an_end_is_shown_where_it_was_asked(
    cancelled: bool,
    answer: Any,
    text: str,
    ends: list[deliveries.Undelivered],
    service: Scripted,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """In the message that is there; what was remembered of it stays."""
    kept: list[Any] = []

    async def remember(database: Any, run: str, memory: Any) -> None:
        kept.append((database, run, dict(memory)))

    monkeypatch.setattr(runs, "remember", remember)
    sender = Sender("test", "ann", "t1")
    memory = {"chat": "t9", "messages": ["7"]}
    ends.append(deliveries.Undelivered("r2", sender, SLEEP, memory, cancelled, answer))
    await bot_of(Left(exchange()), service).recover_once()

    assert ("edit", "7", text) in service.calls
    assert memory in service.places
    assert kept == [("the database", "r2", {**memory, "delivered": True})]


async def test_an_end_that_is_being_shown_is_not_shown_twice(
    ends: list[deliveries.Undelivered], service: Scripted
) -> None:
    """The run is followed here."""
    run = exchange(ended=False)
    ends.append(deliveries.Undelivered("r1", run.sender, SLEEP, {}, True, None))
    bot = bot_of(Left(run), service)
    await bot.recover_once()

    assert list(bot._tasks) == ["r1"]
    assert service.calls == []
    await bot.close()
    assert bot._tasks == {}


async def test_a_run_that_another_process_ended_is_left_to_it(service: Scripted) -> None:
    """Nothing is said about it, and nothing remembered."""
    bot, run, kept = bot_of(Left(), service), exchange(), list[Any]()
    run._remember = lambda memory: kept.append(memory)  # type: ignore[assignment, func-returns-value]
    await bot._show(run)

    assert (service.calls, kept) == ([], [])


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (asyncio.CancelledError(), "Cancelled."),
        (DatabaseFault("secret"), BROKEN),
        (asyncio.CancelledError("the process stops"), None),
        (ZeroDivisionError(), None),
    ],
)
async def test_what_a_message_says_when_a_run_breaks(
    error: BaseException, text: str | None, service: Scripted, caplog: pytest.LogCaptureFixture
) -> None:
    """A process that stops leaves the message to the next; a defect is logged."""

    async def broken() -> None:
        raise error

    bot, run = bot_of(Left(), service), exchange()
    run.task = asyncio.ensure_future(broken())
    bot._follow(run)
    await until(lambda: not bot._tasks)

    assert [call[-1] for call in service.calls] == ([text] if text else [])
    assert ("a reply was not shown: ZeroDivisionError" in caplog.text) == isinstance(
        error, ZeroDivisionError
    )
    assert ("a run broke: secret" in caplog.text) == isinstance(error, DatabaseFault)


async def test_ten_thousand_people_are_remembered_for_a_minute(service: Scripted) -> None:
    """Then whoever was told something first may be told again."""
    bot = Bot("test", Left(), service, Allowed(["*"], "X"), now=lambda: 0.0)  # type: ignore[arg-type]
    assert all(bot._may_tell(str(n)) for n in range(10_000))
    assert not bot._may_tell("0")
    assert bot._may_tell("new")
    assert bot._may_tell("0")
    assert not bot._may_tell("9999")


@pytest.mark.parametrize("breaks", [True, False])
async def test_a_bot_is_opened_with_all_it_needs_and_closed(
    breaks: bool, service: Scripted, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It recovers from the start; the database is closed last, whatever happens."""
    calls: list[Any] = []

    class Opened:
        def __init__(self, settings: Any) -> None:
            calls.append(("client", settings))

        async def __aenter__(self) -> Any:
            return self

        async def __aexit__(self, *_: object) -> None:
            calls.append("client closed")

        @classmethod
        async def open(cls, settings: Any) -> Any:
            calls.append(("database", settings))
            return SimpleNamespace(close=cls.close)

        @staticmethod
        async def close() -> None:
            calls.append("database closed")

    async def recover(self: Bot) -> None:
        calls.append("recover")
        try:
            await asyncio.Event().wait()
        finally:
            calls.append("recovered")

    async def close(self: Bot) -> None:
        calls.append("bot closed")

    monkeypatch.setattr("kensaku.client.Kensaku", Opened)
    monkeypatch.setattr("kensaku.database.Database", Opened)
    monkeypatch.setattr(Bot, "recover", recover)
    monkeypatch.setattr(Bot, "close", close)
    settings: Any = SimpleNamespace(allow_test=("ann",), tenant="acme")

    async def serve() -> None:
        async with open_bot(settings, "test", service) as bot:
            await asyncio.sleep(0)
            assert (bot.channel, bot.tenant, bot._writer) == ("test", "acme", service)
            assert (bot._allowed("ann"), bot._allowed("ben")) == (True, False)
            assert bot._allowed._variable == "KENSAKU_ALLOW_TEST"
            assert isinstance(bot._assistant._client_of("acme"), Opened)
            if breaks:
                raise EOFError

    if breaks:
        with pytest.raises(EOFError):
            await serve()
    else:
        await serve()
    assert calls == [
        ("client", settings), ("database", settings), "recover", "recovered", "bot closed",
        "database closed", "client closed",
    ]  # fmt: skip
