"""Which language a page is in, and its texts: `words("found", n=3)`.

The table is `texts.py`. A cookie that the switch sets comes first, then `Accept-Language`.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, date, datetime
from typing import Any

from kensaku.server.page.chat_texts import CHAT_TEXTS
from kensaku.server.page.texts import TEXTS as FRAME_TEXTS
from kensaku.server.page.view_texts import VIEW_TEXTS

TEXTS = FRAME_TEXTS | VIEW_TEXTS | CHAT_TEXTS

LANGUAGES = {"en": "English", "ja": "日本語"}
_COLUMN = {"en": 0, "ja": 1}


class Words:
    """The texts of one language."""

    def __init__(self, language: str) -> None:
        self.language = language
        self._column = _COLUMN[language]

    def __call__(self, key: str, **values: Any) -> str:
        text = TEXTS[key][self._column]
        if "|" in text:  # one | many
            one, many = text.split("|")
            text = one if values.get("n") == 1 else many
        return text.format(**values) if values else text

    def get(self, key: str, fallback: str) -> str:
        """The text of a key, if there is one: for names that come from outside the page."""
        return self(key) if key in TEXTS else fallback

    def age(self, published: str | None, now: datetime | None = None) -> str:
        """How old a page is: "3 days ago"; "" when nobody knows."""
        try:
            day = date.fromisoformat((published or "")[:10])
        except ValueError:
            return (published or "")[:7]  # a year, or a year and a month
        days = ((now or datetime.now(UTC)).date() - day).days
        if days < 0 or days >= 365:
            return day.isoformat()
        if days == 0:
            return self("age.today")
        if days < 14:
            return self("age.days", n=days)
        return self("age.weeks", n=days // 7) if days < 60 else self("age.months", n=days // 30)

    def joined(self, names: list[str]) -> str:
        """`a, b and c`."""
        if len(names) < 2:
            return "".join(names)
        return self("list.and", first=self("list.comma").join(names[:-1]), last=names[-1])


def language_of(cookies: Mapping[str, str], headers: Mapping[str, str], asked: str) -> str:
    """The language that the address, the cookie or the browser asks for."""
    for wanted in (asked, cookies.get("kensaku_language", "")):
        if wanted in LANGUAGES:
            return wanted
    ranked = []
    for part in headers.get("accept-language", "")[:500].split(","):
        name, _, weight = part.partition(";q=")
        name = name.strip().lower().partition("-")[0]
        if name in LANGUAGES:
            try:
                ranked.append((float(weight or 1), name))
            except ValueError:
                continue
    return max(ranked, key=lambda pair: pair[0], default=(1.0, "en"))[1]
