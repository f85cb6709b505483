"""The tables, as the newest migration leaves them.

Their names have a prefix: somebody may give us the database of an application.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Date,
    DateTime,
    Dialect,
    Double,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
    false,
)
from sqlalchemy.types import TypeDecorator

BUCKETS = 16  # of the latency histogram: under 1 ms, under 2, under 4 … and the rest


class Instant(TypeDecorator[datetime]):
    """A time with its zone, in UTC. SQLite keeps no zone."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Store it in UTC."""
        return None if value is None else value.astimezone(UTC)

    def process_result_value(self, value: Any, dialect: Dialect) -> datetime | None:
        """Return it in UTC."""
        if value is None:
            return None
        stored: datetime = value
        return stored.astimezone(UTC) if stored.tzinfo else stored.replace(tzinfo=UTC)


METADATA = MetaData()

API_KEYS = Table(
    "kensaku_api_keys",
    METADATA,
    Column("id", String(16), primary_key=True),
    Column("hash", LargeBinary, nullable=False, unique=True),  # SHA-256 of the secret
    Column("hint", String(16), nullable=False),  # how the secret begins, for people
    Column("name", String(200), nullable=False),
    Column("tenant", String(64), nullable=False),
    Column("rate", String(20)),
    Column("searches_per_day", BigInteger),
    Column("money_per_month", Double),
    Column("admin", Boolean, nullable=False, server_default=false()),
    Column("created", Instant, nullable=False),
    Column("expires", Instant),
    Column("revoked", Instant),
)

USAGE = Table(
    "kensaku_usage",
    METADATA,
    Column("day", Date, primary_key=True),
    Column("tenant", String(64), primary_key=True),
    Column("key", String(16), primary_key=True),  # its id
    Column("endpoint", String(64), primary_key=True),
    Column("provider", String(64), primary_key=True),  # empty: the request as a whole
    Column("outcome", String(32), primary_key=True),
    Column("requests", BigInteger, nullable=False),
    Column("searches", BigInteger, nullable=False),
    Column("cached", BigInteger, nullable=False),
    Column("cost", Double, nullable=False),
    Column("credits", Double, nullable=False),
    Column("total_ms", Double, nullable=False),
    *(Column(f"latency_{n}", BigInteger, nullable=False) for n in range(BUCKETS)),
)

# What the assistant was told, per channel and thread. `person` is the channel's own id.
CONVERSATIONS = Table(
    "kensaku_conversations",
    METADATA,
    Column("id", String(32), primary_key=True),
    Column("tenant", String(64), nullable=False),
    Column("channel", String(32), nullable=False),
    Column("thread", String(200), nullable=False),
    Column("title", String(200), nullable=False),
    Column("created", Instant, nullable=False),
    Column("updated", Instant, nullable=False),
    UniqueConstraint("tenant", "channel", "thread"),
)

MESSAGES = Table(
    "kensaku_messages",
    METADATA,
    Column("id", String(32), primary_key=True),  # of the run, and whose word it is
    Column("conversation", ForeignKey(CONVERSATIONS.c.id, ondelete="CASCADE"), nullable=False),
    Column("person", String(128), nullable=False),  # who asked, also for the reply
    Column("role", String(16), nullable=False),  # user or assistant
    Column("text", Text, nullable=False),
    Column("answer", Text),  # the cited answer as JSON
    Column("created", Instant, nullable=False),
    Index("kensaku_messages_order", "conversation", "created"),
)

# Updates of a channel that were taken: a channel may send one twice.
UPDATES = Table(
    "kensaku_updates",
    METADATA,
    Column("channel", String(32), primary_key=True),
    Column("id", String(200), primary_key=True),
    Column("seen", Instant, nullable=False),
)

PEOPLE = Table(
    "kensaku_people",
    METADATA,
    Column("tenant", String(64), primary_key=True),
    Column("channel", String(32), primary_key=True),
    Column("person", String(128), primary_key=True),
    Column("options", Text, nullable=False),  # JSON
)

# Work that survives a kill: answers of the assistant, jobs, and the parts of jobs.
RUNS = Table(
    "kensaku_runs",
    METADATA,
    Column("id", String(64), primary_key=True),
    Column("kind", String(32), nullable=False),  # answer, or a kind of job
    Column("tenant", String(64), nullable=False),
    Column("arguments", Text, nullable=False),  # JSON
    # queued, running, done, failed, cancelled, abandoned
    Column("state", String(16), nullable=False),
    Column("owner", String(32)),  # the process that does it
    Column("lease", Instant),  # until when it is the owner's
    Column("starts", Integer, nullable=False, default=0),  # how many processes began it
    Column("created", Instant, nullable=False),
    Column("updated", Instant, nullable=False),
    # Of an answer.
    Column("conversation", ForeignKey(CONVERSATIONS.c.id, ondelete="CASCADE")),
    Column("person", String(128)),
    Column("memory", Text),  # JSON of the channel: where it shows the reply
    # Of a job or a part of one.
    Column("parent", ForeignKey("kensaku_runs.id", ondelete="CASCADE")),  # the job of a part
    Column("part", Integer, nullable=False, default=0),  # its number; 0: no part
    Column("key", String(16), nullable=False, default=""),  # the id of the API key that pays
    Column("result", Text),  # JSON
    Column("error", Text),
    Column("done", BigInteger, nullable=False, default=0),
    Column("total", BigInteger, nullable=False, default=0),
    Column("documents", BigInteger, nullable=False, default=0),
    Column("stage", String(200), nullable=False, default=""),
    Index("kensaku_runs_state", "state", "lease"),
    Index("kensaku_runs_conversation", "conversation"),
    Index("kensaku_runs_parent", "parent"),
)

# The journal of an unfinished run.
RUN_STEPS = Table(
    "kensaku_run_steps",
    METADATA,
    Column("run", ForeignKey(RUNS.c.id, ondelete="CASCADE"), primary_key=True),
    Column("digest", String(64), primary_key=True),  # SHA-256 of the name
    Column("name", Text, nullable=False),
    Column("result", Text, nullable=False),  # JSON
)

# What a run waits for the person to say, as long as it does.
QUESTIONS = Table(
    "kensaku_questions",
    METADATA,
    Column("run", ForeignKey(RUNS.c.id, ondelete="CASCADE"), primary_key=True),
    Column("id", String(16), primary_key=True),  # of the question
    Column("question", Text, nullable=False),  # JSON
    Column("reply", Text),  # JSON: what another process was told
)

# Who agreed to what. It has no words of the person: neither query nor address.
APPROVALS = Table(
    "kensaku_approvals",
    METADATA,
    Column("id", String(32), primary_key=True),
    Column("at", Instant, nullable=False),
    Column("tenant", String(64), nullable=False),
    Column("channel", String(32), nullable=False),
    Column("person", String(128), nullable=False),
    Column("run", String(32), nullable=False),
    Column("kind", String(16), nullable=False),  # tool, approve, confirm, help
    Column("tool", String(64), nullable=False),
    Column("decision", String(16), nullable=False),  # auto, never, an intervention, or none
    Index("kensaku_approvals_person", "tenant", "channel", "person"),
)
