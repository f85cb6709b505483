"""Parsers of setting values: each takes what a file, a variable or an argument holds.

They return the value in its canonical form, or raise `ValueError` that says what was expected.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from ipaddress import ip_network
from pathlib import Path
from typing import Any

from kensaku.config.secret import Secret
from kensaku.errors import ConfigError
from kensaku.messages import msg
from kensaku.text.rate import parse_rate
from kensaku.text.short import short_repr

Parser = Callable[[Any], Any]
RUNGS = ("site", "reader", "archive")
_NAMED_URL = re.compile(r"[a-z_]+=https?://[^\s@]+")
_ROOT = re.compile(r"(/(?!\.+(?:/|\Z))[\w.~-]+)+", re.ASCII)
_ORIGIN = re.compile(r"https?://[a-z0-9.\-\[\]:]+")


def number(low: float, high: float, kind: type = float) -> Parser:
    """A number within its bounds; `kind=int` for a whole one."""

    def parse(value: Any) -> Any:
        try:
            number = kind(str(value).strip()) if not isinstance(value, bool) else None
        except ValueError:
            number = None
        if number is None or not low <= number <= high:
            if kind is int:
                raise ValueError(msg("a whole number from {low:g} to {high:g}", low=low, high=high))
            raise ValueError(msg("a number from {low:g} to {high:g}", low=low, high=high))
        return number

    return parse


def choice(*allowed: str) -> Parser:
    """One of a few words."""

    def parse(value: Any) -> str:
        if value not in allowed:
            raise ValueError(msg("one of {names}", names=", ".join(allowed)))
        return str(value)

    return parse


def switch(value: Any) -> bool:
    """On or off, in any of the usual words."""
    words = {"1": True, "true": True, "yes": True, "on": True}
    words |= {"0": False, "false": False, "no": False, "off": False}
    if isinstance(value, bool):
        return value
    if (found := words.get(str(value).strip().lower())) is None:
        raise ValueError(msg("true or false"))
    return found


def text(value: Any) -> str:
    """A line of text."""
    if not isinstance(value, str):
        raise ValueError(msg("text"))
    return value.strip()


def address(value: Any) -> str:
    """A URL, which may hold a password."""
    return text(value)


def secret(value: Any) -> Secret | None:
    """A key."""
    if isinstance(value, Secret):
        return value
    return Secret(text(value)) if value else None


def words(value: Any) -> tuple[str, ...]:
    """Several names: a list, or one text with commas."""
    if isinstance(value, bytes | Mapping) or not isinstance(value, Iterable):
        raise ValueError(msg("names, separated by commas"))
    parts = value.split(",") if isinstance(value, str) else list(value)
    if not all(isinstance(p, str) for p in parts):
        raise ValueError(msg("names, separated by commas"))
    return tuple(p.strip() for p in parts if p.strip())


def rungs(value: Any) -> tuple[str, ...]:
    """Ways to read a page, in order."""
    found = words(value)
    if not set(found) <= set(RUNGS):
        raise ValueError(msg("some of {names}", names=", ".join(RUNGS)))
    return tuple(dict.fromkeys(found))


def named_urls(value: Any) -> tuple[str, ...]:
    """Base URLs by the names of services."""
    found = words(value)
    if not all(_NAMED_URL.fullmatch(pair) for pair in found):
        raise ValueError(msg("names with URLs, as github=https://raw.example.com"))
    return found


def web_origins(value: Any) -> tuple[str, ...]:
    """Origins of web pages, as browsers write them."""
    found = words(value)
    if not all(origin == "*" or _ORIGIN.fullmatch(origin) for origin in found):
        raise ValueError("origins as https://app.example.com, or *")
    return found


def networks(value: Any) -> tuple[str, ...]:
    """Addresses and networks, each as a network."""
    try:
        return tuple(str(ip_network(word.strip("[]"), strict=False)) for word in words(value))
    except ValueError:
        raise ValueError("addresses or networks as 127.0.0.1, 10.0.0.0/8") from None


def public_origin(value: Any) -> str:
    """The address of a server without a path: https, or http on this machine."""
    found = text(value).rstrip("/")
    local = re.match(r"http://(localhost|127\.0\.0\.1|\[::1\])(:|\Z)", found)
    if found and not (_ORIGIN.fullmatch(found) and (found.startswith("https://") or local)):
        raise ValueError("an address as https://search.example.com, without a path")
    return found


def root_path(value: Any) -> str:
    """A path of a URL without a slash at its end."""
    found = text(value).rstrip("/")
    if found and not _ROOT.fullmatch(found):
        raise ValueError("a path as /search")
    return found


def path(value: Any) -> Path:
    """A place on this machine."""
    return Path(text(str(value))).expanduser()


def rate(value: Any) -> str:
    """How often: `100/m`."""
    try:
        parse_rate(str(value))
    except ConfigError as error:
        raise ValueError(msg("a rate; {remedy}", remedy=error.remedy)) from None
    return str(value)


def parse_value(parse: Parser, raw: Any, key: str, origin: str = "argument") -> Any:
    """Parse the value of a setting. Raises `ConfigError` that says where and what was expected."""
    try:
        return parse(raw)
    except ValueError as expected:
        hidden = parse in (secret, address) or key.endswith("api_key")
        hidden = hidden or (not isinstance(raw, int) and "@" in str(raw))
        shown = "…" if hidden else short_repr(raw)
        raise ConfigError(
            msg(
                "{origin}: {key} is {shown}; expected {expected}",
                origin=origin,
                key=key,
                shown=shown,
                expected=expected,
            )
        ) from None
