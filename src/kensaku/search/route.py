"""Which providers are asked, in which order and mode.

"auto" | "tavily,brave,local" | ["tavily", "local"] → Route(providers, mode, specialists)
Route + Query → Beside: the specialists that `auto` asks for this query, beside the web
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal, get_args

from kensaku.errors import ConfigError, UnknownName
from kensaku.messages import msg
from kensaku.models import LOCAL
from kensaku.providers import BUILT_IN, provider_class

if TYPE_CHECKING:
    from kensaku.config.settings import Settings
    from kensaku.models import Query
    from kensaku.search.intent import Intent

Mode = Literal["first", "hedge", "all"]
MODES: tuple[Mode, ...] = get_args(Mode)


@dataclass(frozen=True, slots=True)
class Route:
    """Providers in order, and how they are asked; `auto` has specialists."""

    names: tuple[str, ...]
    mode: Mode = "first"
    pool: frozenset[str] = frozenset()  # those that are asked without a key, for want of better
    specialists: Mapping[Intent, tuple[str, ...]] = field(default_factory=dict, hash=False)
    auto: bool = False  # `auto` chose the order

    def ordered_for(self, query: Query) -> Route:
        """The route for this query: for images, `auto` asks first those that have some."""
        if query.topic != "images" or not self.auto:
            return self
        return replace(self, names=tuple(sorted(self.names, key=_has_no_images)))

    def beside(self, query: Query) -> Beside:
        """The specialists to ask in addition to the route, for the query's topic.

        A topic of the caller's decides. Without one the text does, unless the search is
        restricted to some domains.
        """
        asked_for = _KNOWN_TOPICS.get(query.topic)
        if not self.specialists or (asked_for is None and query.topic != "general"):
            return NOBODY
        if query.include_domains and asked_for is None:
            return NOBODY
        from kensaku.search.intent import intent_of, subject  # the words take some milliseconds

        found = intent_of(query.text)
        # A question about code may be an error message.
        intent = asked_for if asked_for and (asked_for, found) != ("code", "errors") else found
        names = tuple(n for n in self.specialists.get(intent, ()) if n not in self.names)
        if not names:
            return NOBODY
        return Beside(intent, names, asked_for is not None, subject(query.text, intent))


_KNOWN_TOPICS: dict[str, Intent] = {"papers": "papers", "code": "code"}


@dataclass(frozen=True, slots=True)
class Beside:
    """The specialists to ask in addition to the web, and why."""

    intent: Intent = "general"
    names: tuple[str, ...] = ()
    asked_for: bool = False  # by the query's topic: they are waited for as the web is
    text: str = ""  # what they are asked


NOBODY = Beside()


def plan(
    settings: Settings, route: str | Iterable[str] | None = None, mode: str | None = None
) -> Route:
    """The route that a call, or the settings, ask for. Raises `UnknownName` or `ConfigError`."""
    chosen = settings.route if route is None else route
    names = [str(n).strip() for n in (chosen.split(",") if isinstance(chosen, str) else chosen)]
    names = [n.lower() for n in names if n]
    if not names:
        raise ConfigError(msg("the route is empty"), remedy=msg("name a provider, or write auto"))
    wanted, auto = _mode(mode or settings.mode), "auto" in names
    pool: list[str] = []
    specialists: dict[Intent, tuple[str, ...]] = {}
    if auto:
        keyed, pool = _auto(settings)
        specialists = _specialists(settings)
        at = names.index("auto")
        names[at : at + 1] = [*keyed, *pool, LOCAL]
    for name in names:
        provider_class(name)
    return Route(tuple(dict.fromkeys(names)), wanted, frozenset(pool), specialists, auto)


def _mode(name: str) -> Mode:
    for mode in MODES:
        if mode == name:
            return mode
    raise UnknownName(msg("mode"), name, MODES)


def _auto(settings: Settings) -> tuple[list[str], list[str]]:
    """Those that are configured, and the keyless pool."""
    known = [n for n in _known_providers(settings) if _is_general(n)]
    on = [n for n in known if settings.provider(n).enabled]
    keyed = [n for n in on if _configured(settings, n)]
    pool = [n for n in on if n not in keyed and provider_class(n).pooled]
    return keyed, pool if settings.keyless else []


def _specialists(settings: Settings) -> dict[Intent, tuple[str, ...]]:
    """The free specialists by topic: those with a key, and those that need none."""
    known: dict[Intent, tuple[str, ...]] = {}
    for name in _known_providers(settings) if settings.specialists else ():
        cls, has = provider_class(name), settings.provider(name)
        free = has.enabled and not cls.price
        if free and (has.keys or (cls.pooled and settings.keyless)):
            for intent in cls.knows:
                known[intent] = (*known.get(intent, ()), name)
    return known


def _has_no_images(name: str) -> bool:
    cls = provider_class(name)
    return not ("topic" in cls.filters and "images" in cls.topics)


def _is_general(name: str) -> bool:
    """Whether it is a general engine: a GITHUB_TOKEN must not send every query to GitHub."""
    cls = provider_class(name)
    return cls.is_web and not cls.specialist


def _known_providers(settings: Settings) -> Sequence[str]:
    return list(dict.fromkeys([*BUILT_IN, *settings.providers]))


def _configured(settings: Settings, name: str) -> bool:
    cls, has = provider_class(name), settings.provider(name)
    if any(not has.options.get(option) for option in cls.needs):
        return False
    if cls.key_variable and not cls.keyless:
        return bool(has.keys)
    return bool(has.keys) or (bool(has.base_url) and not cls.url)  # an own instance, as SearXNG
