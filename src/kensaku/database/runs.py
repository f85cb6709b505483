"""Runs of the assistant that survive a kill: who does one, which steps are finished.

    begin → save_step … → finish          by the process that owns the run
    claim → runs whose owner is gone      its lease has expired; the next process goes on

A run belongs to its owner as long as the lease is renewed. `finish` is done once: whoever lost the
run meanwhile adds no second reply.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Literal

from sqlalchemy import delete, insert, select, update
from sqlalchemy.exc import IntegrityError

from kensaku.database.conversations import Sender, add_reply, same_thread, take_message
from kensaku.database.people import record_decisions
from kensaku.database.tables import CONVERSATIONS, QUESTIONS, RUN_STEPS, RUNS, UPDATES

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncConnection

    from kensaku.database.engine import Database

LEASE_SECONDS = 15.0
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
    now = datetime.now(UTC)
    async with db.write() as connection:
        if update_id is not None and not await _take_update(connection, sender, update_id, now):
            return None
        conversation, stored = await take_message(connection, id, sender, question)
        earlier = stored or list(options.get("earlier", ()))  # a client may hold what we do not
        values = {
            "id": id,
            "conversation": conversation,
            "person": sender.person,
            "question": question,
            "options": json.dumps({**options, "earlier": earlier}),
            "memory": "{}",
            "state": "running",
            "owner": owner,
            "lease": now + timedelta(seconds=LEASE_SECONDS),
            "created": now,
        }
        await connection.execute(insert(RUNS).values(values))
    return StoredRun(id, sender, conversation, question, dict(options), {}, tuple(earlier))


async def take_update(db: Database, sender: Sender, update_id: str) -> bool:
    """Whether an update of a channel is new. It is not, from now on."""
    async with db.write() as connection:
        return await _take_update(connection, sender, update_id, datetime.now(UTC))


async def save_step(db: Database, run: str, name: str, result: Any) -> None:
    """Keep the result of a finished step."""
    values = {"run": run, "digest": hashlib.sha256(name.encode()).hexdigest(), "name": name,
              "result": json.dumps(result)}  # fmt: skip
    async with db.write() as connection:
        await connection.execute(insert(RUN_STEPS).values(values))


async def remember(db: Database, run: str, memory: Mapping[str, Any]) -> None:
    """Keep where a channel shows the reply."""
    async with db.write() as connection:
        await connection.execute(
            update(RUNS).where(RUNS.c.id == run).values(memory=json.dumps(dict(memory)))
        )


async def renew(db: Database, owner: str, runs: Iterable[str]) -> set[str]:
    """Renew the leases of runs. Return those that are still the owner's."""
    ids = list(runs)
    lease = datetime.now(UTC) + timedelta(seconds=LEASE_SECONDS)
    own = (RUNS.c.id.in_(ids), RUNS.c.owner == owner, RUNS.c.state == "running")
    async with db.write() as connection:
        await connection.execute(update(RUNS).where(*own).values(lease=lease))
        return set(await connection.scalars(select(RUNS.c.id).where(*own)))


async def release(db: Database, owner: str) -> None:
    """End the leases of an owner that stops, so that the next process need not wait."""
    own = (RUNS.c.owner == owner, RUNS.c.state == "running")
    now = datetime.now(UTC)
    async with db.write() as connection:
        await connection.execute(update(RUNS).where(*own).values(lease=now))


async def states_of(db: Database, conversation: str) -> dict[str, str]:
    """Return the state of each run of a conversation, by its id."""
    query = select(RUNS.c.id, RUNS.c.state).where(RUNS.c.conversation == conversation)
    async with db.read() as connection:
        return {row.id: row.state for row in await connection.execute(query)}


