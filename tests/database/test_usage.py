"""Usage: counted without waiting, written every second, lost never."""

from __future__ import annotations

import asyncio
import logging
import math
import random
from datetime import UTC, date, datetime, timedelta

import pytest
from sqlalchemy import func, select, text

from kensaku.database import Database
from kensaku.database.tables import BUCKETS, USAGE
from kensaku.database.usage import OTHER, UsageWriter, percentile, summarise
from kensaku.errors import DatabaseFault, InvalidQuery, UnknownName

NOON = datetime(2026, 11, 16, 12, 0, tzinfo=UTC)


class Now:
    """A clock that a test sets."""

    time = NOON

    def __call__(self) -> datetime:
        return self.time


@pytest.fixture
def now() -> Now:
    return Now()


async def count(db: Database, column: str = "requests") -> float:
    async with db.read() as connection:
        return await connection.scalar(select(func.coalesce(func.sum(USAGE.c[column]), 0)))


def fill(usage: UsageWriter) -> None:
    """Three requests of two keys; two searches, of which one failed."""
    a = {"tenant": "acme", "key": "a", "endpoint": "tavily/search"}
    b = {"tenant": "umbrella", "key": "b", "endpoint": "brave/search"}
    usage.record(outcome="found", elapsed_ms=100, credits=2, **a)
    usage.record(outcome="found", elapsed_ms=2, credits=1, cached=True, **a)
    usage.record(outcome="unavailable", elapsed_ms=900, **b)
    usage.record(outcome="found", provider="tavily", cost=0.008, elapsed_ms=80, **a)
    usage.record(outcome="Timeout", provider="exa", elapsed_ms=890, **b)


async def test_what_was_recorded_is_summed_up(db, now):
    """By provider it is about searches, otherwise about requests."""
    usage = UsageWriter(db, now=now)
    fill(usage)
    await usage.flush()

    by_key = await summarise(db, "key", today=NOON.date())
    assert [(r.group, r.requests, r.searches, r.cached) for r in by_key] == [
        ("a", 2, 1, 1),
        ("b", 1, 1, 0),
    ]
    assert (by_key[0].cost, by_key[0].credits, by_key[0].mean_ms) == (0.008, 3, 51)
    assert by_key[0].outcomes == {"found": 2}
    assert by_key[1].outcomes == {"unavailable": 1}
    by_provider = await summarise(db, "provider", today=NOON.date())
    assert [(r.group, r.requests, r.searches) for r in by_provider] == [
        ("exa", 0, 1),
        ("tavily", 0, 1),
    ]
    assert by_provider[0].outcomes == {"Timeout": 1}
    assert by_provider[0].mean_ms == 890
    assert [r.group for r in await summarise(db, "day", today=NOON.date())] == ["2026-11-16"]
    endpoints = await summarise(db, "endpoint", today=NOON.date())
    assert [r.group for r in endpoints] == ["tavily/search", "brave/search"]
    assert by_key[0].to_dict()["outcomes"] == {"found": 2}


async def test_a_tenant_sees_its_own_usage(db, now):
    """Whatever the grouping (G12)."""
    usage = UsageWriter(db, now=now)
    fill(usage)
    await usage.flush()

    for by in ("provider", "key", "day", "endpoint", "tenant"):
        rows = await summarise(db, by, tenant="acme", today=NOON.date())
        assert sum(r.searches for r in rows) == 1
        assert "unavailable" not in str(rows)
    assert await summarise(db, "key", tenant="' OR 1=1 --", today=NOON.date()) == []


async def test_old_days_are_left_out(db, now):
    """`days=1` is today, in UTC."""
    usage = UsageWriter(db, now=now)
    for day in (14, 15, 16):
        now.time = NOON.replace(day=day)
        usage.record(outcome="found")
    await usage.flush()

    today = date(2026, 11, 16)
    groups = [[r.group for r in await summarise(db, "day", days=n, today=today)] for n in (1, 2)]
    assert groups == [["2026-11-16"], ["2026-11-15", "2026-11-16"]]


async def test_sums_of_several_processes_add_up(settings, now):
    """Four writers of the same rows at the same time: no deadlock, nothing lost."""
    databases = [await Database.open(settings) for _ in range(4)]
    writers = [UsageWriter(database, now=now) for database in databases]
    chance = random.Random(1)
    for _ in range(5):
        for writer in writers:
            for _ in range(100):
                writer.record(outcome="found", key=f"k{chance.randrange(20)}", cost=0.5)
        await asyncio.gather(*(writer.flush() for writer in writers))

    assert await count(databases[0]) == 2000
    assert await count(databases[0], "cost") == pytest.approx(1000)
    for database in databases:
        await database.close()


