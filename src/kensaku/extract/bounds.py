"""A cheap look at markup before the tree parser sees it: one linear scan.

Parsers take quadratic time for a tag with very many attributes, and anything that walks a tree pays
for depth. Markup over these bounds is refused, not cut: half a tree is another page.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from kensaku.errors import TooLarge

MAX_BYTES = 20 * 1024 * 1024
MAX_TAGS = 500_000
MAX_DEPTH = 512
MAX_ATTRIBUTES = 10_000

_RAW = "script|style|textarea|title|xmp|iframe|noembed|noframes"
# Comments and raw text are stepped over; an unclosed one reaches to the end, as in a browser.
# For text in lower case.
_MARKUP = re.compile(
    r"<!--(?:[^-]++|-(?!->))*+"
    rf"|<(?:{_RAW})\b[^>]*+>(?:[^<]++|<(?!/(?:{_RAW})))*+"
    r"|<(/?)([a-z][a-z0-9:-]*+)((?:[^>=]++|=\s*+(?:\"[^\"]*+\"|'[^']*+')?+)*+)"
)
_QUOTED = re.compile(r"\"[^\"]*+\"|'[^']*+'")
_GAP = re.compile(r"[\s/]+")

# Elements without an end tag, or whose end tag may be left out: they do not add depth.
_FLAT = frozenset(
    "area base br col embed hr img input link meta param source track wbr p li dt dd tr td th "
    "thead tbody tfoot option optgroup colgroup caption html head body a rp rt path rect "
    "circle line use "
    "polygon polyline stop ellipse image".split()
)


def check_size(size: int) -> None:
    """Refuse a document of more bytes than we are ready to parse."""
    if size > MAX_BYTES:
        raise TooLarge(f"the document has {size:,} bytes, and {MAX_BYTES:,} are the most we parse")


def check_markup(text: str) -> None:
    """Refuse markup with too many tags, too many attributes on one, or too deep a nesting."""
    if text.count("<") > MAX_DEPTH or len(text) > 2 * MAX_ATTRIBUTES:
        _scan(text)


def _scan(text: str) -> None:
    open_now: dict[str, int] = {}
    depth = tags = 0
    for closing, name, attributes in _tags(text.lower()):
        if not name:
            continue
        tags += 1
        if tags > MAX_TAGS:
            raise TooLarge(f"the page has more than {MAX_TAGS:,} tags")
        if len(attributes) > 2 * MAX_ATTRIBUTES:
            _check_attributes(attributes)
        if name in _FLAT or attributes[-1:] == "/":
            continue
        count = open_now.get(name, 0)
        if not closing:
            open_now[name] = count + 1
            depth += 1
            if depth > MAX_DEPTH:
                raise TooLarge(f"the page nests its elements more than {MAX_DEPTH} deep")
        elif count:
            open_now[name] = count - 1
            depth -= 1


def _tags(text: str) -> Iterable[tuple[str, str, str]]:
    """All tags: at once for an ordinary page, one by one where that would take much memory."""
    if text.count("<") < 50_000:
        return _MARKUP.findall(text)
    return ((m[1] or "", m[2] or "", m[3] or "") for m in _MARKUP.finditer(text))


def _check_attributes(attributes: str) -> None:
    names = _QUOTED.sub("", attributes)
    if max(names.count("="), len(_GAP.split(names))) > MAX_ATTRIBUTES:
        raise TooLarge(f"a tag of the page has more than {MAX_ATTRIBUTES:,} attributes")
