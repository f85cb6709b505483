"""Questions that runs wait with, so that a reply may reach any process.

    the run asks → add_question    another process: open_questions → add_reply
    it polls     → replies_to      answered, or too late: remove_question

A row lives as long as its run waits. It holds words of the person, and is deleted with the
conversation, too.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from sqlalchemy import delete, insert, select, update
from sqlalchemy.exc import IntegrityError

from kensaku.database.conversations import same_thread
from kensaku.database.tables import CONVERSATIONS, QUESTIONS, RUNS

if TYPE_CHECKING:
    from kensaku.database.conversations import Sender
    from kensaku.database.engine import Database

Values = Mapping[str, Any]


class OpenQuestion(NamedTuple):
    """A question that nobody has answered yet, as JSON."""

    run: str
    id: str
    question: Values


class StoredReply(NamedTuple):
    """A reply that another process took, as JSON."""

    run: str
    question: str
    reply: Values


async def add_question(db: Database, run: str, id: str, question: Values) -> None:
    """Store a question. One that is there keeps its reply: the process before this one asked it."""
    values = {"run": run, "id": id, "question": json.dumps(dict(question), default=str)}
    async with db.write() as connection:
        try:
            async with connection.begin_nested():
                await connection.execute(insert(QUESTIONS).values(values))
        except IntegrityError:
            return


async def remove_question(db: Database, run: str, id: str) -> None:
    """Delete a question that the run waits with no longer."""
    async with db.write() as connection:
        await connection.execute(
            delete(QUESTIONS).where(QUESTIONS.c.run == run, QUESTIONS.c.id == id)
        )


async def open_questions(db: Database, sender: Sender) -> list[OpenQuestion]:
    """Return the questions to a person in a thread, the oldest run first."""
    query = (
        select(QUESTIONS.c.run, QUESTIONS.c.id, QUESTIONS.c.question)
        .join(RUNS, QUESTIONS.c.run == RUNS.c.id)
        .join(CONVERSATIONS, RUNS.c.conversation == CONVERSATIONS.c.id)
        .where(
            QUESTIONS.c.reply.is_(None),
            RUNS.c.state == "running",
            RUNS.c.person == sender.person,
            same_thread(sender),
        )
        .order_by(RUNS.c.created, QUESTIONS.c.id)
    )
    async with db.read() as connection:
        rows = (await connection.execute(query)).all()
    return [OpenQuestion(row.run, row.id, json.loads(row.question)) for row in rows]


async def add_reply(db: Database, run: str, id: str, reply: Values) -> bool:
    """Store a reply for the process that waits. False: there is one, or it waits no longer."""
    unanswered = (QUESTIONS.c.run == run, QUESTIONS.c.id == id, QUESTIONS.c.reply.is_(None))
    async with db.write() as connection:
        stored = json.dumps(dict(reply))
        changed = await connection.execute(
            update(QUESTIONS).where(*unanswered).values(reply=stored)
        )
        return bool(changed.rowcount)


async def replies_to(db: Database, runs: Iterable[str]) -> list[StoredReply]:
    """Return the replies to questions of runs that other processes took."""
    query = select(QUESTIONS.c.run, QUESTIONS.c.id, QUESTIONS.c.reply)
    query = query.where(QUESTIONS.c.run.in_(list(runs)), QUESTIONS.c.reply.is_not(None))
    async with db.read() as connection:
        rows = (await connection.execute(query)).all()
    return [StoredReply(row.run, row.id, json.loads(row.reply)) for row in rows]
