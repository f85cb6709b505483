"""Search the web or the local index and print ranked results.

Results go to standard output, messages to standard error. The words of the query need no quotes;
`-` reads it from standard input. Exit status: 0 found or nothing to find, 1 no provider could
search, 2 wrong usage.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kensaku.cli import _notices as notices
from kensaku.cli._client import open_client
from kensaku.cli._first_index import with_filled_index
from kensaku.cli._options import add_common_options, load_settings
from kensaku.cli._query_options import (
    add_query_options,
    query_fields,
    query_text,
    search_options,
)
from kensaku.cli._terminal import TerminalStyle, print_result, supports_color, terminal_language
from kensaku.cli._waiting import waiting
from kensaku.errors import UsageError
from kensaku.locale import translator
from kensaku.messages import msg
from kensaku.models import LOCAL, Outcome, Query

if TYPE_CHECKING:
    from kensaku.client import Kensaku
    from kensaku.models import Response
    from kensaku.testing.cassette import Cassette

USAGE = "[options] WORD …"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the query, the output format, and recording."""
    add_query_options(parser)
    add = parser.add_argument
    add("--answer", "--include-answer", dest="include_answer", action="store_true",
        help="also print the answer, if a provider returns one")  # fmt: skip
    add("--dialect", metavar="NAME", help="output format: plain, compact, markdown:ja …")
    add("--open", type=int, metavar="N", help="open result N in the browser")
    add(
        "--explain",
        action="store_true",
        help="print the providers asked, and why each hit ranks where it does",
    )
    recording = parser.add_mutually_exclusive_group()
    recording.add_argument(
        "--record", type=Path, metavar="FILE", help="record the responses to a file"
    )
    recording.add_argument(
        "--replay", type=Path, metavar="FILE", help="replay a recording; send nothing"
    )
    add_common_options(parser)


async def run(args: argparse.Namespace) -> int:
    """Search once and print the response."""
    from kensaku.dialects import check_dialect

    # With a state of its own, a recorded refusal puts no real provider on cooldown.
    settings = load_settings(args, **({"state_url": "memory:"} if args.replay else {}))
    dialect = "json" if args.json else args.dialect or settings.dialect
    if dialect == "plain":  # for people: in their language
        dialect = f"plain:{translator(terminal_language()).language}"
    check_dialect(dialect)
    fields = {"max_results": settings.max_results, **query_fields(args)}
    query = Query(query_text(args), include_answer=args.include_answer, **fields)
    cassette, options = _open_cassette(args), search_options(args)
    if cassette is not None:
        options["cache"] = False
        if cassette.replays and cassette.providers:
            options.setdefault("route", cassette.providers)
    async with open_client(settings, cassette) as k:
        notice = None if args.replay else notices.KeylessNotice(k, options.get("route"), query)
        if notice is not None:
            notice.print_before()
        async with waiting(bar=k.progress):
            response = await _search(k, query, options)
    if notice is not None:
        notice.print_after(response.attempts)
    print_result(_format(response, dialect))
    if dialect != "json":
        for image in response.images:
            print_result(f"{image.url} {image.description}".strip())
    notices.print_notices(response.outcome, response.attempts, response.notes, dialect=dialect)
    if args.explain:
        notices.print_explanation(response)
    if args.open is not None:
        await _open_in_browser(response, args.open)
    return int(response.outcome is Outcome.UNAVAILABLE)


async def _open_in_browser(response: Response, number: int) -> None:
    """Open a result. Raises `UsageError` when there is no such result, or it is no web page."""
    import asyncio
    import webbrowser

    if not 1 <= number <= len(response.hits):
        raise UsageError(
            msg(
                "there is no result {number}; there are {count}",
                number=number,
                count=len(response.hits),
            )
        )
    url = response.hits[number - 1].url
    if not url.startswith(("https://", "http://")):
        raise UsageError(msg("result {number} is no web page: {url}", number=number, url=url))
    if not await asyncio.to_thread(webbrowser.open, url):
        raise UsageError(
            msg("no browser could be started"), remedy=msg("open it yourself: {url}", url=url)
        )


async def _search(k: Kensaku, query: Query, options: dict[str, Any]) -> Response:
    """Search, and wait for the local index if it is being filled."""
    from kensaku.search.pipeline import instead_of_web

    async def search(options: dict[str, Any]) -> Response:
        return await k.search(query, **options)

    response = await with_filled_index(k, query.collection, options, search)
    if response.outcome is Outcome.UNAVAILABLE or not notices.only_local(response.attempts):
        return response
    stood_in = any(attempt.provider != LOCAL for attempt in response.attempts)
    return instead_of_web(response) if stood_in else response


def _open_cassette(args: argparse.Namespace) -> Cassette | None:
    if not (args.record or args.replay):
        return None
    from kensaku.testing.cassette import Cassette

    if args.record:
        return Cassette(args.record, mode="record")
    return Cassette(args.replay)


def _format(response: Response, dialect: str) -> str:
    from kensaku.dialects import write

    options: dict[str, Any] = {}
    if dialect == "json" and sys.stdout.isatty():
        options["indent"] = 2
    if dialect.partition(":")[0] == "plain" and supports_color(sys.stdout):
        options["style"] = TerminalStyle()
    return write(response, dialect, **options)
