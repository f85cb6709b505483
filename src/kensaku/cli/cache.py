"""How much is kept of earlier searches, and where; or forget it."""

from __future__ import annotations

import argparse
import re

from kensaku.cli import _terminal as terminal
from kensaku.cli._options import add_common, settings_of

USAGE = "[options] stats|clear"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What to do with the cache."""
    parser.add_argument("action", choices=("stats", "clear"), help="look at it, or forget it all")
    add_common(parser)


async def run(args: argparse.Namespace) -> int:
    """Count or clear."""
    from kensaku.client import Kensaku

    async with Kensaku(settings_of(args)) as k:
        if args.action == "clear":
            return _say(args, {"forgotten": await k.cache.clear()}, "{forgotten:,} forgotten")
        count, size = await k.cache.size()
        kept = {
            "responses": count,
            "bytes": size,
            "place": _place(k.settings.cache_url) or str(k.settings.home / "cache.sqlite"),
            "fresh_seconds": k.settings.cache_ttl,
            "stale_seconds": k.settings.cache_stale,
        }
        form = "{responses:,} responses, {bytes:,} bytes, in {place}\n"
        form += "fresh for {fresh_seconds:g} s, of use for {stale_seconds:g} s more"
        return _say(args, kept, form)


def _place(url: str) -> str:
    return re.sub(r"//[^@/]*@", "//…@", url)  # a password may stand before the host


def _say(args: argparse.Namespace, facts: dict[str, object], form: str) -> int:
    if args.json:
        terminal.show_json(facts)
    else:
        terminal.show(form.format(**facts))
    return 0
