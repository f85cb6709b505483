"""Find out what does not work, and what to do about it.

Nothing is spent: hosts are connected to, and keys are checked where that is free. With --live one
search is sent to every provider of the usual route, with each of its keys. What works again is not
made to wait any longer. Exit status 1 when something is broken.
"""

from __future__ import annotations

import argparse
import asyncio
from typing import TYPE_CHECKING

from kensaku.cli import _terminal as terminal
from kensaku.cli._options import add_common, settings_of
from kensaku.errors import ConfigError

if TYPE_CHECKING:
    from kensaku.cli.doctor.local import Finding
    from kensaku.config.settings import Settings

USAGE = "[options]"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """How far to go."""
    parser.add_argument("--live", action="store_true", help="send a search to each; it may cost")
    parser.add_argument(
        "--timeout", type=float, default=8.0, metavar="SECONDS", help="how long each may take"
    )
    add_common(parser)


async def run(args: argparse.Namespace) -> int:
    """All checks, those of the network at the same time."""
    from kensaku.cli.doctor.local import Finding, check_machine

    try:
        settings = settings_of(args)
    except ConfigError as error:
        return _shown(args, [Finding("✗", "settings", error.message, error.remedy)])
    return _shown(args, check_machine(settings) + await _check_all(settings, args))


async def _check_all(settings: Settings, args: argparse.Namespace) -> list[Finding]:
    from kensaku.cli.doctor.local import check_index
    from kensaku.cli.doctor.network import Examination, check_clock, check_somebody
    from kensaku.client import Kensaku
    from kensaku.search.route import plan

    async with Kensaku(settings) as k:
        route = plan(settings, None, None)
        examined = [
            Examination(k, name, name in route.pool, live=args.live, seconds=args.timeout)
            for name in route.names
            if name != "local"
        ]
        await asyncio.gather(*(e.examine() for e in examined))
        index = await check_index(k, args.timeout)
        found = [finding for e in examined for finding in e.findings]
        found += [*check_clock(e.skew for e in examined), index]
        return [*found, *check_somebody(examined, index)]


def _shown(args: argparse.Namespace, findings: list[Finding]) -> int:
    if args.json:
        terminal.show_json([f.to_dict() for f in findings])
    else:
        for f in findings:
            terminal.show(f"{f.mark} {f.what}: {f.said}" + (f" → {f.next}" if f.next else ""))
    return int(any(f.mark == "✗" for f in findings))
