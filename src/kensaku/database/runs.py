"""Runs of the assistant: from a person's message to the reply, which is added once.

    begin → steps … → finish          by the process that owns the run
    claim → runs whose owner is gone

Owners, leases and steps: `leases.py`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Literal

from sqlalchemy import delete, insert, select, update
from sqlalchemy.exc import IntegrityError

from kensaku.database import leases
from kensaku.database.conversations import Sender, add_reply, same_thread, take_message
from kensaku.database.leases import LEASE_SECONDS, current_time, owns
from kensaku.database.people import record_decisions
from kensaku.database.tables import CONVERSATIONS, QUESTIONS, RUN_STEPS, RUNS, UPDATES

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncConnection

    from kensaku.database.engine import Database
    from kensaku.database.leases import Claimed

KIND = "answer"
ABANDONED_SECONDS = 3_600.0  # older runs are abandoned
KEPT_DAYS = 7  # of updates that were seen; channels repeat one within hours
State = Literal["done", "failed", "cancelled"]


@dataclass(frozen=True, slots=True)
class StoredRun:
    """A run as the database knows it."""

    id: str
    sender: Sender
    conversation: str
    question: str
    options: Mapping[str, Any] = field(hash=False)
    memory: Mapping[str, Any] = field(default_factory=dict, hash=False)
    earlier: tuple[str, ...] = ()  # what the person asked before
    steps: Mapping[str, Any] = field(default_factory=dict, hash=False)


async def begin(
    db: Database,
    id: str,
    sender: Sender,
    question: str,
    options: Mapping[str, Any],
    *,
    owner: str,
    update_id: str | None = None,
) -> StoredRun | None:
    """Add a question and its run. None when the update was taken before."""
    async with db.write() as connection:
        now = await current_time(connection)
        if update_id is not None and not await _take_update(connection, sender, update_id, now):
            return None
        conversation, stored = await take_message(connection, id, sender, question)
        earlier = stored or list(options.get("earlier", ()))  # a client may hold what we do not
        kept = {name: value for name, value in options.items() if name != "earlier"}
        arguments = {"question": question, "earlier": earlier, "options": kept}
        values = {
            "id": id,
            "kind": KIND,
            "tenant": sender.tenant,
            "arguments": json.dumps(arguments),
            "state": "running",
            "owner": owner,
            "lease": now + timedelta(seconds=LEASE_SECONDS),
            "starts": 1,
            "created": now,
            "updated": now,
            "conversation": conversation,
            "person": sender.person,
            "memory": "{}",
        }
        await connection.execute(insert(RUNS).values(values))
    return StoredRun(id, sender, conversation, question, kept, {}, tuple(earlier))


async def take_update(db: Database, sender: Sender, update_id: str) -> bool:
    """Whether an update of a channel is new. It is not, from now on."""
    async with db.write() as connection:
        return await _take_update(connection, sender, update_id, datetime.now(UTC))


async def remember(db: Database, run: str, memory: Mapping[str, Any]) -> None:
    """Keep where a channel shows the reply."""
    async with db.write() as connection:
        await connection.execute(
            update(RUNS).where(RUNS.c.id == run).values(memory=json.dumps(dict(memory)))
        )


async def states_of(db: Database, conversation: str) -> dict[str, str]:
    """Return the state of each run of a conversation, by its id."""
    query = select(RUNS.c.id, RUNS.c.state).where(RUNS.c.conversation == conversation)
    async with db.read() as connection:
        return {row.id: row.state for row in await connection.execute(query)}


async def any_expired(db: Database, channel: str) -> bool:
    """Whether a channel has runs whose owner is gone. It only reads."""
    async with db.read() as connection:
        expired = leases.is_claimable(await current_time(connection))
        query = select(RUNS.c.id).join(CONVERSATIONS)
        query = query.where(expired, CONVERSATIONS.c.channel == channel).limit(1)
        return await connection.scalar(query) is not None


async def finish(
    db: Database,
    run: StoredRun,
    owner: str,
    state: State,
    *,
    text: str = "",
    answer: Mapping[str, Any] | None = None,
    decisions: Iterable[tuple[str, str, str]] = (),
) -> bool:
    """End a run and add its reply. False when it ended otherwise, or belongs to another process."""
    async with db.write() as connection:
        if not await owns(connection, owner, run.id):
            # A commit may have succeeded though its caller got an error, and tries again.
            same = (RUNS.c.id == run.id, RUNS.c.owner == owner, RUNS.c.state == state)
            return await connection.scalar(select(RUNS.c.id).where(*same)) is not None
        ended = {"state": state, "updated": datetime.now(UTC)}
        await connection.execute(update(RUNS).where(RUNS.c.id == run.id).values(ended))
        if answer is not None:
            person = run.sender.person
            await add_reply(connection, run.id, run.conversation, person, text, answer)
        await record_decisions(connection, run.sender, run.id, decisions)
        await connection.execute(delete(RUN_STEPS).where(RUN_STEPS.c.run == run.id))
        await connection.execute(delete(QUESTIONS).where(QUESTIONS.c.run == run.id))
    return True


async def cancel(db: Database, sender: Sender) -> bool:
    """End the runs of a person's thread, whichever process does them. False: there are none.

    Their owner stops when it next looks at its leases.
    """
    thread = RUNS.c.conversation.in_(select(CONVERSATIONS.c.id).where(same_thread(sender)))
    own = (thread, RUNS.c.person == sender.person, RUNS.c.state == "running")
    async with db.write() as connection:
        changed = await connection.execute(update(RUNS).where(*own).values(state="cancelled"))
        return bool(changed.rowcount)


async def list_unfinished(db: Database, tenant: str, channel: str, person: str) -> list[str]:
    """Return the questions of a person that nobody has answered yet, oldest first."""
    query = (
        select(RUNS.c.arguments)
        .join(CONVERSATIONS)
        .where(
            RUNS.c.state == "running",
            RUNS.c.person == person,
            RUNS.c.created > datetime.now(UTC) - timedelta(seconds=ABANDONED_SECONDS),
            CONVERSATIONS.c.channel == channel,
            CONVERSATIONS.c.tenant == tenant,
        )
        .order_by(RUNS.c.created)
    )
    async with db.read() as connection:
        return [json.loads(stored)["question"] for stored in await connection.scalars(query)]


async def claim(
    db: Database,
    channel: str,
    owner: str,
    *,
    tenant: str | None = None,
    person: str | None = None,
    held: Iterable[str] = (),
) -> list[StoredRun]:
    """Take over the runs of a channel whose owner is gone, with their finished steps.

    Runs older than an hour are abandoned. `held`: those that this process still does.
    """
    query = (
        select(RUNS, CONVERSATIONS.c.channel, CONVERSATIONS.c.thread)
        .join(CONVERSATIONS)
        .where(CONVERSATIONS.c.channel == channel)
        .order_by(RUNS.c.created)
    )
    if tenant is not None:
        query = query.where(CONVERSATIONS.c.tenant == tenant)
    if person is not None:
        query = query.where(RUNS.c.person == person)
    async with db.write() as connection:
        now = await current_time(connection)
        old = RUNS.c.created < now - timedelta(seconds=ABANDONED_SECONDS)
        expired = (RUNS.c.kind == KIND, leases.is_claimable(now), old)
        await connection.execute(update(RUNS).where(*expired).values(state="abandoned"))
        return [_stored(run) for run in await leases.claim(connection, owner, query, held=held)]


def _stored(run: Claimed) -> StoredRun:
    row, arguments = run.row, json.loads(run.row.arguments)
    return StoredRun(
        id=row.id,
        sender=Sender(row.channel, row.person, row.thread, row.tenant),
        conversation=row.conversation,
        question=arguments["question"],
        options=arguments["options"],
        memory=json.loads(row.memory),
        earlier=tuple(arguments["earlier"]),
        steps=run.steps,
    )


async def _take_update(
    connection: AsyncConnection, sender: Sender, update_id: str, now: datetime
) -> bool:
    old = UPDATES.c.seen < now - timedelta(days=KEPT_DAYS)
    await connection.execute(delete(UPDATES).where(old))
    values = {"channel": sender.channel, "id": update_id[:200], "seen": now}
    try:
        async with connection.begin_nested():
            await connection.execute(insert(UPDATES).values(values))
    except IntegrityError:
        return False
    return True
