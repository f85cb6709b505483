"""The tools of a run: each call is approved, bounded by the budget, and made once.

    call → approval → the same call before? → rag_search | web_search | web_extract → JSON

Only the loop calls it, with queries of the plan or of the person. A page is read only if its
address came from the person or from a result.
"""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from kensaku.answers.cited import Step
from kensaku.answers.events import ApprovalNeeded, Event, ToolEnded, ToolStarted
from kensaku.answers.gather import not_searched, read, search, within_budget
from kensaku.answers.journal import Journal
from kensaku.answers.person import (
    CANCELLED,
    MAY_RUN,
    Approvals,
    AskPerson,
    Cancelled,
    Question,
    Reply,
    ask_in_time,
)
from kensaku.messages import msg
from kensaku.models import LOCAL, Outcome, Query
from kensaku.search.budget import Budget
from kensaku.search.scrub import QueryWithheld
from kensaku.text.clean import cut

if TYPE_CHECKING:
    from kensaku.client import Kensaku
    from kensaku.locale import Translator

RESULTS = 8  # hits of one search
READ_SECONDS = 20.0  # for the pages of one call
MAX_TITLE = 200  # characters, in an event
REFUSED = "refused"
REPEATED = msg("the same search was made before; its result was used again")
PAID_BEFORE = msg(
    "this search was under way when a process ended: who charges for it was not asked again"
)
NOT_FROM_A_RESULT = msg("an address was not read: neither the person nor a result gave it")


Emit = Callable[[Event], None]


