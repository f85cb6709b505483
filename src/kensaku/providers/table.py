"""All providers as a Markdown table, for docs/providers.md: `python -m kensaku.providers.table`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kensaku.providers import BUILT_IN, provider_class

if TYPE_CHECKING:
    from kensaku.providers.base import Provider

COLUMNS = (
    "provider", "key", "without a key", "base URL", "query", "results", "filters", "index",
    "US$ per 1,000", "kept under",
)  # fmt: skip


def table() -> str:
    """One row for each built-in provider, in the order in which `auto` asks them."""
    rows = [COLUMNS, ("---",) * len(COLUMNS), *(_row(provider_class(name)) for name in BUILT_IN)]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows) + "\n"


def _row(cls: type[Provider]) -> tuple[str, ...]:
    words = f", {cls.max_query_words} words" if cls.max_query_words else ""
    variables = [v for v in (cls.key_variable, *cls.key_aliases) if v]
    return (
        f"[`{cls.name}`]({cls.docs})" if cls.docs else f"`{cls.name}`",
        _code(variables + list(cls.options.values())),
        _keyless(cls),
        _code([f"{cls.name.upper()}_BASE_URL"]) if cls.url or cls.docs else "–",
        f"{cls.max_query_chars:,} characters{words}",
        str(cls.max_results),
        ", ".join(sorted(cls.filters)) or "–",
        cls.family or "not known",
        f"{cls.price * 1000:g}" if cls.price else "–",
        (cls.rate or "–") + (f"; ends {cls.sunset}" if cls.sunset else ""),
    )


def _keyless(cls: type[Provider]) -> str:
    if not cls.keyless:
        return "no"
    rate = f", {cls.keyless_rate}" if cls.keyless_rate else ""
    return f"{'pool' if cls.pooled else 'yes'}{rate}"


def _code(names: list[str]) -> str:
    return ", ".join(f"`{name}`" for name in names) or "–"


if __name__ == "__main__":
    print(table(), end="")
