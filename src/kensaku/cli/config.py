"""List settings, their values and origins. Keys are masked."""

from __future__ import annotations

import argparse

from kensaku.cli._options import add_common_options, load_settings
from kensaku.cli._terminal import format_table, print_json, print_result

USAGE = "[options] [NAME …]"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the names of settings."""
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help="only settings whose names start with this"
    )
    add_common_options(parser)


async def run(args: argparse.Namespace) -> int:
    """Print the settings."""
    rows = [
        (key, value, origin, about)
        for key, value, origin, about in load_settings(args).described()
        if not args.names or key.startswith(tuple(args.names))
    ]
    if args.json:
        names = ("name", "value", "origin", "about")
        print_json([dict(zip(names, row, strict=True)) for row in rows])
    else:
        cells = [[k, "–" if v in ("", "None") else v, origin] for k, v, origin, _ in rows]
        print_result(format_table([["setting", "value", "from"], *cells]))
    return 0
