"""Does a quote stand on a page? Found or not, and where; no opinion.

Spacing, letter case and the shapes of quotation marks and dashes do not count; words and figures
do. Exit status: 0 the page was read, found or not; 1 it could not be read; 2 wrong use.
"""

from __future__ import annotations

import argparse

from kensaku.cli import _terminal as terminal
from kensaku.cli._addresses import check_url
from kensaku.cli._client import client
from kensaku.cli._options import add_common

USAGE = "[options] QUOTE URL"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What to look for, and where."""
    parser.add_argument("quote", metavar="QUOTE", help="the words, in one argument")
    parser.add_argument("url", metavar="URL", help="the page that is said to hold them")
    add_common(parser)


async def run(args: argparse.Namespace) -> int:
    """One look."""
    from kensaku.answers.verify import verify

    verify(args.quote, "")  # an empty or endless quote is told before anything is sent
    check_url(args.url)
    async with client(args) as k:
        found = await k.verify(args.quote, args.url)
    if args.json:
        terminal.show_json({"url": args.url, **found.to_dict()})
    elif found.found:
        terminal.show(f"found, characters {found.start} to {found.end}: {found.text}")
    else:
        terminal.show("not found")
    return 0
