"""The tables of docs/providers.md, from what the classes of the providers say. For generate.py."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from urllib.parse import urlsplit

from kensaku.models import Query
from kensaku.providers import BUILT_IN, provider_class
from kensaku.providers.base import Provider

Cell = Callable[[type[Provider]], str]


def costs() -> str:
    """Whose key it wants, what it costs, and who says so."""
    return _table(
        {
            "provider": _name,
            "key": lambda cls: _code(filter(None, (cls.key_variable, *cls.key_aliases))),
            "also needs": lambda cls: _code(cls.options[option] for option in cls.needs),
            "US$ per 1,000": lambda cls: f"{cls.price * 1000:g}" if cls.price else "–",
            "price from": _price_source,
            "kept under": lambda cls: cls.rate or "–",
        }
    )


def keyless() -> str:
    """Who answers without a key, and which hosts then see the queries."""
    return _table(
        {
            "provider": _name,
            "in the pool of `auto`": lambda cls: "yes" if cls.pooled else "no",
            "queries go to": _keyless_host,
            "kept under": lambda cls: cls.keyless_rate or cls.rate or "–",
        },
        lambda cls: cls.keyless and cls.is_web,
    )


def bounds() -> str:
    """What a query may be, and what the upstream filters itself."""
    return _table(
        {
            "provider": _name,
            "query": _query_bound,
            "results": lambda cls: str(cls.max_results),
            "filters": lambda cls: ", ".join(sorted(cls.filters)) or "–",
            "index": lambda cls: cls.family or "not known",
            "ends": lambda cls: str(cls.sunset or "–"),
        },
        lambda cls: True,
    )


def evidence() -> str:
    """How each wire format is known."""
    return _table(
        {
            "provider": lambda cls: f"`{cls.name}`",
            "known by": lambda cls: cls.known_by,
            "source": lambda cls: cls.known_source or f"<{cls.docs}>",
        }
    )


def _table(columns: dict[str, Cell], wanted: Callable[[type[Provider]], bool] | None = None) -> str:
    """Return one row for each provider, in the order in which `auto` asks them."""
    wanted = wanted or (lambda cls: cls.is_web)
    classes = [cls for cls in map(provider_class, BUILT_IN) if wanted(cls)]
    rows = [list(columns), ["---"] * len(columns)]
    rows += [[cell(cls) for cell in columns.values()] for cls in classes]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _name(cls: type[Provider]) -> str:
    return f"[`{cls.name}`]({cls.docs})" if cls.docs else f"`{cls.name}`"


def _query_bound(cls: type[Provider]) -> str:
    words = f", {cls.max_query_words} words" if cls.max_query_words else ""
    return f"{cls.max_query_chars:,} characters{words}"


def _price_source(cls: type[Provider]) -> str:
    source = str(getattr(cls, "price_source", ""))
    return source or ("unverified" if cls.price else "–")


def _keyless_host(cls: type[Provider]) -> str:
    provider = cls()
    if not provider.base_url:
        return "your own instance"
    # What it declares; else the host of the request that it describes.
    host = getattr(provider, "keyless_host", "")
    return f"`{host or urlsplit(_keyless_url(provider)).hostname}`"


def _keyless_url(provider: Provider) -> str:
    try:
        return provider.request(Query("otter"), "").url
    except NotImplementedError:  # it has a client of its own
        return provider.base_url


def _code(names: Iterable[str | None]) -> str:
    return ", ".join(f"`{name}`" for name in names) or "–"
