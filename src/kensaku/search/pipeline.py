"""THE flow of a search.

    Query → route → cache → [gate → key → request → HTTP → read] per provider
          → tidy → filter → deduplicate → fuse → answer → confidence → cache → Response

`attempt.py` asks one provider. One deadline is passed down through every step. At the deadline,
return the results so far; unfinished attempts are listed as timed out.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from kensaku._deadline import until
from kensaku.errors import DoesNotFit, NotAsked, Timeout
from kensaku.models import Attempt, Outcome, Response
from kensaku.providers.base import Findings
from kensaku.search.attempt import Run, moment, outcome_of, passing, since, visit
from kensaku.search.cache import cache_key
from kensaku.search.rank import admit, fuse, merge, spread, tidy
from kensaku.text.clean import visible

if TYPE_CHECKING:
    from kensaku.client import Kensaku
    from kensaku.models import Hit, Query
    from kensaku.search.budget import Budget
    from kensaku.search.route import Route


TRIES = 8  # requests after which a route is not walked again, though all that failed was passing
GRACE = 0.05  # seconds after the deadline in which what is there is brought home
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
        with until(deadline + 2 * GRACE):
            response = await flow(k, query, route, deadline, budget)
    except TimeoutError:
        response = _late(query, route)
    return replace(response, elapsed_ms=since(began)) if cache else response


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
        with until(deadline + GRACE):
            response = await k.flights.join(key, flight, _could_search)
    except TimeoutError:
        response = _late(query, route)
    if not _could_search(response) and (old := await k.cache.stale(key, query)) is not None:
        return replace(old, attempts=response.attempts)
    return response


def _late(query: Query, route: Route) -> Response:
    error = Timeout(route.names[0], "the search did not end before its deadline")
    attempt = Attempt(route.names[0], Outcome.UNAVAILABLE, error, sent=False)
    return Response(query, Outcome.UNAVAILABLE, attempts=(attempt,))


async def _ask(k: Kensaku, query: Query, route: Route, deadline: float, budget: Budget) -> Response:
    began = time.perf_counter()
    run = Run(k, query, route, deadline, budget)
    k.retries.earn()
    found = await _MODES[route.mode](run)
    if not found and not run.attempts:
        return _late(query, route)
    notes: list[str] = []
    lists, today = {}, datetime.now(UTC).date()
    for name, findings in found.items():
        hits = tidy(findings.hits, 100, query.text)
        lists[name], left_out = admit(
            hits,
            query,
            block=k.settings.block_domains,
            undated=k.settings.undated,
            today=today,
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
    answer, said_by = _answered(found)
    if query.include_answer and answer is None and top:
        answer = _extracted(query, top)
        said_by = "extract" if answer else None
    return Response(
        query=query,
        outcome=outcome_of(bool(top or answer), _searched(found, route)),
        hits=top,
        answer=answer,
        answered_by=said_by,
        attempts=tuple(run.attempts),
        notes=tuple(notes),
        partial=route.mode == "all" and bool(found) and _ran_out_of_time(run),
        elapsed_ms=since(began),
        families=k.families,
    )


async def _deepened(run: Run, hits: tuple[Hit, ...]) -> tuple[tuple[Hit, ...], list[str]]:
    """Read the pages behind the hits, unless the upstream has done so."""
    from kensaku.search.advanced import deepen

    if not hits or all(run.k.provider(h.provider).reads_pages for h in hits):
        return hits, []
    return await deepen(run.k, run.query, hits, run.left() - GRACE, run.budget)


def _extracted(query: Query, hits: tuple[Hit, ...]) -> str | None:
    """An answer in the sources' own words, when no upstream gave one."""
    from kensaku.answers.answer import extractive
    from kensaku.answers.context import Citation

    return extractive(query.text, [Citation.of(n, h) for n, h in enumerate(hits, 1)])


def _answered(found: dict[str, Findings]) -> tuple[str | None, str | None]:
    """The first upstream's own answer, and whose it is."""
    for name, findings in found.items():
        if findings.answer:
            return visible(findings.answer), name
    return None, None


def _ran_out_of_time(run: Run) -> bool:
    return any(isinstance(a.error, Timeout) for a in run.attempts)


async def _first(run: Run) -> dict[str, Findings]:
    """One after the other, until somebody answers. An empty local index is no answer about the
    web: the route goes on."""
    found: dict[str, Findings] = {}
    while sum(a.sent for a in run.attempts) < TRIES:
        for name in run.route.names:
            if run.over():
                break
            if name in run.last:
                if _return_in(run, name) != 0:
                    continue
                if not isinstance(run.last[name], NotAsked):
                    run.k.retries.take()
            findings = await visit(run, name)
            if findings is not None:
                found[name] = findings
                if findings.hits or findings.answer or name != "local":
                    return {name: findings}
        pauses = [s for n in run.route.names if (s := _return_in(run, n)) is not None]
        if found or run.over() or not pauses:
            break
        await moment(run, after=min(pauses))
    return found


def _return_in(run: Run, name: str) -> float | None:
    """In how many seconds this one may be asked again; None when that is no use."""
    error = run.last.get(name)
    if isinstance(error, DoesNotFit):  # passed over because the query is too long: never asked
        return 0.0
    if not passing(error) or not (isinstance(error, NotAsked) or run.k.retries.left()):
        return None
    wait = run.k.gate(name).wait()
    return wait if wait is not None and wait < run.left() else None


async def _hedge(run: Run) -> dict[str, Findings]:
    """The second starts when the first is slower than it nearly always is; who answers first
    wins, and the other is called off."""
    queue = list(run.route.names)
    tasks: dict[asyncio.Future[Findings | None], str] = {}
    newest, may_hedge = "", True
    run.k.hedges.earn()

    def start() -> str:
        name = queue.pop(0)
        tasks[asyncio.ensure_future(visit(run, name))] = name
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


async def _all(run: Run) -> dict[str, Findings]:
    """All at once; who has not answered at the deadline is left out."""
    tasks = [asyncio.ensure_future(visit(run, name)) for name in run.route.names]
    try:
        answers = await asyncio.gather(*tasks)
    finally:
        await _call_off(tasks)
    return {n: f for n, f in zip(run.route.names, answers, strict=True) if f is not None}


async def _call_off(tasks: Iterable[asyncio.Future[Findings | None]]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


_MODES: dict[str, Callable[[Run], Awaitable[dict[str, Findings]]]] = {
    "first": _first,
    "hedge": _hedge,
    "all": _all,
}


def _searched(found: dict[str, Findings], route: Route) -> bool:
    """Whether somebody has looked. The local index knows nothing of the web: when it was to stand
    in for others and has nothing, nobody has."""
    return any(name != "local" for name in found) or (bool(found) and route.names == ("local",))


def _could_search(response: Response) -> bool:
    return response.outcome is not Outcome.UNAVAILABLE
