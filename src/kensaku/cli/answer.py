"""Search and answer, each sentence with the number of its source.

Without a model the answer is made of sentences of the sources, word for word; with `llm.url` and
`llm.model` set, that model writes it from the same passages. Exit status: 0 found or nothing to
find, 1 nobody could search, 2 wrong use.
"""

from __future__ import annotations

import argparse
import re
from typing import TYPE_CHECKING

from kensaku.cli import _query_options as asking
from kensaku.cli import _terminal as terminal

if TYPE_CHECKING:
    from kensaku.answers.answer import Answer

USAGE = "[options] WORD …"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The question."""
    parser.add_argument(
        "--max-tokens", type=int, default=3_000, metavar="N",
        help="how much of the sources to draw on; 3000 if unsaid",
    )  # fmt: skip
    asking.add_question(parser)


async def run(args: argparse.Namespace) -> int:
    """One answer, with its sources."""
    words = asking.words_of(args)
    async with asking.asker(args) as (k, notice):
        found = await k.answer(words, max_tokens=args.max_tokens, **asking.options_of(args))
    if args.json:
        terminal.show_json(found.to_dict())
    elif found.text:
        terminal.show(_written(found))
    status = asking.status_of(found, notice, words)
    if found.outcome == "found" and not found.text:
        terminal.tell("None of the sources answers this.")
    return status


def _written(found: Answer) -> str:
    """The answer, and under it the sources that it cites."""
    text = found.text or ""
    cited = {int(n) for n in re.findall(r"\[(\d+)\]", text)}
    sources = [
        f"[{c.n}] {c.title}\n    {c.url}" if c.title and c.title != c.url else f"[{c.n}] {c.url}"
        for c in found.citations
        if c.n in cited
    ]
    return "\n".join([text, *([""] if sources else []), *sources])
