"""THE flow of a search.

    Query → route → cache → [limiter → key → request → HTTP → read] per provider
          → clean → filter → deduplicate → fuse → (pages) → answer → Response → cache

Specialists of the query's intent are asked beside the route (`beside.py`).
`attempt.py` asks one provider; `retry.py` says what follows an error. One deadline is passed down
through every step. At the deadline, return the results so far; unfinished attempts are listed as
timed out.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from kensaku._patience import patience
from kensaku.errors import Timeout
from kensaku.messages import msg
from kensaku.models import Outcome, Response
from kensaku.observe import observe
from kensaku.operations import CacheOperation, RetryOperation, SearchOperation
from kensaku.search import retry
from kensaku.search.attempt import ask_provider, outcome_of
from kensaku.search.beside import beside_note, interleave, with_specialists
from kensaku.search.cache import worth_keeping
from kensaku.search.clean import MAX_CONTENT, clean_hits, clean_images
from kensaku.search.duplicates import folded_note
from kensaku.search.filters import filter_hits
from kensaku.search.listen import PartialHits, listener
from kensaku.search.rank import fuse, limit_per_host, merge
from kensaku.text.clean import cut
from kensaku.text.links import clean_reply
from kensaku.text.terms import is_about

if TYPE_CHECKING:
    from kensaku.models import Hit
    from kensaku.providers.base import Findings
    from kensaku.search.run import Run

MAX_HITS = 100  # of one provider's list that are looked at
THREAD_CHARS = 200_000  # of a reply's texts that are cleaned in a thread: some milliseconds' work
GRACE = 0.05  # seconds after the deadline in which finished results are still collected
STALE_SECONDS = 0.5  # for reading an expired response after the deadline
HEDGE_SECONDS = 1.0  # when to start a second request while no latency of the first is known


async def search(run: Run, *, cache: bool) -> Response:
    """Ask the providers of the route and return one ranked response.

    A provider that fails is reported in `Response.attempts`; the others still count.
    `Response.outcome` is `unavailable` only when none of them could search.
    """
    query, observers = run.query, run.resources.observers
    with observe(observers, SearchOperation, query.text, query.max_results, run.route.mode) as op:
        response: Response | None
        if not cache:
            response = await _within_deadline(run, _search(run))
        else:
            key = run.cache_key
            response = _remembered(run, key)
            if response is None:
                response = await _within_deadline(run, _search_cached(run, key))
            if not _could_search(response):
                stale = await _stale(run, key)
                response = response if stale is None else replace(stale, attempts=response.attempts)
        op.record(response)
    return run.finish(response)


async def _within_deadline(run: Run, work: Awaitable[Response]) -> Response:
    """Await a search. Every step keeps to the deadline by itself; this is for a disk or a server
    of ours, and for who joins a search that has more time."""
    try:
        async with patience(GRACE, start=run.deadline):
            return await work
    except TimeoutError:
        return _timed_out(run)


def _remembered(run: Run, key: str) -> Response | None:
    """The cached response in memory. It needs no deadline."""
    fresh = run.resources.cache.remembered(key)
    if fresh is not None:
        with observe(run.resources.observers, CacheOperation) as lookup:
            lookup.record("fresh")
    return fresh


async def _search_cached(run: Run, key: str) -> Response:
    """Return the cached response, or share one search among concurrent callers."""
    cache = run.resources.cache
    with observe(run.resources.observers, CacheOperation) as lookup:
        fresh = await cache.fresh(key, run.query)
        lookup.record("miss" if fresh is None else "fresh")
    if fresh is not None:
        return fresh

    async def search_and_keep() -> Response:
        response = await _search(run)
        if worth_keeping(response, run.resources.provider, run.beside.names):
            await cache.keep(key, response)
        return response

    return await run.resources.single_flight.join(key, search_and_keep, _could_search)


async def _stale(run: Run, key: str) -> Response | None:
    """The expired response, unless the cache itself does not answer."""
    with observe(run.resources.observers, CacheOperation) as lookup:
        try:
            async with patience(STALE_SECONDS):
                found = await run.resources.cache.stale(key, run.query)
        except TimeoutError:
            found = None
        lookup.record("miss" if found is None else "stale")
    return found


async def _search(run: Run) -> Response:
    """Ask the providers in the route's mode, and make one response of their findings."""
    run.resources.retries.earn()
    findings, special = await with_specialists(run, _MODES[run.route.mode](run), _ask)
    if not findings:
        run.skip_rest()
    if _text_size(findings | special) > THREAD_CHARS:
        hits, notes = await asyncio.to_thread(_rank, run, findings, special)
    else:
        hits, notes = _rank(run, findings, special)
    if run.query.depth == "advanced" or run.query.include_raw_content:
        hits, page_notes = await _read_pages(run, hits)
        notes += page_notes
    answer, answered_by = _answer(run, findings, hits)
    searched = _searched(run, findings)
    response = Response(
        query=run.query,
        outcome=outcome_of(bool(hits or answer), searched),
        hits=hits,
        answer=answer,
        answered_by=answered_by,
        images=clean_images(run.query, [i for f in findings.values() for i in f.images]),
        attempts=run.final_attempts(),
        notes=tuple(notes),
        partial=run.route.mode == "all" and bool(findings) and _ran_out_of_time(run),
        elapsed_ms=run.elapsed_ms,
    )
    known = searched or any(hit.provider in special for hit in hits)
    return response if known else instead_of_web(response)


