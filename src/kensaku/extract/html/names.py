"""Clean the names of authors of surrounding text, or reject them."""

from __future__ import annotations

import re

from kensaku.text.clean import plain

_CHARS = 80
_WORDS = 8
_BY = re.compile(
    r"^[\s:,|•·–—-]*(?:(?:written|posted|published|created|started|asked|authored|reviewed|recipe"
    r"|article|story|words|review|submitted|contributed|content|text)(?:\s+on\s.{4,20})?\s+)?"
    r"(?:by|authors?|von|par|por|contributors?|thread starter|writer)\b\s*[:\-–—|]?\s+",
    re.IGNORECASE,
)
_MONTH = r"(?:jan|feb|mar|apr|may|ju[nl]|aug|sep|oct|nov|dec)[a-z]*\.?"
_ROLE = (
    r"contributing|senior|staff|associate|managing|executive|chief|lead|head|editor|writer|author"
    r"|reporter|correspondent|founder|co-founder|ceo|cto|director|manager|guest|special to"
)
# What follows a name: a date, a role, the time that reading takes, badges of a forum.
_AFTER = re.compile(
    r"\s*(?:[|•·»–—]|\s-\s|\(opens in a new tab\)|\(?https?:|[\w.+-]+@[\w-]+\."
    r"|\b(?:last )?updated\b|\b(?:published|posted)\b|\b(?:reviewed|edited|fact[- ]checked) by\b"
    r"|\bmedically\b|\bon\s+(?=[A-Z]\w+(?:\s\d|day\b)|\d)|\bin\s+(?=[A-Z])|\d+\s*min(?:ute)?s?\b"
    rf"|\b{_MONTH}\s\d|\b\d{{1,2}}(?:st|nd|rd|th)?\s{_MONTH}(?:\s|$)"
    r"|\b\d{1,2}[./-]\d{1,2}[./-]\d{2,4}|\b\d{4}-\d\d-\d\d"
    rf"|,\s*(?:{_ROLE})\b|\s(?:writer|contributor|sponsored)$"
    r"|\s\d[\d,.]*k?\d*\s+(?:gold|silver|bronze)\b).*",
    re.IGNORECASE | re.DOTALL,
)
_NOT_NAMES = re.compile(
    r"(?:admin|administrator|guest|anonymous|unknown|authors?|editor|writer|user|webmaster|none|null"
    r"|home|undefined|n/?a|by|written by|test|follow|share|menu|search|comments?|subscribe|people"
    r"|(?:mon|tues?|wed|thu|fri|sat|sun)(?:day)?|bluesky|twitter|facebook|linkedin"
    r"|min(?:ute)?s? read|(?:read|view|more|all posts|about|see|contact|sign|log ?in|posts"
    r"|leave an?|articles by|our|your|an?|insights|this|the company|posted|joined|member)\b.*)",
    re.IGNORECASE,
)
_SEPARATORS = re.compile(r"\s*(?:;|\band\b|&|,)\s*", re.IGNORECASE)
_MACHINE = re.compile(r"[{}<>=$@\\]|://|^\W*$|^\d+$|^[\w-]+(?:\.[\w-]+){3,}$")


def clean_name(text: str) -> str | None:
    """Return the name of a person or an organisation; None for a URL, a sentence or a label."""
    text = plain(text[:400])
    for _ in range(2):  # "Author: By Ada Brook"
        text = _BY.sub("", text)
    text = _AFTER.sub("", text)
    text = text.strip(" \t\n,;:|•·-–—\"'“”*/")
    text = re.sub(r"^(.{3,40}) \(\1\)$", r"\1", text)  # "Ada (Ada)"
    if not 2 <= len(text) <= _CHARS * 2 or _MACHINE.search(text) or _NOT_NAMES.fullmatch(text):
        return None
    if len(text) > _CHARS and not _SEPARATORS.search(text):
        return None
    people = [p for p in _SEPARATORS.split(text) if p]
    if any(len(p.split()) > _WORDS for p in people) or (
        text.endswith((".", "!", "?")) and len(text.split()) > 4
    ):
        return None
    return text


def join_names(names: list[str]) -> str | None:
    """Return several authors as one line, each once."""
    unique: dict[str, str] = {}
    for name in names:
        unique.setdefault(name.lower(), name)
    return ", ".join(unique.values()) or None
