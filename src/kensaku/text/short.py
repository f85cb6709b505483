"""A value as an error message shows it: not the whole of a megabyte."""

from __future__ import annotations

MAX_SHOWN = 60  # characters


def short_repr(value: object) -> str:
    """Return the `repr` of a value in at most 60 characters."""
    try:
        text = repr(value)
    except ValueError:  # a number with more digits than Python writes
        return f"a huge {type(value).__name__}"
    return text if len(text) <= MAX_SHOWN else text[: MAX_SHOWN - 1] + "…"
