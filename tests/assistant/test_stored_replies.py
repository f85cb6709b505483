"""Replies by way of the database: stored, polled for, given to the run, and deleted."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from kensaku.assistant import stored_replies
from kensaku.assistant.approval import Question, Reply
from kensaku.assistant.exchange import Exchange
from kensaku.assistant.stored_replies import StoredReplies
from kensaku.database.conversations import Sender
from kensaku.database.questions import StoredReply
from kensaku.database.runs import StoredRun
from kensaku.errors import DatabaseFault

QUESTION = Question("approve", "May it?", choices=("proceed", "skip"), tool="web_search")
OTHER = Question("help", "Which?", choices=("modify", "skip"), tool="ask_user")


class Table:
    """The questions of a database, which may be down."""

    def __init__(self) -> None:
        self.calls: list[tuple[Any, ...]] = []
        self.replies: list[StoredReply] = []
        self.down = False
        self.slept: list[float] = []

    def _take(self, *call: Any) -> None:
        self.calls.append(call)
        if self.down:
            raise DatabaseFault("gone")

    async def add_question(self, db: Any, *values: Any) -> None:
        self._take("add", db, *values)

    async def remove_question(self, db: Any, *values: Any) -> None:
        self._take("remove", db, *values)

    async def replies_to(self, db: Any, runs: Any) -> list[StoredReply]:
        self._take("look", db, runs)
        return self.replies


@pytest.fixture
def table(monkeypatch: pytest.MonkeyPatch) -> Table:
    """Every look is made at once."""
    made, sleep = Table(), asyncio.sleep

    async def wait(delay: float, result: Any = None) -> Any:
        if delay:
            made.slept.append(delay)
        return await sleep(0, result)

    for name in ("add_question", "remove_question", "replies_to"):
        monkeypatch.setattr(stored_replies, name, getattr(made, name))
    monkeypatch.setattr(asyncio, "sleep", wait)
    return made


def exchange(id: str = "r1") -> Exchange:
    """A run that nobody runs."""

    async def forget(_: Any) -> None:
        """Nothing."""

    return Exchange(StoredRun(id, Sender("test", "ann", "t1"), "c1", "How?", {}), forget)


async def ask(replies: StoredReplies, run: Exchange, question: Question = QUESTION) -> Any:
    """Let a run ask, as the assistant does."""
    return await run.ask(question, replies.asked(run, question))


async def turns(count: int) -> None:
    """Let others go on for so many turns of the loop."""
    for _ in range(count):
        await asyncio.sleep(0)


async def test_a_reply_of_another_process_reaches_the_run(table: Table) -> None:
    """The question is stored until then; nothing is polled afterwards."""
    replies = StoredReplies("db")  # type: ignore[arg-type]
    table.replies = [
        StoredReply("r1", "another", {"action": "skip", "text": ""}),
        StoredReply("r2", QUESTION.id, {"action": "skip", "text": ""}),
        StoredReply("r1", QUESTION.id, {"action": "proceed", "text": "so"}),
    ]

    assert await ask(replies, exchange()) == Reply("proceed", "so")
    await turns(5)
    assert table.calls == [
        ("add", "db", "r1", QUESTION.id, QUESTION.to_dict()),
        ("look", "db", {"r1"}),
        ("remove", "db", "r1", QUESTION.id),
    ]
    assert replies._polling is not None
    assert replies._polling.done()


async def test_replies_are_looked_for_twice_a_second(table: Table) -> None:
    """By one task for all the runs that wait; it starts anew for the next question."""
    replies, runs = StoredReplies("db"), [exchange("r1"), exchange("r2")]  # type: ignore[arg-type]
    asking = [asyncio.ensure_future(ask(replies, run)) for run in runs]
    await turns(20)
    looked = [call for call in table.calls if call[0] == "look"]
    assert {"r1", "r2"} == looked[-1][2]
    assert 3 <= len(looked) <= 20
    assert abs(len(looked) - len(table.slept)) <= 1
    assert set(table.slept) == {0.5}

    for run in runs:
        run.reply(Reply("skip"))
    assert await asyncio.gather(*asking) == [Reply("skip")] * 2
    await turns(5)
    before = replies._polling
    again = asyncio.ensure_future(ask(replies, runs[0], OTHER))
    await turns(3)
    assert replies._polling is not before
    runs[0].reply(Reply("skip"))
    await again


async def test_without_a_database_this_process_takes_the_reply(
    table: Table, caplog: pytest.LogCaptureFixture
) -> None:
    """The person is asked all the same; the next look may succeed."""
    table.down = True
    replies, run = StoredReplies("db"), exchange()  # type: ignore[arg-type]
    asking = asyncio.ensure_future(ask(replies, run))
    await turns(9)
    assert "a question is known to this process alone: gone" in caplog.text
    assert [call[0] for call in table.calls].count("look") > 1
    run.reply(Reply("proceed"))
    assert await asking == Reply("proceed")

    again = asyncio.ensure_future(ask(replies, run))
    await turns(3)
    table.down = False
    table.replies = [StoredReply("r1", QUESTION.id, {"action": "skip", "text": ""})]
    assert await again == Reply("skip")


async def test_closing_stops_the_polling(table: Table) -> None:
    """Also where there was none."""
    replies, run = StoredReplies("db"), exchange()  # type: ignore[arg-type]
    await replies.close()
    asking = asyncio.ensure_future(ask(replies, run))
    await turns(3)
    await replies.close()

    assert replies._polling is not None
    assert replies._polling.cancelled()
    run.reply(Reply("skip"))
    await asking
