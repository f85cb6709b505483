"""What Slack and Telegram share: who may speak, one reply to each message, buttons, restarts.

    message → allowed? → cancel? → Assistant.receive → Exchange → LiveMessage
    press   → allowed? → the run of that person? → Exchange.reply
    every few seconds: runs and replies that a killed process left behind

A channel reads its updates and implements `Writer`; it knows nothing of runs.
"""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any, get_args

from kensaku._logger import get_logger
from kensaku.answers.person import Intervention, Reply
from kensaku.assistant.assistant import Assistant, TooMany
from kensaku.assistant.channels._message import (
    EDIT_SECONDS,
    Content,
    LiveMessage,
    NotDelivered,
    Place,
    Remember,
    Undeliverable,
    Writer,
)
from kensaku.assistant.channels._status import Status
from kensaku.assistant.channels._text import BROKEN, compose, split_text
from kensaku.assistant.replies import is_cancel
from kensaku.database import runs
from kensaku.database.conversations import Sender
from kensaku.database.deliveries import DELIVERED, Undelivered, list_undelivered
from kensaku.errors import DatabaseFault, KensakuError, UsageError
from kensaku.locale import translator
from kensaku.messages import msg
from kensaku.text.languages import guess_language

if TYPE_CHECKING:
    from kensaku.assistant.exchange import Exchange
    from kensaku.config.settings import Settings

log = get_logger("kensaku.assistant.channels")

MAX_PEOPLE = 10_000  # who are remembered for a minute, or named in the log
RECOVER_SECONDS = 5.0
TELL_SECONDS = 60.0
STOPPING = "the process stops"
CLOSED = msg("This question is not open any more.")
CANCELLED = msg("Cancelled.")


class Allowed:
    """Who may talk to the assistant. Others are named in the log, once each."""

    def __init__(self, ids: Iterable[str], variable: str) -> None:
        self._ids, self._variable = frozenset(ids), variable
        self._named: set[str] = set()

    def __call__(self, person: str) -> bool:
        if "*" in self._ids or person in self._ids:
            return True
        if person not in self._named and len(self._named) < MAX_PEOPLE:
            self._named.add(person)
            log.warning(
                "a message of %.64s was ignored; to allow that person, add %.64s to %s",
                person, person, self._variable,
            )  # fmt: skip
        return False


