"""Conversations of the assistant and their messages.

take_message → add_reply          one exchange
find_conversation → messages_of   what was said
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from sqlalchemy import ColumnElement, and_, delete, func, insert, select, update

from kensaku.database.tables import CONVERSATIONS, MESSAGES

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncConnection

    from kensaku.database.engine import Database

MAX_LISTED = 500


@dataclass(frozen=True, slots=True)
class Sender:
    """The sender of a message, and its conversation; ids are the channel's own."""

    channel: str
    person: str
    thread: str
    tenant: str = ""


@dataclass(frozen=True, slots=True)
class Conversation:
    """One thread of one channel."""

    id: str
    channel: str
    thread: str
    title: str
    created: datetime
    updated: datetime


@dataclass(frozen=True, slots=True)
class Message:
    """Something that a person or the assistant said. `answer` is a `CitedAnswer` as JSON."""

    id: str
    role: str
    text: str
    created: datetime
    answer: Mapping[str, Any] | None = None

    def to_dict(self) -> dict[str, Any]:
        """The message, ready for JSON."""
        return asdict(self) | {"created": self.created.isoformat()}


async def find_conversation(db: Database, sender: Sender) -> Conversation | None:
    """Return the conversation of a thread, or None if it has none."""
    async with db.read() as connection:
        row = (await connection.execute(select(CONVERSATIONS).where(same_thread(sender)))).first()
    return None if row is None else _conversation(row)


async def list_conversations(
    db: Database, tenant: str, channel: str, person: str | None = None, limit: int = 100
) -> list[Conversation]:
    """Return the conversations of a channel, or those in which a person spoke; newest first."""
    query = select(CONVERSATIONS).where(
        CONVERSATIONS.c.tenant == tenant, CONVERSATIONS.c.channel == channel
    )
    if person is not None:
        spoke = select(MESSAGES.c.conversation).where(MESSAGES.c.person == person)
        query = query.where(CONVERSATIONS.c.id.in_(spoke))
    query = query.order_by(CONVERSATIONS.c.updated.desc()).limit(min(limit, MAX_LISTED))
    async with db.read() as connection:
        return [_conversation(row) for row in await connection.execute(query)]


async def messages_of(db: Database, conversation: str, limit: int = MAX_LISTED) -> list[Message]:
    """Return the last messages of a conversation, oldest first."""
    newest = (
        select(MESSAGES)
        .where(MESSAGES.c.conversation == conversation)
        .order_by(MESSAGES.c.created.desc(), MESSAGES.c.role)
        .limit(limit)
    )
    async with db.read() as connection:
        rows = (await connection.execute(newest)).all()
    return [read_message(row) for row in reversed(rows)]


async def delete_conversation(db: Database, sender: Sender) -> bool:
    """Delete a thread with all that was said in it."""
    async with db.write() as connection:
        ids = select(CONVERSATIONS.c.id).where(same_thread(sender))
        return await delete_conversations(connection, ids) > 0


async def take_message(
    connection: AsyncConnection, run: str, sender: Sender, text: str
) -> tuple[str, list[str]]:
    """Add what a person said. Return the conversation's id and what the person asked before."""
    now = datetime.now(UTC)
    found = await connection.scalar(select(CONVERSATIONS.c.id).where(same_thread(sender)))
    if found is None:
        conversation = uuid.uuid4().hex
        values = {"id": conversation, "tenant": sender.tenant, "channel": sender.channel,
                  "thread": sender.thread, "title": " ".join(text.split())[:100],
                  "created": now, "updated": now}  # fmt: skip
        await connection.execute(insert(CONVERSATIONS).values(values))
    else:
        conversation = found
        same = CONVERSATIONS.c.id == conversation
        await connection.execute(update(CONVERSATIONS).where(same).values(updated=now))
    earlier = await connection.scalars(
        select(MESSAGES.c.text)
        .where(
            MESSAGES.c.conversation == conversation,
            MESSAGES.c.person == sender.person,
            MESSAGES.c.role == "user",
        )
        .order_by(MESSAGES.c.created.desc())
        .limit(3)
    )
    asked = list(earlier)[::-1]
    await _add(connection, f"{run}-u", conversation, sender.person, "user", text, None)
    return conversation, asked


async def add_reply(
    connection: AsyncConnection,
    run: str,
    conversation: str,
    person: str,
    text: str,
    answer: Mapping[str, Any],
) -> None:
    """Add what the assistant replied."""
    await _add(connection, f"{run}-a", conversation, person, "assistant", text, json.dumps(answer))


async def _add(
    connection: AsyncConnection,
    id: str,
    conversation: str,
    person: str,
    role: str,
    text: str,
    answer: str | None,
) -> None:
    values = {"id": id, "conversation": conversation, "person": person, "role": role,
              "text": text, "answer": answer, "created": datetime.now(UTC)}  # fmt: skip
    await connection.execute(insert(MESSAGES).values(values))


async def delete_conversations(connection: AsyncConnection, ids: Any) -> int:
    """Delete the conversations that a query selects. Return how many those were."""
    # Their messages and runs are deleted by the foreign keys.
    count = await connection.scalar(select(func.count()).select_from(ids.subquery()))
    await connection.execute(delete(CONVERSATIONS).where(CONVERSATIONS.c.id.in_(ids)))
    return count or 0


def same_thread(sender: Sender) -> ColumnElement[bool]:
    """The condition of a conversation that is the thread of a sender."""
    return and_(
        CONVERSATIONS.c.tenant == sender.tenant,
        CONVERSATIONS.c.channel == sender.channel,
        CONVERSATIONS.c.thread == sender.thread,
    )


def _conversation(row: Any) -> Conversation:
    return Conversation(row.id, row.channel, row.thread, row.title, row.created, row.updated)


def read_message(row: Any) -> Message:
    """Return a row of `MESSAGES` as a message."""
    answer = json.loads(row.answer) if row.answer else None
    return Message(row.id, row.role, row.text, row.created, answer)
