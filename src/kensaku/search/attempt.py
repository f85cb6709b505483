"""Asking one provider: with which key, how often, until when; and what the table says comes next.

    _fitted → gate → budget → attempt → Findings
                                      → error → cool, wait, retry or go on (`route.AFTER`)

Retries happen here and nowhere else.
"""

from __future__ import annotations

import asyncio
import logging
import random
import time
import traceback
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from kensaku._deadline import until
from kensaku.errors import (
    Blocked,
    BudgetExceeded,
    CalledOff,
    Cooling,
    DoesNotFit,
    KensakuError,
    KeyRefused,
    MissingExtra,
    NotAsked,
    NotConfigured,
    Outage,
    ProviderError,
    QuotaExhausted,
    RateLimited,
    Timeout,
    Unreachable,
    Unreadable,
    UsageError,
)
from kensaku.models import Attempt, Outcome
from kensaku.providers._classify import discreet
from kensaku.providers.base import Findings
from kensaku.search.route import Then, rule_for

if TYPE_CHECKING:
    from kensaku.client import Kensaku
    from kensaku.models import Query
    from kensaku.providers.base import Provider
    from kensaku.search.budget import Budget
    from kensaku.search.limits import Gate, Pass
    from kensaku.search.route import Route

log = logging.getLogger("kensaku")

MOST_WAITS = 3  # how often one provider may ask us to wait during one search
PATIENCE = 2.0  # seconds to wait for a rate while somebody else could be asked
LOCAL_SECONDS = 2.0  # what the web leaves to the local index at the end of a route
TAKES = 0.001  # seconds that a search is sure to take: a budget without them is spent


@dataclass
class Run:
    """One search on its way."""

    k: Kensaku
    query: Query
    route: Route
    deadline: float  # loop time
    budget: Budget
    attempts: list[Attempt] = field(default_factory=list)
    notes: dict[str, list[str]] = field(default_factory=dict)  # provider → how it was asked
    last: dict[str, KensakuError] = field(default_factory=dict)  # provider → why it did not answer
    stopped: bool = False

    def left(self) -> float:
        return self.deadline - asyncio.get_running_loop().time()

    def over(self) -> bool:
        return self.stopped or self.left() <= 0

    def slice(self, name: str) -> float:
        """Until when this provider may take, so that those behind it still get their turn."""
        names = self.route.names
        if self.route.mode != "first" or name == names[-1]:
            return self.deadline
        behind = [n for n in names[names.index(name) + 1 :] if n not in self.last]
        if not behind:
            return self.deadline
        left = self.left()
        keep = min(LOCAL_SECONDS, left / 4) if behind == ["local"] else left / 2
        return self.deadline - keep

    def others(self, name: str) -> list[str]:
        """The web providers that could still be asked instead of this one."""
        return [n for n in self.route.names if n not in self.last and n not in (name, "local")]

    def skipped(self, name: str, error: KensakuError) -> None:
        self.last[name] = error
        self.attempts.append(Attempt(name, Outcome.UNAVAILABLE, error, sent=False))

    def offline(self, name: str) -> bool:
        """After two hosts that could not be reached, the others of the keyless pool are spared."""
        if name not in self.route.pool:
            return False
        lost = {a.provider for a in self.attempts if isinstance(a.error, Unreachable)}
        return len(lost) >= 2


async def visit(run: Run, name: str) -> Findings | None:
    """Ask one provider until it answers, or the table says to go on. None: it did not answer."""
    provider, gate = run.k.provider(name), run.k.gate(name)
    if gate.limited:
        await run.k.ready(provider)
    tries = waits = 0
    while not run.over():
        ends = run.slice(name)
        try:
            query = _fitted(run, provider)
            leave = await gate.enter(_patient(run, name, ends) if gate.limited else ends)
            if name != "local" and run.budget.bounded:
                price = provider.price_of(query) if leave.key else 0.0
                await run.budget.spend(searches=1, money=price, seconds=TAKES)
        except (NotAsked, BudgetExceeded) as error:
            run.skipped(name, error)
            return None
        tries += 1
        answer = await _attempt(run, provider, gate, leave, query, ends)
        if isinstance(answer, Findings):
            return answer
        run.last[name] = answer
        rule = rule_for(answer)
        if rule.cool and (seconds := answer.retry_after or gate.rest(leave, rule.cool)):
            await gate.cool(leave, seconds, type(answer).__name__)
        if rule.then is Then.STOP:
            run.stopped = run.route.mode != "all"
            return None
        if rule.then in (Then.NEXT_KEY, Then.WAIT) and gate.other_key(tries):
            continue
        if rule.then is Then.WAIT:
            waits += 1
            if waits <= MOST_WAITS and await _waited(run, name, answer.retry_after or rule.cool):
                continue
        if rule.then is Then.RETRY and tries == 1 and run.k.retries.take():
            await moment(run)
            continue
        return None
    return None


