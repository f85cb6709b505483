"""The state of one search: its query, resources, and attempts so far."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass, field, fields, replace
from operator import attrgetter
from typing import TYPE_CHECKING

from kensaku.errors import KensakuError, NoNetwork, NotAsked, NotConnected
from kensaku.messages import msg
from kensaku.models import Attempt, Outcome, Response
from kensaku.observe import observe
from kensaku.operations import AttemptOperation
from kensaku.search.listen import Asked, Said, listener

if TYPE_CHECKING:
    from kensaku.models import Hit, Query
    from kensaku.models.calibration import Models
    from kensaku.resources import Resources
    from kensaku.search.budget import Budget
    from kensaku.search.outbound import Outbound
    from kensaku.search.route import Beside, Route

# Query, hits and the fitted models of confidence → sentences of the hits; None when none answers.
WriteAnswer = Callable[[str, "tuple[Hit, ...]", "Models | None"], "str | None"]
LOCAL_SECONDS = 2.0  # what the web leaves to the local index at the end of a route
_RESPONSE_VALUES = attrgetter(*(f.name for f in fields(Response)))
PATIENCE = 2.0  # seconds to wait for a rate while another provider could be asked


@dataclass(slots=True)
class Run:
    """Made once per search and passed to every step. Raises `QueryWithheld`."""

    resources: Resources
    query: Query
    route: Route
    deadline: float  # loop time
    budget: Budget
    write_answer: WriteAnswer  # when the query asks for an answer and no upstream gave one
    began: float = field(default_factory=time.perf_counter)
    attempts: list[Attempt] = field(default_factory=list)
    notes: dict[str, list[str]] = field(default_factory=dict)  # provider → how it was asked
    errors: dict[str, KensakuError] = field(default_factory=dict)  # provider → its last error
    scrub: bool | None = None  # whether the caller wants it; None: the settings decide
    beside: Beside = field(init=False)  # specialists that are asked, too
    outbound: Outbound = field(init=False)  # how the query leaves
    cache_key: str = field(init=False)

    def __post_init__(self) -> None:
        planned = self.resources.planned(self.query, self.route, self.scrub)
        self.route, self.beside = planned.route, planned.beside
        self.outbound, self.cache_key = planned.outbound, planned.cache_key

    @property
    def seconds_left(self) -> float:
        return self.deadline - asyncio.get_running_loop().time()

    @property
    def over(self) -> bool:
        return self.seconds_left <= 0

    @property
    def elapsed_ms(self) -> float:
        return (time.perf_counter() - self.began) * 1000

    @property
    def requests(self) -> int:
        """How many requests were sent."""
        return sum(attempt.sent for attempt in self.attempts)

    def requests_to(self, name: str) -> int:
        """How many requests were sent to this provider."""
        return sum(attempt.sent for attempt in self.attempts if attempt.provider == name)

    def deadline_of(self, name: str) -> float:
        """When this provider must have answered, so that those behind it still get their turn."""
        names = self.route.names
        if self.route.mode != "first" or name == names[-1] or name in self.beside.names:
            return self.deadline
        behind = [n for n in names[names.index(name) + 1 :] if n not in self.errors]
        if not behind:
            return self.deadline
        left = self.seconds_left
        only_local = not any(self._is_web(n) for n in behind)
        return self.deadline - (min(LOCAL_SECONDS, left / 4) if only_local else left / 2)

    def wait_deadline(self, name: str, deadline: float) -> float:
        """The deadline for a rate-limit turn: early if there are alternatives."""
        if name in self.beside.names and not self.beside.asked_for:
            return asyncio.get_running_loop().time()
        soon = asyncio.get_running_loop().time() + PATIENCE
        return min(deadline, soon) if deadline > soon and self.alternatives(name) else deadline

    def alternatives(self, name: str) -> list[str]:
        """The web providers that could still be asked instead of this one."""
        names = self.route.names
        return [n for n in names if n != name and n not in self.errors and self._is_web(n)]

    def begin(self, name: str) -> None:
        """Tell the listener that a request is about to be sent."""
        if (tell := listener.get()) is not None:
            tell(Asked(name, self.elapsed_ms))

    def record(self, attempt: Attempt) -> None:
        """Record an attempt that has ended, or was not made."""
        self.attempts.append(attempt)
        if (tell := listener.get()) is not None:
            tell(Said(attempt, self.elapsed_ms))

    def skip(self, name: str, error: KensakuError) -> None:
        """Record that a provider was not asked, and why."""
        self.errors[name] = error
        attempt = Attempt(name, Outcome.UNAVAILABLE, error, sent=False)
        self.record(attempt)
        with observe(self.resources.observers, AttemptOperation, name) as operation:
            operation.record(attempt)

    def skip_rest(self) -> None:
        """Record the providers of the route that were not reached before the deadline."""
        tried = {attempt.provider for attempt in self.attempts}
        for name in (*self.route.names, *self.beside.names):
            if name not in tried:
                self.skip(name, NotAsked(name, msg("no time was left for it")))

    @property
    def offline(self) -> bool:
        """Whether this machine seems to have no network: nobody answered, two hosts were tried."""
        sent = [a for a in self.attempts if a.sent and self._is_public(a.provider)]
        unreached = {a.provider for a in sent if isinstance(a.error, NotConnected)}
        return len(unreached) >= 2 and all(a.provider in unreached for a in sent)

    def check_network(self, name: str) -> None:
        """Raise `NoNetwork` for a provider on the internet when there is none."""
        if self._is_public(name) and self.offline:
            raise NoNetwork(name)

    def finish(self, response: Response) -> Response:
        """Stamp the response with this call's duration; a cached one is shared."""
        # As `dataclasses.replace` does, in a third of the time.
        copy = Response(*_RESPONSE_VALUES(response))
        for name, value in (
            ("notes", (*response.notes, *self.resources.store_notes)),
            ("models", self.resources.confidence_models),
            ("elapsed_ms", self.elapsed_ms),
        ):
            object.__setattr__(copy, name, value)
        return copy

    def final_attempts(self) -> tuple[Attempt, ...]:
        """The attempts; without a network, one reason for all unreachable providers."""
        if not self.offline:
            return tuple(self.attempts)
        return tuple(
            replace(a, error=NoNetwork(a.provider))
            if isinstance(a.error, NotConnected) and self._is_public(a.provider)
            else a
            for a in self.attempts
        )

    def _is_public(self, name: str) -> bool:
        """Whether it is at its vendor's host; the operator's own host may be local."""
        provider = self.resources.provider(name)
        return provider.is_web and provider.base_url == provider.url

    def _is_web(self, name: str) -> bool:
        return self.resources.provider(name).is_web
