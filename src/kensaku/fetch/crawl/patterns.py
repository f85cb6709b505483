"""Regular expressions of callers, run by RE2 in linear time.

`(a+)+$` keeps Python's own engine busy for years on 50 kilobytes, so no caller's pattern is run by
it. Without the extra `crawl`, patterns are refused with the command that installs it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from kensaku.errors import InvalidQuery, MissingExtra
from kensaku.messages import msg

MAX_PATTERNS = 100
MAX_CHARS = 500


class Patterns:
    """Several patterns; a text matches when any of them is found anywhere in it."""

    def __init__(self, patterns: Iterable[str] | None, name: str) -> None:
        texts = list(patterns or ())
        if len(texts) > MAX_PATTERNS:
            raise InvalidQuery(
                msg(
                    "{name} has {count} patterns; {max_patterns} are the most",
                    name=name,
                    count=len(texts),
                    max_patterns=MAX_PATTERNS,
                )
            )
        self._compiled = [_compile(text, name) for text in texts]

    def __bool__(self) -> bool:
        return bool(self._compiled)

    def find(self, text: str) -> bool:
        """Tell whether any pattern is found in `text`."""
        return any(pattern.search(text) is not None for pattern in self._compiled)


def _compile(pattern: object, name: str) -> Any:
    if not isinstance(pattern, str) or not 0 < len(pattern) <= MAX_CHARS:
        raise InvalidQuery(
            msg(
                "{name} takes patterns of 1 to {max_chars} characters",
                name=name,
                max_chars=MAX_CHARS,
            )
        )
    try:
        import re2  # type: ignore[import-untyped, unused-ignore]
    except ImportError:
        raise MissingExtra("RE2", "crawl") from None
    options = re2.Options()
    options.log_errors = False
    try:
        return re2.compile(pattern, options)
    except re2.error:
        raise InvalidQuery(
            msg("{name} holds {pattern!r}, which RE2 cannot read", name=name, pattern=pattern[:60]),
            remedy=msg("it knows no look-around and no back-references"),
        ) from None