async def _attempt(
    run: Run, provider: Provider, gate: Gate, leave: Pass, query: Query, ends: float
) -> Findings | ProviderError:
    """One try with one key: what was found, or what went wrong, noted either way."""
    began = time.perf_counter()
    name = provider.name
    findings: Findings | None = None
    error: ProviderError | None = None
    try:
        with until(ends):
            findings = await run.k.ask(provider, query, leave.key)
    except TimeoutError:
        error = Timeout(name, f"it did not answer within {since(began) / 1000:.1f} s")
    except asyncio.CancelledError:
        error = CalledOff(name, f"it was called off after {since(began) / 1000:.1f} s")
        run.attempts.append(
            Attempt(name, Outcome.UNAVAILABLE, error, since(began), key=leave.number)
        )
        raise
    except ProviderError as caught:
        error = discreet(caught, (leave.key, query.text))
    except MissingExtra as missing:
        error = NotConfigured(name, missing.message, remedy=missing.remedy)
    except UsageError:
        raise  # the caller's to mend: no other provider would make it right
    except KensakuError as fault:
        error = Unreadable(name, fault.message, remedy=fault.remedy)
    except Exception as bug:  # somebody else's provider; one of them must not take the rest along
        where = traceback.extract_tb(bug.__traceback__)[-1]  # its text may hold key or query
        log.debug("%s: %s at %s:%s", name, type(bug).__name__, where.filename, where.lineno)
        error = Unreadable(name, f"its adapter failed ({type(bug).__name__})")
    elapsed = since(began)
    await gate.report(leave, error, elapsed / 1000)
    price = provider.price_of(query) if leave.key else 0.0
    if findings is None:
        attempt = Attempt(name, Outcome.UNAVAILABLE, error, elapsed, key=leave.number)
    else:
        attempt = Attempt(
            name,
            outcome_of(bool(findings.hits), True),
            None,
            elapsed,
            key=leave.number,
            cost=price if findings.cost is None else findings.cost,
            hits=len(findings.hits),
        )
    run.attempts.append(attempt)
    if run.budget.bounded:
        await run.budget.settle(money=attempt.cost - price, seconds=elapsed / 1000 - TAKES)
    log.debug("%s: %s in %.0f ms", name, error or "answered", elapsed)
    return findings if findings is not None else error  # type: ignore[return-value]


def _fitted(run: Run, provider: Provider) -> Query:
    """The query as this provider takes it. Raises a `NotAsked`.

    A query that is too long goes to those that take it whole; when none of the route's web
    providers does, it is cut at a word, and a note says so.
    """
    if run.offline(provider.name):
        raise NotAsked(provider.name, "the network seems to be down; it was spared")
    query = run.query
    notes = run.notes[provider.name] = []
    if not run.k.settings.provider(provider.name).enabled:
        raise NotConfigured(provider.name, "the settings switch it off")
    for option in provider.needs:
        if not provider.option.get(option):
            variable = provider.options[option]
            raise NotConfigured(provider.name, f"it needs {option}", remedy=f"set {variable}")
    if not provider.base_url and provider.name not in ("local", "duckduckgo"):
        variable = f"{provider.name.upper()}_BASE_URL"
        raise NotConfigured(provider.name, "it has no address", remedy=f"set {variable}")
    if too_long := provider.too_long(query.text):
        if any(not run.k.provider(n).too_long(query.text) for n in run.others(provider.name)):
            raise DoesNotFit(provider.name, f"the query is too long for it ({too_long})")
        text = provider.shortened(query.text)
        notes.append(f"the query was cut at a word to {len(text)} characters")
        query = replace(query, text=text)
    wanted = query.limit
    for f in _asked_filters(query):
        if f not in provider.filters:
            notes.append(f"it cannot filter by {f}; {_OURS[f]}")
            if f in ("dates", "domains"):
                wanted = query.limit * 3
    limit = min(wanted, provider.max_results)
    return query if limit == query.limit else replace(query, limit=limit)


_OURS = {
    "dates": "its hits were filtered here",
    "domains": "its hits were filtered here",
    "country": "that was not applied",
    "language": "that was not applied",
    "topic": "that was not applied",
}


def _asked_filters(query: Query) -> list[str]:
    asked = []
    if query.time_range or query.start_date or query.end_date:
        asked.append("dates")
    if query.include_domains or query.exclude_domains:
        asked.append("domains")
    if query.country:
        asked.append("country")
    if query.language:
        asked.append("language")
    if query.topic != "general":
        asked.append("topic")
    return asked


async def _waited(run: Run, name: str, seconds: float) -> bool:
    """Wait for a rate to pass: briefly while others could be asked, else as long as there is."""
    now = asyncio.get_running_loop().time()
    if now + seconds >= _patient(run, name, run.deadline) or not run.k.retries.take():
        return False
    await asyncio.sleep(seconds + random.uniform(0.01, 0.05))
    return True


def _patient(run: Run, name: str, ends: float) -> float:
    """Until when to wait for a turn: not long while somebody else could be asked."""
    soon = asyncio.get_running_loop().time() + PATIENCE
    return min(ends, soon) if ends > soon and run.others(name) else ends


async def moment(run: Run, after: float = 0.0) -> None:
    """A short pause of random length, so that those who failed together do not return together."""
    await asyncio.sleep(min(after + random.uniform(0.01, 0.2), max(0.0, run.left())))


def passing(error: KensakuError | None) -> bool:
    """Whether it may be over by now, so that asking again is no waste."""
    if isinstance(error, Cooling):
        return error.cause == RateLimited.__name__
    return isinstance(
        error, Outage | Unreadable | RateLimited | KeyRefused | QuotaExhausted | Blocked
    )


def outcome_of(hits: bool, searched: bool) -> Outcome:
    return Outcome.FOUND if hits else Outcome.EMPTY if searched else Outcome.UNAVAILABLE


def since(began: float) -> float:
    return (time.perf_counter() - began) * 1000
