"""Find the message that an English text was made from.

An error or a note that was stored as JSON, in the cache or with a run, comes back as plain text.

    recognise("it has no key", …)                → None: it has no values, and is its own message
    recognise("set BRAVE_API_KEY", …)            → "set {name}", {"name": "BRAVE_API_KEY"}
"""

from __future__ import annotations

import re
import string
from collections.abc import Iterable

MIN_LETTERS = 3  # of a message besides its values: "{name}: {text}" would be everything
FEW_LETTERS = 6  # with fewer, as in "set {name}", a value is one word
MAX_CHARS = 2_000  # of a text that is looked at


class Recogniser:
    """The messages of a catalogue that have values, by what stands between the values."""

    def __init__(self, messages: Iterable[str]) -> None:
        found = (_Template(one) for one in messages if "{" in one)
        kept = (template for template in found if template.letters >= MIN_LETTERS)
        self._templates = sorted(kept, key=lambda template: -template.letters)

    def __call__(self, text: str) -> tuple[str, dict[str, str]] | None:
        """Return the message that says most of a text, and its values."""
        if len(text) > MAX_CHARS:
            return None
        matches = ((one.message, one.values(text)) for one in self._templates if one.fits(text))
        return next(((message, values) for message, values in matches if values), None)


class _Template:
    def __init__(self, message: str) -> None:
        self.message = message
        self._parts = list(string.Formatter().parse(message))
        self._literals = [literal for literal, *_ in self._parts if literal]
        self.letters = sum(char.isalpha() for literal in self._literals for char in literal)

    def fits(self, text: str) -> bool:
        return all(literal in text for literal in self._literals)

    def values(self, text: str) -> dict[str, str]:
        pattern, seen = "", set[str]()
        anything = r"\S+?" if self.letters < FEW_LETTERS else ".+?"
        for literal, name, form, conversion in self._parts:
            pattern += re.escape(literal)
            if name is not None:
                quote = "['\"]" if conversion == "r" else ""
                value = r"[-\d.,%]+" if form else anything  # one with a form is a number
                pattern += rf"(?P={name})" if name in seen else f"{quote}(?P<{name}>{value}){quote}"
                seen.add(name)
        found = re.fullmatch(pattern, text, re.DOTALL)
        return found.groupdict() if found else {}
