"""The assistant behind every channel: takes what people say, and runs it to an answer, once.

    receive(sender, text) → new? → a reply to a question? → within the bounds? → stored → Exchange
    resume(channel)       → the runs that a killed process left behind

A channel renders the events of an `Exchange`, and knows nothing else of a run.
"""

from __future__ import annotations

import asyncio
import time
import uuid
from collections import OrderedDict, deque
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any, Self

from kensaku.answers.ask import answer, begin
from kensaku.answers.events import Answered, Event, ToolEnded
from kensaku.answers.journal import Journal
from kensaku.answers.person import Approvals, Question, Reply
from kensaku.answers.toolbox import REFUSED
from kensaku.assistant.exchange import Exchange
from kensaku.assistant.record import record_of
from kensaku.assistant.registrations import registered_tiers
from kensaku.assistant.stored_replies import StoredReplies
from kensaku.database import runs, url_of
from kensaku.database.conversations import Sender
from kensaku.database.leases import Leases
from kensaku.database.people import options_of, record_decisions, set_options
from kensaku.errors import DatabaseFault, InvalidQuery, KensakuError, UnknownName
from kensaku.messages import msg
from kensaku.search.budget import KINDS, Budget
from kensaku.search.route import plan

if TYPE_CHECKING:
    from types import TracebackType

    from kensaku.client import Kensaku
    from kensaku.database.engine import Database
    from kensaku.options import AskOptions
    from kensaku.search.budget import Budget

MAX_QUEUED = 3  # messages of one thread that wait for the one before
MAX_RUNS = 32  # at once, of everybody
MAX_PER_MINUTE = 20  # messages of one person
MAX_PEOPLE = 10_000  # whose messages are counted
MAX_BOUND = 1e12  # of a budget: neither infinite nor no number
CHOICES = ("route", "collection", "model", "approvals", "budget")  # that a person may keep


class TooMany(KensakuError):
    """Somebody sends more messages than are answered."""

    status = 429  # of an HTTP response


