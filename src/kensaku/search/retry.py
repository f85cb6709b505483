"""The retry rules: what to do after an error, and when to ask a provider again.

    error → RULES → next key | wait | retry | next provider
    delay_before_retry   the same provider, at once or after a pause
    delay_before_round   the whole route once more, when all that failed may be over

Every repeated request of a search is decided here; the HTTP client never sends one twice.
"""

from __future__ import annotations

import asyncio
import random
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

from kensaku.errors import (
    BadQuery,
    Blocked,
    DoesNotFit,
    KensakuError,
    KeyRefused,
    NotAsked,
    Outage,
    ProviderError,
    QuotaExhausted,
    RateLimited,
    Timeout,
    Unreadable,
)

if TYPE_CHECKING:
    from kensaku.search.run import Run

MAX_WAITS = 3  # how often one provider may ask us to wait during one search
MAX_REQUESTS = 8  # of one search, after which the route is not tried again
MAX_REQUESTS_TO_ONE = 4  # to one provider, after which it is left alone until the next search


class Next(Enum):
    """What to do after an error."""

    NEXT_KEY = "leave this key alone, try another, then the next provider"
    WAIT = "wait if that is short and the deadline allows, else another key, else the next provider"
    RETRY = "once more after a moment, or when it says, then the next provider"
    NEXT = "leave it alone, and go on to the next provider"


@dataclass(frozen=True, slots=True)
class RetryRule:
    """What an error does to the next try, and how long the key cools down without a better hint.

    Upstreams slip: they refuse a good key, or send a captcha, once in a while. A key cools down
    when it was refused several times in a row, or when the upstream says for how long.
    """

    then: Next
    cooldown: float = 0.0


# THE table. The first row that the error is an instance of holds.
RULES: tuple[tuple[type[ProviderError], RetryRule], ...] = (
    (BadQuery, RetryRule(Next.NEXT)),  # mostly about a parameter that others take
    (KeyRefused, RetryRule(Next.NEXT_KEY, cooldown=300)),
    (QuotaExhausted, RetryRule(Next.NEXT_KEY, cooldown=900)),
    (RateLimited, RetryRule(Next.WAIT, cooldown=1)),
    (Blocked, RetryRule(Next.NEXT, cooldown=120)),
    (Timeout, RetryRule(Next.NEXT)),  # it had its share of the time
    (Outage, RetryRule(Next.RETRY)),
    (Unreadable, RetryRule(Next.NEXT)),
    (NotAsked, RetryRule(Next.NEXT)),
)


def rule_for(error: ProviderError) -> RetryRule:
    """The row of the table for this error."""
    return next(rule for kind, rule in RULES if isinstance(error, kind))


@dataclass(slots=True)
class Tries:
    """Requests to one provider in one round, and waits for its rate limit."""

    requests: int = 0
    waits: int = 0


def delay_before_retry(run: Run, error: ProviderError, tries: Tries) -> float | None:
    """Seconds before retrying the same provider; None: move on to the next one."""
    rule, name = rule_for(error), error.provider
    if name in run.beside.names and not run.beside.asked_for:
        return None  # the web does not wait for it
    other_key = run.resources.limiter(name).has_other_key(tries.requests)
    if rule.then in (Next.NEXT_KEY, Next.WAIT) and other_key:
        return 0.0
    if rule.then is Next.WAIT or (rule.then is Next.RETRY and error.retry_after):
        return _rate_delay(run, error, rule, tries)
    first = tries.requests == 1
    if rule.then is Next.RETRY and error.transient and first and run.resources.retries.take():
        return _jitter(run)
    return None


def delay_before_round(run: Run) -> float | None:
    """Seconds until the route is tried once more; None: give up."""
    delays = [_recovery(run, name) for name in run.route.names]
    soonest = min((d for d in delays if d is not None), default=None)
    if soonest is None or run.over or run.requests >= MAX_REQUESTS:
        return None
    return _jitter(run, after=soonest)


def is_due(run: Run, name: str) -> bool:
    """Whether to ask this provider now: it has not been asked yet, or it may have recovered."""
    error = run.errors.get(name)
    if error is None:
        return True
    if _recovery(run, name) != 0:
        return False
    return isinstance(error, NotAsked) or run.resources.retries.take()


def _rate_delay(run: Run, error: ProviderError, rule: RetryRule, tries: Tries) -> float | None:
    """Wait as long as was asked for: briefly if there are alternatives, else until the deadline."""
    seconds = error.retry_after or rule.cooldown
    tries.waits += 1
    until = run.wait_deadline(error.provider, run.deadline)
    too_late = asyncio.get_running_loop().time() + seconds >= until
    if tries.waits > MAX_WAITS or too_late or not run.resources.retries.take():
        return None
    return seconds + random.uniform(0.01, 0.05)


def _recovery(run: Run, name: str) -> float | None:
    """Seconds until a failed provider may have recovered; None if retrying is pointless."""
    error: KensakuError | None = run.errors.get(name)
    if isinstance(error, DoesNotFit):  # passed over because the query is too long: never asked
        return 0.0
    if not isinstance(error, ProviderError) or not error.transient:
        return None
    if run.requests_to(name) >= MAX_REQUESTS_TO_ONE:
        return None
    if not (isinstance(error, NotAsked) or run.resources.retries.left()):
        return None
    wait = run.resources.limiter(name).wait()
    return wait if wait is not None and wait < run.seconds_left else None


def _jitter(run: Run, after: float = 0.0) -> float:
    """A random pause, so that clients that failed together do not retry together."""
    return min(after + random.uniform(0.01, 0.2), max(0.0, run.seconds_left))
