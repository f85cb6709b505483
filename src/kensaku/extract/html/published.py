"""When a page was published.

    meta tags → JSON-LD → microdata → address → the date beside the headline → <time> → scripts

A page that tells machines when it was published is believed, except where its address names the
day before or after: the offset of the time is then not that of the place it was written in. The
date of the last change is not a date of publication: it was right on a third of the pages that have
no other.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import islice

from kensaku.extract.html.date_text import dates_in
from kensaku.extract.html.headline import class_names, headline_index
from kensaku.extract.html.metadata import Metadata
from kensaku.extract.html.structured import kinds
from kensaku.extract.html.tree import Element
from kensaku.extract.main.blocks import Block
from kensaku.text.dates import parse_date

_PUBLISHED = (
    "article:published_time", "og:article:published_time", "og:published_time", "datepublished",
    "sailthru.date", "parsely-pub-date", "cxenseparse:publishtime", "citation_publication_date",
    "citation_online_date", "citation_date", "og:publish_date", "published", "published_at",
    "published-date", "published_date", "publisheddate", "publish_date", "publishdate",
    "publish-date", "publication_date", "w-published-date", "pubdate", "date-pub", "dc.date.issued",
    "dcterms.issued", "dcterms.created", "dc.date", "dcterms.date", "date", "ms.date", "cludo:date",
)  # fmt: skip
_URL_DATE = re.compile(r"/((?:19|20)\d\d)([/-])(\d\d?)\2(\d\d?)(?=\D|$)")
_MONTH_FIRST = re.compile(r"en(?:[-_]us)?$", re.IGNORECASE)  # where 03/04 is the fourth of March


def find_published(root: Element, meta: Metadata, blocks: list[Block], url: str) -> str | None:
    """Return when the page was published as ISO 8601, or None if it does not say."""
    language = root.get("lang") or root.get("xml:lang") or "en"
    seen = _DatesSeen(blocks, meta.title, day_first=not _MONTH_FIRST.match(language.strip()))
    declared = _declared(meta, seen.day_first)
    in_url = _from_url(url)
    if declared:
        return _in_local_time(declared, in_url)
    return (
        in_url
        or seen.best(_ENOUGH)
        or _from_time(root, seen.day_first)
        or seen.best(_SOME)
        or _from_scripts(root)
    )


def _declared(meta: Metadata, day_first: bool) -> str | None:
    for name in _PUBLISHED:
        for value in meta.tags.get(name, ()):
            if found := _parse(value, day_first):
                return found
    for key in ("datePublished", "uploadDate", "dateCreated"):
        for fact in meta.facts:
            if "Comment" not in kinds(fact) and (found := parse_date(fact.get(key))):
                return found
    dated = (e for e in meta.marked if e.get("itemprop") in ("datePublished", "dateCreated"))
    for element in islice(dated, 3):
        value = element.get("content") or element.get("datetime") or element.get("title")
        if found := _parse(value or "".join(element.itertext()), day_first):
            return found
    return None


def _parse(text: str, day_first: bool) -> str | None:
    """Parse a date, or the first one in a short text."""
    whole = parse_date(text)
    return whole or next((d for d, _, _ in dates_in(text[:200], day_first=day_first)), None)


def _in_local_time(declared: str, in_url: str | None) -> str:
    """Return the date of the address if it is the day before or after the declared one."""
    if in_url and in_url != declared[:10] and "T" in declared:
        apart = date.fromisoformat(in_url) - date.fromisoformat(declared[:10])
        if abs(apart) <= timedelta(days=1):
            return in_url
    return declared


def _from_url(url: str) -> str | None:
    match = _URL_DATE.search(url)
    return parse_date(f"{match[1]}-{match[3]}-{match[4]}") if match else None


def _from_time(root: Element, day_first: bool) -> str | None:
    for element in root.iter("time"):
        value = element.get("datetime") or "".join(element.itertext())
        if found := _parse(value, day_first):
            return found
    return None


_KEYS = ("datePublished", "publishedAt", "published_at", "publishedDate", "first_publication_date")
_IN_SCRIPT = re.compile(
    rf"\\?[\"'](?:{'|'.join(_KEYS)})"
    r"\\?[\"']\s?:\s?\\?[\"'](\d{4}-\d\d-\d\d)"
)


def _from_scripts(root: Element) -> str | None:
    """Return the date in the data that scripts draw the page from, if all of it names the same."""
    scripts = (s.text for s in root.iter("script") if s.text and "ld+json" not in s.get("type", ""))
    telling = (text for text in scripts if any(key in text for key in _KEYS))
    found = {d for text in telling for d in _IN_SCRIPT.findall(text)}
    return parse_date(found.pop()) if len(found) == 1 else None


_DATE_CLASS = re.compile(r"date|publish|posted|time\b|byline|meta", re.IGNORECASE)
_OTHER_CLASS = re.compile(
    r"comment|related|sidebar|widget|footer|copyright|teaser|recent|event|recommend|card|more-"
    r"|join|member|nav|upcoming",
    re.IGNORECASE,
)
_SAYS_PUBLISHED = re.compile(
    r"publi|posted|written|created|submitted|asked|started|\bdate\b|erschienen|veröffentlicht"
    r"|投稿|公開|掲載|发布|게시",
    re.IGNORECASE,
)
_SAYS_CHANGED = re.compile(
    r"updat|modif|review|edited|revis|aktualisiert|mis à jour|actualiz|更新|수정", re.IGNORECASE
)
_SAYS_OTHER = re.compile(
    r"©|copyright|join|founded|registered|member since|born|expires?|deadline|effective|until"
    r"|answered|commented|event",
    re.IGNORECASE,
)
_LONG = 250  # characters of a paragraph, which tells of other dates
_FAR = 40  # blocks behind the headline
_ENOUGH, _SOME = 2.0, 0.5


@dataclass(frozen=True, slots=True)
class _Seen:
    """A date in the visible text."""

    date: str
    score: float


class _DatesSeen:
    """The dates that readers see, scored by where they stand and by the words around them."""

    def __init__(self, blocks: list[Block], title: str, day_first: bool) -> None:
        self.day_first = day_first
        self._blocks = blocks
        self._headline = headline_index(blocks, title)
        self._all: list[_Seen] | None = None

    def best(self, enough: float) -> str | None:
        """Return the most probable date of publication, if its score is enough."""
        if self._all is None:
            self._all = list(self._find())
        best = max(self._all, key=lambda seen: seen.score, default=None)
        return best.date if best and best.score >= enough else None

    def _find(self) -> Iterator[_Seen]:
        for n, block in enumerate(self._blocks):
            if len(block.text) > _LONG and (
                self._headline is None or not 0 <= n - self._headline < 6
            ):
                continue
            before = 0
            for found, start, end in dates_in(block.text[:400], day_first=self.day_first):
                label = block.text[max(before, start - 40) : start]
                yield _Seen(found, self._place(n) + _score_text(block, start, label))
                before = end

    def _place(self, n: int) -> float:
        if self._headline is None:
            return 1.5 if n < _FAR else 0.0
        behind = n - self._headline
        if -5 <= behind < 0:
            return 2.5
        if behind < 0 or behind > _FAR:
            return 0.0
        return (3.0 if behind <= 5 else 1.5 if behind <= 15 else 0.5) - 0.01 * behind


def _score_text(block: Block, start: int, label: str) -> float:
    own, *around = class_names(block, 4)
    score = 0.0
    if _DATE_CLASS.search(own):
        score += 1.5
    elif any(map(_DATE_CLASS.search, around)):
        score += 0.7
    if _SAYS_OTHER.search(label):
        score -= 4
    elif _SAYS_CHANGED.search(label):
        score -= 0.5
    elif _SAYS_PUBLISHED.search(label):
        score += 2
    if _OTHER_CLASS.search(" ".join((own, *around))):
        score -= 1.5
    if len(block.text) <= 45:
        score += 1
    elif len(block.text) > 150:
        score -= 1
    return score - (1.5 if start > 100 else 0) - (0.7 if block.linked > 0.8 else 0)
