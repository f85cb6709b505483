"""Search, and say honestly what came of it.

Results go to standard output, everything else to standard error. The words need no quotes, and
`-` reads them from standard input. Exit status: 0 found or nothing to find, 1 nobody could search,
2 wrong use.
"""

from __future__ import annotations

import argparse
import sys
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from kensaku import models
from kensaku.cli import _terminal as terminal
from kensaku.cli._options import add_common, settings_of

if TYPE_CHECKING:
    from kensaku.client import Kensaku
    from kensaku.config.settings import Settings
    from kensaku.models import Query, Response
    from kensaku.testing.cassette import Cassette

USAGE = "[options] WORD …"
MAX_STDIN = 1 << 16


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What is asked, of whom, and how it is shown."""
    add = parser.add_argument
    add("query", nargs="+", metavar="WORD", help="what to search for; - reads standard input")
    add("-n", "--max-results", type=int, metavar="N", help="how many results, 1 to 50")
    _choice(parser, "--depth", get_args(models.Depth), "how thorough", "basic")
    _choice(parser, "--topic", get_args(models.Topic), "about what", "general")
    _choice(parser, "--time-range", get_args(models.TimeRange), "not older than that")
    add("--start-date", metavar="DATE", help="not older than this day, as in 2026-01-31")
    add("--end-date", metavar="DATE", help="not newer than this day")
    add("--include-domain", action="append", metavar="HOST", help="only this host; repeatable")
    add("--exclude-domain", action="append", metavar="HOST", help="not this host; repeatable")
    add("--country", metavar="CODE", help="prefer results of this country, as in jp")
    add("--language", metavar="CODE", help="results in this language, as in ja")
    add("--collection", metavar="NAME", help="which collection of the local index")
    add("--answer", action="store_true", help="ask for an answer, too, where one is given")
    add("--route", metavar="NAMES", help="who is asked, in order: tavily,brave,local; or auto")
    _choice(parser, "--mode", ("first", "hedge", "all"), "how they are asked")
    add("--timeout", type=float, metavar="SECONDS", help="how long it may take in all")
    add("--no-cache", action="store_true", help="neither read nor keep earlier results")
    add("--dialect", metavar="NAME", help="how results are written: plain, compact, markdown:ja …")
    add("--explain", action="store_true", help="say who was asked, and why results stand there")
    tape = parser.add_mutually_exclusive_group()
    tape.add_argument("--record", type=Path, metavar="FILE", help="write down what is answered")
    tape.add_argument("--replay", type=Path, metavar="FILE", help="play a recording; send nothing")
    add_common(parser)


def _choice(
    parser: argparse.ArgumentParser, flag: str, of: tuple[str, ...], about: str, usual: str = ""
) -> None:
    name = flag.rpartition("-")[2].upper()
    parser.add_argument(
        flag, choices=of, default=usual or None, metavar=name, help=f"{about}: {', '.join(of)}"
    )


async def run(args: argparse.Namespace) -> int:
    """One search."""
    from kensaku.cli import _notices as report
    from kensaku.client import Kensaku
    from kensaku.models import Outcome

    # A recorded refusal must not make the real providers wait.
    settings = settings_of(args, **({"state_url": "memory:"} if args.replay else {}))
    query, cassette = _query(args, settings), _cassette(args)
    dialect = _dialect(args, settings, query)
    route = args.route or (cassette.providers if cassette and cassette.replays else None) or None
    with closing(_Bar()) as progress:
        async with Kensaku(settings, cassette=cassette) as k:
            k.progress = progress
            notice = report.Notice(k, route, silent=bool(args.replay))
            notice.before()
            response = await k.search(
                query,
                route=route,
                mode=args.mode,
                timeout=args.timeout,
                cache=False if args.no_cache or cassette else None,
            )
            if response.outcome is Outcome.UNAVAILABLE and await _index_is_ready(k):
                response = await k.search(query, route="local", timeout=args.timeout)
    notice.after(response)
    terminal.show(_written(response, dialect))
    report.tell_about(response, shown_already=dialect.partition(":")[0] in report.LISTING)
    if args.explain:
        report.explain(response)
    return int(response.outcome is Outcome.UNAVAILABLE)


class _Bar(terminal.Progress):
    def close(self) -> None:
        self.end()


def _query(args: argparse.Namespace, settings: Settings) -> Query:
    from kensaku.models import Query

    words = [sys.stdin.read(MAX_STDIN) if word == "-" else word for word in args.query]
    options: dict[str, Any] = {
        name: getattr(args, name)
        for name in ("depth", "topic", "time_range", "start_date", "end_date", "country",
                     "language", "collection")
    }  # fmt: skip
    return Query(
        " ".join(words),
        limit=settings.max_results if args.max_results is None else args.max_results,
        include_domains=_hosts(args.include_domain),
        exclude_domains=_hosts(args.exclude_domain),
        include_answer=args.answer,
        **options,
    )


def _hosts(given: list[str] | None) -> tuple[str, ...]:
    return tuple(host for hosts in given or () for host in hosts.split(",") if host.strip())


def _cassette(args: argparse.Namespace) -> Cassette | None:
    if not (args.record or args.replay):
        return None
    from kensaku.testing.cassette import Cassette

    if args.record:
        return Cassette(args.record, mode="record")
    return Cassette(args.replay)


def _dialect(args: argparse.Namespace, settings: Settings, query: Query) -> str:
    """The dialect, tried out on nothing: a wrong name is known before anything is sent."""
    from kensaku.dialects import write
    from kensaku.models import Outcome, Response

    dialect: str = "json" if args.json else args.dialect or settings.dialect
    write(Response(query, Outcome.EMPTY), dialect)
    return dialect


def _written(response: Response, dialect: str) -> str:
    from kensaku.dialects import write

    options: dict[str, Any] = {}
    if dialect == "json" and sys.stdout.isatty():
        options["indent"] = 2
    if dialect.partition(":")[0] == "plain" and terminal.fancy(sys.stdout):
        options["style"] = terminal.Painted()
    return write(response, dialect, **options)


async def _index_is_ready(k: Kensaku) -> bool:
    """Whether the starter collection was being built when the deadline came, and now is there: on
    a slow machine the first search takes longer than a search may."""
    from kensaku.providers.local import Local

    local = k.provider("local")
    return isinstance(local, Local) and await local.finish()
