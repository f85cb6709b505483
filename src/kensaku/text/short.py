"""Shorten: a value for an error message, a text to its last whole word."""

from __future__ import annotations

MAX_SHOWN = 60  # characters


def short_repr(value: object, limit: int = MAX_SHOWN) -> str:
    """Return the `repr` of a value in at most `limit` characters."""
    try:
        text = repr(value)
    except ValueError:  # a number with more digits than Python writes
        return f"a huge {type(value).__name__}"
    return text if len(text) <= limit else text[: limit - 1] + "…"


def cut_at_word(text: str, limit: int) -> str:
    """`text` in at most `limit` characters, without a half word where words have spaces."""
    if len(text) <= limit:
        return text
    head, space, _ = text[: limit + 1].rpartition(" ")
    return head.rstrip() if space and len(head) * 2 > limit else text[:limit]
