"""What a page says of itself: title, author, dates, language, addresses.

None of it is trusted further than its form: names are one short visible line, dates are dates,
addresses are absolute and http(s).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import Any
from urllib.parse import urljoin, urlsplit

from kensaku.extract.html.tree import Element
from kensaku.text.clean import cut, one_line, plain
from kensaku.text.dates import parse_date

MAX_LINKS = 2_000
MAX_IMAGES = 200
_MAX_JSON = 500_000
_TITLE_CHARS = 300
_NAME_CHARS = 80

_PUBLISHED = (
    "article:published_time", "og:published_time", "datepublished", "date", "dc.date",
    "dc.date.issued", "dcterms.date", "dcterms.created", "citation_publication_date", "pubdate",
    "parsely-pub-date", "sailthru.date", "publishdate", "publish-date", "article:modified_time",
)  # fmt: skip
_AUTHOR = ("author", "article:author", "dc.creator", "citation_author", "parsely-author", "byl")


@dataclass(slots=True)
class Metadata:
    """What the head of one page says."""

    title: str = ""
    author: str | None = None
    published: str | None = None
    language: str | None = None
    canonical_url: str | None = None
    favicon: str | None = None
    base: str = ""
    generator: str = ""


def read_metadata(root: Element, url: str) -> Metadata:
    """Everything the page says of itself outside of its text."""
    meta = _meta(root)
    facts = list(_json_ld(root))
    base_tag = root.find(".//base[@href]")
    base = absolute(base_tag.get("href", ""), url) if base_tag is not None else None
    rels = [((e.get("rel") or "").lower().split(), e.get("href") or "") for e in root.iter("link")]
    return Metadata(
        title=_title(root, meta),
        author=_author(root, meta, facts),
        published=_published(root, meta, facts),
        language=_language(root, meta),
        canonical_url=_first_link(rels, "canonical", url),
        favicon=_first_link(rels, "icon", url) or _first_link(rels, "apple-touch-icon", url),
        base=base or url,
        generator=meta.get("generator", "")[:80],
    )


# What needs no joining; dots in the path may have to be resolved.
_ORDINARY = re.compile(
    r"https?://[\w-]+(?:\.[\w-]+)+(?:/(?!\.)[\w%~,;:@=+-]*+(?:\.\w+)?)*+(?:\?[^\s#]*+)?", re.A
)


# What needs no more than the origin of the page before it.
_ROOTED = re.compile(
    r"/(?![/.])[\w%~,:@=+-]*+(?:\.\w+)?(?:/(?!\.)[\w%~,:@=+-]*+(?:\.\w+)?)*+"
    r"(?:\?[^\s#]++)?(?:#\S++)?",
    re.A,
)


def absolute(link: str, base: str) -> str | None:
    """The link as an absolute http(s) address, or None for any other scheme."""
    if not link or link[0] == "#" or len(link) > 4_000:
        return None
    if link[0] == "/":
        if _ROOTED.fullmatch(link):
            origin = _origin(base)
            return origin + link if origin else None
    elif _ORDINARY.fullmatch(link):
        return link
    return _joined(link, base)


@lru_cache(maxsize=16)
def _origin(base: str) -> str:
    return (_joined("/", base) or "/")[:-1]


def _joined(link: str, base: str) -> str | None:
    link = "".join(link.split())
    try:
        joined = urljoin(base, link)
        parts = urlsplit(joined)
    except ValueError:
        return None
    return joined if parts.scheme in ("http", "https") and parts.netloc else None


def links_of(root: Element, base: str) -> tuple[str, ...]:
    """Where the page links to, each address once, in reading order, without fragments."""
    return _addresses((e.get("href") for e in root.iter("a", "area")), base, MAX_LINKS)


def images_of(root: Element, base: str) -> tuple[str, ...]:
    """The addresses of the page's images; nothing is fetched."""
    sources = (e.get("src") or e.get("data-src") for e in root.iter("img"))
    return _addresses(sources, base, MAX_IMAGES)


def _addresses(found: Iterable[str | None], base: str, limit: int) -> tuple[str, ...]:
    seen: dict[str, None] = {}
    for one in dict.fromkeys(found):
        address = absolute(one, base) if one else None
        if address:
            seen.setdefault(address.partition("#")[0])
            if len(seen) >= limit:
                break
    return tuple(seen)


def _meta(root: Element) -> dict[str, str]:
    meta: dict[str, str] = {}
    for element in root.iter("meta"):
        name = element.get("property") or element.get("name") or element.get("itemprop")
        content = element.get("content")
        if name and content:
            meta.setdefault(name.lower(), content[:1_000])
    return meta


