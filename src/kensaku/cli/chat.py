"""Chat with the assistant in the terminal.

Type a question; the searches, the answer and its sources appear below it. /help lists the commands:
providers, model, budget, sources, history … Ctrl-C stops an answer, Ctrl-D quits. --resume
continues a run that was interrupted. In a pipe, each line is a question. --lite prints plain lines,
as do pipes and dumb terminals.
"""

from __future__ import annotations

import argparse
import asyncio
import getpass
import sys
from contextlib import AsyncExitStack
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kensaku.cli._options import load_settings
from kensaku.cli._terminal import supports_movement, terminal_language
from kensaku.errors import MissingExtra

if TYPE_CHECKING:
    from kensaku.answers.cited import CitedAnswer
    from kensaku.assistant.assistant import Assistant
    from kensaku.assistant.channels.terminal.chat import Chat
    from kensaku.cli._notices import KeylessNotice
    from kensaku.client import Kensaku
    from kensaku.config.settings import Settings
    from kensaku.database import Database

USAGE = "[options]"
EXTRA = "chat"
PACKAGES = ("prompt_toolkit", "rich", "sqlalchemy", "aiosqlite")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the runs and of the display."""
    add = parser.add_argument
    add("--resume", action="store_true", help="continue the last conversation")
    add("--lite", action="store_true", help="plain lines, without colour or animation")
    add("--model", metavar="MODEL",
        help="model that writes the answer: vendor:model, or a model at llm.url")  # fmt: skip
    add("--collection", metavar="NAME", help="collection of the local index to search first")
    add("--route", metavar="NAMES", help="providers in order, as in tavily,brave,local; or auto")
    add("--config", type=Path, metavar="FILE", help="read settings from this file")


async def run(args: argparse.Namespace) -> int:
    """Show the prompt at once; open the rest while the person types."""
    for package in PACKAGES:  # before the prompt: nobody types in vain
        if find_spec(package) is None:
            raise MissingExtra(package, EXTRA)
    settings = load_settings(args)
    options = {n: v for n in ("model", "collection", "route") if (v := getattr(args, n))}
    async with AsyncExitStack() as stack:
        chat = _make_chat(_Opener(settings, stack), settings, options, lite=args.lite)
        return await chat.run(resume=args.resume)


def _make_chat(opener: _Opener, settings: Settings, options: dict[str, Any], *, lite: bool) -> Chat:
    from kensaku.assistant.channels.terminal.chat import WELCOME, Chat
    from kensaku.assistant.channels.terminal.commands import make_completer
    from kensaku.assistant.channels.terminal.input import HISTORY, Lines, Prompt
    from kensaku.assistant.channels.terminal.screen import LiteScreen, Screen
    from kensaku.locale import translator

    typed, language = sys.stdin.isatty() and sys.stderr.isatty(), terminal_language()
    t = translator(language)
    lite = lite or not supports_movement(sys.stdout)
    chat = Chat(
        opener.open, Lines(prompts=sys.stderr if typed else None),
        LiteScreen(t) if lite else Screen(t), opener,
        person=getpass.getuser(), tenant=settings.tenant, home=settings.home,
        options=options, language=language,
    )  # fmt: skip
    if typed:
        print(t(WELCOME), file=sys.stderr)
        if not lite:
            chat.reads = Prompt(settings.home / HISTORY, lambda: make_completer(chat))
    return chat


class _Opener:
    """Opens client, database and assistant in the background; says what searches need said."""

    def __init__(self, settings: Settings, stack: AsyncExitStack) -> None:
        self._settings, self._stack = settings, stack
        self._client: Kensaku | None = None
        self._keyless: KeylessNotice | None = None

    async def open(self) -> Assistant:
        """Open everything. The imports run in a thread, so that the prompt answers meanwhile."""
        make_client, make_assistant, database = await asyncio.to_thread(_load)
        client = await self._stack.enter_async_context(make_client(self._settings))
        db = await database.open(self._settings)
        self._stack.push_async_callback(db.close)
        self._client = client
        return await self._stack.enter_async_context(make_assistant(db, lambda _: client))

    def before(self, options: dict[str, Any]) -> None:
        """Say once per home where queries go without a key."""
        from kensaku.cli._notices import KeylessNotice

        if self._client is not None:
            self._keyless = KeylessNotice(self._client, options.get("route"))
            self._keyless.print_before()

    def after(self, answer: CitedAnswer) -> None:
        """Say which providers failed, and the notes."""
        from kensaku.cli._notices import print_notices

        if self._keyless is not None:
            self._keyless.print_after(answer.attempts)
        print_notices(answer.outcome, answer.attempts, answer.notes)


def _load() -> tuple[type[Kensaku], type[Assistant], type[Database]]:
    import rich.live
    import rich.markdown  # noqa: F401  # what the first answer is shown with

    from kensaku.assistant.assistant import Assistant
    from kensaku.client import Kensaku
    from kensaku.database import Database

    return Kensaku, Assistant, Database
