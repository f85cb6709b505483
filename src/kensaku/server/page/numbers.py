"""Numbers and messages as people read them: filters of the templates. Pure."""

from __future__ import annotations

from collections.abc import Callable


def money(dollars: float, places: int = 4) -> str:
    """`$0.008`, `$1.50`, `$20`: cents in full or not at all, smaller parts as far as they go."""
    whole, _, part = f"{dollars:,.{places}f}".partition(".")
    part = part.rstrip("0")
    return f"${whole}.{part:0<2}" if part else f"${whole}"


def number(n: float) -> str:
    """`1,234`."""
    return f"{n:,.0f}"


def milliseconds(n: float) -> str:
    """`1,234 ms`."""
    return f"{n:,.0f} ms"


def score(n: float) -> str:
    """`0.87`."""
    return f"{n:.2f}"


def capital(text: str) -> str:
    """A message with a capital letter."""
    return f"{text[:1].upper()}{text[1:]}"


FILTERS: dict[str, Callable[..., str]] = {
    "money": money,
    "number": number,
    "milliseconds": milliseconds,
    "score": score,
    "capital": capital,
}