async def test_usage_is_written_every_second_and_at_the_end(db, now, clock):
    """The last second is written by a graceful stop."""
    async with UsageWriter(db, now=now) as usage:
        usage.record(outcome="found")
        clock.advance(1.1)
        while not await count(db):
            pass
        for _ in range(50):
            usage.record(outcome="found")
    assert await count(db) == 51


async def test_a_database_that_fails_loses_nothing(db, now, clock, caplog):
    """The counters wait in memory; one warning says so; a request never notices."""
    async with db.write() as connection:
        await connection.execute(text("ALTER TABLE kensaku_usage RENAME TO elsewhere"))
    caplog.set_level(logging.WARNING)
    async with UsageWriter(db, now=now) as usage:
        for _ in range(3):
            usage.record(outcome="found", elapsed_ms=5)
            with pytest.raises(DatabaseFault):
                await usage.flush()
            clock.advance(1.1)
            await asyncio.sleep(0.05)
        async with db.write() as connection:
            await connection.execute(text("ALTER TABLE elsewhere RENAME TO kensaku_usage"))
    assert await count(db) == 3
    assert caplog.text.count("cannot be written") <= 1


async def test_a_stop_does_not_wait_for_ever(db, now, caplog):
    """What could not be written is reported as lost."""
    async with db.write() as connection:
        await connection.execute(text("DROP TABLE kensaku_usage"))
    usage = UsageWriter(db, now=now)
    usage.CLOSE_SECONDS = 0.0
    usage.record(outcome="found")
    await usage.close()

    assert "was lost" in caplog.text


async def test_memory_is_bounded(db, now):
    """However many labels somebody invents; what is known is still counted."""
    usage = UsageWriter(db, now=now)
    usage.MAX_GROUPS = 10
    for n in range(100):
        usage.record(outcome="found", endpoint=f"e{n}")
    usage.record(outcome="found", endpoint="e3")
    await usage.flush()

    assert usage.lost == 90
    assert await count(db) == 11


async def test_hostile_labels_and_amounts_are_counted_and_harmless(db, now):
    """One of them must not stop the writing of the others."""
    usage = UsageWriter(db, now=now)
    for label in ("\0", "\ud800", "x" * 1000, "a\nb", "' OR 1=1 --"):
        usage.record(outcome=label, tenant=label, key=label, endpoint=label, provider=label)
    for amount in (math.nan, math.inf, -1.0, 1e308):
        usage.record(outcome="found", cost=amount, credits=amount, elapsed_ms=amount)
    await usage.flush()

    assert await count(db) == 4
    assert await count(db, "searches") == 5
    groups = {row.group for row in await summarise(db, "tenant", today=NOON.date())}
    assert groups == {"", OTHER, "' OR 1=1 --"}


def test_percentiles_are_within_a_bucket_of_the_truth():
    """Buckets double, and values between are interpolated."""
    chance = random.Random(5)
    times = sorted(chance.lognormvariate(5, 0.8) for _ in range(10_000))
    histogram = [0] * BUCKETS
    for ms in times:
        histogram[min(int(ms).bit_length(), BUCKETS - 1)] += 1

    for share in (0.5, 0.95):
        assert percentile(histogram, share) == pytest.approx(times[int(10_000 * share)], rel=0.15)
    assert percentile([0] * BUCKETS, 0.5) == 0


async def test_the_days_that_can_be_asked_for_end_after_ten_years(file_db, now):
    """3,660 days, and not one more."""
    usage = UsageWriter(file_db, now=now)
    for days in (3_660, 3_659):
        now.time = NOON - timedelta(days=days)
        usage.record(outcome="found", key=str(days))
    await usage.flush()

    rows = await summarise(file_db, "key", days=3_660, today=NOON.date())

    assert [row.group for row in rows] == ["3659"]
    assert await summarise(file_db, "key", days=1, today=NOON.date()) == []
    with pytest.raises(InvalidQuery, match="days is 3661; it must be 1 to 3,660"):
        await summarise(file_db, "key", days=3_661)
    with pytest.raises(InvalidQuery):
        await summarise(file_db, "key", days=0)
    with pytest.raises(UnknownName):
        await summarise(file_db, "colour")


