"""Replies that a channel has not shown yet: its process was killed after the run had ended."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from sqlalchemy import and_, select

from kensaku.database.conversations import Sender
from kensaku.database.runs import ABANDONED_SECONDS
from kensaku.database.tables import CONVERSATIONS, MESSAGES, RUNS

if TYPE_CHECKING:
    from kensaku.database.engine import Database

DELIVERED = {"delivered": True}  # what a channel remembers of a run whose end it has shown
MAX_LISTED = 100


@dataclass(frozen=True, slots=True)
class Undelivered:
    """How a run ended. `answer` is a `CitedAnswer` as JSON; None when it was cancelled or broke."""

    run: str
    sender: Sender
    question: str
    memory: Mapping[str, Any] = field(hash=False)
    cancelled: bool
    answer: Mapping[str, Any] | None = field(hash=False)


async def list_undelivered(db: Database, channel: str) -> list[Undelivered]:
    """Return the ends of runs that nobody has shown, and that no process is about to show."""
    now = datetime.now(UTC)
    query = (
        select(RUNS, CONVERSATIONS.c.thread, MESSAGES.c.answer)
        .join(CONVERSATIONS, RUNS.c.conversation == CONVERSATIONS.c.id)
        .outerjoin(
            MESSAGES,
            and_(MESSAGES.c.conversation == CONVERSATIONS.c.id, MESSAGES.c.id == RUNS.c.id + "-a"),
        )
        .where(
            RUNS.c.state.in_(("done", "failed", "cancelled")),
            RUNS.c.lease < now,
            RUNS.c.created > now - timedelta(seconds=ABANDONED_SECONDS),
            RUNS.c.memory.not_like('%"delivered": true%'),
            CONVERSATIONS.c.channel == channel,
        )
        .order_by(RUNS.c.created)
        .limit(MAX_LISTED)
    )
    async with db.read() as connection:
        rows = (await connection.execute(query)).all()
    return [
        Undelivered(
            row.id,
            Sender(channel, row.person, row.thread, row.tenant),
            json.loads(row.arguments)["question"],
            json.loads(row.memory),
            row.state == "cancelled",
            json.loads(row.answer) if row.answer else None,
        )
        for row in rows
    ]