@dataclass(slots=True)
class Toolbox:
    """What a run may call, what it has called, and what that cost."""

    client: Kensaku
    budget: Budget
    deadline: float  # on the clock of the event loop
    approvals: Approvals
    journal: Journal
    emit: Emit
    t: Translator
    person: AskPerson | None = None
    wait: float = 300.0
    route: Sequence[str] | None = None
    collection: str | None = None
    cache: bool | None = None
    attempt: int = 1  # a person who says "retry" wants every call made once more
    steps: list[Step] = field(default_factory=list)
    results: list[dict[str, Any]] = field(default_factory=list)  # of calls that were not repeated
    addresses: set[str] = field(default_factory=set)  # that may be read
    notes: list[str] = field(default_factory=list)
    _made: set[str] = field(default_factory=set)
    _numbers: Iterator[int] = field(default_factory=lambda: itertools.count(1))

    @property
    def seconds_left(self) -> float:
        """What remains of the run's time."""
        return self.deadline - asyncio.get_running_loop().time()

    def left(self) -> str:
        """Say what the run may still spend, for a model."""
        kinds = {"searches": "searches", "fetches": "pages", "tokens": "tokens", "money": "dollars"}
        left = self.budget.left()
        parts = [f"{max(0, left[k]):g} {name}" for k, name in kinds.items() if k in left]
        return ", ".join([*parts, f"{max(0.0, self.seconds_left):.0f} seconds"])

    def try_again(self) -> None:
        """Make calls anew that were made before, past the cache."""
        self.attempt += 1
        self.cache = False

    async def rag_search(self, query: str) -> dict[str, Any]:
        """Search the collections of the local index."""
        return await self._call("rag_search", {"query": query}, [query], self._search_local)

    async def web_search(self, query: str) -> dict[str, Any]:
        """Search by the client's route."""
        return await self._call(
            "web_search", {"query": query}, [query], self._search_web, self._search_for_free
        )

    async def web_extract(self, urls: Iterable[str], about: Sequence[str]) -> dict[str, Any]:
        """Read pages whose addresses the person or a result gave."""
        asked = list(dict.fromkeys(urls))
        allowed = [url for url in asked if url in self.addresses]
        if len(allowed) < len(asked):
            self.notes.append(NOT_FROM_A_RESULT)
        allowed, notes = within_budget(allowed, self.budget)
        self.notes += notes
        if not allowed:
            return _result(not_searched())

        async def read(_: str) -> dict[str, Any]:
            return await self._read(allowed, about)

        return await self._call("web_extract", {"urls": allowed}, allowed, read)

    async def _call(
        self,
        tool: str,
        arguments: dict[str, Any],
        key: Sequence[str],
        work: Callable[[str], Any],
        otherwise: Callable[[str], Any] | None = None,
    ) -> dict[str, Any]:
        """Make one call, or return the result of the same call before it.

        `otherwise`: instead of work that costs money, if a process was killed while it did it.
        """
        again = f"#{self.attempt}" if self.attempt > 1 else ""
        name = f"{tool}:{' '.join(' '.join(key).casefold().split())}{again}"
        repeated, number = name in self._made, f"call-{next(self._numbers)}"
        self._made.add(name)
        reply = await self._approve(tool, arguments)  # of the same call before, if there was one
        if reply is None:
            self.steps.append(Step(tool, arguments, REFUSED, 0.0))
            self.emit(ToolEnded(number, tool, arguments, REFUSED))
            return _result(not_searched(f"{tool} was not allowed to run"))
        if reply.text and "query" in arguments:
            arguments = {"query": reply.text}
        self.emit(ToolStarted(number, tool, arguments))
        query = str(arguments.get("query", ""))
        do = partial(self._timed, work, query)
        result: dict[str, Any] = await (
            self.journal.once(name, do)
            if otherwise is None
            else self.journal.at_most_once(name, do, partial(self._timed, otherwise, query))
        )
        if repeated:
            self.notes.append(REPEATED)
        else:
            self.results.append(result)
            self.notes += result["notes"]
        elapsed = 0.0 if repeated else result["elapsed_ms"]
        self.addresses.update(hit["url"] for hit in result["hits"])
        self.steps.append(Step(tool, arguments, result["outcome"], elapsed))
        self.emit(
            ToolEnded(
                number, tool, arguments, result["outcome"],
                len(result["hits"]) + len(result["pages"]), _providers(result), elapsed,
                repeated, (REPEATED,) if repeated else tuple(result["notes"]),
                tuple((_title(f), f["url"]) for f in (*result["hits"], *result["pages"])),
            )
        )  # fmt: skip
        return result

    async def _approve(self, tool: str, arguments: dict[str, Any]) -> Reply | None:
        """Return the consent to a call, which may change its query; None when there is none."""
        tier = self.approvals.tier(tool)
        if tier != "ask":
            return Reply("proceed") if tier == "auto" else None
        text = self.t(MAY_RUN, tool=tool)
        question = Question(
            "approve", text, choices=("proceed", "modify", "skip", "cancel"), tool=tool,
            arguments=arguments,
        )  # fmt: skip
        reply = await self.ask(question, ApprovalNeeded(question))
        if reply is not None and reply.action == "cancel":
            raise Cancelled(self.t(CANCELLED))
        return reply if reply and reply.action in ("proceed", "modify") else None

    async def _may_send_without(self, query: str, why: str) -> bool:
        """Ask whether a query is sent without what should not leave."""
        question = Question(
            "approve", self.t("Shall the query be sent without it?"), reason=why,
            choices=("proceed", "skip", "cancel"),
            tool="web_search", arguments={"query": query, "scrub": True},
        )  # fmt: skip
        reply = await self.ask(question, ApprovalNeeded(question))
        if reply is not None and reply.action == "cancel":
            raise Cancelled(self.t(CANCELLED))
        return reply is not None and reply.action == "proceed"

    async def ask(self, question: Question, event: Event) -> Reply | None:
        """Ask the person, once for each question. None: nobody answered."""

        async def work() -> dict[str, str] | None:
            self.emit(event)
            reply = await ask_in_time(self.person, question, self.wait)
            return None if reply is None else {"action": reply.action, "text": reply.text}

        asked = asyncio.get_running_loop().time()
        name = f"ask:{question.kind}:{question.tool}:{sorted(question.arguments.items())}"
        values = await self.journal.once(name, work)
        self.deadline += asyncio.get_running_loop().time() - asked  # a person's time is not ours
        return None if values is None else Reply(**values)

    async def _timed(self, work: Callable[[str], Any], query: str) -> dict[str, Any]:
        loop = asyncio.get_running_loop()
        began = loop.time()
        if self.seconds_left <= 0:
            result = not_searched("the time of the run was over before this call")
        else:
            result = await work(query)
        return _result(result) | {"elapsed_ms": round(1000 * (loop.time() - began), 1)}

    async def _search_local(self, query: str) -> dict[str, Any]:
        return await self._search(query, [LOCAL])

    async def _search_web(self, query: str) -> dict[str, Any]:
        return await self._search(query, self.route)

    async def _search_for_free(self, query: str) -> dict[str, Any]:
        """Search in the cache, and where it costs nothing: the rest may be paid already."""
        free = Budget(money=0.0, reason=PAID_BEFORE, parent=self.budget)
        result = await self._search(query, self.route, free)
        return {**result, "notes": [PAID_BEFORE, *result["notes"]]}

    async def _search(
        self, query: str, route: Sequence[str] | None, budget: Budget | None = None
    ) -> dict[str, Any]:
        work = partial(
            search,
            self.client,
            Query(query, max_results=RESULTS, collection=self.collection),
            route=route,
            seconds=self.seconds_left,
            cache=self.cache,
            budget=budget or self.budget,
        )
        try:
            return await work()
        except QueryWithheld as withheld:
            if not await self._may_send_without(query, withheld.message):
                return not_searched(withheld.message)
            return await work(scrub=True)

    async def _read(self, urls: list[str], about: Sequence[str]) -> dict[str, Any]:
        seconds = min(READ_SECONDS, self.seconds_left)
        result = await read(self.client, urls, about, seconds=seconds, budget=self.budget)
        outcome = Outcome.FOUND if result["pages"] else Outcome.UNAVAILABLE
        return {**result, "outcome": str(outcome)}


def _title(found: dict[str, Any]) -> str:
    return cut(str(found.get("title") or ""), MAX_TITLE)


def _providers(result: dict[str, Any]) -> tuple[str, ...]:
    """Return who answered."""
    return tuple(sorted({a["provider"] for a in result["attempts"] if a["error"] is None}))


def _result(values: dict[str, Any]) -> dict[str, Any]:
    """Return what a call came to, with the parts of every kind of call."""
    return {**not_searched(), "pages": [], "elapsed_ms": 0.0, **values}