def instead_of_web(response: Response) -> Response:
    """Weigh a response of the local index that stood in for the web.

    Hits that are not about the query stay, but nobody has searched: `unavailable`.
    """
    if not response.hits or is_about(response.query.text, response.hits):
        return response
    return replace(
        response,
        outcome=Outcome.UNAVAILABLE,
        answer=None,
        answered_by=None,
        notes=(*response.notes, msg("the local index has nothing about this either")),
    )


def _rank(
    run: Run, findings: dict[str, Findings], special: dict[str, Findings]
) -> tuple[tuple[Hit, ...], list[str]]:
    """Clean, filter and merge what the providers found; notes say what was left out."""
    settings, query = run.resources.settings, run.query
    notes = beside_note(run)
    lists: dict[str, list[Hit]] = {}
    for name, found in (findings | special).items():
        lists[name], left_out = _clean(run, name, found)
        said = (*run.notes.get(name, ()), *found.notes, *left_out)
        notes += [msg("{name}: {text}", name=name, text=text) for text in said]
    web = [lists[name] for name in findings]
    if run.route.mode == "all":
        ranked = limit_per_host(fuse(web, query), settings.rank_per_domain)
    else:
        ranked = merge([hit for hits in web for hit in hits], query)
    if special:
        ranked = interleave(run, ranked, [lists[name] for name in special])
    shown = tuple(ranked[: query.max_results])
    return shown, notes + folded_note(shown)


def _clean(run: Run, name: str, found: Findings) -> tuple[list[Hit], list[str]]:
    """Clean and filter one provider's hits; the notes say what was left out."""
    provider, settings = run.resources.provider(name), run.resources.settings
    hits = clean_hits(
        found.hits, MAX_HITS, run.query.text,
        family=provider.family, web=provider.is_web, markup=provider.markup,
    )  # fmt: skip
    return filter_hits(
        hits, run.query, block=settings.rank_block_domains, undated=settings.rank_undated,
        today=datetime.now(UTC).date(),
    )  # fmt: skip


async def _ask(run: Run, name: str) -> Findings | None:
    """Ask one provider, and pass its hits to the listener unless cleaning them is slow."""
    found = await ask_provider(run, name)
    tell = listener.get()
    if tell is not None and found is not None and _text_size({name: found}) <= THREAD_CHARS:
        tell(PartialHits(name, _clean(run, name, found)[0][: run.query.max_results]))
    return found


def _text_size(findings: dict[str, Findings]) -> int:
    """Count the characters that are to be cleaned."""
    size = 0
    for found in findings.values():
        for hit in found.hits:
            for text in (hit.title, hit.content, hit.raw_content):
                size += len(text) if isinstance(text, str) else 0
    return size


async def _read_pages(run: Run, hits: tuple[Hit, ...]) -> tuple[tuple[Hit, ...], list[str]]:
    """Read the pages behind the hits, unless the upstream has done so or the index holds them."""
    from kensaku.search.advanced import read_pages

    if not hits or all(run.resources.provider(h.provider).reads_pages for h in hits):
        return hits, []
    return await read_pages(run, hits, run.seconds_left - GRACE)


