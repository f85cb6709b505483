"""Check whether a page contains a quote, and where.

Spacing, letter case and the kinds of quotation marks and dashes are ignored; words and figures
must match. Exit status: 0 the page was read, with or without the quote; 1 it could not be read;
2 wrong usage.
"""

from __future__ import annotations

import argparse

from kensaku.answers.verify import verify
from kensaku.cli._addresses import check_url
from kensaku.cli._client import open_client
from kensaku.cli._options import add_common_options, add_private_option, load_settings
from kensaku.cli._terminal import print_json, print_result, t

USAGE = "[options] QUOTE URL"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the quote and the URL of the page."""
    parser.add_argument("quote", metavar="QUOTE", help="the quote, as one argument")
    parser.add_argument("url", metavar="URL", help="the page to look at")
    add_private_option(parser)
    add_common_options(parser)


async def run(args: argparse.Namespace) -> int:
    """Look for the quote and print where it is."""
    verify(args.quote, "")  # raises for an empty or overlong quote before anything is sent
    check_url(args.url)
    async with open_client(load_settings(args)) as k:
        verification = await k.verify(args.quote, args.url)
    if args.json:
        print_json({"url": args.url, **verification.to_dict()})
    elif verification.found:
        said = t("found, characters {start} to {end}: {text}", start=verification.start,
                 end=verification.end, text=verification.text)  # fmt: skip
        print_result(said)
    else:
        print_result(t("not found"))
    return 0
