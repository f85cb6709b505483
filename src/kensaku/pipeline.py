"""THE flow of a search.

    Query → route → cache → [gate → key → request → HTTP → read] per provider
          → tidy → filter → deduplicate → fuse → answer → confidence → cache → Response

Retries happen here and nowhere else (`_visit`), by the table in `route.py`. One deadline goes down
through every step; at the deadline, what is there comes back with the attempts that did not end.
"""

from __future__ import annotations

import asyncio
import logging
import random
import time
import traceback
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from kensaku.cache import cache_key
from kensaku.clean import visible
from kensaku.confidence import weigh
from kensaku.errors import (
    BudgetExceeded,
    CalledOff,
    DoesNotFit,
    KensakuError,
    MissingExtra,
    NotAsked,
    NotConfigured,
    Outage,
    ProviderError,
    RateLimited,
    Timeout,
    Unreachable,
    Unreadable,
    UsageError,
)
from kensaku.models import Attempt, Outcome, Response
from kensaku.providers.base import Findings, discreet
from kensaku.rank import admit, fuse, merge, spread, tidy
from kensaku.route import Then, rule_for

if TYPE_CHECKING:
    from kensaku.budget import Budget
    from kensaku.client import Kensaku
    from kensaku.limits import Gate, Pass
    from kensaku.models import Hit, Query
    from kensaku.providers.base import Provider
    from kensaku.route import Route

log = logging.getLogger("kensaku")

ROUNDS = 2  # how often a route is walked when all that failed was passing
MOST_WAITS = 3  # how often one provider may ask us to wait during one search
PATIENCE = 2.0  # seconds to wait for a rate while somebody else could be asked
LOCAL_SECONDS = 2.0  # what the web leaves to the local index at the end of a route
GRACE = 0.05  # seconds after the deadline in which what is there is brought home
TAKES = 0.001  # seconds that a search is sure to take: a budget without them is spent
HEDGE_SECONDS = 1.0  # when to start the second while nothing is known of the first


async def search(
    k: Kensaku, query: Query, route: Route, *, deadline: float, cache: bool, budget: Budget
) -> Response:
    """Ask the providers of `route` and return one ranked response.

    A provider that fails is reported in `Response.attempts`; the others still count.
    `Response.outcome` is `unavailable` only when none of them could search.
    """
    began = time.perf_counter()
    flow = _cached if cache else _ask
    try:
        # Every step keeps to the deadline by itself; this is for a disk or a server of ours.
        async with asyncio.timeout_at(deadline + 2 * GRACE):
            response = await flow(k, query, route, deadline, budget)
    except TimeoutError:
        response = _late(query, route)
    return replace(response, elapsed_ms=_since(began)) if cache else response


async def _cached(
    k: Kensaku, query: Query, route: Route, deadline: float, budget: Budget
) -> Response:
    """What is known, or one flight for all who ask the same at the same time."""
    key = cache_key(k.settings.tenant, query, k.fingerprint(route))
    if (known := await k.cache.fresh(key, query)) is not None:
        return known

    async def flight() -> Response:
        response = await _ask(k, query, route, deadline, budget)
        await k.cache.keep(key, response)
        return response

    try:
        # Who leads the flight may have more time than who joins it.
        async with asyncio.timeout_at(deadline + GRACE):
            response = await k.flights.join(key, flight, _could_search)
    except TimeoutError:
        response = _late(query, route)
    if not _could_search(response) and (old := await k.cache.stale(key, query)) is not None:
        return replace(old, attempts=response.attempts)
    return response


def _late(query: Query, route: Route) -> Response:
    error = Timeout(route.names[0], "the search did not end before its deadline")
    attempt = Attempt(route.names[0], Outcome.UNAVAILABLE, error, sent=False)
    return Response(query, Outcome.UNAVAILABLE, attempts=(attempt,), confidence=weigh("", ()))


async def _ask(k: Kensaku, query: Query, route: Route, deadline: float, budget: Budget) -> Response:
    began = time.perf_counter()
    run = _Run(k, query, route, deadline, budget)
    k.retries.earn()
    found = await _MODES[route.mode](run)
    if not found and not run.attempts:
        return _late(query, route)
    notes: list[str] = []
    lists = {}
    for name, findings in found.items():
        hits = tidy(findings.hits, limit=100)
        lists[name], left_out = admit(
            hits,
            query,
            block=k.settings.block_domains,
            undated=k.settings.undated,
            today=datetime.now(UTC).date(),
        )
        said = (*run.notes.get(name, ()), *findings.notes, *left_out)
        notes += [f"{name}: {note}" for note in said]
    if route.mode == "all":
        ranked = spread(fuse(lists, query, k.families), k.settings.per_domain)
    else:
        ranked = merge([h for hits in lists.values() for h in hits], query)
    top = tuple(ranked[: query.limit])
    if query.depth == "advanced" or query.include_raw_content:
        top, said_of_pages = await _deepened(run, top)
        notes += said_of_pages
    answer = next((visible(f.answer) for f in found.values() if f.answer), None)
    if query.include_answer and answer is None and top:
        answer = _extracted(query, top)
    partial = bool(found) and any(isinstance(a.error, Timeout) for a in run.attempts)
    partial = partial and route.mode == "all"
    return Response(
        query=query,
        outcome=_outcome(bool(top or answer), _searched(found, route)),
        hits=top,
        answer=answer,
        attempts=tuple(run.attempts),
        confidence=weigh(query.text, top, k.families, partial=partial),
        notes=tuple(notes),
        partial=partial,
        elapsed_ms=_since(began),
    )