class Assistant:
    """Runs the conversations of all channels in one process."""

    def __init__(
        self,
        database: Database,
        client_of: Callable[[str], Kensaku],
        *,
        budget_of: Callable[[Sender], Awaitable[Budget | None]] | None = None,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        """`client_of`: the client of a tenant. `budget_of`: what bounds a person besides."""
        self.database = database
        self._client_of, self._budget_of, self._now = client_of, budget_of, now
        self._threads: dict[Sender, list[Exchange]] = {}  # the keys are without the person
        self._sent: OrderedDict[Sender, deque[float]] = OrderedDict()
        self._slots = asyncio.Semaphore(MAX_RUNS)
        self._replies = StoredReplies(database)
        self._leases = Leases(database, also=self._replies.look)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Stop. The next process that resumes the channel goes on with what is unfinished."""
        await self._leases.close()

    async def receive(
        self, sender: Sender, text: str, *, update: str | None = None, **options: Any
    ) -> Exchange | None:
        """Take what a person said. None: it was taken before, or it replied to a question.

        `update`: the channel's id of the message. `options` count over those that the person
        chose. Raises `TooMany` and `UsageError`.
        """
        self._count(sender)
        queue = self._threads.get(_thread(sender), [])
        if (waiting := _waiting(queue, sender)) is not None:
            if update is None or await runs.take_update(self.database, sender, update):
                waiting.reply(text)
            return None
        if len(queue) > MAX_QUEUED:
            raise TooMany(
                msg("the question before this one is not answered yet"),
                remedy=msg("wait for it, or cancel it"),
            )
        chosen = {**await options_of(self.database, sender), **options}
        begin(text, self._client_of(sender.tenant), _options(chosen), lambda _: None)  # is it valid
        since = asyncio.get_running_loop().time()
        run = await runs.begin(
            self.database, uuid.uuid4().hex[:24], sender, text, chosen,
            owner=self._leases.owner, update_id=update,
        )  # fmt: skip
        return None if run is None else self._start(run, since)

    async def resume(
        self, channel: str, *, tenant: str | None = None, person: str | None = None
    ) -> list[Exchange]:
        """Go on with the runs of a channel, or of one person, whose process is gone."""
        since = asyncio.get_running_loop().time()
        claimed = await runs.claim(
            self.database, channel, self._leases.owner,
            tenant=tenant, person=person, held=self._leases.held,
        )  # fmt: skip
        return [self._start(run, since) for run in claimed]

    def current(self, sender: Sender) -> Exchange | None:
        """Return the run of a thread that is under way."""
        return next(iter(self._threads.get(_thread(sender), [])), None)

    def find(self, id: str, tenant: str = "") -> Exchange | None:
        """Return a run that is under way in this process, of a tenant."""
        everyone = (e for queue in self._threads.values() for e in queue)
        return next((e for e in everyone if e.id == id and e.sender.tenant == tenant), None)

    async def options(self, sender: Sender) -> dict[str, Any]:
        """Return what a person chose."""
        return await options_of(self.database, sender)

    async def choose(self, sender: Sender, name: str, value: Any) -> None:
        """Keep a choice of a person for all later runs; None takes it back.

        Raises `UsageError` for a value that no run would take.
        """
        if name not in CHOICES:
            raise UnknownName(msg("choice"), name, CHOICES)
        kept = await options_of(self.database, sender)
        kept.pop(name, None)
        # Not the others: one that has become wrong must not keep a person from changing this one.
        chosen = {} if value is None else {name: value}
        client = self._client_of(sender.tenant)
        plan(client.settings, chosen.get("route"))
        begin("x", client, _options(chosen), lambda _: None)
        await set_options(self.database, sender, kept | chosen)

    def _start(self, run: runs.StoredRun, since: float) -> Exchange:
        exchange = Exchange(run, lambda memory: runs.remember(self.database, run.id, memory))
        queue = self._threads.setdefault(_thread(run.sender), [])
        before = queue[-1].task if queue else None
        queue.append(exchange)
        exchange.task = asyncio.create_task(self._run(run, exchange, before))
        exchange.task.add_done_callback(lambda _: self._forget(exchange))
        self._leases.hold(run.id, exchange.task, since=since)
        return exchange

    async def _run(
        self, run: runs.StoredRun, exchange: Exchange, before: asyncio.Task[None] | None
    ) -> None:
        """Run after the message before it, and end it in the database."""
        end = partial(self._end, run)
        try:
            if before is not None:
                await asyncio.wait([before])
            async with self._slots:
                last = await self._answer(run, exchange)
            made = last.answer  # type: ignore[attr-defined]  # the last event has it
            if await end(
                "done" if isinstance(last, Answered) else "failed",
                text=made.text or made.reason, answer=record_of(made, exchange.events),
                decisions=_decisions(exchange.events),
            ):  # fmt: skip
                exchange.emit(last)
        except asyncio.CancelledError as cancelled:
            if not cancelled.args:  # by the person; not: the process stops
                with suppress(DatabaseFault):
                    await end("cancelled")
            raise
        except Exception:  # also a defect of ours: nobody shall repeat it
            with suppress(DatabaseFault):
                await end("failed")
            raise

    async def _end(self, run: runs.StoredRun, state: runs.State, **values: Any) -> bool:
        self._leases.drop(run.id)
        finish = partial(runs.finish, self.database, run, self._leases.owner, state, **values)
        # An answer is worth waiting for the database; whoever waits for an error gets it at once.
        return await (self._leases.store(finish) if values else finish())

    def _forget(self, exchange: Exchange) -> None:
        queue = self._threads[_thread(exchange.sender)]
        queue.remove(exchange)
        if not queue:
            del self._threads[_thread(exchange.sender)]
        exchange.end()

    async def _answer(self, run: runs.StoredRun, exchange: Exchange) -> Event:
        async def ask(question: Question) -> Reply | None:
            decision = "none"
            try:
                reply = await exchange.ask(question, self._replies.asked(exchange, question))
                decision = reply.action
                return reply
            finally:
                kinds = [(question.kind, question.tool, decision)]
                async with self.database.write() as connection:
                    await record_decisions(connection, run.sender, run.id, kinds)

        leases = self._leases
        journal = Journal(
            run.steps, partial(leases.save_step, run.id), partial(leases.confirm, run.id)
        )
        client = self._client_of(run.sender.tenant)
        bound = await self._budget_of(run.sender) if self._budget_of is not None else None
        options = _options(run.options, bound or client.budget)
        tiers = await registered_tiers(url_of(client.settings), run.sender.person)
        made = begin(
            run.question,
            client,
            {
                **options,
                "approvals": _strictest(tiers, options.get("approvals", {})),
                "person": ask,
                "journal": journal,
                "earlier": run.earlier,
            },
            exchange.emit,
        )
        return await answer(made)

    def _count(self, sender: Sender) -> None:
        """Bound what one person sends in a minute."""
        key = Sender(sender.channel, sender.person, "", sender.tenant)
        sent = self._sent.setdefault(key, deque())
        self._sent.move_to_end(key)
        if len(self._sent) > MAX_PEOPLE:
            self._sent.popitem(last=False)
        now = self._now()
        while sent and sent[0] < now - 60:
            sent.popleft()
        if len(sent) >= MAX_PER_MINUTE:
            raise TooMany(
                msg(
                    "more than {max_per_minute} messages in a minute", max_per_minute=MAX_PER_MINUTE
                ),
                remedy=msg("wait a minute"),
            )
        sent.append(now)


def _thread(sender: Sender) -> Sender:
    return Sender(sender.channel, "", sender.thread, sender.tenant)


def _waiting(queue: list[Exchange], sender: Sender) -> Exchange | None:
    """Return the run that waits for this person: nobody answers for another."""
    return next((e for e in queue if e.sender == sender and e.waits_with is not None), None)


def _options(stored: Mapping[str, Any], parent: Budget | None = None) -> AskOptions:
    """Return the options of a run. What a person chose to spend is spent of `parent`, too."""
    options = dict(stored)
    if isinstance(options.get("budget"), Mapping):
        options["budget"] = _budget(options["budget"], parent)
    elif parent is not None:
        options["budget"] = parent
    return options  # type: ignore[return-value]  # `begin` checks them


def _budget(bounds: Mapping[str, Any], parent: Budget | None) -> Budget:
    for what, most in bounds.items():
        if what not in KINDS:
            raise UnknownName(msg("bound"), str(what), KINDS)
        if isinstance(most, bool) or not isinstance(most, int | float) or not 0 < most < MAX_BOUND:
            raise InvalidQuery(
                msg("the bound of {what} is {most!r:.40}; it must be above 0", what=what, most=most)
            )
    return Budget(**bounds, parent=parent)


def _strictest(registered: Mapping[str, str], chosen: Mapping[str, str]) -> dict[str, Any]:
    """Join two sets of tiers: nobody may allow what the registrations forbid."""
    order = ("auto", "ask", "never")
    Approvals(chosen)
    return {
        tool: max((t for t in (registered.get(tool), chosen.get(tool)) if t), key=order.index)
        for tool in registered.keys() | chosen.keys()
    }


def _decisions(events: list[Event]) -> list[tuple[str, str, str]]:
    """Return which tools ran or did not; what the person decided is recorded when it happens."""
    ended = (e for e in events if isinstance(e, ToolEnded) and not e.repeated)
    return [("tool", e.tool, REFUSED if e.outcome == REFUSED else "ran") for e in ended]
