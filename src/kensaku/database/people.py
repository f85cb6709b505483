"""What is stored about a person: choices and approvals; export and deletion of all of it.

The audit trail has no words of the person: neither query nor address.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from sqlalchemy import ColumnElement, and_, delete, insert, select, union, update

from kensaku.database.conversations import Sender, delete_conversations, read_message
from kensaku.database.tables import APPROVALS, CONVERSATIONS, MESSAGES, PEOPLE, RUNS

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncConnection

    from kensaku.database.engine import Database


async def options_of(db: Database, sender: Sender) -> dict[str, Any]:
    """Return what a person chose: route, collection, model, approvals, …"""
    async with db.read() as connection:
        stored = await connection.scalar(select(PEOPLE.c.options).where(_same_person(sender)))
    return dict(json.loads(stored)) if stored else {}


async def set_options(db: Database, sender: Sender, options: Mapping[str, Any]) -> None:
    """Replace what a person chose."""
    stored = json.dumps(dict(options))
    async with db.write() as connection:
        changed = await connection.execute(
            update(PEOPLE).where(_same_person(sender)).values(options=stored)
        )
        if not changed.rowcount:
            values = {"tenant": sender.tenant, "channel": sender.channel,
                      "person": sender.person, "options": stored}  # fmt: skip
            await connection.execute(insert(PEOPLE).values(values))


async def record_decisions(
    connection: AsyncConnection, sender: Sender, run: str, decisions: Iterable[tuple[str, str, str]]
) -> None:
    """Add `(kind, tool, decision)` to the audit trail."""
    now = datetime.now(UTC)
    rows = [
        {"id": uuid.uuid4().hex, "at": now, "tenant": sender.tenant, "channel": sender.channel,
         "person": sender.person, "run": run, "kind": kind, "tool": tool[:64],
         "decision": decision}
        for kind, tool, decision in decisions
    ]  # fmt: skip
    if rows:
        await connection.execute(insert(APPROVALS), rows)


async def list_people(db: Database, tenant: str, channel: str) -> list[str]:
    """Return the ids of the people of a channel about whom data is stored."""
    spoke = (
        select(MESSAGES.c.person)
        .join(CONVERSATIONS, MESSAGES.c.conversation == CONVERSATIONS.c.id)
        .where(CONVERSATIONS.c.tenant == tenant, CONVERSATIONS.c.channel == channel)
    )
    chose = select(PEOPLE.c.person).where(PEOPLE.c.tenant == tenant, PEOPLE.c.channel == channel)
    async with db.read() as connection:
        return sorted(await connection.scalars(union(spoke, chose)))


async def export_person(db: Database, tenant: str, channel: str, person: str) -> dict[str, Any]:
    """Return everything stored about a person, ready for JSON."""
    sender = Sender(channel, person, "", tenant)
    query = (
        select(MESSAGES, CONVERSATIONS.c.thread)
        .join(CONVERSATIONS, MESSAGES.c.conversation == CONVERSATIONS.c.id)
        .where(*_words_of(sender))
        .order_by(MESSAGES.c.created, MESSAGES.c.role.desc())
    )
    async with db.read() as connection:
        rows = (await connection.execute(query)).all()
    messages = [read_message(row).to_dict() | {"thread": row.thread} for row in rows]
    return {
        "channel": channel,
        "person": person,
        "options": await options_of(db, sender),
        "messages": messages,
        "approvals": await list_decisions(db, tenant, channel, person),
    }


async def delete_person(db: Database, tenant: str, channel: str, person: str) -> int:
    """Delete everything stored about a person. Return the number of messages.

    A thread in which nobody else spoke goes with them.
    """
    sender = Sender(channel, person, "", tenant)
    async with db.write() as connection:
        threads = select(CONVERSATIONS.c.id).where(
            CONVERSATIONS.c.tenant == tenant, CONVERSATIONS.c.channel == channel
        )
        own = and_(RUNS.c.person == person, RUNS.c.conversation.in_(threads))
        await connection.execute(delete(RUNS).where(own))  # and their steps, by the foreign keys
        said = and_(MESSAGES.c.person == person, MESSAGES.c.conversation.in_(threads))
        deleted = await connection.execute(delete(MESSAGES).where(said))
        empty = threads.where(CONVERSATIONS.c.id.not_in(select(MESSAGES.c.conversation)))
        await delete_conversations(connection, empty)
        await connection.execute(delete(PEOPLE).where(_same_person(sender)))
        await connection.execute(
            delete(APPROVALS).where(
                APPROVALS.c.tenant == tenant,
                APPROVALS.c.channel == channel,
                APPROVALS.c.person == person,
            )
        )
    return deleted.rowcount


async def list_decisions(
    db: Database, tenant: str, channel: str, person: str
) -> list[dict[str, Any]]:
    """Return the audit trail of a person, newest first."""
    query = (
        select(APPROVALS)
        .where(
            APPROVALS.c.tenant == tenant,
            APPROVALS.c.channel == channel,
            APPROVALS.c.person == person,
        )
        .order_by(APPROVALS.c.at.desc())
    )
    async with db.read() as connection:
        rows = (await connection.execute(query)).all()
    return [
        {"at": r.at.isoformat(), "run": r.run, "kind": r.kind, "tool": r.tool,
         "decision": r.decision}
        for r in rows
    ]  # fmt: skip


def _same_person(sender: Sender) -> ColumnElement[bool]:
    return and_(
        PEOPLE.c.tenant == sender.tenant,
        PEOPLE.c.channel == sender.channel,
        PEOPLE.c.person == sender.person,
    )


def _words_of(sender: Sender) -> tuple[ColumnElement[bool], ...]:
    return (
        CONVERSATIONS.c.tenant == sender.tenant,
        CONVERSATIONS.c.channel == sender.channel,
        MESSAGES.c.person == sender.person,
    )
