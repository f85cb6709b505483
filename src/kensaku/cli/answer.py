"""Search and print an answer that cites the source of each sentence.

Without a model the answer consists of sentences from the sources, word for word. With `llm.url`
and `llm.model` set, that model writes it from the same passages. Exit status: 0 found or nothing
to find, 1 no provider could search, 2 wrong usage.
"""

from __future__ import annotations

import argparse
import re
from typing import TYPE_CHECKING

from kensaku.cli._client import open_client
from kensaku.cli._notices import KeylessNotice, print_outcome
from kensaku.cli._options import add_common_options, load_settings
from kensaku.cli._query_options import add_query_options, query_fields, query_text, search_options
from kensaku.cli._terminal import print_json, print_result
from kensaku.cli._waiting import waiting
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
        async with waiting():
            answer = await k.answer(text, max_tokens=args.max_tokens, **options)
    notice.print_after(answer.attempts)
    if args.json:
        print_json(answer.to_dict())
    elif answer.text:
        print_result(_format(answer))
    return print_outcome(answer)


def _format(answer: Answer) -> str:
    """Return the answer, followed by the sources that it cites."""
    text = answer.text or ""
    cited = {int(n) for n in re.findall(r"\[(\d+)\]", text)}
    sources = [
        f"[{c.n}] {c.title}\n    {c.url}" if c.title and c.title != c.url else f"[{c.n}] {c.url}"
        for c in answer.citations
        if c.n in cited
    ]
    return "\n".join([text, *([""] if sources else []), *sources])
