"""Ask one provider: fit the query, take a permit, send, record the attempt.

ask_provider: _fit_query → limiter → budget → _attempt → Findings
                                                     → error → retry.py says what follows
"""

from __future__ import annotations

import asyncio
import time
import traceback
from dataclasses import replace
from typing import TYPE_CHECKING

from kensaku._logger import get_logger
from kensaku.errors import (
    BudgetExceeded,
    CalledOff,
    DoesNotFit,
    KensakuError,
    MissingExtra,
    NoNetwork,
    NotAsked,
    NotConfigured,
    NotConnected,
    Outage,
    ProviderError,
    Timeout,
    Unreadable,
    UsageError,
)
from kensaku.messages import msg
from kensaku.models import Attempt, Outcome
from kensaku.observe import observe
from kensaku.operations import AttemptOperation, RetryOperation
from kensaku.providers._classify import redact
from kensaku.providers.base import Findings
from kensaku.search.outbound import check_egress
from kensaku.search.retry import Tries, delay_before_retry, rule_for

if TYPE_CHECKING:
    from kensaku.models import Query
    from kensaku.providers.base import Provider
    from kensaku.search.limits import Limiter, Permit
    from kensaku.search.run import Run

log = get_logger("kensaku")

MIN_SECONDS = 0.001  # that a search is sure to take: a budget without them is spent


async def ask_provider(run: Run, name: str) -> Findings | None:
    """Ask one provider until it answers or the retry rule moves on.

    None: it did not answer; `run.attempts` and `run.errors` say why.
    """
    provider, limiter = run.resources.provider(name), run.resources.limiter(name)
    if limiter.limited:
        await run.resources.load_http(provider)  # so that a turn that was waited for is used
    tries = Tries()
    while not run.over:
        deadline = run.deadline_of(name)
        try:
            query = _fit_query(run, provider)
            wait = run.wait_deadline(name, deadline) if limiter.limited else deadline
            permit = await limiter.acquire(wait)
            counts = provider.is_web and name not in run.beside.names
            if counts and run.budget.bounded:
                price = provider.price_of(query) if permit.key else 0.0
                await run.budget.spend(searches=1, money=price, seconds=MIN_SECONDS)
        except (NotAsked, NoNetwork, BudgetExceeded) as error:
            run.skip(name, error)
            return None
        tries.requests += 1
        answer = await _attempt(run, provider, permit, query, deadline, tries.requests)
        if isinstance(answer, Findings):
            return answer
        run.errors[name] = answer
        await cool_down_after(limiter, permit, answer)
        if (delay := delay_before_retry(run, answer, tries)) is None:
            return None
        kind = type(answer).__name__
        with observe(run.resources.observers, RetryOperation, name, kind, delay):
            await asyncio.sleep(delay)
    return None


async def cool_down_after(limiter: Limiter, permit: Permit, error: ProviderError) -> None:
    """Put the key on cooldown for as long as the upstream says, else if the error calls for it."""
    seconds, asked = error.retry_after, bool(error.retry_after)
    if not asked and (cooldown := rule_for(error).cooldown):
        seconds = limiter.cooldown_after_refusal(permit, cooldown)
    if seconds:
        is_down = isinstance(error, Outage)  # whichever key it is asked with
        why = type(error).__name__
        await limiter.cool_down(permit, seconds, why, asked=asked, all_keys=is_down)


async def _attempt(
    run: Run, provider: Provider, permit: Permit, query: Query, deadline: float, number: int
) -> Findings | ProviderError:
    """Send one request with one key, and record the attempt."""
    name, limiter = provider.name, run.resources.limiter(provider.name)
    price = provider.price_of(query) if permit.key else 0.0
    with observe(run.resources.observers, AttemptOperation, name, number) as operation:
        began = time.perf_counter()
        run.begin(name)
        try:
            answer = await _send(run, provider, permit, query, deadline)
        except asyncio.CancelledError:
            elapsed = ms_since(began)
            error = CalledOff(
                name, msg("it was called off after {elapsed:.1f} s", elapsed=elapsed / 1000)
            )
            run.record(_to_attempt(name, error, elapsed, permit, 0.0))
            operation.record(run.attempts[-1])
            raise
        elapsed = ms_since(began)
        attempt = _to_attempt(name, answer, elapsed, permit, price, run.query.text)
        operation.record(attempt)
    failure = answer if isinstance(answer, ProviderError) else None
    await limiter.record(permit, failure, elapsed / 1000)
    run.record(attempt)
    if run.budget.bounded and name not in run.beside.names:
        sent = not isinstance(answer, NotConnected)
        taken = MIN_SECONDS if provider.is_web else 0.0
        await run.budget.settle(
            searches=0 if sent or not provider.is_web else -1,
            money=attempt.cost - price,
            seconds=elapsed / 1000 - taken,
        )
    log.debug("%s: %s in %.0f ms", name, failure or "answered", elapsed)
    return answer


