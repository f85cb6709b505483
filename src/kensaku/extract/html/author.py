"""Find the author of a page.

    JSON-LD persons → meta tags → rel and itemprop → the byline beside the headline → organisations

Names of the site itself come last: many templates fill them in for everybody.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import Any
from urllib.parse import urlsplit

from kensaku.extract.html.headline import class_names, headline_index
from kensaku.extract.html.metadata import Metadata
from kensaku.extract.html.names import clean_name, join_names
from kensaku.extract.html.structured import Fact, kinds
from kensaku.extract.html.tree import Element
from kensaku.extract.main.blocks import Block

_AUTHOR = (
    "author", "article:author", "og:article:author", "parsely-author", "sailthru.author",
    "citation_author", "dc.creator", "dcterms.creator", "dc.contributor", "byl",
    "cxenseparse:author", "author_name", "authors", "article.author", "creator", "og:author",
)  # fmt: skip
_REPEATED = frozenset(
    ("citation_author", "dc.creator", "dcterms.creator", "author", "article:author")
)
_BEFORE, _BEHIND = 6, 25  # blocks around the headline in which a byline is looked for


def find_author(meta: Metadata, blocks: list[Block], url: str) -> str | None:
    """Return the authors of the page in one line, or None if it names none."""
    site = _site_names(meta.tags, meta.facts, url)
    spare: str | None = None
    for found in _candidates(meta, blocks):
        if _letters(found) not in site:
            return found
        spare = spare or found
    return spare


def _candidates(meta: Metadata, blocks: list[Block]) -> Iterator[str]:
    if people := join_names(list(_people(meta.facts, persons=True))):
        yield people
    yield from _from_tags(meta.tags)
    yield from _from_attributes(meta.marked)
    yield from _from_byline(blocks, meta.title)
    yield from _people(meta.facts, persons=False)


def _people(facts: list[Fact], persons: bool) -> Iterator[str]:
    """Yield the names of the first author or authors in JSON-LD."""
    known = {f["@id"]: f for f in facts if isinstance(f.get("@id"), str) and f.get("name")}
    for fact in facts:
        if kinds(fact) & {"Comment", "Review", "Answer"}:
            continue
        author = fact.get("author") or fact.get("creator")
        names = []
        for one in author if isinstance(author, list) else [author]:
            if isinstance(one, dict) and not one.get("name"):
                one = known.get(one.get("@id", ""), one)
            organisation = isinstance(one, dict) and "Organization" in kinds(one)
            name = _text(one)
            if name and organisation != persons and (clean := clean_name(name)):
                names.append(clean)
        if names:
            yield from names
            return


def _text(value: Any) -> str | None:
    if isinstance(value, dict):
        value = value.get("name")
    if isinstance(value, list):
        value = next((v for v in value if isinstance(v, str)), None)
    return value if isinstance(value, str) else None


def _from_tags(tags: dict[str, list[str]]) -> Iterator[str]:
    for tag in _AUTHOR:
        names = [name for value in tags.get(tag, ()) if (name := clean_name(_in_order(value, tag)))]
        if names:
            yield join_names(names if tag in _REPEATED else names[:1]) or ""
    for n in ("1", "2"):
        if tags.get(f"twitter:label{n}", [""])[0].lower() in ("written by", "author", "by"):
            yield from filter(None, map(clean_name, tags.get(f"twitter:data{n}", ())))


def _in_order(name: str, tag: str) -> str:
    """Return "Brook, Ada" of a catalogue as "Ada Brook"."""
    last, comma, first = name.partition(", ")
    if tag.startswith(("citation", "dc")) and comma and "," not in first:
        return f"{first} {last}"
    return name


def _from_attributes(marked: list[Element]) -> Iterator[str]:
    authors = (e for e in marked if "author" in (e.get("itemprop"), *(e.get("rel") or "").split()))
    for element in islice(authors, 5):
        inner = element.find(".//*[@itemprop='name']")
        chosen = element if inner is None else inner
        text = chosen.get("content") or " ".join(chosen.itertext())
        if name := clean_name(text):
            yield name


_AUTHOR_CLASS = re.compile(
    r"(?<!co)author|byline|writer|contributor|creator|username|posted-?by", re.IGNORECASE
)
_OTHER_CLASS = re.compile(
    r"comment|related|sidebar|widget|footer|teaser|recent|recommend|bio\b|desc|avatar|image|photo"
    r"|date|time|title|role|job|position|label|social|share",
    re.IGNORECASE,
)
_AUTHOR_LINK = re.compile(
    r"/(?:authors?|contributors?|writers?|profiles?|people|team|staff|members|users?|producers|by)"
    r"/[^/?#]",
    re.IGNORECASE,
)
_MADE = (
    "(?:written|posted|published|article|recipe|reviewed|story|words|created|started|submitted"
    "|authored)"
)
_SAYS_BY = re.compile(
    rf"(?:^|[|•·–—\n]\s*|\b{_MADE}\s+)(?:by|authors?|thread starter)\b\s*[:\-–—|]?\s+(?=\S)",
    re.IGNORECASE,
)
_ONLY_BY = re.compile(rf"(?:{_MADE} )?(?:by|authors?)\s*:?", re.IGNORECASE)
# "by people who", "by our team" are words; a name in lower case is that of an account.
_STARTS = re.compile(r"(?:the )?[^a-z]|\S+$")


def _from_byline(blocks: list[Block], title: str) -> Iterator[str]:
    """Yield the names beside the headline, the most probable first."""
    headline = headline_index(blocks, title) or 0
    found: list[tuple[float, int, str]] = []
    for n in range(max(0, headline - _BEFORE), min(len(blocks), headline + _BEHIND)):
        block = blocks[n]
        if n == headline or len(block.text) > 200:
            continue
        before = blocks[n - 1].text if n else ""
        for score, text in _readings(block, before):
            name = clean_name(text)
            if name and _STARTS.match(name):
                found.append((score - 0.02 * abs(n - headline), -n, name))
    for _, _, name in sorted(found, reverse=True):
        yield name


def _readings(block: Block, before: str) -> Iterator[tuple[float, str]]:
    own, *around = class_names(block, 3)
    marked = _AUTHOR_CLASS.search(own) and not _OTHER_CLASS.search(own)
    near = any(map(_AUTHOR_CLASS.search, around))
    linked = [text for text, link, _ in block.pieces if link and _AUTHOR_LINK.search(link)]
    says = _SAYS_BY.search(block.text)
    if says:
        rest = block.text[says.end() :].partition("\n")[0]
        inside = [t for t in linked if t.strip() and t.strip() in rest]
        yield 3.0, inside[0] if len(inside) == 1 else rest
    elif _ONLY_BY.fullmatch(before):
        yield 2.8, block.text.partition("\n")[0]
    if linked:
        yield 2.5 + (near or bool(marked)) * 0.4, linked[0]
    if marked:
        yield 2.2, block.text.partition("\n")[0]
    elif near and not _OTHER_CLASS.search(own) and len(block.text) < 50:
        yield 1.8, block.text.partition("\n")[0]


def _letters(text: str) -> str:
    return re.sub(r"\W+", "", text.lower())


def _site_names(tags: dict[str, list[str]], facts: list[Fact], url: str) -> set[str]:
    """Return what the site calls itself, in letters only."""
    names = [*tags.get("og:site_name", ()), *tags.get("application-name", ())]
    for fact in facts:
        if kinds(fact) & {"WebSite", "Organization", "NewsMediaOrganization", "Corporation"}:
            names.append(_text(fact) or "")
        names.append(_text(fact.get("publisher")) or "")
    try:
        host = (urlsplit(url).hostname or "").removeprefix("www.")
    except ValueError:
        host = ""
    names += [host, host.partition(".")[0]]
    return {_letters(name) for name in names if name}
