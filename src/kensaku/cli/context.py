"""Search, and pack the best passages into a number of tokens, numbered for citing.

The text goes to standard output and nothing else does. When more was found than fits, standard
error says the cursor to ask for the rest with; the numbers [1], [2], … stay those of the same
pages. Exit status: 0 found or nothing to find, 1 nobody could search, 2 wrong use.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from kensaku.cli import _query_options as asking
from kensaku.cli import _terminal as terminal

if TYPE_CHECKING:
    from kensaku.answers.context import Context

USAGE = "[options] WORD …"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The question, and how much may come back."""
    add = parser.add_argument
    add("--max-tokens", type=int, default=2_000, metavar="N", help="how many; 2000 if unsaid")
    add("--cursor", metavar="CURSOR", help="go on where an earlier call with these words ended")
    asking.add_question(parser)


async def run(args: argparse.Namespace) -> int:
    """One search, packed."""
    words = asking.words_of(args)
    async with asking.asker(args) as (k, notice):
        found = await k.context(
            words, max_tokens=args.max_tokens, cursor=args.cursor, **asking.options_of(args)
        )
    if args.json:
        terminal.show_json(found.to_dict())
    elif found.text:
        terminal.show(found.text)
    status = asking.status_of(found, notice, words)
    _tell_size(found, args.max_tokens)
    return status


def _tell_size(found: Context, most: int) -> None:
    if found.citations:
        pages = len(found.citations)
        terminal.tell(f"{found.tokens:,} tokens of {pages} page{'s' * (pages != 1)}")
    elif found.outcome == "found":
        terminal.tell(f"no passage fits into {most:,} tokens, or all were shown")
    if found.cursor:
        terminal.tell(f"more: --cursor {found.cursor}")
