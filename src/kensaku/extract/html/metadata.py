"""The metadata of a page: title, language, links and images.

None of it is trusted further than its form: names are one short visible line, dates are dates,
addresses are absolute and http(s).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import islice
from urllib.parse import urljoin, urlsplit

from kensaku.extract.html.structured import Fact, read_json_ld, read_marked, read_tags
from kensaku.extract.html.tree import Element
from kensaku.text.clean import cut, one_line, plain

MAX_LINKS = 2_000
MAX_IMAGES = 200
_TITLE_CHARS = 300


@dataclass(slots=True)
class Metadata:
    """The metadata of one page."""

    title: str = ""
    language: str | None = None
    canonical_url: str | None = None
    favicon: str | None = None
    base: str = ""
    generator: str = ""
    tags: dict[str, list[str]] = field(default_factory=dict)  # the meta tags
    facts: list[Fact] = field(default_factory=list)  # the JSON-LD
    marked: list[Element] = field(default_factory=list)  # elements with an itemprop or a rel


def read_metadata(root: Element, url: str) -> Metadata:
    """Read the metadata from `<head>`, JSON-LD and headings; author and date need the blocks."""
    tags = read_tags(root)
    base_tag = root.find(".//base[@href]")
    base = absolute(base_tag.get("href", ""), url) if base_tag is not None else None
    rels = [((e.get("rel") or "").lower().split(), e.get("href") or "") for e in root.iter("link")]
    return Metadata(
        title=_title(root, tags),
        language=_language(root, tags),
        canonical_url=_first_link(rels, "canonical", url),
        favicon=_first_link(rels, "icon", url) or _first_link(rels, "apple-touch-icon", url),
        base=base or url,
        generator=_first(tags, "generator")[:80],
        tags=tags,
        facts=read_json_ld(root),
        marked=read_marked(root),
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
    """Return the link as an absolute http(s) URL, or None for any other scheme."""
    if not link or link[0] == "#" or len(link) > 4_000:
        return None
    if link[0] == "/":
        if _ROOTED.fullmatch(link):
            origin = _origin(base)
            return origin + link if origin else None
    elif _ORDINARY.fullmatch(link):
        return link
    return _join(link, base)


@lru_cache(maxsize=16)
def _origin(base: str) -> str:
    return (_join("/", base) or "/")[:-1]


def _join(link: str, base: str) -> str | None:
    link = "".join(link.split())
    try:
        joined = urljoin(base, link)
        parts = urlsplit(joined)
    except ValueError:
        return None
    return joined if parts.scheme in ("http", "https") and parts.netloc else None


def links_of(root: Element, base: str) -> tuple[str, ...]:
    """Return the URLs that the page links to, each once, in reading order, without fragments."""
    return _addresses((e.get("href") for e in root.iter("a", "area")), base, MAX_LINKS)


def images_of(root: Element, base: str) -> tuple[str, ...]:
    """Return the URLs of the page's images; nothing is fetched."""
    sources = (e.get("src") or e.get("data-src") for e in root.iter("img"))
    return _addresses(sources, base, MAX_IMAGES)


def _addresses(links: Iterable[str | None], base: str, limit: int) -> tuple[str, ...]:
    seen: dict[str, None] = {}
    for link in dict.fromkeys(links):
        address = absolute(link, base) if link else None
        if address:
            seen.setdefault(address.partition("#")[0])
            if len(seen) >= limit:
                break
    return tuple(seen)


def _first(tags: dict[str, list[str]], name: str) -> str:
    return tags.get(name, [""])[0]


def _title(root: Element, tags: dict[str, list[str]]) -> str:
    element = root.find(".//title")
    whole = one_line(element.text or "")[: 2 * _TITLE_CHARS] if element is not None else ""
    first = islice(root.iter("h1"), 5)
    headings = [one_line("".join(h.itertext()))[:_TITLE_CHARS] for h in first]
    candidates = [h for h in headings if h] + [plain(_first(tags, "og:title"))]
    # <title> often adds the name of the site; a heading that is part of it is the bare title.
    for candidate in candidates:
        if len(candidate) >= 3 and candidate.lower() in whole.lower():
            return cut(candidate, _TITLE_CHARS)
    return cut(whole or candidates[0], _TITLE_CHARS)


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


def _language(root: Element, tags: dict[str, list[str]]) -> str | None:
    for tag in (
        root.get("lang"),
        root.get("xml:lang"),
        _first(tags, "og:locale"),
        _first(tags, "language"),
    ):
        match = re.match(r"\s*([a-zA-Z]{2})(?:[-_]|\s*$)", tag or "")
        if match:
            return match[1].lower()
    return None


def language_of(text: str) -> str | None:
    """Guess the language from the script; None for Latin script, which many languages share."""
    sample = text[:4_000]
    letters = sum(c.isalpha() for c in sample) or 1
    for language, script in _SCRIPTS:
        if len(script.findall(sample)) / letters > (0.1 if language == "ja" else 0.4):
            return language
    return None


def _first_link(rels: list[tuple[list[str], str]], rel: str, url: str) -> str | None:
    return next((a for names, href in rels if rel in names and (a := absolute(href, url))), None)