async def _deepened(run: _Run, hits: tuple[Hit, ...]) -> tuple[tuple[Hit, ...], list[str]]:
    """Read the pages behind the hits, unless the upstream has done so."""
    from kensaku.deepen import deepen

    if not hits or all(run.k.provider(h.provider).reads_pages for h in hits):
        return hits, []
    return await deepen(run.k, run.query, hits, run.left() - GRACE)


def _extracted(query: Query, hits: tuple[Hit, ...]) -> str | None:
    """An answer in the sources' own words, when no upstream gave one."""
    from kensaku.answer import extractive
    from kensaku.context import Citation

    return extractive(query.text, [Citation.of(n, h) for n, h in enumerate(hits, 1)])


@dataclass
class _Run:
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
        if self.route.mode != "first":
            return self.deadline
        names = self.route.names
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
        lost = {a.provider for a in self.attempts if isinstance(a.error, Unreachable)}
        return len(lost) >= 2 and name in self.route.pool


async def _first(run: _Run) -> dict[str, Findings]:
    """One after the other, until somebody answers. An empty local index is no answer about the
    web: the route goes on."""
    found: dict[str, Findings] = {}
    for walk in range(ROUNDS):
        for name in run.route.names:
            if run.over():
                break
            if walk and not _may_return(run, name):
                continue
            if walk and _passing(run.last[name]):
                run.k.retries.take()
            findings = await _visit(run, name)
            if findings is not None:
                found[name] = findings
                if findings.hits or findings.answer or name != "local":
                    return {name: findings}
        if found or run.over() or not any(_may_return(run, n) for n in run.route.names):
            break
        await _moment(run)
    return found


def _may_return(run: _Run, name: str) -> bool:
    error = run.last.get(name)
    # One that was passed over because the query is too long has not been asked at all.
    return isinstance(error, DoesNotFit) or (_passing(error) and run.k.retries.left())


async def _hedge(run: _Run) -> dict[str, Findings]:
    """The second starts when the first is slower than it nearly always is; who answers first
    wins, and the other is called off."""
    queue = list(run.route.names)
    tasks: dict[asyncio.Future[Findings | None], str] = {}
    newest, may_hedge = "", True
    run.k.hedges.earn()

    def start() -> str:
        name = queue.pop(0)
        tasks[asyncio.ensure_future(_visit(run, name))] = name
        return name

    try:
        while tasks or (queue and not run.over()):
            newest = newest if tasks else start()
            # The local index is always faster, and knows less: it is for when all others failed.
            spare = may_hedge and queue and queue[0] != "local"
            patience = run.k.gate(newest).slow(HEDGE_SECONDS) if spare else None
            done, _ = await asyncio.wait(
                tasks, timeout=patience, return_when=asyncio.FIRST_COMPLETED
            )
            for task in done:
                name = tasks.pop(task)
                if (findings := task.result()) is not None:
                    return {name: findings}
            if not done and (may_hedge := run.k.hedges.take()):
                newest = start()
    finally:
        await _call_off(tasks)
    return {}


async def _all(run: _Run) -> dict[str, Findings]:
    """All at once; who has not answered at the deadline is left out."""
    tasks = [asyncio.ensure_future(_visit(run, name)) for name in run.route.names]
    try:
        answers = await asyncio.gather(*tasks)
    finally:
        await _call_off(tasks)
    return {n: f for n, f in zip(run.route.names, answers, strict=True) if f is not None}


