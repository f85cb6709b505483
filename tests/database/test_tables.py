"""The tables: what the code declares is what the migrations make, and times keep their zone."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

from sqlalchemy import inspect, select

from kensaku.database import url_of
from kensaku.database.connection import connect
from kensaku.database.tables import API_KEYS, METADATA, UPDATES
from tests.database.drift import drift


async def test_the_migrations_make_the_tables_that_the_code_uses(db, settings):
    """Whoever changes a table adds a migration: names, types, lengths, keys and defaults."""
    assert drift(url_of(settings)) == []


async def test_the_keys_of_the_tables_are_those_of_the_code(db, settings):
    """Alembic does not compare primary keys."""
    with connect(url_of(settings), write=False) as connection:
        found = inspect(connection)
        made = {n: found.get_pk_constraint(n)["constrained_columns"] for n in METADATA.tables}

    assert made == {n: [c.name for c in t.primary_key] for n, t in METADATA.tables.items()}


async def test_a_time_comes_back_in_utc_whatever_zone_it_had(db):
    """SQLite keeps no zone, and PostgreSQL answers in that of the session."""
    noon_in_tokyo = datetime(2026, 11, 16, 12, tzinfo=timezone(timedelta(hours=9)))

    async with db.write() as connection:
        await connection.execute(
            UPDATES.insert().values(channel="slack", id="1", seen=noon_in_tokyo)
        )
        (seen,) = (await connection.execute(select(UPDATES.c.seen))).one()

    assert (seen, seen.tzinfo) == (datetime(2026, 11, 16, 3, tzinfo=UTC), UTC)


async def test_a_time_that_is_not_set_stays_so(db):
    """A key that never expires, and that is none of an administrator unless somebody says so."""
    row = {"id": "a", "hash": b"h" * 32, "hint": "ks-a", "name": "a", "tenant": "t"}
    async with db.write() as connection:
        values = {**row, "created": datetime(2026, 11, 16, tzinfo=UTC), "expires": None}
        await connection.execute(API_KEYS.insert().values(**values))
        found = (await connection.execute(select(API_KEYS))).mappings().one()

    assert dict(found) == {
        **values,
        "rate": None,
        "searches_per_day": None,
        "money_per_month": None,
        "admin": False,
        "revoked": None,
    }
