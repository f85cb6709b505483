"""Which kind of answer a question asks for: a figure or a date, in English and Japanese. Pure."""

from __future__ import annotations

import re

_ASKS_FIGURE = re.compile(
    r"\b(?:when|what (?:year|date|century|decade|percent\w*|number|age|population)"
    r"|how (?:many|much|long|old|far|high|tall|big|large|often|wide|deep|fast))\b"
    r"|いつ|いくつ|いくら|何[^がをはかも、]{0,3}?(?:年|月|日|人|個|回|歳|位|度|番|世紀|km|m|％)",
    re.IGNORECASE,
)
_FIGURE = re.compile(r"\d+")


def gives_figure(question: str, sentence: str) -> bool:
    """Whether a question asks for a figure or a date, and a sentence has one of its own."""
    if not _ASKS_FIGURE.search(question):
        return False
    return bool(set(_FIGURE.findall(sentence)) - set(_FIGURE.findall(question)))
