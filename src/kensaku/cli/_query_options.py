"""What `context` and `answer` take and say: the options of a search, and what came of it."""

from __future__ import annotations

import argparse
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, get_args

from kensaku import models
from kensaku.cli import _terminal as terminal
from kensaku.cli._client import client
from kensaku.cli._options import add_common

if TYPE_CHECKING:
    from kensaku.answers.answer import Answer
    from kensaku.answers.context import Context
    from kensaku.cli._notices import Notice
    from kensaku.client import Kensaku

MAX_STDIN = 1 << 16
_FIELDS = ("depth", "topic", "time_range", "start_date", "end_date", "country", "language",
           "collection")  # fmt: skip


def add_question(parser: argparse.ArgumentParser) -> None:
    """The words, and the options of the search behind them."""
    add = parser.add_argument
    add("query", nargs="+", metavar="WORD", help="what to ask; - reads standard input")
    add("-n", "--max-results", type=int, metavar="N", help="how many pages to draw on, 1 to 50")
    for flag, of, about in (
        ("--depth", get_args(models.Depth), "how thorough"),
        ("--topic", get_args(models.Topic), "about what"),
        ("--time-range", get_args(models.TimeRange), "not older than that"),
    ):
        name = flag.rpartition("-")[2].upper()
        add(flag, choices=of, metavar=name, help=f"{about}: {', '.join(of)}")
    add("--start-date", metavar="DATE", help="not older than this day, as in 2026-01-31")
    add("--end-date", metavar="DATE", help="not newer than this day")
    add("--include-domain", action="append", metavar="HOST", help="only this host; repeatable")
    add("--exclude-domain", action="append", metavar="HOST", help="not this host; repeatable")
    add("--country", metavar="CODE", help="prefer results of this country, as in jp")
    add("--language", metavar="CODE", help="results in this language, as in ja")
    add("--collection", metavar="NAME", help="which collection of the local index")
    add("--route", metavar="NAMES", help="who is asked, in order: tavily,brave,local; or auto")
    add("--mode", choices=("first", "hedge", "all"), metavar="MODE",
        help="how they are asked: first, hedge, all")  # fmt: skip
    add("--timeout", type=float, metavar="SECONDS", help="how long the search may take in all")
    add("--no-cache", action="store_true", help="neither read nor keep earlier results")
    add_common(parser)


def words_of(args: argparse.Namespace) -> str:
    """The question, as one text."""
    words = [sys.stdin.read(MAX_STDIN) if word == "-" else word for word in args.query]
    return " ".join(words).strip()


def options_of(args: argparse.Namespace) -> dict[str, Any]:
    """What `Kensaku.search` takes besides the question; what was not said is left out."""
    given: dict[str, Any] = {name: getattr(args, name) for name in _FIELDS}
    given |= {"max_results": args.max_results, "route": args.route, "mode": args.mode}
    given |= {"timeout": args.timeout, "cache": False if args.no_cache else None}
    given["include_domains"] = _hosts(args.include_domain) or None
    given["exclude_domains"] = _hosts(args.exclude_domain) or None
    return {name: value for name, value in given.items() if value is not None}


@asynccontextmanager
async def asker(args: argparse.Namespace) -> AsyncIterator[tuple[Kensaku, Notice]]:
    """A client that tells of long work, and what says where queries go."""
    from kensaku.cli import _notices as report

    async with client(args) as k:
        notice = report.Notice(k, args.route, silent=False)
        notice.before()
        yield k, notice


def status_of(found: Context | Answer, notice: Notice, words: str) -> int:
    """Say on stderr what there is to say of the search; the exit status."""
    from kensaku.cli import _notices as report
    from kensaku.models import Outcome, Query, Response

    response = Response(
        Query(words), found.outcome, attempts=found.attempts, notes=tuple(found.notes)
    )
    notice.after(response)
    report.tell_about(response, shown_already=False)
    if found.outcome is Outcome.UNAVAILABLE:
        terminal.tell("Nobody could search.")
    elif found.outcome is Outcome.EMPTY:
        terminal.tell("Nothing was found.")
    return int(found.outcome is Outcome.UNAVAILABLE)


def _hosts(given: list[str] | None) -> tuple[str, ...]:
    return tuple(host for hosts in given or () for host in hosts.split(",") if host.strip())
