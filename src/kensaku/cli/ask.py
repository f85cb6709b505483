"""Ask one question and print an answer that cites the source of each sentence.

The collections of the local index are searched first, then the web. Without a model the answer
consists of sentences from the sources, word for word. With KENSAKU_MODEL, or `llm.url` and
`llm.model`, that model writes it, and each of its citations is checked. On a terminal, a doubtful
answer is confirmed first; --yes agrees to everything. Exit status: 0 answered, 1 not answered (the
reason is on stderr), 2 wrong usage.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from typing import TYPE_CHECKING

from kensaku.cli._client import open_client
from kensaku.cli._notices import KeylessNotice, print_notices
from kensaku.cli._options import add_common_options, load_settings
from kensaku.cli._query_options import query_text
from kensaku.cli._terminal import format_count, print_json, print_message, print_result

if TYPE_CHECKING:
    from kensaku.assistant.answer import CitedAnswer
    from kensaku.assistant.approval import AskPerson, Question, Reply
    from kensaku.assistant.events import Event, ToolEnded

USAGE = "[options] WORD …"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the question, and what the run may use."""
    add = parser.add_argument
    add("query", nargs="+", metavar="WORD", help="the question; - reads standard input")
    add("--model", metavar="MODEL",
        help="who writes: vendor:model, or a model at llm.url")  # fmt: skip
    add("--collection", metavar="NAME", help="collection of the local index to search first")
    add("--route", metavar="NAMES", help="providers in order, as in tavily,brave,local; or auto")
    add("--timeout", type=float, metavar="SECONDS",
        help="time limit for the whole run (default: assistant.seconds)")  # fmt: skip
    add("--no-cache", action="store_true", help="neither read nor write the response cache")
    add("--yes", action="store_true", help="agree to every tool and every doubtful answer")
    add_common_options(parser)


async def run(args: argparse.Namespace) -> int:
    """Run the assistant once and print its answer."""
    progress = sys.stderr.isatty()
    async with open_client(load_settings(args)) as k:
        notice = KeylessNotice(k, args.route)
        notice.print_before()
        async for event in k.ask_events(
            query_text(args),
            model=args.model,
            collection=args.collection,
            route=args.route,
            timeout=args.timeout,
            cache=False if args.no_cache else None,
            person=_person(yes=args.yes),
        ):
            if progress:
                _print_progress(event)
    answer: CitedAnswer = event.answer  # type: ignore[attr-defined]  # the last event has it
    notice.print_after(answer.attempts)
    if args.json:
        print_json(answer.to_dict())
    elif answer.text:
        print_result(format_answer(answer))
    print_notices(answer.outcome, answer.attempts, answer.notes)
    if said := answer.reason or answer.doubt:
        print_message(said)
    return int(answer.text is None)


def format_answer(answer: CitedAnswer) -> str:
    """Return the answer, followed by its sources and where each is from."""
    sources = []
    for c in answer.citations:
        titled = f"{c.title}\n    {c.url}" if c.title and c.title != c.url else c.url
        sources.append(f"[{c.n}] ({c.origin}) {titled}")
    return "\n".join([answer.text or "", *([""] if sources else []), *sources])


def _person(*, yes: bool) -> AskPerson | None:
    """Return who is asked: nobody in a pipe, unless --yes answers."""
    if yes:
        return _agree
    return _ask_on_terminal if sys.stdin.isatty() and sys.stderr.isatty() else None


async def _agree(question: Question) -> Reply | None:
    from kensaku.assistant.approval import Reply

    # Nobody is there who could help with other words.
    return None if question.kind == "help" else Reply("proceed")


async def _ask_on_terminal(question: Question) -> Reply | None:
    from kensaku.assistant.approval import Reply

    if question.reason:
        print_message(question.reason)
    hint = "words or a page, Enter for none" if question.kind == "help" else "y/N"
    print_message(f"{question.text} [{hint}]")
    said = (await asyncio.to_thread(sys.stdin.readline)).strip()
    if question.kind == "help":
        return Reply("modify", said) if said else None
    return Reply("proceed") if said.lower() in ("y", "yes", "はい") else Reply("cancel")


def _print_progress(event: Event) -> None:
    """Print a line about what happens. The answer itself comes at the end."""
    from kensaku.assistant import events

    match event:
        case events.Planned(questions=questions, by=by) if len(questions) > 1:
            print_message(f"Plan (by {by}): {' | '.join(questions)}")
        case events.ToolEnded():
            print_message(format_call(event))


def format_call(event: ToolEnded) -> str:
    """Return `web_search: "otters" · tavily · 5 hits · 312 ms`."""
    about = event.arguments.get("query") or ", ".join(event.arguments.get("urls", ()))
    what = format_count(event.hits, "hit" if "query" in event.arguments else "page")
    took = "used again" if event.repeated else f"{event.elapsed_ms:.0f} ms"
    result = what if event.outcome == "found" else event.outcome
    parts = [f'{event.tool}: "{about}"', ", ".join(event.providers), result, took]
    return " · ".join(filter(None, parts))