def _json_ld(root: Element) -> Iterator[dict[str, Any]]:
    """All objects of the page's JSON-LD, outermost first."""
    for script in root.iter("script"):
        if "ld+json" not in (script.get("type") or "") or not script.text:
            continue
        if len(script.text) > _MAX_JSON:
            continue
        try:
            waiting = [json.loads(script.text, strict=False)]
        except (ValueError, RecursionError):
            continue
        for _ in range(500):
            if not waiting:
                break
            item = waiting.pop(0)
            if isinstance(item, list):
                waiting += item
            elif isinstance(item, dict):
                yield item
                waiting += [v for v in item.values() if isinstance(v, dict | list)]


def _title(root: Element, meta: dict[str, str]) -> str:
    element = root.find(".//title")
    whole = one_line(element.text or "")[: 2 * _TITLE_CHARS] if element is not None else ""
    first = islice(root.iter("h1"), 5)
    headings = [one_line("".join(h.itertext()))[:_TITLE_CHARS] for h in first]
    candidates = [h for h in headings if h] + [plain(meta.get("og:title", ""))]
    # The title element adds the name of the site; a heading that stands in it is the bare title.
    for candidate in candidates:
        if len(candidate) >= 3 and candidate.lower() in whole.lower():
            return cut(candidate, _TITLE_CHARS)
    return cut(whole or candidates[0], _TITLE_CHARS)


def _author(root: Element, meta: dict[str, str], facts: list[dict[str, Any]]) -> str | None:
    for fact in facts:
        author = fact.get("author")
        for one in author if isinstance(author, list) else [author]:
            name = one.get("name") if isinstance(one, dict) else one
            if isinstance(name, str) and (found := _name(name)):
                return found
    for key in _AUTHOR:
        if key in meta and (found := _name(meta[key])):
            return found
    for element in root.iter("a", "span", "address", "p", "div"):
        said = "author" in (element.get("rel"), element.get("itemprop"))
        if said and (found := _name("".join(element.itertext()))):
            return found
    return None


def _name(text: str) -> str | None:
    """A person's or a body's name: one short line that is no address and no sentence."""
    text = re.sub(r"^(?:written )?by\s+", "", plain(text[:400]), flags=re.IGNORECASE)
    if not 2 <= len(text) <= _NAME_CHARS or "://" in text or len(text.split()) > 8:
        return None
    return None if text.endswith((".", "!", "?")) and len(text.split()) > 4 else text


def _published(root: Element, meta: dict[str, str], facts: list[dict[str, Any]]) -> str | None:
    for key in ("datePublished", "uploadDate", "dateCreated"):
        for fact in facts:
            if found := parse_date(fact.get(key)):
                return found
    for key in _PUBLISHED:
        if found := parse_date(meta.get(key)):
            return found
    for element in root.iter("time"):
        if found := parse_date(element.get("datetime")):
            return found
    return None


_SCRIPTS = (
    ("ja", re.compile("[\u3040-\u30ff]")),
    ("ko", re.compile("[\uac00-\ud7a3]")),
    ("zh", re.compile("[\u4e00-\u9fff]")),
    ("th", re.compile("[\u0e00-\u0e7f]")),
    ("he", re.compile("[\u0590-\u05ff]")),
    ("ar", re.compile("[\u0600-\u06ff]")),
    ("hi", re.compile("[\u0900-\u097f]")),
    ("el", re.compile("[\u0370-\u03ff]")),
    ("ru", re.compile("[\u0400-\u04ff]")),
)


def _language(root: Element, meta: dict[str, str]) -> str | None:
    for said in (
        root.get("lang"),
        root.get("xml:lang"),
        meta.get("og:locale"),
        meta.get("language"),
    ):
        match = re.match(r"\s*([a-zA-Z]{2})(?:[-_]|\s*$)", said or "")
        if match:
            return match[1].lower()
    return None


def language_of(text: str) -> str | None:
    """The language, where the script gives it away; Latin script gives nothing away."""
    sample = text[:4_000]
    letters = sum(c.isalpha() for c in sample) or 1
    for language, script in _SCRIPTS:
        if len(script.findall(sample)) / letters > (0.1 if language == "ja" else 0.4):
            return language
    return None


def _first_link(rels: list[tuple[list[str], str]], rel: str, url: str) -> str | None:
    return next((a for names, href in rels if rel in names and (a := absolute(href, url))), None)
