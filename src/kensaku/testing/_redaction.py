"""Replace key and query in recorded texts by marks, and restore the query on replay.

    redact: "No hits for red panda" → "No hits for ⟦query⟧"     restore: with the replay's query

Upstreams repeat what they were sent, percent-encoded (`⟦query%⟧`, `⟦query+⟧`) and in other letters
(`⟦query^1⟧` keeps which were capitals). A `⟦` of the text itself is written as `⟦⟧`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any
from urllib.parse import quote, quote_plus

from kensaku.text.redact import encodings

_MARK = re.compile(r"⟦(?:(query)([%+]?)(?:\^([0-9a-f]+))?|(key))?⟧")


class Redactor:
    """Redacts the key and the query of one request."""

    def __init__(self, query: str, keys: Iterable[str] = ()) -> None:
        self._query = query
        self._forms = {quote_plus(query): "+", quote(query, safe=""): "%", query: ""}
        secrets = {form for key in keys for form in encodings(key)}
        # Two Latin letters are in every sentence, and give nothing away.
        self._keys = {s for s in secrets if len(s) > 2}
        secret = {f for f in self._forms if len(query) > 2 or not query.isascii()} | self._keys
        longest_first = sorted(secret, key=len, reverse=True)
        self._find = re.compile("|".join([*map(re.escape, longest_first), "⟦"]), re.IGNORECASE)

    def redact(self, value: Any) -> Any:
        """Return the value with marks in all its texts."""
        if isinstance(value, str):
            return self._find.sub(self._mark, value)
        if isinstance(value, dict):
            return {name: self.redact(v) for name, v in value.items()}
        return [self.redact(v) for v in value] if isinstance(value, list) else value

    def restore(self, value: Any) -> Any:
        """Return the value with this request's query instead of the marks."""
        if isinstance(value, str):
            return _MARK.sub(self._unmark, value)
        if isinstance(value, dict):
            return {name: self.restore(v) for name, v in value.items()}
        return [self.restore(v) for v in value] if isinstance(value, list) else value

    def _mark(self, match: re.Match[str]) -> str:
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

    def _unmark(self, match: re.Match[str]) -> str:
        query, coding, capitals, key = match.groups()
        if key:
            return "…"
        if not query:
            return "⟦"
        form = next((f for f, c in self._forms.items() if c == coding), self._query)
        if not capitals:
            return form
        bits = int(capitals, 16)
        return "".join(_with_case(char, bits >> at & 1) for at, char in enumerate(form))


def _with_case(char: str, capital: int) -> str:
    changed = char.upper() if capital else char.lower()
    return changed if len(changed) == 1 else char
