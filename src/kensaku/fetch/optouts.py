"""Opt-outs from use by machines, in headers, `<meta>` tags and robots.txt signals. Pure.

    headers, body, signals → optouts() → sentences, for `Page.notes` or for a refusal

robots.txt says who may fetch; opt-outs say what may be done with the content. There is no binding
standard yet, so the setting `fetch.optouts` decides: note them, refuse the page, or ignore them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

LOOK_BYTES = 64 * 1024  # where <meta> stands

_META = re.compile(rb"<meta\s([^<>]{1,400}+)>", re.IGNORECASE)
_NAME = re.compile(rb"""\b(?:name|http-equiv)\s{0,9}=\s{0,9}["']?([\w-]{1,40})""", re.IGNORECASE)
_CONTENT = re.compile(rb"""\bcontent\s{0,9}=\s{0,9}(?:"([^"]*)"|'([^']*)'|([\w-]+))""", re.I)
_SENTENCES = {
    "noai": "the page asks not to be used for AI (noai)",
    "noimageai": "the page asks that its images are not used for AI (noimageai)",
    "none": "the page asks not to be indexed, nor its links followed (none)",
    "noindex": "the page asks not to be indexed (noindex)",
    "nofollow": "the page asks that its links are not followed (nofollow)",
}
RESERVED = "the page reserves its rights against text and data mining (TDMRep)"
NO_INPUT = "the site asks not to be used as input for AI (Content-Signal: ai-input=no)"

# With `fetch.optouts = refuse`, these refuse a page; those about indexing and links do not.
REFUSING = frozenset({_SENTENCES["noai"], _SENTENCES["none"], RESERVED, NO_INPUT})
ALL_OPTOUTS = frozenset({*_SENTENCES.values(), RESERVED, NO_INPUT})
NOFOLLOW = frozenset({_SENTENCES["none"], _SENTENCES["nofollow"]})


def optouts(
    headers: Mapping[str, str],
    body: bytes = b"",
    signals: Iterable[tuple[str, bool]] = (),
    robot: str = "",
) -> tuple[str, ...]:
    """Return what the page asks for, one sentence each."""
    words = _tag_words(headers.get("x-robots-tag", ""), robot)
    reserved = headers.get("tdm-reservation", "").strip() == "1"
    for name, content in _metas(body):
        if name in ("robots", robot):
            words |= {w.strip().lower() for w in content.split(",")}
        elif name == "tdm-reservation":
            reserved = reserved or content.strip() == "1"
    sentences = [sentence for word, sentence in _SENTENCES.items() if word in words]
    if reserved:
        sentences.append(RESERVED)
    if dict(signals).get("ai-input") is False or _header_signal(headers):
        sentences.append(NO_INPUT)
    return tuple(sentences)


def _tag_words(value: str, robot: str) -> set[str]:
    """Parse `noindex, otherbot: noai, nofollow`: words after a robot's name are for that robot."""
    words: set[str] = set()
    ours = True
    for part in value.split(","):
        name, colon, rest = part.partition(":")
        if colon and name.strip().lower() not in ("unavailable_after", "max-snippet"):
            ours, part = name.strip().lower() == robot, rest
        if ours:
            words.add(part.strip().lower())
    return words


def _header_signal(headers: Mapping[str, str]) -> bool:
    signals = headers.get("content-signal", "").replace(" ", "").lower().split(",")
    return "ai-input=no" in signals


def _metas(body: bytes) -> Iterable[tuple[str, str]]:
    for match in _META.finditer(body[:LOOK_BYTES]):
        name, content = _NAME.search(match[1]), _CONTENT.search(match[1])
        if name and content:
            value = next(group for group in content.groups() if group is not None)
            yield name[1].decode("latin-1").lower(), value.decode("latin-1")
