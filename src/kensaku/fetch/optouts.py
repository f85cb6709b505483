"""What a page says about machines reading it: headers, `<meta>`, and robots.txt signals.

    headers, body, signals → optouts() → sentences, for `Page.notes` or for a refusal

robots.txt says who may fetch; these say what may be done with what was fetched. Nobody is bound by
a standard here yet, so it is a policy (`fetch.optouts`): say it, stay out, or do not look.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

LOOK_BYTES = 64 * 1024  # where <meta> stands

_META = re.compile(rb"<meta\s([^<>]{1,400}+)>", re.IGNORECASE)
_NAME = re.compile(rb"""\b(?:name|http-equiv)\s{0,9}=\s{0,9}["']?([\w-]{1,40})""", re.IGNORECASE)
_CONTENT = re.compile(rb"""\bcontent\s{0,9}=\s{0,9}(?:"([^"]*)"|'([^']*)'|([\w-]+))""", re.I)
_ASKS_NOT = {
    "noai": "the page asks not to be used for AI (noai)",
    "noimageai": "the page asks that its images are not used for AI (noimageai)",
    "none": "the page asks not to be indexed, nor its links followed (none)",
    "noindex": "the page asks not to be indexed (noindex)",
    "nofollow": "the page asks that its links are not followed (nofollow)",
}
RESERVED = "the page reserves its rights against text and data mining (TDMRep)"
NO_INPUT = "the site asks not to be used as input for AI (Content-Signal: ai-input=no)"

# What a refusal rests on: not the words that only speak of indexing and links.
AGAINST_US = frozenset({_ASKS_NOT["noai"], _ASKS_NOT["none"], RESERVED, NO_INPUT})
ALL_WORDS = frozenset({*_ASKS_NOT.values(), RESERVED, NO_INPUT})
NOT_FOLLOWED = frozenset({_ASKS_NOT["none"], _ASKS_NOT["nofollow"]})


def optouts(
    headers: Mapping[str, str],
    body: bytes = b"",
    signals: Iterable[tuple[str, bool]] = (),
    robot: str = "",
) -> tuple[str, ...]:
    """What the page asks, each in one sentence."""
    words = _tag_words(headers.get("x-robots-tag", ""), robot)
    reserved = headers.get("tdm-reservation", "").strip() == "1"
    for name, content in _metas(body):
        if name in ("robots", robot):
            words |= {w.strip().lower() for w in content.split(",")}
        elif name == "tdm-reservation":
            reserved = reserved or content.strip() == "1"
    said = [sentence for word, sentence in _ASKS_NOT.items() if word in words]
    if reserved:
        said.append(RESERVED)
    if dict(signals).get("ai-input") is False or _header_signal(headers):
        said.append(NO_INPUT)
    return tuple(said)


def _tag_words(value: str, robot: str) -> set[str]:
    """`noindex, otherbot: noai, nofollow`: what follows a robot's name is for that robot."""
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
    said = headers.get("content-signal", "").replace(" ", "").lower().split(",")
    return "ai-input=no" in said


def _metas(body: bytes) -> Iterable[tuple[str, str]]:
    for match in _META.finditer(body[:LOOK_BYTES]):
        name, content = _NAME.search(match[1]), _CONTENT.search(match[1])
        if name and content:
            value = next(group for group in content.groups() if group is not None)
            yield name[1].decode("latin-1").lower(), value.decode("latin-1")