def _to_attempt(
    name: str,
    answer: Findings | ProviderError,
    elapsed: float,
    permit: Permit,
    price: float,
    asked: str = "",
) -> Attempt:
    """What came back, how long it took, what it cost. A request that failed costs nothing."""
    if isinstance(answer, ProviderError):
        return Attempt(name, Outcome.UNAVAILABLE, answer, elapsed, key=permit.number)
    return Attempt(
        name,
        outcome_of(bool(answer.hits), True),
        None,
        elapsed,
        key=permit.number,
        cost=price if answer.cost is None else answer.cost,
        hits=len(answer.hits),
        searched=answer.searched if answer.searched != asked else None,
    )


async def _send(
    run: Run, provider: Provider, permit: Permit, query: Query, deadline: float
) -> Findings | ProviderError:
    """Send the request; return its findings or a `ProviderError`."""
    name, began = provider.name, time.perf_counter()
    try:
        async with asyncio.timeout_at(deadline):
            return await run.resources.ask(provider, query, permit.key)
    except TimeoutError:
        return Timeout(
            name, msg("it did not answer within {ms_since:.1f} s", ms_since=ms_since(began) / 1000)
        )
    except ProviderError as error:
        return redact(error, (permit.key,), query.text)
    except MissingExtra as missing:
        return NotConfigured(name, missing.message, remedy=missing.remedy)
    except UsageError:
        raise  # the caller's to mend: no other provider would make it right
    except KensakuError as fault:
        return Unreadable(name, fault.message, remedy=fault.remedy)
    except Exception as bug:  # somebody else's provider; one of them must not take the rest along
        where = traceback.extract_tb(bug.__traceback__)[-1]  # its text may hold key or query
        log.debug("%s: %s at %s:%s", name, type(bug).__name__, where.filename, where.lineno)
        return Unreadable(
            name, msg("its adapter failed ({name})", name=type(bug).__name__), transient=False
        )


def _fit_query(run: Run, provider: Provider) -> Query:
    """The query as this provider takes it. Raises a `NotAsked`.

    A query that is too long goes to the providers that take it whole; when none of the route's
    web providers does, it is cut at a word, and a note says so.
    """
    _check_usable(run, provider)
    query, name = run.query, provider.name
    is_beside = name in run.beside.names
    if provider.is_web:
        query = run.outbound.to(name, query)
    if is_beside:
        query = replace(query, text=run.beside.text)
    notes = run.notes[name] = []
    if provider.is_web and run.outbound.note:
        notes.append(run.outbound.note)
    if too_long := provider.too_long(query.text):
        others = [run.resources.provider(n) for n in run.alternatives(name)]
        if not is_beside and any(not other.too_long(query.text) for other in others):
            raise DoesNotFit(
                name, msg("the query is too long for it ({too_long})", too_long=too_long)
            )
        text = provider.shortened(query.text)
        notes.append(msg("the query was cut at a word to {count} characters", count=len(text)))
        query = replace(query, text=text)
    wanted = query.max_results
    if wanted > provider.max_results:
        notes.append(
            msg(
                "it gives at most {max_results} results for one search",
                max_results=provider.max_results,
            )
        )
    applied = provider.filters_for(query)
    for f in _filters_of(query):
        if f not in applied and not (f == "topic" and is_beside):
            notes.append(
                msg("it cannot filter by {filter}; {instead}", filter=f, instead=_FILTERED_HERE[f])
            )
            if f in ("dates", "domains"):
                wanted = query.max_results * 3
    count = min(wanted, provider.max_results)
    return query if count == query.max_results else replace(query, max_results=count)


def _check_usable(run: Run, provider: Provider) -> None:
    """Raise `NotAsked` or `NoNetwork` if this provider is not available."""
    name = provider.name
    run.check_network(name)
    check_egress(provider, run.resources.egress)
    if not run.resources.settings.provider(name).enabled:
        raise NotConfigured(name, msg("the settings switch it off"))
    for option in provider.needs:
        if not provider.option.get(option):
            variable = provider.options[option]
            raise NotConfigured(
                name,
                msg("it needs {option}", option=option),
                remedy=msg("set {variable}", variable=variable),
            )
    if provider.needs_address and not provider.base_url:
        raise NotConfigured(
            name, msg("it has no address"), remedy=msg("set {name}_BASE_URL", name=name.upper())
        )


_FILTERED_HERE = {
    "dates": msg("its hits were filtered here"),
    "domains": msg("its hits were filtered here"),
    "country": msg("that was not applied"),
    "language": msg("that was not applied"),
    "topic": msg("that was not applied"),
}


def _filters_of(query: Query) -> list[str]:
    """The filters that a query uses."""
    names = []
    if query.time_range or query.start_date or query.end_date:
        names.append("dates")
    if query.include_domains or query.exclude_domains:
        names.append("domains")
    if query.country:
        names.append("country")
    if query.language:
        names.append("language")
    if query.topic != "general":
        names.append("topic")
    return names


def outcome_of(hits: bool, searched: bool) -> Outcome:
    """The outcome of a search: whether there are hits, and whether anybody searched."""
    return Outcome.FOUND if hits else Outcome.EMPTY if searched else Outcome.UNAVAILABLE


def ms_since(began: float) -> float:
    """Milliseconds since `began`, a value of `time.perf_counter`."""
    return (time.perf_counter() - began) * 1000
