"""Export or delete what is stored about a person who used the assistant.

  list CHANNEL            list the people of a channel: terminal, slack, telegram, web …
  export CHANNEL PERSON   print conversations, choices and approvals as JSON
  delete CHANNEL PERSON   delete them, after confirmation or with --yes

PERSON is the channel's own id of the person; in the terminal, the login name.
"""

from __future__ import annotations

import argparse
import asyncio
import getpass
import sys
from typing import TYPE_CHECKING

from kensaku.assistant.channels.terminal.chat import CHANNEL
from kensaku.assistant.channels.terminal.input import HISTORY
from kensaku.cli._options import add_common_options, load_settings
from kensaku.cli._terminal import print_json, print_message, print_result, t
from kensaku.errors import UsageError
from kensaku.messages import msg

if TYPE_CHECKING:
    from kensaku.database import Database

USAGE = "[options] list CHANNEL | export CHANNEL PERSON | delete CHANNEL PERSON"
EXTRA = "chat"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the action, and whose data it is about."""
    add = parser.add_argument
    add("action", choices=("list", "export", "delete"), metavar="ACTION",
        help="one of list, export, delete")  # fmt: skip
    add("channel", metavar="CHANNEL", help="the channel, such as slack")
    add("person", nargs="?", metavar="PERSON", help="the person's id in the channel")
    add("--tenant", metavar="T", help="tenant (default: that of the settings)")
    add("--yes", action="store_true", help="delete: do not ask for confirmation")
    add_common_options(parser)


async def run(args: argparse.Namespace) -> int:
    """Check the arguments and run the action."""
    from kensaku.database import Database

    if (args.person is None) != (args.action == "list"):
        takes = msg("a channel") if args.action == "list" else msg("a channel and a person")
        raise UsageError(msg("people {action} takes {takes}", action=args.action, takes=takes))
    settings = load_settings(args)
    tenant = settings.tenant if args.tenant is None else args.tenant
    db = await Database.open(settings)
    try:
        if args.action == "list":
            return await _list(args, db, tenant)
        if args.action == "export":
            return await _export(args, db, tenant)
        return await _delete(args, db, tenant)
    finally:
        await db.close()


async def _list(args: argparse.Namespace, db: Database, tenant: str) -> int:
    from kensaku.database.people import list_people

    people = await list_people(db, tenant, args.channel)
    if args.json:
        print_json(people)
    elif people:
        print_result("\n".join(people))
    else:
        print_message(t("nobody has talked on {channel}", channel=args.channel))
    return 0


async def _export(args: argparse.Namespace, db: Database, tenant: str) -> int:
    from kensaku.database.people import export_person

    print_json(await export_person(db, tenant, args.channel, args.person))
    return 0


async def _delete(args: argparse.Namespace, db: Database, tenant: str) -> int:
    from kensaku.database.people import delete_person

    if not args.yes and not await _is_agreed(args):
        print_message(t("nothing was deleted"))
        return 1
    messages = await delete_person(db, tenant, args.channel, args.person)
    if args.channel == CHANNEL and args.person == getpass.getuser():
        history = load_settings(args).home / HISTORY
        await asyncio.to_thread(history.unlink, missing_ok=True)
    if args.json:
        print_json({"channel": args.channel, "person": args.person, "messages": messages})
    else:
        print_result(
            t("deleted {messages:,} messages, the choices and the approvals", messages=messages)
        )
    return 0


async def _is_agreed(args: argparse.Namespace) -> bool:
    from kensaku.assistant.replies import is_yes

    if not sys.stdin.isatty():
        raise UsageError(msg("nobody can be asked here"), remedy=msg("add --yes to delete"))
    print_message(
        t(
            "delete all that is kept about {person} on {channel}? [y/N]",
            person=args.person,
            channel=args.channel,
        )
    )
    said = await asyncio.to_thread(sys.stdin.readline)
    return is_yes(said)
