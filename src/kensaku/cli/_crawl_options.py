"""What `crawl` and `map` take: which pages of a site, and how far."""

from __future__ import annotations

import argparse
from typing import Any

from kensaku.cli._addresses import check_url

_NUMBERS = ("max_depth", "max_breadth", "limit", "timeout")
_PATTERNS = ("select_path", "exclude_path", "select_domain", "exclude_domain")


def add_site(parser: argparse.ArgumentParser) -> None:
    """Where to begin, what belongs to it, and when to stop."""
    add = parser.add_argument
    add("url", metavar="URL", help="the first page; https:// if it has no scheme")
    add("--max-depth", type=int, metavar="N", help="links away from the first page, 1 to 5")
    add("--max-breadth", type=int, metavar="N", help="links followed from one page, 1 to 500")
    add("--limit", type=int, metavar="N", help="pages in all, 1 to 10000; 50 if unsaid")
    add("--select-path", action="append", metavar="RE", help="only such paths (RE2); repeatable")
    add("--exclude-path", action="append", metavar="RE", help="no such paths; repeatable")
    add("--select-domain", action="append", metavar="RE", help="only such hosts; repeatable")
    add("--exclude-domain", action="append", metavar="RE", help="no such hosts; repeatable")
    add("--no-external", action="store_true", help="no pages of other sites")
    add("--sitemap", action="store_true", help="begin with what the site lists, too")
    add("--instructions", metavar="WORDS", help="only pages that share words with these")
    add("--timeout", type=float, metavar="SECONDS", help="when to stop, 1 to 3600; 150 if unsaid")


def plan_of(args: argparse.Namespace) -> dict[str, Any]:
    """The fields of `fetch.Plan`, checked before anything is opened."""
    from kensaku.fetch import Plan

    if "://" in args.url:
        check_url(args.url)
    given = {name: getattr(args, name) for name in (*_NUMBERS, "instructions")}
    given |= {f"{name}s": getattr(args, name) for name in _PATTERNS}
    options = {name: value for name, value in given.items() if value is not None}
    options |= {"allow_external": not args.no_external, "sitemap": args.sitemap}
    _ = Plan(args.url, **options).scope
    return options
