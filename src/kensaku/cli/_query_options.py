"""The options of `search`, `context` and `answer`: the query, its filters, and the route."""

from __future__ import annotations

import argparse
import sys
from typing import Any, get_args

from kensaku import models
from kensaku.messages import msg

MAX_STDIN = 1 << 16  # characters; more than any query may have
_FIELDS = ("max_results", "depth", "topic", "time_range", "start_date", "end_date",
           "country", "language", "collection", "min_score", "include_images")  # fmt: skip


def add_query_options(parser: argparse.ArgumentParser) -> None:
    """Add the words of the query and the options of a search."""
    add = parser.add_argument
    add("query", nargs="+", metavar="WORD", help="the query; - reads standard input")
    add("-n", "--max-results", type=int, metavar="N", help="number of results, 1 to 50")
    _add_choice(parser, "--depth", get_args(models.Depth), msg("effort: {names}"))
    _add_choice(parser, "--topic", get_args(models.Topic), msg("category: {names}"))
    _add_choice(parser, "--time-range", get_args(models.TimeRange), msg("maximum age: {names}"))
    add("--start-date", metavar="DATE", help="published on or after this day, as in 2026-01-31")
    add("--end-date", metavar="DATE", help="published on or before this day")
    add("--include-domain", "--include-domains", dest="include_domains", action="append",
        metavar="HOST", help="only results from this host; repeatable")  # fmt: skip
    add("--exclude-domain", "--exclude-domains", dest="exclude_domains", action="append",
        metavar="HOST", help="no results from this host; repeatable")  # fmt: skip
    add("--images", dest="include_images", action="store_true", default=None,
        help="also list images, if a provider returns them")  # fmt: skip
    add("--country", metavar="CODE", help="prefer results from this country, as in jp")
    add("--language", metavar="CODE", help="results in this language, as in ja")
    add("--min-score", type=float, metavar="SHARE", help="minimum score of a hit, 0 to 1")
    add("--collection", metavar="NAME", help="collection of the local index to search")
    add("--route", metavar="NAMES", help="providers in order, as in tavily,brave,local; or auto")
    _add_choice(
        parser, "--mode", ("first", "hedge", "all"), msg("how to ask the providers: {names}")
    )
    add("--timeout", type=float, metavar="SECONDS", help="time limit for the whole search")
    add("--no-cache", action="store_true", help="neither read nor write the response cache")
    add("--scrub", action=argparse.BooleanOptionalAction, default=None,
        help="remove keys and other scrub.kinds from the query, or send it unchanged")  # fmt: skip


def query_text(args: argparse.Namespace) -> str:
    """Join the words of the query; `-` is replaced by standard input."""
    words = [sys.stdin.read(MAX_STDIN) if word == "-" else word for word in args.query]
    return " ".join(words).strip()


def query_fields(args: argparse.Namespace) -> dict[str, Any]:
    """Return the fields of `Query` that were given."""
    fields = {name: getattr(args, name) for name in _FIELDS}
    fields["include_domains"] = split_hosts(args.include_domains)
    fields["exclude_domains"] = split_hosts(args.exclude_domains)
    return {name: value for name, value in fields.items() if value is not None}


def search_options(args: argparse.Namespace) -> dict[str, Any]:
    """Return the arguments of `Kensaku.search` besides the query that were given."""
    options = {name: getattr(args, name) for name in ("route", "mode", "timeout", "scrub")}
    options["cache"] = False if args.no_cache else None
    return {name: value for name, value in options.items() if value is not None}


def _add_choice(
    parser: argparse.ArgumentParser, flag: str, choices: tuple[str, ...], about: str
) -> None:
    metavar = flag.rpartition("-")[2].upper()
    text = msg(about, names=", ".join(choices))
    parser.add_argument(flag, choices=choices, metavar=metavar, help=text)


def split_hosts(values: list[str] | None) -> tuple[str, ...] | None:
    """Return the hosts of a repeatable option, which may hold several with commas."""
    hosts = (host.strip() for value in values or () for host in value.split(","))
    return tuple(filter(None, hosts)) or None