async def test_a_row_has_all_that_is_known_of_its_group(file_db, now):
    """As `kensaku usage --json` prints it; those that were used most come first."""
    usage = UsageWriter(file_db, now=now)
    fill(usage)
    usage.record(outcome="empty", tenant="acme", key="a", elapsed_ms=0)
    await usage.flush()

    by_tenant = await summarise(file_db, "tenant", today=NOON.date())

    assert by_tenant[0].to_dict() == {
        "group": "acme",
        "requests": 3,
        "searches": 1,
        "cached": 1,
        "cost": 0.008,
        "credits": 3.0,
        "outcomes": {"found": 2, "empty": 1},
        "mean_ms": 34.0,
        "p50_ms": 3.0,
        "p95_ms": 118.4,
    }
    assert [(r.group, r.p50_ms, r.p95_ms) for r in by_tenant[1:]] == [("umbrella", 768.0, 998.4)]


@pytest.mark.parametrize(
    ("label", "length"),
    [("tenant", 64), ("key", 16), ("endpoint", 64), ("provider", 64), ("outcome", 32)],
)
async def test_a_label_is_stored_if_its_column_holds_it(file_db, now, label, length):
    """One that is longer would stop the writing of the others on PostgreSQL."""
    usage = UsageWriter(file_db, now=now)
    for size in (length, length + 1):
        usage.record(**{"outcome": "found", label: "x" * size})
    await usage.flush()

    async with file_db.read() as connection:
        stored = sorted(await connection.scalars(select(USAGE.c[label])))
    assert stored == ["(other)", "x" * length]


async def test_what_comes_while_a_write_fails_is_added_to_what_was_not_written(file_db, now):
    """The same group and others."""
    usage = UsageWriter(file_db, now=now)
    usage.record(outcome="found", cost=1.0)
    usage.record(outcome="empty", cost=2.0)
    async with file_db.write() as connection:
        await connection.execute(text("ALTER TABLE kensaku_usage RENAME TO elsewhere"))
    writing = asyncio.create_task(usage.flush())
    await asyncio.sleep(0)
    usage.record(outcome="found", cost=4.0)
    with pytest.raises(DatabaseFault):
        await writing
    async with file_db.write() as connection:
        await connection.execute(text("ALTER TABLE elsewhere RENAME TO kensaku_usage"))

    await usage.flush()

    assert (await count(file_db), await count(file_db, "cost")) == (3, 7.0)


async def test_a_database_that_cannot_be_written_is_warned_of_once(file_db, now, caplog):
    """And again only after it could be written in between."""
    usage = UsageWriter(file_db, now=now)

    async def rename(old: str, new: str) -> None:
        async with file_db.write() as connection:
            await connection.execute(text(f"ALTER TABLE {old} RENAME TO {new}"))

    warnings = []
    for _ in range(2):
        await rename("kensaku_usage", "elsewhere")
        for _ in range(2):
            usage.record(outcome="found")
            await usage._try_to_flush()
        await rename("elsewhere", "kensaku_usage")
        await usage._try_to_flush()
        warnings.append(caplog.text.count("usage cannot be written, and is kept in memory"))
    assert warnings == [1, 2]
    assert await count(file_db) == 4


@pytest.mark.parametrize("days", [30, 0])
async def test_usage_is_deleted_after_its_days(db, now, days):
    """By whoever writes; the days that are kept stay as they are, and 0 days are for ever."""
    usage = UsageWriter(db, days=days, now=now)
    ages = (3_000, 31, 30, 0)
    for age in ages:
        now.time = NOON - timedelta(days=age)
        usage.record(outcome="found", key=str(age))
    now.time = NOON
    await usage.flush()

    await usage._try_to_flush()
    rows = await summarise(db, "key", days=3_660, today=NOON.date())

    assert {row.group for row in rows} == {str(age) for age in ages if not days or age <= days}


async def test_buckets_of_latencies_double(file_db, now):
    """Under 1 ms, under 2, under 4 … and the rest."""
    usage = UsageWriter(file_db, now=now)
    for elapsed_ms in (0, 0.9, 1, 1.9, 2, 4, 8_191, 16_383, 16_384, 10**9):
        usage.record(outcome="found", elapsed_ms=elapsed_ms)
    await usage.flush()

    found = {n: c for n in range(16) if (c := await count(file_db, f"latency_{n}"))}

    assert found == {0: 2, 1: 2, 2: 1, 3: 1, 13: 1, 14: 1, 15: 2}
