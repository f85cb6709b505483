"""Citations in the text and the list of sources: numbered, MLA, APA or Chicago. Pure.

text with [n] + references → marks in the style + list
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from kensaku.text.clean import cut
from kensaku.text.escape import escape_url, flatten
from kensaku.text.urls import host_of

if TYPE_CHECKING:
    from kensaku.answers.evidence import Reference
    from kensaku.locale import Translator

TITLE_CHARS = 200
_MARK = re.compile(r"\[(\d{1,3})\]")
_MARKS = re.compile(r"(?: ?\[\d{1,3}\])+")
_MONTHS = ("January February March April May June July August September October November "
           "December").split()  # fmt: skip


def apply_style(text: str, sources: list[Reference], style: str, t: Translator) -> str:
    """Return the text with marks in the style, followed by the list of sources."""
    if not sources:
        return text
    if style == "numbered":
        lines = [f"[{s.n}] {_entry(s, style, '')}" for s in sources]
    else:
        years = _years(sources, t)
        labels = {s.n: _label(s, style, years[s.n]) for s in sources}
        text = _MARKS.sub(lambda m: f" ({_labels(m[0], labels)})", text)
        lines = sorted((_entry(s, style, years[s.n]) for s in sources), key=str.casefold)
    listed = "\n".join(f"- {line}" for line in lines)
    return f"{text}\n\n## {t('Sources')}\n\n{listed}"


def _labels(marks: str, labels: Mapping[int, str]) -> str:
    return "; ".join(dict.fromkeys(labels[int(n)] for n in _MARK.findall(marks)))


def _label(source: Reference, style: str, year: str) -> str:
    who = _author(source)
    if style == "mla":
        # One author's several pages are told apart by their titles.
        title = flatten(cut(source.title, 40)) or source.url
        return f"{who}, “{title}”"
    return f"{who}, {year}" if style == "apa" else f"{who} {year}"


def _years(sources: list[Reference], t: Translator) -> dict[int, str]:
    """The year of each source; a letter tells those of one author and year apart."""
    same: dict[tuple[str, str], list[int]] = {}
    for source in sources:
        year = (source.published or "")[:4] or t("n.d.", context="no date")
        same.setdefault((_author(source), year), []).append(source.n)
    years = {}
    for (_, year), numbers in same.items():
        join = "" if year[:1].isdigit() else "-"
        for at, n in enumerate(numbers):
            years[n] = year if len(numbers) == 1 else f"{year}{join}{_letters(at)}"
    return years


def _letters(at: int) -> str:
    return chr(ord("a") + at) if at < 26 else _letters(at // 26 - 1) + _letters(at % 26)


def _entry(source: Reference, style: str, year: str) -> str:
    title = flatten(cut(source.title, TITLE_CHARS)) or source.url
    who, host, url = _author(source), host_of(source.url), escape_url(source.url)
    day = _day(source.published)
    if style == "numbered":
        return f"{title}. {url}" + (f" ({flatten(source.published)})" if source.published else "")
    if style == "mla":
        return _join(f"{who}. “{title}.”", host, _written(day, "{d} {m} {y}"), url)
    if style == "apa":
        date = _written(day, "{m} {d}")
        return f"{who}. ({f'{year}, {date}' if date else year}). {title}. {url}"
    date = _written(day, "{m} {d}, {y}")
    return " ".join(filter(None, (f"{who}. {year}. “{title}.”", f"{date}." if date else "", url)))


def _join(first: str, *others: str) -> str:
    return f"{first} " + ", ".join(filter(None, others))


def _author(source: Reference) -> str:
    return flatten(source.author or "") or host_of(source.url) or source.title or source.url


def _day(published: str | None) -> tuple[int, int, int] | None:
    match = re.match(r"(\d{4})-(\d\d)-(\d\d)", published or "")
    return (int(match[1]), int(match[2]), int(match[3])) if match else None


def _written(day: tuple[int, int, int] | None, form: str) -> str:
    if day is None or not 1 <= day[1] <= 12:
        return ""
    return form.format(y=day[0], m=_MONTHS[day[1] - 1], d=day[2])
