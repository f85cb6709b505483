"""Read one field of a request's body, or say in a sentence what is wrong with it.

`null` and an empty list mean that a field is not set: some clients always send all of them.
Numbers and switches may come as text, as in the query of a URL.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from kensaku.errors import InvalidQuery

MAX_TEXT = 20_000
MAX_INTEGER = 10**9  # where a schema has no bound


def value(
    body: Mapping[str, Any], schema: Mapping[str, Any], name: str, default: Any = None
) -> Any:
    """Return a field as the JSON schema of the endpoint's fields describes it."""
    about = schema[name]
    match about:
        case {"enum": allowed}:
            return choice(body, name, default, allowed)
        case {"type": "boolean"}:
            return switch(body, name, bool(default))
        case {"type": "integer"}:
            return integer(body, name, default, about["minimum"], about.get("maximum", MAX_INTEGER))
        case {"type": "number"}:
            return decimal(body, name, default, about["minimum"], about["maximum"])
        case {"type": "array"}:
            return texts(body, name, about["maxItems"])
    return text(body, name, default or "", most=about["maxLength"])


def text(body: Mapping[str, Any], name: str, default: str = "", *, most: int = MAX_TEXT) -> str:
    """Return a text of at most `most` characters."""
    value = body.get(name)
    if value is None:
        return default
    if not isinstance(value, str):
        raise _refusal(name, value, "text")
    if len(value) > most:
        raise InvalidQuery(f"{name} has {len(value):,} characters; at most {most:,} are taken")
    return value


def integer(
    body: Mapping[str, Any], name: str, default: int, low: int, high: int, *, clip: bool = False
) -> int:
    """Return a whole number within its bounds; with `clip`, the nearest one within them."""
    value = body.get(name)
    if value is None or value == "":
        return default
    number = _number(name, value, f"a whole number from {low} to {high}")
    if number != int(number):
        raise _refusal(name, value, f"a whole number from {low} to {high}")
    if clip:
        return int(min(max(number, low), high))
    if not low <= number <= high:
        raise _refusal(name, value, f"a whole number from {low} to {high}")
    return int(number)


def decimal(body: Mapping[str, Any], name: str, default: float, low: float, high: float) -> float:
    """Return a number within its bounds."""
    value = body.get(name)
    if value is None or value == "":
        return default
    number = _number(name, value, f"a number from {low:g} to {high:g}")
    if not low <= number <= high:
        raise _refusal(name, value, f"a number from {low:g} to {high:g}")
    return number


def switch(body: Mapping[str, Any], name: str, default: bool = False) -> bool:
    """Return true or false."""
    value = body.get(name)
    if value is None or value == "":
        return default
    word = str(value).lower()
    if word in ("true", "1"):
        return True
    if word in ("false", "0"):
        return False
    raise _refusal(name, value, "true or false")


def choice(
    body: Mapping[str, Any], name: str, default: str | None, allowed: Sequence[str]
) -> str | None:
    """Return one of the allowed words."""
    value = body.get(name)
    if value is None or value == "":
        return default
    if not isinstance(value, str) or value not in allowed:
        raise _refusal(name, value, f"one of {', '.join(allowed)}")
    return value


def texts(body: Mapping[str, Any], name: str, most: int) -> tuple[str, ...]:
    """Return a list of texts; one text is a list of one, or several with commas between them."""
    value = body.get(name)
    if value is None:
        return ()
    if isinstance(value, str):
        value = [v.strip() for v in value.split(",") if v.strip()]
    if not isinstance(value, list | tuple) or not all(isinstance(v, str) for v in value):
        raise _refusal(name, value, "a list of texts")
    if len(value) > most:
        raise InvalidQuery(f"{name} has {len(value)} entries; at most {most} are taken")
    return tuple(value)


def _number(name: str, value: Any, wanted: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise _refusal(name, value, wanted)
    try:
        number = float(value)
    except (ValueError, OverflowError):
        raise _refusal(name, value, wanted) from None
    if not math.isfinite(number):
        raise _refusal(name, value, wanted)
    return number


def _refusal(name: str, value: Any, wanted: str) -> InvalidQuery:
    return InvalidQuery(f"{name} is {_short(value)}; it must be {wanted}")


def _short(value: Any) -> str:
    """A value for an error message: not the whole of a megabyte."""
    if isinstance(value, str):
        return repr(value if len(value) <= 60 else value[:60] + "…")
    if isinstance(value, bool | None) or (isinstance(value, int | float) and abs(value) < 1e15):
        return str(value)
    if isinstance(value, dict | list):
        return "an object" if isinstance(value, dict) else "a list"
    return "a number out of bounds"
