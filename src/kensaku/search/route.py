"""Which providers are asked, in which order; and what each error means for the next try.

"auto" | "tavily,brave,local" | ["tavily", "local"] → Route(providers, mode)
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Literal, get_args

from kensaku.errors import (
    BadQuery,
    Blocked,
    ConfigError,
    KeyRefused,
    NotAsked,
    Outage,
    ProviderError,
    QuotaExhausted,
    RateLimited,
    Timeout,
    UnknownName,
    Unreadable,
)
from kensaku.providers import BUILT_IN, provider_class

if TYPE_CHECKING:
    from kensaku.config.settings import Settings

Mode = Literal["first", "hedge", "all"]
MODES: tuple[str, ...] = get_args(Mode)


class Then(Enum):
    """What to do after an error."""

    STOP = "say so: nobody will take this query"
    NEXT_KEY = "leave this key alone, try another, then the next provider"
    WAIT = "wait if that is short and the deadline allows, else another key, else the next provider"
    RETRY = "once more after a moment, then the next provider"
    NEXT = "leave it alone for a while, and go on to the next provider"


@dataclass(frozen=True, slots=True)
class Rule:
    """What an error does to the next try, and for how long the key cools without a better hint.

    Upstreams slip: they refuse a good key, or send a captcha, once in a while. A key cools when it
    was refused several times in a row, or when the upstream says for how long.
    """

    then: Then
    cool: float = 0.0


# THE table. The first row that the error is an instance of holds.
AFTER: tuple[tuple[type[ProviderError], Rule], ...] = (
    (BadQuery, Rule(Then.STOP)),
    (KeyRefused, Rule(Then.NEXT_KEY, cool=300)),
    (QuotaExhausted, Rule(Then.NEXT_KEY, cool=900)),
    (RateLimited, Rule(Then.WAIT, cool=1)),
    (Blocked, Rule(Then.NEXT, cool=120)),
    (Timeout, Rule(Then.NEXT)),  # it had its share of the time
    (Outage, Rule(Then.RETRY)),
    (Unreadable, Rule(Then.NEXT)),
    (NotAsked, Rule(Then.NEXT)),
)


def rule_for(error: ProviderError) -> Rule:
    """The row of the table for this error."""
    return next(rule for kind, rule in AFTER if isinstance(error, kind))


@dataclass(frozen=True, slots=True)
class Route:
    """Providers in order, and how they are asked."""

    names: tuple[str, ...]
    mode: Mode = "first"
    pool: frozenset[str] = frozenset()  # those that are asked without a key, for want of better


def plan(settings: Settings, route: str | Iterable[str] | None, mode: str | None) -> Route:
    """The route that a call, or the settings, ask for. Raises `UnknownName` or `ConfigError`."""
    chosen = settings.route if route is None else route
    names = [str(n).strip() for n in (chosen.split(",") if isinstance(chosen, str) else chosen)]
    names = [n.lower() for n in names if n]
    if not names:
        raise ConfigError("the route is empty", remedy="name a provider, or write auto")
    wanted = mode or settings.mode
    if wanted not in MODES:
        raise UnknownName("mode", wanted, MODES)
    pool: list[str] = []
    if "auto" in names:
        keyed, pool = _auto(settings)
        at = names.index("auto")
        names[at : at + 1] = [*keyed, *pool, "local"]
    for name in names:
        provider_class(name)
    return Route(tuple(dict.fromkeys(names)), wanted, frozenset(pool))  # type: ignore[arg-type]


def _auto(settings: Settings) -> tuple[list[str], list[str]]:
    """Those that are configured, and the keyless pool."""
    on = [n for n in _known(settings) if n != "local" and settings.provider(n).enabled]
    keyed = [n for n in on if _configured(settings, n)]
    pool = [n for n in on if n not in keyed and provider_class(n).pooled]
    return keyed, pool if settings.keyless else []


def _known(settings: Settings) -> Sequence[str]:
    return list(dict.fromkeys([*BUILT_IN, *settings.providers]))


def _configured(settings: Settings, name: str) -> bool:
    cls, has = provider_class(name), settings.provider(name)
    if any(not has.options.get(option) for option in cls.needs):
        return False
    if cls.key_variable and not cls.keyless:
        return bool(has.keys)
    return bool(has.keys) or (bool(has.base_url) and not cls.url)  # an own instance, as SearXNG
