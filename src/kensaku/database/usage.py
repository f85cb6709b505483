"""What was used, by day, tenant, key, endpoint, provider and outcome.

    UsageWriter.record(…) → counters in memory → every second: one transaction of upserts
    summarise(db, by="provider") → one row for each group, with its latencies

A request is recorded once without a provider, and each search that was sent upstream for it once
with its provider. `requests`, `cached`, `credits` come from the first, `searches` and `cost` from
the second; latencies are those of what the rows are about.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING, Any, Literal, get_args

from sqlalchemy import Row, delete, func, select
from sqlalchemy.dialects import postgresql, sqlite

from kensaku._logger import get_logger
from kensaku.database.tables import BUCKETS, USAGE
from kensaku.errors import DatabaseFault, InvalidQuery, UnknownName
from kensaku.messages import msg

if TYPE_CHECKING:
    from types import TracebackType

    from sqlalchemy import Insert

    from kensaku.database.engine import Database

log = get_logger("kensaku")

By = Literal["provider", "key", "day", "endpoint", "tenant"]
MAX_DAYS = 3660
OTHER = "(other)"  # a label that cannot be stored
_GROUP = tuple(c.name for c in USAGE.primary_key.columns)
_COUNTERS = tuple(c.name for c in USAGE.columns if not c.primary_key)
_FIRST_BUCKET = _COUNTERS.index("latency_0")
_LENGTHS = [c.type.length for c in USAGE.primary_key.columns if hasattr(c.type, "length")]
Group = tuple[date, str, str, str, str, str]


class UsageWriter:
    """Counts in memory and writes the sums every second. Counting never waits and never fails.

    While the database cannot be written, the counters are kept and written later.
    """

    SECONDS = 1.0
    MAX_GROUPS = 20_000  # in memory; more are counted as `lost`
    CLOSE_SECONDS = 5.0  # for which the last write is tried again

    def __init__(
        self,
        db: Database,
        *,
        days: int = 0,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        """`days`: older usage is deleted, once a day; 0 for never."""
        self.lost = 0  # records that could not be kept
        self._db, self._days, self._now = db, days, now
        self._deleted_on: date | None = None
        self._groups: dict[Group, list[float]] = {}
        self._statement = _upsert(db.dialect)
        self._writing = asyncio.Lock()
        self._stop = asyncio.Event()
        self._timer: asyncio.Task[None] | None = None
        self._failed = False

    async def __aenter__(self) -> UsageWriter:
        self._timer = asyncio.create_task(self._flush_regularly())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None
    ) -> None:
        await self.close()

    def record(
        self,
        *,
        outcome: str,
        tenant: str = "",
        key: str = "",
        endpoint: str = "",
        provider: str = "",
        cached: bool = False,
        cost: float = 0.0,
        credits: float = 0.0,
        elapsed_ms: float = 0.0,
    ) -> None:
        """Count one request, or with `provider` one search that was sent to it.

        `key` is the id of a key. `outcome`: found, empty, unavailable, or what went wrong.
        """
        labels = (tenant, key, endpoint, provider, outcome)
        today = self._now().date()
        group: Group = (today, *labels)
        counters = self._groups.get(group)  # if it is there, its labels can be stored
        if counters is None:
            group = (today, *map(_label, labels, _LENGTHS))  # type: ignore[assignment]
            counters = self._groups.get(group)
        if counters is None:
            if len(self._groups) >= self.MAX_GROUPS:
                self.lost += 1
                return
            counters = self._groups[group] = [0.0] * len(_COUNTERS)
        elapsed_ms = _amount(elapsed_ms)
        values = (not provider, bool(provider), cached, _amount(cost), _amount(credits), elapsed_ms)
        for n, value in enumerate(values):
            counters[n] += value
        counters[_FIRST_BUCKET + min(int(elapsed_ms).bit_length(), BUCKETS - 1)] += 1

    async def flush(self) -> None:
        """Write what was counted. Raises `DatabaseFault`; then it is kept for the next time."""
        async with self._writing:
            groups, self._groups = self._groups, {}
            if not groups:
                return
            # In one order, or two processes could wait for each other's rows.
            names = (*_GROUP, *_COUNTERS)
            rows = [
                dict(zip(names, (*g, *counters), strict=True))
                for g, counters in sorted(groups.items())
            ]
            try:
                async with self._db.write() as connection:
                    await connection.execute(self._statement, rows)
            except BaseException:
                self._keep(groups)
                raise

    async def close(self) -> None:
        """Stop the timer and write what is left."""
        self._stop.set()
        if self._timer is not None:
            await self._timer
        loop = asyncio.get_running_loop()
        deadline = loop.time() + self.CLOSE_SECONDS
        while True:
            try:
                return await self.flush()
            except DatabaseFault as error:
                if loop.time() >= deadline:
                    log.error("usage of the last seconds was lost: %s", error)
                    return None
            await asyncio.sleep(0.2)

    async def _flush_regularly(self) -> None:
        while not self._stop.is_set():
            try:
                await asyncio.wait_for(self._stop.wait(), self.SECONDS)
            except TimeoutError:
                await self._try_to_flush()

    async def _try_to_flush(self) -> None:
        try:
            await self.flush()
            await self._delete_old()
        except DatabaseFault as error:
            if not self._failed:  # warn once, not every second
                log.warning("usage cannot be written, and is kept in memory: %s", error)
            self._failed = True
        else:
            self._failed = False

    async def _delete_old(self) -> None:
        today = self._now().date()
        if self._days and self._deleted_on != today:
            await delete_usage(self._db, before=today - timedelta(days=self._days))
            self._deleted_on = today

    def _keep(self, groups: dict[Group, list[float]]) -> None:
        for group, counters in groups.items():
            newer = self._groups.get(group)
            if newer is not None:
                counters = [a + b for a, b in zip(counters, newer, strict=True)]
            self._groups[group] = counters


@dataclass(slots=True)
class UsageRow:
    """What a group used."""

    group: str
    requests: int = 0
    searches: int = 0  # that were sent to providers
    cached: int = 0
    cost: float = 0.0  # US dollars
    credits: float = 0.0
    outcomes: dict[str, int] = field(default_factory=dict)  # of requests; by provider, of searches
    mean_ms: float = 0.0
    p50_ms: float = 0.0
    p95_ms: float = 0.0

    def to_dict(self) -> dict[str, Any]:
        """The row, ready for JSON."""
        return asdict(self)


async def delete_usage(db: Database, *, before: date) -> int:
    """Delete the usage of the days before this one; return how many rows there were."""
    async with db.write() as connection:
        return (await connection.execute(delete(USAGE).where(USAGE.c.day < before))).rowcount


async def summarise(
    db: Database,
    by: By = "provider",
    *,
    days: int = 30,
    tenant: str | None = None,
    today: date | None = None,
) -> list[UsageRow]:
    """Sum up the usage of the last days (in UTC), of all tenants or of one.

    Days are in order; other groups begin with the one that was used most.
    """
    if by not in get_args(By):
        raise UnknownName(msg("grouping"), by, get_args(By))
    if not 1 <= days <= MAX_DAYS:
        raise InvalidQuery(
            msg("days is {days}; it must be 1 to {max_days:,}", days=days, max_days=MAX_DAYS)
        )
    since = (today or datetime.now(UTC).date()) - timedelta(days=days - 1)
    column, is_request = USAGE.c[by], (USAGE.c.provider == "").label("is_request")
    sums = [func.sum(USAGE.c[name]).label(name) for name in _COUNTERS]
    query = select(column.label("group"), USAGE.c.outcome, is_request, *sums)
    query = query.where(USAGE.c.day >= since).group_by(column, USAGE.c.outcome, is_request)
    if tenant is not None:
        query = query.where(USAGE.c.tenant == tenant)
    if by == "provider":
        query = query.where(USAGE.c.provider != "")
    async with db.read() as connection:
        found = (await connection.execute(query)).all()
    rows = _fold(found, of_requests=by != "provider")
    if by == "day":
        return sorted(rows, key=lambda row: row.group)
    return sorted(rows, key=lambda row: (-row.requests, -row.searches, row.group))


def _fold(found: Any, *, of_requests: bool) -> list[UsageRow]:
    """Add up the outcomes of each group; latencies are of requests, or of searches."""
    rows: dict[str, UsageRow] = {}
    histograms: dict[str, list[int]] = {}
    total_ms: dict[str, float] = {}
    for sums in found:
        group = str(sums.group)
        row = rows.setdefault(group, UsageRow(group))
        row.requests += int(sums.requests)
        row.searches += int(sums.searches)
        row.cached += int(sums.cached)
        row.cost += float(sums.cost)
        row.credits += float(sums.credits)
        if bool(sums.is_request) == of_requests:
            count = int(sums.requests if of_requests else sums.searches)
            row.outcomes[sums.outcome] = row.outcomes.get(sums.outcome, 0) + count
            total_ms[group] = total_ms.get(group, 0.0) + float(sums.total_ms)
            _add_latencies(histograms.setdefault(group, [0] * BUCKETS), sums)
    for group, histogram in histograms.items():
        row = rows[group]
        row.mean_ms = round(total_ms[group] / max(1, sum(histogram)), 1)
        row.p50_ms, row.p95_ms = percentile(histogram, 0.5), percentile(histogram, 0.95)
    return list(rows.values())


def percentile(histogram: list[int], share: float) -> float:
    """Estimate a percentile in milliseconds. Bucket n holds 2ⁿ⁻¹ up to 2ⁿ; the first, 0 up to 1."""
    wanted = sum(histogram) * share
    seen = 0
    for n, count in enumerate(histogram):
        if count and seen + count >= wanted:
            low, high = (1 << n) >> 1, 1 << n
            return round(low + (high - low) * (wanted - seen) / count, 1)
        seen += count
    return 0.0


def _add_latencies(histogram: list[int], sums: Row[Any]) -> None:
    for n in range(BUCKETS):
        histogram[n] += int(getattr(sums, f"latency_{n}"))


def _upsert(dialect: str) -> Insert:
    if dialect == "postgresql":
        insert = postgresql.insert(USAGE)
        return insert.on_conflict_do_update(
            index_elements=_GROUP, set_={c: USAGE.c[c] + insert.excluded[c] for c in _COUNTERS}
        )
    other = sqlite.insert(USAGE)
    return other.on_conflict_do_update(
        index_elements=_GROUP, set_={c: USAGE.c[c] + other.excluded[c] for c in _COUNTERS}
    )


def _label(text: str, length: int) -> str:
    return text if len(text) <= length and text.isprintable() else OTHER


def _amount(value: float) -> float:
    return value if math.isfinite(value) and value > 0 else 0.0