class Bot:
    """One channel of the assistant in this process."""

    def __init__(
        self,
        channel: str,
        assistant: Assistant,
        writer: Writer,
        allowed: Allowed,
        *,
        tenant: str = "",
        interval: float = EDIT_SECONDS,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self.channel, self.tenant = channel, tenant
        self._assistant, self._writer, self._allowed = assistant, writer, allowed
        self._interval, self._now = interval, now
        self._tasks: dict[str, asyncio.Task[None]] = {}  # by run: what is being shown
        self._told: OrderedDict[str, float] = OrderedDict()

    def expects(self, person: str, thread: str) -> bool:
        """Whether a run of this person waits in a thread, so that any words there are a reply."""
        running = self._assistant.current(self._sender(person, thread))
        return running is not None and running.sender.person == person

    async def receive(
        self, person: str, thread: str, text: str, *, update: str, place: Place
    ) -> None:
        """Take a message; when this returns, it is stored. `update` is the channel's id of it."""
        if not self._allowed(person):
            return
        t, sender = translator(guess_language(text)), self._sender(person, thread)
        running = self._assistant.current(sender)
        if running is not None and is_cancel(text) and running.waits_with is None:
            if running.sender == sender:
                running.cancel()
            return
        try:
            exchange = await self._assistant.receive(sender, text, update=update)
            if exchange is not None:
                await exchange.remember(dict(place))
                self._follow(exchange)
        except TooMany:
            if self._may_tell(person):
                await self._say(place, t("Too many messages. Please wait a minute."))
        except UsageError as error:
            await self._say(place, str(error))
        except DatabaseFault as error:
            log.error("a message could not be stored: %s", error)
            await self._say(place, t(BROKEN))

    async def greet(self, person: str, place: Place, language: str) -> None:
        """Say what the bot is for."""
        if self._allowed(person) and self._may_tell(person):
            t = translator(language)
            await self._say(place, t("Ask me something. I search, and answer with sources."))

    def press(self, person: str, data: str) -> str:
        """Take the press of a button. Return what the person is told; "" for nothing."""
        action, _, rest = data[:200].partition(":")
        run, _, question = rest.partition(":")
        if not self._allowed(person) or action not in get_args(Intervention):
            return ""
        exchange = self._assistant.find(run, self.tenant)
        if exchange is None or exchange.sender.channel != self.channel:
            return translator("en")(CLOSED)
        t = translator(guess_language(exchange.question))
        if exchange.sender.person != person:
            return t("Only the person who asked can answer this.")
        if question:
            taken = exchange.reply(Reply(action), question)  # type: ignore[arg-type]  # checked
            return "" if taken else t(CLOSED)
        exchange.cancel()
        return ""

    async def recover(self) -> None:
        """Go on with what a killed process left behind, now and every few seconds."""
        while True:
            try:
                await self.recover_once()
            except DatabaseFault as error:
                log.warning("unfinished runs were not looked for: %s", error)
            except Exception as error:  # one run that cannot be shown does not stop the others
                log.error("a run was not recovered: %s", type(error).__name__, exc_info=error)
            await asyncio.sleep(RECOVER_SECONDS)

    async def recover_once(self) -> None:
        """Go on with unfinished runs, and show the ends of others."""
        for exchange in await self._assistant.resume(self.channel):
            self._follow(exchange)
        for ended in await list_undelivered(self._assistant.database, self.channel):
            if ended.run not in self._tasks:
                await self._show_end(ended)

    async def close(self) -> None:
        """Show no more; the runs are left to the next process."""
        for task in self._tasks.values():
            task.cancel(STOPPING)
        await asyncio.gather(*self._tasks.values(), return_exceptions=True)

    def _sender(self, person: str, thread: str) -> Sender:
        return Sender(self.channel, person, thread, self.tenant)

    def _may_tell(self, person: str) -> bool:
        now = self._now()
        if now - self._told.get(person, -TELL_SECONDS) < TELL_SECONDS:
            return False
        self._told[person] = now
        self._told.move_to_end(person)
        if len(self._told) > MAX_PEOPLE:
            self._told.popitem(last=False)
        return True

    async def _say(self, place: Place, text: str) -> None:
        try:
            await self._writer.send(place, Content(text))
        except NotDelivered as error:
            log.warning("a message was not delivered: %s", error)

    def _follow(self, exchange: Exchange) -> None:
        task = asyncio.create_task(self._show(exchange))
        self._tasks[exchange.id] = task
        task.add_done_callback(lambda done: self._shown(exchange.id, done))

    def _shown(self, run: str, task: asyncio.Task[None]) -> None:
        del self._tasks[run]
        if not task.cancelled() and (error := task.exception()) is not None:
            log.error("a reply was not shown: %s", type(error).__name__, exc_info=error)

    async def _show(self, exchange: Exchange) -> None:
        """Show a run as one message, to its end."""
        t = translator(guess_language(exchange.question))
        message = self._message(exchange.sender, exchange.memory, exchange.remember)
        status = Status(exchange, t)
        try:
            message.show(self._split(status.content())[0])
            async for event in exchange.follow():
                if status.add(event):
                    message.show(self._split(status.content())[0])
            if exchange.last is None:  # another process has ended it
                return
            made = exchange.last.answer
            text, links = compose({**made.to_dict(), "reason": made.reason, "doubt": made.doubt}, t)
        except asyncio.CancelledError as cancelled:
            if cancelled.args:  # the process stops, or another one goes on
                raise
            text, links = t(CANCELLED), {}
        except KensakuError as error:
            log.warning("a run broke: %s", error)
            text, links = t(BROKEN), {}
        finally:
            await message.close()
        await self._finish(message, Content(text, links), exchange.remember)

    async def _show_end(self, ended: Undelivered) -> None:
        t = translator(guess_language(ended.question))
        memory = dict(ended.memory)

        async def remember(more: Mapping[str, Any]) -> None:
            memory.update(more)
            await runs.remember(self._assistant.database, ended.run, memory)

        text, links = compose(ended.answer or {}, t)
        if ended.answer is None and ended.cancelled:
            text = t(CANCELLED)
        message = self._message(ended.sender, memory, remember)
        await self._finish(message, Content(text, links), remember)

    def _message(
        self, sender: Sender, memory: Mapping[str, Any], remember: Remember
    ) -> LiveMessage:
        # A process that is killed at the wrong instant has not remembered where it was asked.
        place = {**self._writer.place_of(sender.thread), **memory}
        return LiveMessage(self._writer, place, remember, self._interval)

    def _split(self, content: Content) -> list[Content]:
        """Return messages that the channel takes."""

        def size(part: str) -> int:
            return self._writer.size(replace(content, text=part))

        parts = split_text(content.text, self._writer.limit, size)
        return [replace(content, text=part) for part in parts]

    async def _finish(self, message: LiveMessage, content: Content, remember: Remember) -> None:
        """Show the end of a run. What could not be delivered now is tried again later."""
        try:
            await message.finish(self._split(content))
        except Undeliverable as error:
            log.warning("a reply can not be delivered: %s", error)
        except NotDelivered as error:
            log.warning("a reply was not delivered yet: %s", error)
            return
        await remember(DELIVERED)


@asynccontextmanager
async def open_bot(settings: Settings, channel: str, writer: Writer) -> AsyncIterator[Bot]:
    """Open the database and a client, and look for unfinished runs all the while."""
    from kensaku.client import Kensaku
    from kensaku.database import Database

    allowed = Allowed(getattr(settings, f"allow_{channel}"), f"KENSAKU_ALLOW_{channel.upper()}")
    async with Kensaku(settings) as client:
        database = await Database.open(settings)
        try:
            async with Assistant(database, lambda _: client) as assistant:
                bot = Bot(channel, assistant, writer, allowed, tenant=settings.tenant)
                recovering = asyncio.create_task(bot.recover())
                try:
                    yield bot
                finally:
                    recovering.cancel()
                    await asyncio.gather(recovering, return_exceptions=True)
                    await bot.close()
        finally:
            await database.close()