async def _call_off(tasks: Iterable[asyncio.Future[Findings | None]]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


_MODES: dict[str, Callable[[_Run], Awaitable[dict[str, Findings]]]] = {
    "first": _first,
    "hedge": _hedge,
    "all": _all,
}


async def _visit(run: _Run, name: str) -> Findings | None:
    """Ask one provider until it answers, or the table says to go on. None: it did not answer."""
    provider, gate = run.k.provider(name), run.k.gate(name)
    await run.k.ready(provider)
    tries = waits = 0
    while not run.over():
        until = run.slice(name)
        try:
            query = _fitted(run, provider)
            leave = await gate.enter(_patient(run, name, until))
            if name != "local":
                price = provider.price_of(query) if leave.key else 0.0
                await run.budget.spend(searches=1, money=price, seconds=TAKES)
        except (NotAsked, BudgetExceeded) as error:
            run.skipped(name, error)
            return None
        tries += 1
        answer = await _attempt(run, provider, gate, leave, query, until)
        if isinstance(answer, Findings):
            return answer
        run.last[name] = answer
        rule = rule_for(answer)
        if rule.cool:
            await gate.cool(leave, answer.retry_after or rule.cool, type(answer).__name__)
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
            await _moment(run)
            continue
        return None
    return None


async def _attempt(
    run: _Run, provider: Provider, gate: Gate, leave: Pass, query: Query, until: float
) -> Findings | ProviderError:
    """One try with one key: what was found, or what went wrong, noted either way."""
    began = time.perf_counter()
    name = provider.name
    findings: Findings | None = None
    error: ProviderError | None = None
    try:
        async with asyncio.timeout_at(until):
            findings = await run.k.ask(provider, query, leave.key)
    except TimeoutError:
        error = Timeout(name, f"it did not answer within {_since(began) / 1000:.1f} s")
    except asyncio.CancelledError:
        error = CalledOff(name, f"it was called off after {_since(began) / 1000:.1f} s")
        run.attempts.append(
            Attempt(name, Outcome.UNAVAILABLE, error, _since(began), key=leave.number)
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
    elapsed = _since(began)
    await gate.report(leave, error, elapsed / 1000)
    price = provider.price_of(query) if leave.key else 0.0
    if findings is None:
        attempt = Attempt(name, Outcome.UNAVAILABLE, error, elapsed, key=leave.number)
    else:
        attempt = Attempt(
            name,
            _outcome(bool(findings.hits), True),
            None,
            elapsed,
            key=leave.number,
            cost=price if findings.cost is None else findings.cost,
            hits=len(findings.hits),
        )
    run.attempts.append(attempt)
    await run.budget.settle(money=attempt.cost - price, seconds=elapsed / 1000 - TAKES)
    log.debug("%s: %s in %.0f ms", name, error or "answered", elapsed)
    return findings if findings is not None else error  # type: ignore[return-value]


def _fitted(run: _Run, provider: Provider) -> Query:
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
    if missing := [o for o in provider.needs if not provider.option.get(o)]:
        variable = provider.options[missing[0]]
        raise NotConfigured(provider.name, f"it needs {missing[0]}", remedy=f"set {variable}")
    if not provider.base_url and provider.name not in ("local", "duckduckgo"):
        variable = f"{provider.name.upper()}_BASE_URL"
        raise NotConfigured(provider.name, "it has no address", remedy=f"set {variable}")
    if too_long := provider.too_long(query.text):
        if any(not run.k.provider(n).too_long(query.text) for n in run.others(provider.name)):
            raise DoesNotFit(provider.name, f"the query is too long for it ({too_long})")
        text = provider.shortened(query.text)
        notes.append(f"the query was cut at a word to {len(text)} characters")
        query = replace(query, text=text)
    ours = [f for f in _asked_filters(query) if f not in provider.filters]
    notes += [f"it cannot filter by {f}; {_OURS[f]}" for f in ours]
    wanted = query.limit * 3 if {"dates", "domains"} & set(ours) else query.limit
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
    asked = (
        ("dates", query.time_range or query.start_date or query.end_date),
        ("domains", query.include_domains or query.exclude_domains),
        ("country", query.country),
        ("language", query.language),
        ("topic", query.topic != "general"),
    )
    return [name for name, value in asked if value]


async def _waited(run: _Run, name: str, seconds: float) -> bool:
    """Wait for a rate to pass: briefly while others could be asked, else as long as there is."""
    now = asyncio.get_running_loop().time()
    if now + seconds >= _patient(run, name, run.deadline) or not run.k.retries.take():
        return False
    await asyncio.sleep(seconds + random.uniform(0.01, 0.05))
    return True


def _patient(run: _Run, name: str, until: float) -> float:
    """Until when to wait for a turn: not long while somebody else could be asked."""
    soon = asyncio.get_running_loop().time() + PATIENCE
    return min(until, soon) if until > soon and run.others(name) else until


async def _moment(run: _Run) -> None:
    """A short pause of random length, so that those who failed together do not return together."""
    await asyncio.sleep(min(random.uniform(0.01, 0.2), max(0.0, run.left())))


def _passing(error: KensakuError | None) -> bool:
    """Whether it may be over by now, so that asking again is no waste."""
    return isinstance(error, Outage | RateLimited | Unreadable)


def _searched(found: dict[str, Findings], route: Route) -> bool:
    """Whether somebody has looked. The local index knows nothing of the web: when it was to stand
    in for others and has nothing, nobody has."""
    return any(name != "local" for name in found) or (bool(found) and route.names == ("local",))


def _could_search(response: Response) -> bool:
    return response.outcome is not Outcome.UNAVAILABLE


def _outcome(hits: bool, searched: bool) -> Outcome:
    return Outcome.FOUND if hits else Outcome.EMPTY if searched else Outcome.UNAVAILABLE


def _since(began: float) -> float:
    return (time.perf_counter() - began) * 1000
