"""Every setting, its value, and where it came from. Keys are masked."""

from __future__ import annotations

import argparse

from kensaku.cli import _terminal as terminal
from kensaku.cli._options import add_common, settings_of

USAGE = "[options] [NAME …]"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Which settings."""
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help="only settings whose names begin so: cache"
    )
    add_common(parser)


async def run(args: argparse.Namespace) -> int:
    """Print the settings."""
    rows = [
        (key, value, origin, about)
        for key, value, origin, about in settings_of(args).described()
        if not args.names or key.startswith(tuple(args.names))
    ]
    if args.json:
        names = ("name", "value", "origin", "about")
        terminal.show_json([dict(zip(names, row, strict=True)) for row in rows])
    else:
        shown = [[k, "–" if v in ("", "None") else v, origin] for k, v, origin, _ in rows]
        terminal.show(terminal.table([["setting", "value", "from"], *shown]))
    return 0
