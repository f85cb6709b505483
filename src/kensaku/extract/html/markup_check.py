"""Check markup before libxml2 parses it, in one linear scan.

Parsers take quadratic time for a tag with very many attributes, and every walk over a tree pays for
its depth. Markup over the limits is refused, not cut: half a tree is another page.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from kensaku.errors import TooLarge
from kensaku.messages import msg

MAX_BYTES = 20 * 1024 * 1024
MAX_TAGS = 500_000
MAX_DEPTH = 512
MAX_ATTRIBUTES = 10_000

_RAW = rb"script|style|textarea|title|xmp|iframe|noembed|noframes"
# Comments and raw text are skipped; an unclosed one reaches to the end, as in a browser.
# For bytes in lower case: `re` scans bytes twice as fast as text.
_MARKUP = re.compile(
    rb"<!--(?:[^-]++|-(?!->))*+"
    rb"|<(?:" + _RAW + rb")\b[^>]*+>(?:[^<]++|<(?!/(?:" + _RAW + rb")))*+"
    rb"|<(/?)([a-z][a-z0-9:-]*+)((?:[^>=]++|=\s*+(?:\"[^\"]*+\"|'[^']*+')?+)*+)"
)
_QUOTED = re.compile(rb"\"[^\"]*+\"|'[^']*+'")
_GAP = re.compile(rb"[\s/]+")

# Elements without an end tag, or whose end tag may be left out: they do not add depth. The empty
# name is that of a comment, or of a raw text with its tag.
_FLAT = frozenset(
    b"area base br col embed hr img input link meta param source track wbr p li dt dd tr td th "
    b"thead tbody tfoot option optgroup colgroup caption html head body a rp rt path rect "
    b"circle line use "
    b"polygon polyline stop ellipse image".split()
) | {b""}


def check_size(size: int) -> None:
    """Refuse a document that is too large to parse."""
    if size > MAX_BYTES:
        raise TooLarge(
            msg(
                "the document has {size:,} bytes, and {max_bytes:,} are the most we parse",
                size=size,
                max_bytes=MAX_BYTES,
            )
        )


def check_markup(text: str) -> None:
    """Refuse markup with too many tags, too many attributes on one, or too deep a nesting."""
    if text.count("<") > MAX_DEPTH or len(text) > 2 * MAX_ATTRIBUTES:
        _scan(text.encode("utf-8", "replace").lower())


def _scan(markup: bytes) -> None:
    open_tags: dict[bytes, int] = {}
    depth = 0
    for tags, (closing, name, attributes) in enumerate(_tags(markup), start=1):
        if tags > MAX_TAGS:
            raise TooLarge(msg("the page has more than {max_tags:,} tags", max_tags=MAX_TAGS))
        if len(attributes) > 2 * MAX_ATTRIBUTES:
            _check_attributes(attributes)
        if name in _FLAT or attributes[-1:] == b"/":
            continue
        count = open_tags.get(name, 0)
        if not closing:
            open_tags[name] = count + 1
            depth += 1
            if depth > MAX_DEPTH:
                raise TooLarge(
                    msg(
                        "the page nests its elements more than {max_depth} deep",
                        max_depth=MAX_DEPTH,
                    )
                )
        elif count:
            open_tags[name] = count - 1
            depth -= 1


def _tags(markup: bytes) -> Iterable[tuple[bytes, bytes, bytes]]:
    """Find all tags: at once on an ordinary page, one by one where that would take much memory."""
    if markup.count(b"<") < 50_000:
        return _MARKUP.findall(markup)
    return ((m[1] or b"", m[2] or b"", m[3] or b"") for m in _MARKUP.finditer(markup))


def _check_attributes(attributes: bytes) -> None:
    names = _QUOTED.sub(b"", attributes)
    if max(names.count(b"="), len(_GAP.split(names))) > MAX_ATTRIBUTES:
        raise TooLarge(
            msg(
                "a tag of the page has more than {max_attributes:,} attributes",
                max_attributes=MAX_ATTRIBUTES,
            )
        )
