"""One question in a channel on its way to an answer: its events, and the person's replies.

    async for event in exchange.follow(): …      any number of times, also from the middle
    exchange.reply("proceed")                    to the question that it waits with

The run goes on when nobody follows it. A channel that was cut off follows again.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager, nullcontext
from typing import TYPE_CHECKING, Any

from kensaku.answers.events import Answered, ApprovalNeeded, Event, Failed, QuestionAsked
from kensaku.answers.person import Question, Reply
from kensaku.assistant.replies import read_reply

if TYPE_CHECKING:
    from kensaku.database.runs import StoredRun

Remember = Callable[[Mapping[str, Any]], Awaitable[None]]


class Exchange:
    """A run of one sender. `Assistant` makes it."""

    def __init__(self, run: StoredRun, remember: Remember) -> None:
        self.id, self.sender, self.question = run.id, run.sender, run.question
        self.memory: Mapping[str, Any] = run.memory  # the channel's own, as before a restart
        self.events: list[Event] = []
        self.task: asyncio.Task[None] | None = None
        self._remember = remember
        self._changed = asyncio.Event()
        self._unasked: dict[str, Event] = {}
        self._waiting: dict[str, tuple[Question, asyncio.Future[Reply]]] = {}
        self._ended = False

    @property
    def waiting(self) -> list[Question]:
        """The questions that the person has not answered yet, the oldest first."""
        return [question for question, future in self._waiting.values() if not future.done()]

    @property
    def waits_with(self) -> Question | None:
        """The oldest question that the person has not answered yet."""
        return next(iter(self.waiting), None)

    def waits_for(self, question: str) -> bool:
        """Whether the question with this id is not answered yet."""
        return question in self._waiting

    @property
    def last(self) -> Answered | Failed | None:
        """How the run ended; None while it goes on, and when it broke."""
        last = self.events[-1] if self.events else None
        return last if isinstance(last, Answered | Failed) else None

    async def follow(self, after: int = 0) -> AsyncIterator[Event]:
        """Yield the events from number `after` on, those that were missed first."""
        while True:
            while after < len(self.events):
                yield self.events[after]
                after += 1
            if self._ended:
                break
            changed = self._changed
            await changed.wait()
        if self.task is not None and self.last is None:
            await self.task  # raises what broke it

    def reply(self, reply: Reply | str, question: str | None = None) -> bool:
        """Answer a question, by default the oldest. Text is read as a person's words.

        False when the run does not wait for that, as after a second press of a button.
        """
        id = question or next(iter(self._waiting), "")
        if id not in self._waiting:
            return False
        asked, future = self._waiting[id]
        said = read_reply(asked, reply) if isinstance(reply, str) else reply
        if future.done() or said.action not in asked.choices:
            return False
        future.set_result(said)
        return True

    def cancel(self) -> None:
        """Stop the run. What it has found so far is not shown."""
        if self.task is not None:
            # Later: a task that is cancelled before its first step could not end its run.
            self.task.get_loop().call_soon(self.task.cancel)

    async def remember(self, memory: Mapping[str, Any]) -> None:
        """Keep what the channel needs to show the rest of the run after a restart."""
        self.memory = {**self.memory, **memory}
        await self._remember(self.memory)

    async def ask(
        self, question: Question, meanwhile: AbstractAsyncContextManager[None] | None = None
    ) -> Reply:
        """Wait for the person's reply, inside of `meanwhile`.

        The question is shown and can be answered once `meanwhile` is entered: whoever sees it may
        reply to another process, which has to find it.
        """
        future: asyncio.Future[Reply] = asyncio.get_running_loop().create_future()
        async with meanwhile or nullcontext():
            self._waiting[question.id] = question, future
            try:
                if (event := self._unasked.pop(question.id, None)) is not None:
                    self._show(event)
                return await future
            finally:
                future.cancel()  # whoever waits until it is settled, if nobody awaited it yet
                del self._waiting[question.id]

    async def settled(self, question: str) -> None:
        """Wait until a question is answered, or the run waits for it no longer."""
        if question in self._waiting:
            await asyncio.wait([self._waiting[question][1]])

    def emit(self, event: Event) -> None:
        """Give an event to everybody who follows; a question, as soon as it can be answered."""
        if isinstance(event, ApprovalNeeded | QuestionAsked):
            self._unasked[event.question.id] = event
        else:
            self._show(event)

    def end(self) -> None:
        """Say that no event comes any more."""
        self._ended = True
        self._wake()

    def _show(self, event: Event) -> None:
        self.events.append(event)
        self._wake()

    def _wake(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()