def _answer(
    run: Run, findings: dict[str, Findings], hits: tuple[Hit, ...]
) -> tuple[str | None, str | None]:
    """The first upstream's own answer or, if one was asked for, sentences of the hits; by whom."""
    for name, found in findings.items():
        if found.answer:
            said = cut(found.answer, MAX_CONTENT)
            return clean_reply(said, {h.url for h in hits}, (h.content for h in hits)), name
    if not run.query.include_answer or not hits:
        return None, None
    text = run.write_answer(run.query.text, hits, run.resources.confidence_models)
    return (text, "extract") if text else (None, None)


async def _first(run: Run) -> dict[str, Findings]:
    """Ask one provider after the other until one answers.

    An empty local index is no answer about the web: the route goes on.
    """
    findings: dict[str, Findings] = {}
    while True:
        for name in run.route.names:
            if run.over:
                break
            if not retry.is_due(run, name):
                continue
            found = await _ask(run, name)
            if found is not None:
                findings[name] = found
                if found.hits or found.answer or run.resources.provider(name).is_web:
                    return {name: found}
        delay = None if findings else retry.delay_before_round(run)
        if delay is None:
            return findings
        with observe(run.resources.observers, RetryOperation, "", "", delay):
            await asyncio.sleep(delay)


async def _hedge(run: Run) -> dict[str, Findings]:
    """Ask the first provider, and the second as soon as the first is unusually slow.

    Return the first answer and cancel the other request.
    """
    queue = list(run.route.names)
    tasks: dict[asyncio.Future[Findings | None], str] = {}
    newest, may_hedge = "", True
    run.resources.hedges.earn()

    def start() -> str:
        name = queue.pop(0)
        tasks[asyncio.ensure_future(_ask(run, name))] = name
        return name

    try:
        while tasks or (queue and not run.over):
            newest = newest if tasks else start()
            # The local index is always faster, and knows less: it is for when all others failed.
            spare = may_hedge and queue and run.resources.provider(queue[0]).is_web
            limiter = run.resources.limiter(newest)
            patience = limiter.p95_latency(HEDGE_SECONDS) if spare else None
            done, _ = await asyncio.wait(
                tasks, timeout=patience, return_when=asyncio.FIRST_COMPLETED
            )
            for task in done:
                name = tasks.pop(task)
                if (found := task.result()) is not None:
                    return {name: found}
            if not done and (may_hedge := run.resources.hedges.take()):
                newest = start()
    finally:
        await _cancel(tasks)
    return {}


async def _all(run: Run) -> dict[str, Findings]:
    """Ask all providers at once; leave out those that have not answered at the deadline."""
    tasks = [asyncio.ensure_future(_ask(run, name)) for name in run.route.names]
    try:
        answers = await asyncio.gather(*tasks)
    finally:
        await _cancel(tasks)
    return {n: f for n, f in zip(run.route.names, answers, strict=True) if f is not None}


_MODES: dict[str, Callable[[Run], Awaitable[dict[str, Findings]]]] = {
    "first": _first,
    "hedge": _hedge,
    "all": _all,
}


async def _cancel(tasks: Iterable[asyncio.Future[Findings | None]]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


def _searched(run: Run, findings: dict[str, Findings]) -> bool:
    """Whether anybody has searched. The local index knows nothing of the web: when it stood in
    for others and has nothing about the query, nobody has."""
    provider = run.resources.provider
    if any(provider(name).is_web for name in findings):
        return True
    return bool(findings) and not any(provider(name).is_web for name in run.route.names)


def _could_search(response: Response) -> bool:
    return response.outcome is not Outcome.UNAVAILABLE


def _ran_out_of_time(run: Run) -> bool:
    return any(isinstance(a.error, Timeout) for a in run.attempts if a.provider in run.route.names)


def _timed_out(run: Run) -> Response:
    """The response of a search that was cancelled: attempts made, and providers not asked."""
    if not run.attempts:
        name = run.route.names[0]
        run.skip(name, Timeout(name, msg("the search did not end before its deadline")))
    run.skip_rest()
    return Response(
        run.query,
        Outcome.UNAVAILABLE,
        attempts=run.final_attempts(),
        elapsed_ms=run.elapsed_ms,
    )
