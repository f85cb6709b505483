"""Search once and print an answer that cites the source of each sentence.

The quick form of `kensaku ask`: one search, with all options of `kensaku search`, and no question
back. Without a model, the answer consists of sentences quoted from the sources. With
KENSAKU_MODEL, or `llm.url` and `llm.model`, that model writes it from the same passages, and each
of its citations is checked. Exit status: 0 found or nothing to find, 1 no provider could search, 2
wrong usage.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from kensaku.assistant.channels.terminal.format import page_lines
from kensaku.cli._client import open_client
from kensaku.cli._first_index import with_filled_index
from kensaku.cli._notices import KeylessNotice, print_outcome
from kensaku.cli._options import add_common_options, load_settings
from kensaku.cli._query_options import add_query_options, query_fields, query_text, search_options
from kensaku.cli._terminal import print_json, print_result
from kensaku.cli._waiting import waiting
from kensaku.cli.ask import format_answer
from kensaku.models import Query

if TYPE_CHECKING:
    from kensaku.answers.answer import Answer

USAGE = "[options] WORD …"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the question and the token budget of its sources."""
    add_query_options(parser)
    parser.add_argument(
        "--max-tokens", type=int, default=3_000, metavar="N",
        help="token budget of the sources (default 3000)",
    )  # fmt: skip
    add_common_options(parser)


async def run(args: argparse.Namespace) -> int:
    """Search once and print the answer."""
    text, options = query_text(args), {**query_fields(args), **search_options(args)}
    async with open_client(load_settings(args)) as k:
        notice = KeylessNotice(k, args.route, Query(text, **query_fields(args)))
        notice.print_before()

        async def search(options: dict[str, Any]) -> Answer:
            return await k.answer(text, max_tokens=args.max_tokens, **options)

        async with waiting(bar=k.progress):
            answer = await with_filled_index(k, args.collection, options, search)
    notice.print_after(answer.attempts)
    if args.json:
        print_json(answer.to_dict())
    elif answer.text:
        cited = [c for c in answer.citations if f"[{c.n}]" in answer.text]
        sources = [line for c in cited for line in page_lines(c)]
        print_result(format_answer(answer.text, sources))
    return print_outcome(answer)
