"""Check this machine, the providers and the local index, and say what to do.

It connects to hosts and checks keys where that is free. With --live it sends one search to every
provider of the default route with each of its keys, and ends the cooldown of those that answer.
Exit status: 0 no errors, 1 errors.
"""

from __future__ import annotations

import argparse
import asyncio
from typing import TYPE_CHECKING

from kensaku.cli._options import add_common_options, load_settings
from kensaku.cli._terminal import print_json, print_result, t
from kensaku.cli.doctor.local import CheckResult, check_index, check_machine
from kensaku.cli.doctor.network import ProviderCheck, check_clock, check_route
from kensaku.errors import ConfigError
from kensaku.messages import msg
from kensaku.search.route import plan
from kensaku.text.clean import one_line

if TYPE_CHECKING:
    from kensaku.cli.doctor.local import CheckResult
    from kensaku.config.settings import Settings

USAGE = "[options]"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add `--live` and the timeout."""
    parser.add_argument("--live", action="store_true", help="send searches, which may cost money")
    parser.add_argument(
        "--timeout",
        type=float,
        default=8.0,
        metavar="SECONDS",
        help="time limit for each check (default 8)",
    )
    add_common_options(parser)


async def run(args: argparse.Namespace) -> int:
    """Run all checks, those of the network concurrently, and print the results."""
    try:
        settings = load_settings(args)
    except ConfigError as error:
        return _print(args, [CheckResult("✗", msg("settings"), error.message, error.remedy)])
    return _print(args, check_machine(settings) + await _check_all(settings, args))


async def _check_all(settings: Settings, args: argparse.Namespace) -> list[CheckResult]:
    from kensaku.client import Kensaku

    async with Kensaku(settings) as k:
        route = plan(settings, None, None)
        checks = [
            ProviderCheck(k, name, name in route.pool, live=args.live, seconds=args.timeout)
            for name in route.names
            if name != "local"
        ]
        await asyncio.gather(*(check.run() for check in checks))
        index = await check_index(k, args.timeout)
        results = [result for check in checks for result in check.results]
        results += [*check_clock(check.skew for check in checks), index]
        return [*results, *check_route(checks, index)]


def _print(args: argparse.Namespace, results: list[CheckResult]) -> int:
    if args.json:
        print_json([r.to_dict() for r in results])
    else:
        for r in results:
            subject, message = t(r.subject), one_line(t(r.message))
            remedy = f" → {one_line(t(r.remedy))}" if r.remedy else ""
            print_result(f"{r.mark} {subject}: {message}{remedy}")
    return int(any(r.mark == "✗" for r in results))
