"""Texts without the key and the query that are in them, and back.

    hide: "No hits for red panda" → "No hits for ⟦query⟧"      show: with the query of the replay

Upstreams repeat what they were sent, percent-encoded (`⟦query%⟧`, `⟦query+⟧`) and in other letters
(`⟦query^1⟧` keeps which were capitals). A `⟦` of the text itself is written as `⟦⟧`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any
from urllib.parse import quote, quote_plus

_MARK = re.compile(r"⟦(?:(query)([%+]?)(?:\^([0-9a-f]+))?|(key))?⟧")


class Discretion:
    """What may not be written down, for one request."""

    def __init__(self, query: str, keys: Iterable[str] = ()) -> None:
        self._query = query
        self._forms = {quote_plus(query): "+", quote(query, safe=""): "%", query: ""}
        secrets = {form for key in keys for form in (key, quote(key, safe=""), quote_plus(key))}
        # Two Latin letters are in every sentence, and give nothing away.
        self._keys = {s for s in secrets if len(s) > 2}
        hidden = {f for f in self._forms if len(query) > 2 or not query.isascii()} | self._keys
        longest_first = sorted(hidden, key=len, reverse=True)
        self._find = re.compile("|".join([*map(re.escape, longest_first), "⟦"]), re.IGNORECASE)

    def hide(self, value: Any) -> Any:
        """The value with marks in all its texts."""
        if isinstance(value, str):
            return self._find.sub(self._marked, value)
        if isinstance(value, dict):
            return {name: self.hide(v) for name, v in value.items()}
        return [self.hide(v) for v in value] if isinstance(value, list) else value

    def show(self, value: Any) -> Any:
        """The value with this request's query in the place of the marks."""
        if isinstance(value, str):
            return _MARK.sub(self._unmarked, value)
        if isinstance(value, dict):
            return {name: self.show(v) for name, v in value.items()}
        return [self.show(v) for v in value] if isinstance(value, list) else value

    def _marked(self, match: re.Match[str]) -> str:
        text = match.group()
        if text == "⟦":
            return "⟦⟧"
        if any(text.lower() == key.lower() for key in self._keys):
            return "⟦key⟧"
        form = next((f for f in self._forms if f.lower() == text.lower()), None)
        if form is None:  # letters whose small form is longer than they are
            return "⟦query⟧"
        coding = self._forms[form]
        if text == form:
            return f"⟦query{coding}⟧"
        capitals = sum(1 << at for at, char in enumerate(text) if char.isupper())
        return f"⟦query{coding}^{capitals:x}⟧"

    def _unmarked(self, match: re.Match[str]) -> str:
        query, coding, capitals, key = match.groups()
        if key:
            return "…"
        if not query:
            return "⟦"
        form = next((f for f, c in self._forms.items() if c == coding), self._query)
        if not capitals:
            return form
        bits = int(capitals, 16)
        return "".join(_cased(char, bits >> at & 1) for at, char in enumerate(form))


def _cased(char: str, capital: int) -> str:
    changed = char.upper() if capital else char.lower()
    return changed if len(changed) == 1 else char
