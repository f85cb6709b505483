"""The terminal channel: read a line, run it, show what happens, ask where the run asks.

    line → slash command | question → Assistant.receive → Exchange → screen, replies → the next line

The conversations are opened while the person types the first line. Ctrl-C stops a run and keeps
the prompt.
"""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from kensaku._shielded import shielded
from kensaku.assistant.channels.terminal.input import (
    HISTORY,
    Interrupted,
    on_interrupt,
    without_echo,
)
from kensaku.assistant.replies import is_yes
from kensaku.errors import KensakuError
from kensaku.locale import translator
from kensaku.messages import msg
from kensaku.text.clean import cut, one_line

if TYPE_CHECKING:
    from kensaku.answers.cited import CitedAnswer
    from kensaku.answers.events import Event
    from kensaku.answers.person import Question
    from kensaku.assistant.assistant import Assistant
    from kensaku.assistant.channels.terminal.input import Reads
    from kensaku.assistant.channels.terminal.screen import Shows
    from kensaku.assistant.exchange import Exchange
    from kensaku.database.conversations import Conversation, Sender
    from kensaku.locale import Translator

CHANNEL = "terminal"
POLL_SECONDS = 0.5  # between two looks at the lease of a killed process
WELCOME = msg("Ask anything. /help lists the commands, Ctrl-C stops an answer, Ctrl-D leaves.")
UNFINISHED = msg("An earlier question was not answered: {question} /resume goes on with it.")
UNKNOWN_COMMAND = msg(
    "There is no command {name}; /help lists them. "
    "If a question begins with /, put a space before it."
)
REPLY_FIRST = msg("{name} has to wait: first reply to the question above, or /quit.")
STOPPED = msg("Stopped. What was found so far is not shown.")
WAITING = msg("waiting until the process that had the question is known to be gone")


class Notices(Protocol):
    """What the command line says about searches besides the answer."""

    def before(self, options: dict[str, Any]) -> None:
        """Say what the person should know before a question is sent."""

    def after(self, answer: CitedAnswer) -> None:
        """Say what went wrong, and what to note."""


