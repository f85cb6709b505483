"""List providers, their features and status.

The first column is the position in the default route. All processes with the same home share the
status.
"""

from __future__ import annotations

import argparse
from typing import Any

from kensaku.cli._client import open_client
from kensaku.cli._options import add_common_options, load_settings
from kensaku.cli._terminal import format_table, print_json, print_message, print_result, t
from kensaku.messages import msg
from kensaku.providers import provider_class, provider_names
from kensaku.providers._status import describe
from kensaku.search.route import plan

USAGE = "[options] [NAME …]"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the names of providers."""
    parser.add_argument("names", nargs="*", metavar="NAME", help="only these providers")
    add_common_options(parser)


async def run(args: argparse.Namespace) -> int:
    """Print the providers."""
    async with open_client(load_settings(args)) as k:
        order = plan(k.settings, None, None).names
        for name in args.names:
            provider_class(name)
        providers = [await describe(k, name, order) for name in args.names or provider_names()]
    if args.json:
        print_json(providers)
        return 0
    providers.sort(key=lambda p: (p["turn"] is None, p["turn"] or 0))
    rows = [["", msg("provider"), msg("state"), msg("keys", context="API keys"), "$/1000",
             msg("results"), msg("characters"), msg("filters")]]  # fmt: skip
    print_result(format_table(rows + [_row(p) for p in providers]))
    for p in providers:
        if p["sunset"]:
            print_message(
                t(
                    "{name}: the service ends on {day}; plan its successor",
                    name=p["name"],
                    day=p["sunset"],
                )
            )
    return 0


def _row(p: dict[str, Any]) -> list[str]:
    keys = ", ".join(p["keys"]) or (t("none needed") if p["keyless"] else "–")
    return [
        str(p["turn"] or ""),
        p["name"],
        t(p["state"]),
        keys,
        f"{p['price'] * 1000:g}" if p["price"] else "–",
        str(p["max_results"]),
        str(p["max_query_chars"]),
        ", ".join(p["filters"]) or "–",
    ]
