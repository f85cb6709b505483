"""Search and print the best passages within a token budget, numbered for citing.

Standard output has the passages and nothing else. If more was found than fits, standard error has
the cursor for the next part, in which [1], [2], … stand for the same pages. Exit status: 0 found
or nothing to find, 1 no provider could search, 2 wrong usage.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from kensaku.cli._client import open_client
from kensaku.cli._first_index import with_filled_index
from kensaku.cli._notices import KeylessNotice, print_outcome
from kensaku.cli._options import add_common_options, load_settings
from kensaku.cli._query_options import add_query_options, query_fields, query_text, search_options
from kensaku.cli._terminal import print_json, print_message, print_result, t
from kensaku.cli._waiting import waiting
from kensaku.models import Query

if TYPE_CHECKING:
    from kensaku.answers.context import Context

USAGE = "[options] WORD …"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the query and the token budget."""
    add_query_options(parser)
    add = parser.add_argument
    add("--max-tokens", type=int, default=2_000, metavar="N",
        help="token budget of the passages (default 2000)")  # fmt: skip
    add("--cursor", metavar="CURSOR", help="continue after an earlier part of the same query")
    add_common_options(parser)


async def run(args: argparse.Namespace) -> int:
    """Search once and print the passages."""
    text, options = query_text(args), {**query_fields(args), **search_options(args)}
    async with open_client(load_settings(args)) as k:
        notice = KeylessNotice(k, args.route, Query(text, **query_fields(args)))
        notice.print_before()

        async def search(options: dict[str, Any]) -> Context:
            return await k.context(text, max_tokens=args.max_tokens, cursor=args.cursor, **options)

        async with waiting(bar=k.progress):
            context = await with_filled_index(k, args.collection, options, search)
    notice.print_after(context.attempts)
    if args.json:
        print_json(context.to_dict())
    elif context.text:
        print_result(context.text)
    status = print_outcome(context)
    _print_size(context, args.max_tokens)
    return status


def _print_size(context: Context, max_tokens: int) -> None:
    if context.citations:
        pages = t("{n} page", "{n} pages", n=len(context.citations))
        print_message(t("{tokens:,} tokens of {pages}", tokens=context.tokens, pages=pages))
    elif context.outcome == "found":
        print_message(
            t(
                "no passage fits into {max_tokens:,} tokens, or all were shown",
                max_tokens=max_tokens,
            )
        )
    if context.cursor:
        print_message(t("more: --cursor {cursor}", cursor=context.cursor))