class Chat:
    """One person at one terminal."""

    def __init__(
        self,
        open_assistant: Callable[[], Awaitable[Assistant]],
        reads: Reads,
        screen: Shows,
        notices: Notices,
        *,
        person: str,
        tenant: str,
        home: Path,
        options: dict[str, Any] | None = None,
        language: str = "en",
    ) -> None:
        """`options` count for this session over what the person chose before.

        `language` is that of the terminal; in an English one it is that of each question.
        """
        self.reads, self.screen, self.home = reads, screen, home
        self.person, self.tenant, self.thread = person, tenant, uuid.uuid4().hex
        self.options = options or {}
        self.last: CitedAnswer | None = None
        self.found: list[tuple[str, str]] = []  # by the calls of the last run
        self.is_over = False
        self._open_assistant, self._notices, self._language = open_assistant, notices, language
        self._opening: asyncio.Task[Assistant] | None = None
        self._unanswered = False  # whether a question was not answered

    @property
    def t(self) -> Translator:
        """The translator of the person's language."""
        return self.screen.t

    @property
    def sender(self) -> Sender:
        """Who speaks in which conversation."""
        from kensaku.database.conversations import Sender

        return Sender(CHANNEL, self.person, self.thread, self.tenant)

    @property
    def history(self) -> Path:
        """The file with what was typed."""
        return self.home / HISTORY

    async def run(self, *, resume: bool = False) -> int:
        """Read and answer lines until the end. Returns 1 when a question was not answered."""
        if resume:
            await self._guarded(self._resume_latest())
        warned = False
        while not self.is_over:
            try:
                line = await self.reads.line(self._open)
            except EOFError:
                break
            except Interrupted:
                if warned:
                    break
                warned = True
                self.screen.say(self.t("Ctrl-C again, or Ctrl-D, leaves."))
                continue
            warned = False
            await self._guarded(self._take(line))
        return int(self._unanswered)

    async def assistant(self) -> Assistant:
        """Return the assistant as soon as the conversations are open."""
        self._open()
        assert self._opening is not None
        return await shielded(self._opening)  # Ctrl-C stops the waiting alone

    async def resume(self) -> bool:
        """Go on with the questions that a killed process left behind. False: there are none."""
        exchanges = await self._claim(await self.assistant())
        for exchange in exchanges:
            self.start_thread(exchange.sender.thread)
            self.screen.say(self.t("Going on: {title}", title=one_line(exchange.question)))
            await self._follow(exchange)
        return bool(exchanges)

    async def conversations(self, limit: int) -> list[Conversation]:
        """Return the person's conversations, the newest first."""
        from kensaku.database.conversations import list_conversations

        db = (await self.assistant()).database
        return await list_conversations(db, self.tenant, CHANNEL, self.person, limit)

    async def open_conversation(self, conversation: Conversation) -> None:
        """Go on with an earlier conversation; show its last messages."""
        from kensaku.database.conversations import messages_of

        self.start_thread(conversation.thread)
        self.screen.say(self.t("Going on: {title}", title=one_line(conversation.title)))
        for message in await messages_of((await self.assistant()).database, conversation.id, 2):
            mark = "> " if message.role == "user" else ""
            self.screen.say(*f"{mark}{message.text}".splitlines())

    def start_thread(self, thread: str = "") -> None:
        """Begin another conversation, or go on with one."""
        self.thread = thread or uuid.uuid4().hex
        self.last, self.found = None, []

    async def confirm(self, text: str) -> bool:
        """Ask a question of ours; without a clear yes it is no."""
        if not self.reads.has_person:
            return False
        lines = [text, f"  [y] {self.t('yes')}"]
        said = await self._reply(lines, asyncio.Event().wait)
        return said is not None and is_yes(said)

    def _open(self) -> None:
        if self._opening is None:
            self._opening = asyncio.ensure_future(self._open_and_offer())

    async def _open_and_offer(self) -> Assistant:
        """Open the conversations; say if an earlier question was not answered."""
        assistant = await self._open_assistant()
        if self.reads.has_person and (questions := await self._unfinished(assistant)):
            shown = cut(one_line(questions[-1]), 100)
            line = self.t(UNFINISHED, question=shown)
            await self.reads.aside(lambda: self.screen.say(line))
        return assistant

    async def _take(self, line: str) -> None:
        """Run one line."""
        if line.startswith("/"):
            await self._command(line)
        elif line.strip():
            await self._ask(line.strip())

    async def _command(self, line: str, *, amid: bool = False) -> None:
        """Run a slash command; `amid`: while a question waits for a reply."""
        from kensaku.assistant.channels.terminal.commands import TABLE

        name, _, said = line[1:].strip().partition(" ")
        if name not in TABLE:
            shown = cut(one_line(f"/{name}"), 40)
            self.screen.say(self.t(UNKNOWN_COMMAND, name=shown))
        elif amid and not TABLE[name].amid:
            self.screen.say(self.t(REPLY_FIRST, name=f"/{name}"))
        else:
            await TABLE[name].run(self, said.strip())

    async def _reply(
        self, lines: list[str], settled: Callable[[], Awaitable[object]]
    ) -> str | None:
        """Ask, and return the reply; None when it came too late. A command is run in between."""
        while True:
            self.screen.say(*lines)
            said = await self.reads.reply(settled())
            if said is None or not said.startswith("/"):
                return said
            try:
                await self._command(said, amid=True)
            except KensakuError as error:
                self.screen.say(self.t(str(error)))
            if self.is_over:
                raise Interrupted

    async def _guarded(self, work: Coroutine[Any, Any, None]) -> None:
        """Do something that Ctrl-C stops. An error of ours is shown as one sentence."""
        task = asyncio.ensure_future(work)
        try:
            with on_interrupt(task.cancel):
                await task
        except KensakuError as error:
            self._unanswered = True
            if self._has_failed_to_open():
                raise
            self.screen.say(self.t(str(error)))
        except Interrupted:
            self.screen.say(self.t(STOPPED))
        except asyncio.CancelledError:
            session = asyncio.current_task()
            if session is not None and session.cancelling():  # by whoever runs it, not by Ctrl-C
                raise
            self.screen.say(self.t(STOPPED))

    def _has_failed_to_open(self) -> bool:
        opening = self._opening
        if opening is None or not opening.done() or opening.cancelled():
            return False
        return opening.exception() is not None

    async def _ask(self, text: str) -> None:
        """Answer a question."""
        self.screen.t = translator_for(text, self._language)
        self.screen.begin(self.t("opening the conversations"))
        try:
            assistant = await self.assistant()
        finally:
            self.screen.end()
        self._notices.before({**await assistant.options(self.sender), **self.options})
        exchange = await assistant.receive(self.sender, text, **self.options)
        if exchange is not None:  # no run of this thread waits: it would have been followed
            await self._follow(exchange)

    async def _follow(self, exchange: Exchange) -> None:
        """Show a run to its end; ask the person where it asks. Ctrl-C cancels it."""
        self.last, self.found = None, []
        events = exchange.follow()
        try:
            while (question := await self._show(events)) is not None:
                await self._ask_person(exchange, question)
        except (asyncio.CancelledError, Interrupted):
            exchange.cancel()
            if exchange.task is not None:
                await asyncio.wait([exchange.task])
            raise
        if (last := exchange.last) is not None:
            self.last = last.answer
            self._unanswered |= last.answer.text is None
            self._notices.after(last.answer)

    async def _show(self, events: AsyncIterator[Event]) -> Question | None:
        """Show events until the run asks something, or ends."""
        from kensaku.answers.events import ApprovalNeeded, QuestionAsked, ToolEnded

        with without_echo():
            self.screen.begin(self.t("working"))
            try:
                async for event in events:
                    if isinstance(event, ApprovalNeeded | QuestionAsked):
                        return event.question
                    if isinstance(event, ToolEnded):
                        self.found += event.found
                    self.screen.show(event)
            finally:
                self.screen.end()
        return None

    async def _ask_person(self, exchange: Exchange, question: Question) -> None:
        """Reply to a question of the run with what the person says."""
        from kensaku.assistant.channels.terminal.format import question_lines, read_letter

        if not self.reads.has_person:
            # As `kensaku ask` in a pipe: the answer is given with its doubt, no tool is allowed.
            exchange.reply("yes" if question.kind == "confirm" else "", question.id)
            return
        try:
            said = await self._reply(
                question_lines(question, self.t), lambda: exchange.settled(question.id)
            )
        except EOFError:
            said = ""
        if said is None:
            self.screen.say(self.t("No reply came in time; nothing was done."))
        else:
            exchange.reply(read_letter(question, said) or said, question.id)

    async def _resume_latest(self) -> None:
        if not await self.resume() and (latest := await self.conversations(1)):
            await self.open_conversation(latest[0])

    async def _claim(self, assistant: Assistant) -> list[Exchange]:
        """Take over what is unfinished, once its process is known to be gone."""
        from kensaku.database.leases import LEASE_SECONDS

        loop = asyncio.get_running_loop()
        until = loop.time() + LEASE_SECONDS + 1
        self.screen.begin(self.t(WAITING))
        try:
            while True:
                exchanges = await assistant.resume(CHANNEL, tenant=self.tenant, person=self.person)
                waiting = loop.time() < until and await self._unfinished(assistant)
                if exchanges or not waiting:
                    return exchanges
                await asyncio.sleep(POLL_SECONDS)
        finally:
            self.screen.end()

    async def _unfinished(self, assistant: Assistant) -> list[str]:
        from kensaku.database.runs import list_unfinished

        return await list_unfinished(assistant.database, self.tenant, CHANNEL, self.person)


def translator_for(question: str, language: str) -> Translator:
    """Return the translator of the terminal's language; in an English one, of the question's."""
    from kensaku.text.languages import guess_language

    t = translator(language)
    return t if t.language != "en" else translator(guess_language(question))
