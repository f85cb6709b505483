"""Regular expressions from outside, run by RE2: in linear time, whatever they are.

`(a+)+$` keeps Python's own engine busy for years on 50 kilobytes; a caller's pattern never gets
there. Without the extra, patterns are refused with the command that installs it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from kensaku.errors import InvalidQuery, MissingExtra

MAX_PATTERNS = 100
MAX_CHARS = 500


class Patterns:
    """Several patterns, any of which may be found anywhere in a text."""

    def __init__(self, patterns: Iterable[str] | None, name: str) -> None:
        given = list(patterns or ())
        if len(given) > MAX_PATTERNS:
            raise InvalidQuery(f"{name} has {len(given)} patterns; {MAX_PATTERNS} are the most")
        self._compiled = [_compiled(pattern, name) for pattern in given]

    def __bool__(self) -> bool:
        return bool(self._compiled)

    def find(self, text: str) -> bool:
        """Whether any of them is found in `text`."""
        return any(pattern.search(text) is not None for pattern in self._compiled)


def _compiled(pattern: object, name: str) -> Any:
    if not isinstance(pattern, str) or not 0 < len(pattern) <= MAX_CHARS:
        raise InvalidQuery(f"{name} takes patterns of 1 to {MAX_CHARS} characters")
    try:
        import re2  # type: ignore[import-untyped, unused-ignore]
    except ImportError:
        raise MissingExtra("RE2, which runs patterns safely,", "crawl") from None
    options = re2.Options()
    options.log_errors = False
    try:
        return re2.compile(pattern, options)
    except re2.error:
        raise InvalidQuery(
            f"{name} holds {pattern[:60]!r}, which RE2 cannot read",
            remedy="it knows no look-around and no back-references",
        ) from None
