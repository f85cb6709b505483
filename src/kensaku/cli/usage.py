"""Show the usage of the server: requests, searches, cost and latency.

Grouped by provider, a row counts searches sent to that provider; otherwise, it counts requests.
Only what goes through `kensaku serve` is counted, not searches of the command line or of Python.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from kensaku.cli._options import add_common_options, load_settings
from kensaku.cli._terminal import format_table, print_json, print_message, print_result, t
from kensaku.messages import msg

if TYPE_CHECKING:
    from kensaku.database.usage import UsageRow

USAGE = "[options]"
EXTRA = "server"
GOOD = ("found", "empty")
GROUPS = {
    "provider": msg("provider"),
    "key": msg("key"),
    "day": msg("day"),
    "endpoint": msg("endpoint"),
    "tenant": msg("tenant"),
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the grouping and the period."""
    add = parser.add_argument
    add("--by", choices=("provider", "key", "day", "endpoint", "tenant"), default="provider",
        help="one row for each provider (default), key, day, endpoint or tenant")  # fmt: skip
    add("--days", type=int, default=30, metavar="N", help="the last N days, in UTC (default 30)")
    add("--tenant", metavar="T", help="only usage of this tenant")
    add_common_options(parser)


async def run(args: argparse.Namespace) -> int:
    """Print one row for each group."""
    from kensaku.database import Database
    from kensaku.database.keys import list_keys
    from kensaku.database.usage import summarise

    db = await Database.open(load_settings(args))
    try:
        rows = await summarise(db, args.by, days=args.days, tenant=args.tenant)
        names = {k.id: k.name for k in await list_keys(db)} if args.by == "key" else {}
    finally:
        await db.close()
    if args.json:
        print_json([{args.by: row.group, **_without_group(row)} for row in rows])
    elif rows:
        headings = [GROUPS[args.by], msg("requests"), msg("searches"), msg("cached"), msg("failed"),
                    "$", "p50 ms", "p95 ms"]  # fmt: skip
        print_result(format_table([headings, *(_cells(row, names) for row in rows)]))
    else:
        print_message(
            t(
                "nothing went through the server in the last {n} day; searches of the command "
                "line and of Python are not counted",
                "nothing went through the server in the last {n} days; searches of the command "
                "line and of Python are not counted",
                n=args.days,
            )
        )
    return 0


def _without_group(row: UsageRow) -> dict[str, object]:
    return {name: value for name, value in row.to_dict().items() if name != "group"}


def _cells(row: UsageRow, names: dict[str, str]) -> list[str]:
    name = names.get(row.group)
    failed = sum(count for outcome, count in row.outcomes.items() if outcome not in GOOD)
    return [
        f"{row.group} ({name})" if name else row.group or "–",
        f"{row.requests:,}",
        f"{row.searches:,}",
        f"{row.cached:,}",
        f"{failed:,}",
        f"{row.cost:,.4g}" if row.cost else "–",
        f"{row.p50_ms:,.0f}",
        f"{row.p95_ms:,.0f}",
    ]
