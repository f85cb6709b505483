"""Ask the assistant one question and print an answer that cites the source of each sentence.

Unlike `kensaku answer`, it splits the question, searches your own collections before the web,
searches again where the answer is weak, and asks you when it is in doubt; --yes approves
everything. Without a model, the answer consists of sentences quoted from the sources. With
KENSAKU_MODEL, or `llm.url` and `llm.model`, that model writes it, and each of its citations is
checked. Exit status: 0 answered, 1 not answered (the reason is on stderr), 2 wrong usage.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from typing import TYPE_CHECKING, Any

from kensaku.assistant.channels.terminal.format import (
    SEPARATOR,
    call_command,
    call_result,
    question_lines,
    read_letter,
    source_lines,
)
from kensaku.cli._client import open_client
from kensaku.cli._first_index import with_filled_index
from kensaku.cli._notices import KeylessNotice, print_notices
from kensaku.cli._options import add_common_options, load_settings
from kensaku.cli._query_options import query_text
from kensaku.cli._terminal import print_json, print_message, print_result, terminal_language
from kensaku.locale import translator
from kensaku.messages import msg
from kensaku.text.clean import visible
from kensaku.text.languages import guess_language

if TYPE_CHECKING:
    from kensaku.answers.cited import CitedAnswer
    from kensaku.answers.events import Event
    from kensaku.answers.person import AskPerson, Question, Reply
    from kensaku.locale import Translator

USAGE = "[options] WORD …"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the question and the options of the run."""
    add = parser.add_argument
    add("query", nargs="+", metavar="WORD", help="the question; - reads standard input")
    add("--model", metavar="MODEL",
        help="model that writes the answer: vendor:model, or a model at llm.url")  # fmt: skip
    add("--collection", metavar="NAME", help="collection of the local index to search first")
    add("--route", metavar="NAMES", help="providers in order, as in tavily,brave,local; or auto")
    add("--timeout", type=float, metavar="SECONDS",
        help="time limit for the whole run (default: assistant.seconds)")  # fmt: skip
    add("--no-cache", action="store_true", help="neither read nor write the response cache")
    add("--yes", action="store_true", help="approve every tool and every uncertain answer")
    add_common_options(parser)


async def run(args: argparse.Namespace) -> int:
    """Run the assistant once and print its answer."""
    question, progress = query_text(args), sys.stderr.isatty()
    t = _translator_for(question)
    async with open_client(load_settings(args)) as k:
        notice = KeylessNotice(k, args.route)
        notice.print_before()

        async def search(options: dict[str, Any]) -> CitedAnswer:
            async for event in k.ask_events(question, **options):
                if progress:
                    _print_progress(event, t)
            answer: CitedAnswer = event.answer  # type: ignore[attr-defined]  # the last one has it
            return answer

        options = {
            "model": args.model,
            "collection": args.collection,
            "route": args.route,
            "timeout": args.timeout,
            "cache": False if args.no_cache else None,
            "person": _person(yes=args.yes),
        }
        answer = await with_filled_index(k, args.collection, options, search)
    notice.print_after(answer.attempts)
    if args.json:
        print_json(answer.to_dict())
    elif answer.text:
        print_result(format_answer(answer.text, source_lines(answer.citations)))
    print_notices(answer.outcome, answer.attempts, answer.notes)
    if said := answer.reason or answer.doubt:
        print_message(t(said))
    return int(answer.text is None)


def _translator_for(question: str) -> Translator:
    """Return the language of the locale; where that is English, the one of the question."""
    own = translator(terminal_language())
    return own if own.language != "en" else translator(guess_language(question))


def format_answer(text: str, sources: list[str]) -> str:
    """Return the answer, followed by the lines of its sources."""
    return "\n".join([visible(text), *([""] if sources else []), *sources])


def _person(*, yes: bool) -> AskPerson | None:
    """Return the callback that asks the person: none in a pipe, unless --yes is given."""
    if yes:
        return _agree
    return _ask_on_terminal if sys.stdin.isatty() and sys.stderr.isatty() else None


async def _agree(question: Question) -> Reply | None:
    from kensaku.answers.person import Reply

    # Nobody is there who could help with other words: what is there has to do.
    return Reply("skip") if question.kind == "help" else Reply("proceed")


async def _ask_on_terminal(question: Question) -> Reply | None:
    from kensaku.assistant.replies import read_reply

    for line in question_lines(question, _translator_for(question.text)):
        print_message(line)
    while (said := await asyncio.to_thread(sys.stdin.readline)).startswith("/"):
        print_message(msg("There are no commands here; `kensaku chat` has them."))
    return read_letter(question, said) or read_reply(question, said)


def _print_progress(event: Event, t: Translator) -> None:
    """Print a line about what happens. The answer itself comes at the end."""
    from kensaku.answers import events

    match event:
        case events.Planned(questions=questions) if len(questions) > 1:
            print_message(f"{t('Plan:')} {' | '.join(questions)}")
        case events.ToolEnded():
            command = call_command(event.tool, event.arguments)
            print_message(f"{command}{SEPARATOR}{call_result(event, t)}")
