"""The options of `crawl` and `map`: where to start, which pages, when to stop."""

from __future__ import annotations

import argparse
from typing import Any

from kensaku.cli._addresses import check_url
from kensaku.fetch import Plan
from kensaku.messages import msg

_FIELDS = (
    "max_depth", "max_breadth", "limit", "timeout", "instructions",
    "select_paths", "exclude_paths", "select_domains", "exclude_domains",
)  # fmt: skip


_PATTERNS = {
    "select-path": msg("only paths that match this RE2 pattern; repeatable"),
    "exclude-path": msg("no paths that match this RE2 pattern; repeatable"),
    "select-domain": msg("only hosts that match this RE2 pattern; repeatable"),
    "exclude-domain": msg("no hosts that match this RE2 pattern; repeatable"),
}


def add_crawl_options(parser: argparse.ArgumentParser) -> None:
    """Add the URL and the limits of a crawl."""
    add = parser.add_argument
    add("url", metavar="URL", help="start page; https:// is added if there is no scheme")
    add("--max-depth", type=int, metavar="N", help="follow at most N links in a row, 1 to 5")
    add("--max-breadth", type=int, metavar="N", help="follow at most N links per page, 1 to 500")
    add("--limit", type=int, metavar="N", help="read at most N pages, 1 to 10000 (default 50)")
    for name, about in _PATTERNS.items():
        add(f"--{name}", f"--{name}s", dest=f"{name.replace('-', '_')}s", action="append",
            metavar="RE", help=about)  # fmt: skip
    add("--no-external", action="store_true", help="do not follow links to other sites")
    add("--sitemap", action="store_true", help="also start from the pages of the sitemap")
    add("--instructions", metavar="TEXT", help="only pages that share words with this text")
    add("--timeout", type=float, metavar="SECONDS", help="time limit, 1 to 3600 (default 150)")


def crawl_options(args: argparse.Namespace) -> dict[str, Any]:
    """Return the fields of `fetch.Plan` that were given, checked before anything is opened."""
    if "://" in args.url:
        check_url(args.url)
    options = {name: value for name in _FIELDS if (value := getattr(args, name)) is not None}
    options |= {"allow_external": not args.no_external, "sitemap": args.sitemap}
    _ = Plan(args.url, **options).scope  # compiles the patterns
    return options
