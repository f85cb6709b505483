"""Read rows out of a reply's JSON: lists, objects that may be missing, texts, addresses. Pure."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kensaku.models import Hit


def usable(hits: list[Hit]) -> tuple[list[Hit], tuple[str, ...]]:
    """The hits that have an address, and a note on those that have none.

    Raises `ValueError` when none of them has: then it is the reply that is wrong.
    """
    kept = [hit for hit in hits if is_address(hit.url)]
    if hits and not kept:
        raise ValueError("no result has an address")
    lost = len(hits) - len(kept)
    return kept, (f"{lost} results without an address were left out",) if lost else ()


_WEB = ("https://", "http://")

# No upstream is asked for more than a quarter of them. A reply of 16 MiB has room for 150,000, and
# to make hits of these takes the event loop a second.
MAX_ROWS = 200


def is_address(url: object) -> bool:
    """Whether this is the address of a page."""
    return isinstance(url, str) and url[:8].lower().startswith(_WEB)


def rows(body: Any, *path: str) -> list[dict[str, Any]]:
    """The first `MAX_ROWS` of the list at `path`; a missing member on the way: an empty list.

    Anything else in its place, also a null, raises `TypeError`: the reply is unreadable.
    """
    for name in path:
        if not isinstance(body, dict):
            raise TypeError(f"expected an object around {name!r}")
        if name not in body:
            return []
        body = body[name]
    if not isinstance(body, list):
        raise TypeError("expected a list")
    found = body[:MAX_ROWS]
    if not all(isinstance(row, dict) for row in found):
        raise TypeError("expected a list of objects")
    return found


def section(body: Any, name: str) -> dict[str, Any]:
    """The object under `name`; an empty one where it is missing or null."""
    found = body.get(name)
    if found is None:
        return {}
    if not isinstance(found, dict):
        raise TypeError(f"expected an object under {name!r}")
    return found


def member(row: Any, *path: str | int) -> Any:
    """What is at `path` inside a row; None where anything on the way is missing or different."""
    for name in path:
        try:
            row = row[name]
        except (KeyError, TypeError, IndexError):
            return None
    return row


def text(value: Any, *more: Any) -> str:
    """The texts among the values, in order, joined by a blank: descriptions, extra snippets."""
    if not more and isinstance(value, str):
        return value.strip()
    values = (value, *more)
    flat = [v for value in values for v in (value if isinstance(value, list) else [value])]
    return " ".join(v.strip() for v in flat if isinstance(v, str) and v.strip())


def first_text(*values: Any) -> str | None:
    """The first of the values that holds a text."""
    return next(filter(None, map(text, values)), None)


def is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)