async def any_expired(db: Database, channel: str) -> bool:
    """Whether a channel has runs whose owner is gone. It only reads."""
    query = (
        select(RUNS.c.id)
        .join(CONVERSATIONS, RUNS.c.conversation == CONVERSATIONS.c.id)
        .where(
            RUNS.c.state == "running",
            RUNS.c.lease < datetime.now(UTC),
            CONVERSATIONS.c.channel == channel,
        )
        .limit(1)
    )
    async with db.read() as connection:
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
    """End a run and add its reply. False when it ended before, or belongs to another process."""
    own = (RUNS.c.id == run.id, RUNS.c.owner == owner, RUNS.c.state == "running")
    async with db.write() as connection:
        changed = await connection.execute(update(RUNS).where(*own).values(state=state))
        if not changed.rowcount:
            return False
        if answer is not None:
            person = run.sender.person
            await add_reply(connection, run.id, run.conversation, person, text, answer)
        await record_decisions(connection, run.sender, run.id, decisions)
        await connection.execute(delete(RUN_STEPS).where(RUN_STEPS.c.run == run.id))
        await connection.execute(delete(QUESTIONS).where(QUESTIONS.c.run == run.id))
    return True


async def cancel(db: Database, sender: Sender) -> bool:
    """End the runs of a person's thread, whichever process does them. False: there are none.

    Their owner stops when it next renews its leases.
    """
    thread = RUNS.c.conversation.in_(select(CONVERSATIONS.c.id).where(same_thread(sender)))
    own = (thread, RUNS.c.person == sender.person, RUNS.c.state == "running")
    async with db.write() as connection:
        changed = await connection.execute(update(RUNS).where(*own).values(state="cancelled"))
        return bool(changed.rowcount)


async def list_unfinished(db: Database, tenant: str, channel: str, person: str) -> list[str]:
    """Return the questions of a person that nobody has answered yet, oldest first."""
    query = (
        select(RUNS.c.question)
        .join(CONVERSATIONS, RUNS.c.conversation == CONVERSATIONS.c.id)
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
        return list(await connection.scalars(query))


async def claim(
    db: Database,
    channel: str,
    owner: str,
    *,
    tenant: str | None = None,
    person: str | None = None,
) -> list[StoredRun]:
    """Take over the runs of a channel whose owner is gone, with their finished steps."""
    now = datetime.now(UTC)
    expired = (RUNS.c.state == "running", RUNS.c.lease < now)
    query = (
        select(RUNS, CONVERSATIONS.c.tenant, CONVERSATIONS.c.channel, CONVERSATIONS.c.thread)
        .join(CONVERSATIONS, RUNS.c.conversation == CONVERSATIONS.c.id)
        .where(*expired, CONVERSATIONS.c.channel == channel)
        .order_by(RUNS.c.created)
    )
    if tenant is not None:
        query = query.where(CONVERSATIONS.c.tenant == tenant)
    if person is not None:
        query = query.where(RUNS.c.person == person)
    claimed = []
    async with db.write() as connection:
        for row in (await connection.execute(query)).all():
            is_old = row.created < now - timedelta(seconds=ABANDONED_SECONDS)
            values = (
                {"state": "abandoned"}
                if is_old
                else {"owner": owner, "lease": now + timedelta(seconds=LEASE_SECONDS)}
            )
            same = (RUNS.c.id == row.id, *expired)  # of two that claim, one gets it
            changed = await connection.execute(update(RUNS).where(*same).values(values))
            if changed.rowcount and not is_old:
                claimed.append(await _stored(connection, row))
    return claimed


async def _stored(connection: AsyncConnection, row: Any) -> StoredRun:
    steps = await connection.execute(
        select(RUN_STEPS.c.name, RUN_STEPS.c.result).where(RUN_STEPS.c.run == row.id)
    )
    options = json.loads(row.options)
    earlier = tuple(options.pop("earlier", ()))
    return StoredRun(
        id=row.id,
        sender=Sender(row.channel, row.person, row.thread, row.tenant),
        conversation=row.conversation,
        question=row.question,
        options=options,
        memory=json.loads(row.memory),
        earlier=earlier,
        steps={step.name: json.loads(step.result) for step in steps},
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
