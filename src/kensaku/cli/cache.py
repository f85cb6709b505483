"""Show the size of the response cache, or clear it."""

from __future__ import annotations

import argparse
from typing import Any

from kensaku.cli._client import open_client
from kensaku.cli._options import add_common_options, load_settings
from kensaku.cli._terminal import format_duration, print_json, print_result, t
from kensaku.text.redact import mask_url

USAGE = "[options] stats|clear"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the action."""
    parser.add_argument(
        "action", choices=("stats", "clear"), help="show its size and location, or delete all"
    )
    add_common_options(parser)


async def run(args: argparse.Namespace) -> int:
    """Print the size, or clear the cache."""
    async with open_client(load_settings(args)) as k:
        if args.action == "clear":
            forgotten = await k.resources.cache.clear()
            text = t("{n:,} response deleted", "{n:,} responses deleted", n=forgotten)
            return _print(args, {"forgotten": forgotten}, text)
        count, size = await k.resources.cache.size()
        uses = await k.resources.cache.counts()
        stats: dict[str, Any] = {
            "responses": count,
            "bytes": size,
            "max_bytes": k.settings.cache_max_bytes,
            **uses,
            "hit_rate": round(uses["hits"] / max(1, sum(uses.values())), 3),
            "place": mask_url(k.settings.cache_url) or str(k.settings.home / "cache.sqlite"),
            "fresh_seconds": k.settings.cache_ttl,
            "stale_seconds": k.settings.cache_stale,
        }
        text = t(
            "{responses:,} responses, {bytes:,} of {max_bytes:,} bytes, in {place}\n"
            "{hits:,} of {uses:,} searches were answered from it ({hit_rate:.0%})\n"
            "fresh for {fresh}; served stale for up to {stale} if providers fail",
            **stats,
            uses=sum(uses.values()),
            fresh=format_duration(k.settings.cache_ttl),
            stale=format_duration(k.settings.cache_stale),
        )
        return _print(args, stats, text)


def _print(args: argparse.Namespace, values: dict[str, object], text: str) -> int:
    if args.json:
        print_json(values)
    else:
        print_result(text)
    return 0
