"""At-rules of a style sheet: which blocks apply on a desktop screen."""

from __future__ import annotations

import re

_SCREEN = 1280  # pixels: a desktop window


def at_rule_applies(prelude: str) -> bool:
    """Tell whether the block of an at-rule applies on a desktop screen."""
    name, _, condition = prelude[1:].lower().partition(" ")
    name, bracket, rest = name.partition("(")
    if name == "media":
        return any(_query_applies(q.strip()) for q in (bracket + rest + " " + condition).split(","))
    if name == "supports":
        return not condition.strip().startswith("not")
    return name in ("layer", "scope", "document", "-moz-document")


def _query_applies(query: str) -> bool:
    if query.startswith("not "):
        return not _query_applies(query[4:])
    return all(_condition_applies(c.strip()) for c in query.removeprefix("only ").split(" and "))


def _condition_applies(condition: str) -> bool:
    if not condition.startswith("("):
        return condition in ("", "all", "screen")
    text = condition.strip("() ")
    if match := re.fullmatch(r"(min-|max-)?(?:device-)?width\s*(:|[<>]=?)\s*([\d.]+)(\w*)", text):
        prefix, operator, number, unit = match.groups()
        pixels = float(number or 0) * (16 if unit in ("em", "rem") else 1)
        if prefix == "min-" or operator.startswith(">"):
            return pixels <= _SCREEN
        return pixels >= _SCREEN
    return text.startswith(("min-", "hover: hover", "hover:hover", "pointer", "scripting")) or (
        text.endswith(("no-preference", "light", "landscape", "enabled"))
    )
