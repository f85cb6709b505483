"""Plan, search, read and print a report that cites the source of each sentence.

Without a model the report consists of sentences from the sources, word for word. With `llm.url`
and `llm.model` set, that model plans and writes, and each of its citations is checked. Exit status:
0 a report, or nothing to find, 1 no provider could search, 2 wrong usage.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from kensaku.cli._client import open_client
from kensaku.cli._notices import KeylessNotice, print_outcome
from kensaku.cli._options import add_common_options, load_settings
from kensaku.cli._query_options import query_text, split_hosts
from kensaku.cli._terminal import format_count, print_json, print_message, print_result
from kensaku.errors import InvalidQuery
from kensaku.research.attachments import MAX_CHARS, Attachment
from kensaku.research.request import CitationFormat, Effort, Length

if TYPE_CHECKING:
    from kensaku.research.events import Event
    from kensaku.research.report import Report

USAGE = "[options] WORD …"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the task and the form of its report."""
    add = parser.add_argument
    add("query", nargs="+", metavar="WORD", help="what to find out; - reads standard input")
    add("--model", choices=get_args(Effort), default="auto", metavar="MODEL",
        help="effort: mini, pro, auto (default auto)")  # fmt: skip
    add("--length", choices=get_args(Length), default="standard", metavar="LENGTH",
        help="length of the report: short, standard, long (default standard)")  # fmt: skip
    add("--citations", choices=get_args(CitationFormat), default="numbered", metavar="FORMAT",
        help="numbered, mla, apa, chicago (default numbered)")  # fmt: skip
    add("--schema", type=Path, metavar="FILE", help="JSON schema that the content has to follow")
    add("--file", type=Path, action="append", metavar="FILE",
        help=".txt, .md or .json file to use as a source; repeatable")  # fmt: skip
    add("--include-domain", "--include-domains", dest="include_domains", action="append",
        metavar="HOST", help="prefer results from this host; repeatable")  # fmt: skip
    add("--exclude-domain", "--exclude-domains", dest="exclude_domains", action="append",
        metavar="HOST", help="no results from this host; repeatable")  # fmt: skip
    add("--route", metavar="NAMES", help="providers in order, as in tavily,brave,local; or auto")
    add("--collection", metavar="NAME", help="collection of the local index to search")
    add("--timeout", type=float, default=300.0, metavar="SECONDS",
        help="time limit for the whole run (default 300)")  # fmt: skip
    add("--no-cache", action="store_true", help="neither read nor write the response cache")
    add_common_options(parser)


async def run(args: argparse.Namespace) -> int:
    """Run the research and print its report."""
    options = _options(args)
    cache = False if args.no_cache else None
    async with open_client(load_settings(args)) as k:
        notice = KeylessNotice(k, args.route)
        notice.print_before()
        async for event in k.research_events(query_text(args), cache=cache, **options):
            if sys.stderr.isatty():
                _print_progress(event)
    report: Report = event.report  # type: ignore[attr-defined]  # the last event has it
    notice.print_after(report.attempts)
    if args.json:
        print_json(report.to_dict())
    elif report.structured is not None:
        print_json(report.structured)
    elif report.text:
        print_result(report.text)
    return print_outcome(report)


def _options(args: argparse.Namespace) -> Any:
    return {
        "model": args.model,
        "output_length": args.length,
        "citation_format": args.citations,
        "output_schema": None if args.schema is None else _read_schema(args.schema),
        "include_domains": split_hosts(args.include_domains) or (),
        "exclude_domains": split_hosts(args.exclude_domains) or (),
        "files": [Attachment(path.name, _read(path)) for path in args.file or ()],
        "route": args.route,
        "collection": args.collection,
        "timeout": args.timeout,
    }


def _read_schema(path: Path) -> Any:
    try:
        return json.loads(_read(path))
    except (ValueError, RecursionError):
        raise InvalidQuery(f"{path} is not JSON") from None


def _read(path: Path) -> str:
    try:
        with path.open(encoding="utf-8") as file:
            return file.read(MAX_CHARS + 1)  # what is longer is refused by the request
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidQuery(f"{path} cannot be read: {error}") from None


def _print_progress(event: Event) -> None:
    """Print a line about what happens. The report itself comes at the end."""
    from kensaku.research import events

    match event:
        case events.Planned(questions=questions, by=by):
            print_message(f"Plan (by {by}): {' | '.join(questions)}")
        case events.SearchEnded(query=query, outcome=outcome, sources=sources):
            print_message(f"Searched: {query} ({outcome}, {format_count(len(sources), 'hit')})")
        case events.Reading(urls=urls):
            print_message(f"Reading {format_count(len(urls), 'page')}")
        case events.Weighed(missing=missing) if missing:
            print_message(f"No answer yet: {' | '.join(missing)}")
        case events.Writing():
            print_message("Writing")
