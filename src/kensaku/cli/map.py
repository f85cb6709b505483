"""List the pages of a site, one address a line, without reading them whole.

Exit status: 0 when there are addresses, 1 when the site could not be read, 2 wrong use.
"""

from __future__ import annotations

import argparse

from kensaku.cli import _terminal as terminal
from kensaku.cli._client import client
from kensaku.cli._crawl_options import add_site, plan_of
from kensaku.cli._options import add_common
from kensaku.cli.extract import tell_failed
from kensaku.text.clean import one_line

USAGE = "[options] URL"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Which site."""
    add_site(parser)
    add_common(parser)


async def run(args: argparse.Namespace) -> int:
    """One map."""
    options = plan_of(args)
    async with client(args) as k:
        found = await k.map(args.url, **options)
    failed = {url for url, _ in found.failed}
    read = any(url not in failed for url in found.urls)
    if args.json:
        terminal.show_json(found.to_dict())
    elif read:
        terminal.show("\n".join(map(one_line, found.urls)))
    tell_failed(found.failed)
    for note in found.notes:
        terminal.tell(f"note: {note}")
    return int(not read)
