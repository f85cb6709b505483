"""Manage the API keys of the server.

  create NAME   create a key and print it; it is shown only once
  list          list the keys and their limits
  revoke ID     revoke a key; all servers refuse it within a second

Until the first key exists, the server accepts only local requests, and searching needs no key.
"""

from __future__ import annotations

import argparse
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from kensaku.cli._options import add_common_options, load_settings
from kensaku.cli._terminal import format_table, print_json, print_message, print_result, t
from kensaku.errors import UsageError
from kensaku.messages import msg

if TYPE_CHECKING:
    from kensaku.database import Database
    from kensaku.database.keys import ApiKey

USAGE = "[options] create NAME | list | revoke ID"
EXTRA = "server"
HEADINGS = [msg("id"), msg("name"), msg("tenant"), msg("key"), msg("rate"), msg("searches/day"),
            msg("$/month"), msg("created"), msg("state")]  # fmt: skip


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the action, and the limits of a new key."""
    add = parser.add_argument
    add("action", choices=("create", "list", "revoke"), metavar="ACTION",
        help="one of create, list, revoke")  # fmt: skip
    add("what", nargs="?", metavar="NAME|ID", help="the name of the new key, or the id of a key")
    add("--tenant", metavar="T", help="create: tenant of the key; list: only this tenant")
    add("--rate", metavar="RATE",
        help="create: rate limit, such as 10/s or 100/m; up to half a second's requests, or a "
        "tenth of a minute's or day's, may come at once")  # fmt: skip
    add("--searches-per-day", type=int, metavar="N", help="create: searches per day (UTC)")
    add("--money-per-month", type=float, metavar="X", help="create: US dollars per month (UTC)")
    add("--expires", type=float, metavar="DAYS", help="create: days until the key expires")
    add("--admin", action="store_true", help="create: allow it to manage keys and see all usage")
    add_common_options(parser)


async def run(args: argparse.Namespace) -> int:
    """Check the arguments of an action and run it."""
    takes = {
        "create": msg("a name"),
        "list": msg("nothing else"),
        "revoke": msg("the id of a key"),
    }
    if (args.what is None) != (args.action == "list"):
        raise UsageError(
            msg("keys {action} takes {takes}", action=args.action, takes=takes[args.action])
        )
    async with _open(args) as db:
        if args.action == "create":
            await _create(args, db)
        elif args.action == "list":
            await _list(args, db)
        else:
            await _revoke(args, db)
    return 0


@asynccontextmanager
async def _open(args: argparse.Namespace) -> AsyncIterator[Database]:
    from kensaku.database import Database

    db = await Database.open(load_settings(args))
    try:
        yield db
    finally:
        await db.close()


async def _create(args: argparse.Namespace, db: Database) -> None:
    from kensaku.database.keys import create_key, has_keys

    first = not await has_keys(db)
    key, secret = await create_key(
        db,
        args.what,
        tenant=args.tenant or "",
        rate=args.rate,
        searches_per_day=args.searches_per_day,
        money_per_month=args.money_per_month,
        admin=args.admin,
        expires=_after_days(args.expires),
    )
    if args.json:
        print_json({**key.to_dict(), "key": secret})
    else:
        print_result(secret)
    print_message(
        t(
            "{key} has the id {id}; its key is not shown again: store it now",
            key=key.name,
            id=key.id,
        )
    )
    if first:
        print_message(t("it is the first: from now on, the server refuses requests without a key"))


async def _list(args: argparse.Namespace, db: Database) -> None:
    from kensaku.database.keys import list_keys

    keys = await list_keys(db, tenant=args.tenant)
    if args.json:
        print_json([key.to_dict() for key in keys])
    elif keys:
        print_result(format_table([HEADINGS, *map(_row, keys)]))
    elif args.tenant is not None:
        print_message(t("the tenant {tenant} has no keys", tenant=args.tenant))
    else:
        print_message(
            t(
                "there are no keys: only local requests are accepted; "
                "create one with: kensaku keys create NAME"
            )
        )


async def _revoke(args: argparse.Namespace, db: Database) -> None:
    from kensaku.database.keys import revoke_key

    key = await revoke_key(db, args.what, tenant=args.tenant)
    if args.json:
        print_json(key.to_dict())
    else:
        print_result(t("revoked {id} ({key})", id=key.id, key=key.name))


def _after_days(days: float | None) -> datetime | None:
    if days is None:
        return None
    if not 0 < days <= 36_500:
        raise UsageError(
            msg("--expires is {days:g}; it must be above 0, up to 36,500 days", days=days)
        )
    return datetime.now(UTC) + timedelta(days=days)


def _row(key: ApiKey) -> list[str]:
    return [
        key.id,
        key.name,
        key.tenant or "–",
        f"{key.hint}…",
        key.rate or "–",
        f"{key.searches_per_day:,}" if key.searches_per_day else "–",
        f"{key.money_per_month:g}" if key.money_per_month else "–",
        f"{key.created:%Y-%m-%d}",
        _state(key),
    ]


def _state(key: ApiKey) -> str:
    if key.revoked:
        return t("revoked {day}", day=f"{key.revoked:%Y-%m-%d}")
    if not key.is_live():
        return t("expired")
    state = t("admin") if key.admin else t("active")
    if key.expires is None:
        return state
    return t("{state}, until {day}", state=state, day=f"{key.expires:%Y-%m-%d}")
