"""Plan, search, read and print a report that cites the source of each sentence.

Without a model, the report consists of sentences quoted from the sources. With
KENSAKU_MODEL, or `llm.url` and `llm.model`, that model plans and writes, and each of its citations
is checked. --bundle keeps the queries, results and pages of the run in one file; --replay writes
its report again without a network, and --diff compares two of them. Exit status: 0 a report, or
nothing to find, 1 no provider could search, 2 wrong usage.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from kensaku.answers.report.attachments import MAX_CHARS, Attachment
from kensaku.answers.report.request import CitationFormat, Effort, Length
from kensaku.cli._client import open_client
from kensaku.cli._notices import OUTCOMES, KeylessNotice, print_outcome
from kensaku.cli._options import add_common_options, load_settings
from kensaku.cli._query_options import query_text, split_hosts
from kensaku.cli._report import check_output, print_report
from kensaku.cli._terminal import print_json, print_message, print_result, t
from kensaku.errors import InvalidQuery
from kensaku.foreign_json import decode_json
from kensaku.messages import msg

if TYPE_CHECKING:
    from kensaku.answers.events import Event
    from kensaku.answers.report.report import Report

USAGE = "[options] WORD …"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the task and the form of its report."""
    add = parser.add_argument
    add("query", nargs="*", metavar="WORD", help="what to find out; - reads standard input")
    add("--effort", "--model", dest="effort", choices=get_args(Effort), default="auto",
        metavar="EFFORT", help="mini, pro, auto (default auto); once --model")  # fmt: skip
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
    add("--output", type=Path, metavar="FILE",
        help="write the report to a .md, .html or .json file instead of printing it")  # fmt: skip
    add("--bundle", type=Path, metavar="FILE",
        help="also write the queries, results and pages of the run to a .zip file")  # fmt: skip
    add("--replay", type=Path, metavar="BUNDLE",
        help="write the report of a bundle again, without a network")  # fmt: skip
    add("--diff", type=Path, nargs=2, metavar=("OLD", "NEW"),
        help="compare two bundles: queries, results, pages, report")  # fmt: skip
    add("--no-cache", action="store_true", help="neither read nor write the response cache")
    add_common_options(parser)


async def run(args: argparse.Namespace) -> int:
    """Run the research and print its report."""
    if args.diff or args.replay:
        if args.query or (args.diff and args.replay):
            raise InvalidQuery(
                msg("--replay and --diff take a bundle each, and nothing to find out")
            )
        return _print_diff(args) if args.diff else await _replay(args)
    if not args.query:
        raise InvalidQuery(
            msg("there is nothing to find out"), remedy=msg("say it: kensaku research WORD …")
        )
    return await _search(args)


async def _search(args: argparse.Namespace) -> int:
    from kensaku.answers import research as running

    check_output(args.output)
    state, means = running.begin(query_text(args), _options(args))
    states = [state]
    async with open_client(load_settings(args)) as k:
        notice = KeylessNotice(k, args.route)
        notice.print_before()
        async for event in running.run_events(state, k, **means, save=states.append):
            if sys.stderr.isatty():
                _print_progress(event)
    report: Report = event.report  # type: ignore[attr-defined]  # the last event has it
    notice.print_after(report.attempts)
    if args.bundle is not None:
        from kensaku.answers.report.bundle import write_bundle

        write_bundle(states[-1], args.bundle)
    print_report(report, args.output, as_json=args.json)
    return print_outcome(report)


async def _replay(args: argparse.Namespace) -> int:
    from kensaku.answers.report.bundle import read_bundle, write_bundle
    from kensaku.answers.report.replay import replay_run

    check_output(args.output)
    state, report = await replay_run(
        read_bundle(args.replay), load_settings(args).context_tokenizer
    )
    if args.bundle is not None:
        write_bundle(state, args.bundle)
    print_report(report, args.output, as_json=args.json)
    return print_outcome(report)


def _print_diff(args: argparse.Namespace) -> int:
    from kensaku.answers.report.bundle import read_bundle
    from kensaku.answers.report.diff import compare_runs, format_diff

    found = compare_runs(*map(read_bundle, args.diff))
    if args.json:
        print_json(found.to_dict())
    elif found:
        print_result(format_diff(found))
    else:
        print_message(t("The two runs do not differ."))
    return 0


def _options(args: argparse.Namespace) -> Any:
    return {
        "model": args.effort,
        "output_length": args.length,
        "citation_format": args.citations,
        "output_schema": None if args.schema is None else _read_schema(args.schema),
        "include_domains": split_hosts(args.include_domains) or (),
        "exclude_domains": split_hosts(args.exclude_domains) or (),
        "files": [Attachment(path.name, _read(path)) for path in args.file or ()],
        "route": args.route,
        "collection": args.collection,
        "timeout": args.timeout,
        "cache": False if args.no_cache else None,
    }


def _read_schema(path: Path) -> Any:
    try:
        return decode_json(_read(path))
    except ValueError:
        raise InvalidQuery(
            msg("{path} is not JSON", path=path),
            remedy=msg("--schema takes a file with a JSON schema"),
        ) from None


def _read(path: Path) -> str:
    try:
        with path.open(encoding="utf-8") as file:
            return file.read(MAX_CHARS + 1)  # what is longer is refused by the request
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidQuery(msg("{path} cannot be read: {error}", path=path, error=error)) from None


def _print_progress(event: Event) -> None:
    """Print a line about what happens. The report itself comes at the end."""
    from kensaku.answers import events

    match event:
        case events.Planned(questions=questions, by=by):
            print_message(t("Plan (by {by}): {questions}", by=by, questions=" | ".join(questions)))
        case events.SearchEnded(query=query, outcome=outcome, sources=sources):
            print_message(
                t(
                    "Searched: {query} ({outcome}, {hits})",
                    query=query,
                    outcome=t(OUTCOMES[outcome]),
                    hits=t("{n} hit", "{n} hits", n=len(sources)),
                )
            )
        case events.Reading(urls=urls):
            print_message(t("Reading {n} page", "Reading {n} pages", n=len(urls)))
        case events.Weighed(missing=missing) if missing:
            print_message(t("No answer yet: {missing}", missing=" | ".join(missing)))
        case events.Writing():
            print_message(t("Writing"))
