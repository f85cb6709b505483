"""The kinds of values that settings have: each takes what a file or a variable holds, and returns
the value, or raises `ValueError` that says what was expected."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from kensaku.config.secret import Secret
from kensaku.errors import ConfigError

Parser = Callable[[Any], Any]
PASSWORD = re.compile(r"//[^/@]*@")  # of an address


def number(low: float, high: float, kind: type = float) -> Parser:
    """A number within its bounds; `kind=int` for a whole one."""

    def parse(value: Any) -> Any:
        try:
            number = kind(str(value).strip()) if not isinstance(value, bool) else None
        except ValueError:
            number = None
        if number is None or not low <= number <= high:
            raise ValueError(f"a {'whole ' if kind is int else ''}number from {low:g} to {high:g}")
        return number

    return parse


def choice(*allowed: str) -> Parser:
    """One of a few words."""

    def parse(value: Any) -> str:
        if value not in allowed:
            raise ValueError(f"one of {', '.join(allowed)}")
        return str(value)

    return parse


def switch(value: Any) -> bool:
    """On or off, in any of the usual words."""
    words = {"1": True, "true": True, "yes": True, "on": True}
    words |= {"0": False, "false": False, "no": False, "off": False}
    if isinstance(value, bool):
        return value
    if (found := words.get(str(value).strip().lower())) is None:
        raise ValueError("true or false")
    return found


def text(value: Any) -> str:
    """A line of text."""
    if not isinstance(value, str):
        raise ValueError("text")
    return value.strip()


def address(value: Any) -> str:
    """A URL, which may hold a password."""
    return text(value)


def secret(value: Any) -> Secret | None:
    """A key."""
    return Secret(text(value)) if value else None


def words(value: Any) -> tuple[str, ...]:
    """Several names: a list, or one text with commas."""
    parts = value.split(",") if isinstance(value, str) else value
    if not isinstance(parts, list | tuple) or not all(isinstance(p, str) for p in parts):
        raise ValueError("names, separated by commas")
    return tuple(p.strip() for p in parts if p.strip())


def path(value: Any) -> Path:
    """A place on this machine."""
    return Path(text(str(value))).expanduser()


def rate(value: Any) -> str:
    """How often: `100/m`."""
    from kensaku.search.limits import parse_rate

    try:
        parse_rate(str(value))
    except ConfigError as error:
        raise ValueError(f"a rate; {error.remedy}") from None
    return str(value)
