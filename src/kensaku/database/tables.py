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
    LargeBinary,
    MetaData,
    String,
    Table,
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
    Column("hash", LargeBinary(32), nullable=False, unique=True),  # SHA-256 of the secret
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
