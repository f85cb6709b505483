"""Text as a person sees it: what is invisible, or only markup, never reaches a model.

    title     → plain       → one visible line
    content   → plain_lines → visible lines, with their indentation
    page text → visible     → the same text without hidden characters

Everything here is pure, runs in linear time, and leaves ordinary text of any language as it is.
"""

from __future__ import annotations

import html
import re
import unicodedata

__all__ = ["cut", "grapheme_start", "one_line", "plain", "plain_lines", "visible"]

_ZWNJ, _ZWJ = "\u200c", "\u200d"

# Characters that never show anything by themselves, whatever stands around them: C0 and C1 without
# tab and newline, soft hyphen, Arabic letter mark, Khmer inherent vowels, zero width space, bidi
# controls, word joiner and invisible operators, fillers, BOM, annotation marks, shorthand and
# musical format controls, lone surrogates, noncharacters.
_NEVER = (
    "\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u17b4\u17b5\u200b\u200e\u200f\u2028-\u202e"
    "\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff"
    "\ud800-\udfff\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e00ff"
    "\U000e01f0-\U000e0fff"
)
# Characters that some scripts need, one at a time, in the right place: grapheme joiner, Hangul
# fillers, Mongolian selectors, zero width (non-)joiner, variation selectors.
_SOMETIMES = "\u034f\u115f\u1160\u180b-\u180f\u200c\u200d\ufe00-\ufe0f\U000e0100-\U000e01ef"

_FLAGS = tuple(
    "\U0001f3f4" + "".join(chr(0xE0000 + ord(c)) for c in code) + "\U000e007f"
    for code in ("gbeng", "gbsct", "gbwls")
)
_ANSI = (
    r"\x1b\[[0-?]*+[ -/]*+[@-~]|\x9b[0-?]*+[ -/]*+[@-~]"
    r"|\x1b[\]PX^_][^\x07\x1b\n]*+(?:\x07|\x1b\\)|\x1b[@-Z\\^_]"
)
_SUSPECT = re.compile(
    f"(?P<flag>{'|'.join(_FLAGS)})|(?P<ansi>{_ANSI})|(?P<break>\r\n?|[\x0b\x0c\x85\u2028\u2029])"
    f"|(?P<run>[{_NEVER}{_SOMETIMES}]+)"
)
_HINT = re.compile(f"[\x1b{_NEVER}{_SOMETIMES}]")  # a class alone is searched ten times faster
_NOT_NEVER = re.compile(f"[{_SOMETIMES}]")
_PRINTABLE = bytes(range(0x20, 0x7F))
_ORDINARY = _PRINTABLE + b"\n\t"

# Scripts whose spelling uses the joiners: Arabic and its neighbours, N'Ko, the Indic scripts from
# Devanagari to Sinhala, Tibetan, Myanmar, Khmer, Mongolian, Balinese and other Brahmi scripts.
_JOINING = re.compile(
    "[\u0600-\u061b\u061d-\u08ff\u0900-\u0dff\u0f00-\u109f\u1700-\u17ff\u1800-\u18af\u1900-\u1cff"
    "\ua800-\ua8ff\ua930-\ua9ff\uaa60-\uaadf\uabc0-\uabff\ufb50-\ufdff\ufe70-\ufefc"
    "\U00010a00-\U00010aff\U00010d00-\U00010d3f\U00010f30-\U00010f6f\U00011000-\U00011dff"
    "\U0001e900-\U0001e95f]"
)
_IDEOGRAPH = re.compile("[\u3005-\u3007\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")
_MONGOLIAN = re.compile("[\u1807\u1810-\u18aa\U00011660-\U0001166c]")
_JAMO = re.compile("[\u1100-\u11ff\ua960-\ua97f\ud7b0-\ud7ff]")
_HEBREW = re.compile("[\u0591-\u05f4\ufb1d-\ufb4f]")
_STANDARDISED = re.compile("[\u1000-\u109f\ua840-\ua877\uaa60-\uaa7f\u3001\u3002\uff01-\uff1f]")


def visible(text: str) -> str:
    """Remove every character that can hide words, and keep those that spelling needs.

    Carriage returns and other line breaks become "\\n". Nothing is normalised.
    """
    if text.isascii():
        if text.isprintable() or not text.encode().translate(None, _ORDINARY):
            return text
    elif not _HINT.search(text):
        return text
    return _SUSPECT.sub(_visible_part, text)


def plain(text: str) -> str:
    """A title as one line of plain text: no tags, no entities, nothing hidden.

    Only names of HTML elements count as tags, so `a < b and c > d` and `list<int>` survive.
    Entities are decoded once: `&amp;lt;` is the text `&lt;`.
    """
    if "<" in text:
        text = _TAG.sub(_tag_gap, text)
    if "&" in text:
        text = _ENTITY.sub(_decoded, text)
    return one_line(text)


def plain_lines(text: str, *, markup: bool = True) -> str:
    """A content as plain text that keeps its lines, indentation and blanks: code, lists, tables.

    `markup`: tags are removed and entities decoded, because the upstream sends HTML. Without it
    they are part of the text, such as a page about HTML. Of many blank lines two are kept, as
    between two functions; blank lines at the beginning and the end go.
    """
    if markup and "<" in text:
        text = _TAG.sub(_line_gap, text)
    if markup and "&" in text:
        text = _ENTITY.sub(_decoded, text)
    text = visible(text)
    if text.isspace():
        return ""
    if "\n" not in text:
        return text.strip() if markup else text
    return _BLANK_LINES.sub("\n\n\n", _without_outer_blank_lines(text))


def one_line(text: str) -> str:
    """The visible text with every run of whitespace as one space."""
    if text.isascii() and "  " not in text and not text.encode().translate(None, _PRINTABLE):
        return text.strip(" ")  # `isprintable` takes three times as long
    return " ".join(visible(text).split())


def cut(text: str, limit: int) -> str:
    """At most `limit` characters, ended by "…" when something was left out.

    The cut is at the end of a word where one is near, else between two graphemes, so that
    Japanese is cut at any character and an emoji is never torn.
    """
    if len(text) <= limit:
        return text
    if limit < 1:
        return ""
    end = grapheme_start(text, limit - 1)
    if not text[end].isspace():
        words = max(text[:end].rfind(" "), text[:end].rfind("\n"))
        if words > end - max(20, limit // 5) and words > 0:
            end = words
    return text[:end].rstrip() + "…"


def _visible_part(match: re.Match[str]) -> str:
    if match.lastgroup == "flag":
        return match.group()
    if match.lastgroup == "ansi":
        return ""
    if match.lastgroup == "break":
        return "\n"
    text = match.string
    before = text[match.start() - 1] if match.start() else ""
    after = text[match.end()] if match.end() < len(text) else ""
    needed = "".join(_NOT_NEVER.findall(match.group()))
    if len(needed) == 1 and _belongs(before, needed, after):
        return needed
    # A heart on fire is ❤ + variation selector + joiner + 🔥: the only pair that means something.
    if len(needed) == 2 and needed[1] in (_ZWJ, _ZWNJ) and _belongs(before, needed[0], needed[1]):
        return needed if _belongs(before, needed[1], after) else needed[0]
    return ""


def _belongs(before: str, char: str, after: str) -> bool:
    """Whether one of the sometimes needed characters is needed here."""
    if char in (_ZWNJ, _ZWJ):
        if _JOINING.match(before) or _JOINING.match(after):
            return True
        return char == _ZWJ and _is_symbol(before) and _is_symbol(after)
    if char in ("\ufe0e", "\ufe0f"):
        return _is_symbol(before) or before in tuple("#*0123456789") or bool(_cjk(before))
    if "\ufe00" <= char <= "\ufe0d":
        return bool(_cjk(before)) or unicodedata.category(before or " ") == "Sm"
    if char >= "\U000e0100":
        return bool(_IDEOGRAPH.match(before))
    if "\u180b" <= char <= "\u180f":
        return bool(_MONGOLIAN.match(before))
    if char == "\u034f":  # keeps two Hebrew points in their order
        return bool(_HEBREW.match(before) and _HEBREW.match(after))
    return bool(_JAMO.match(before) or _JAMO.match(after))  # a filler in an old Hangul syllable


def _cjk(before: str) -> re.Match[str] | None:
    return _IDEOGRAPH.match(before) or _STANDARDISED.match(before)


# Emoji that Unicode files under letters or punctuation, and the selector that may precede a joiner.
_ODD_EMOJI = ("\ufe0f", "\u203c", "\u2049", "\u2139", "\u3030", "\u303d")


def _is_symbol(char: str) -> bool:
    """Whether an emoji may begin or end with this character."""
    if not char:
        return False
    if "\U0001f3fb" <= char <= "\U0001f3ff" or char in _ODD_EMOJI:
        return True
    return unicodedata.category(char) in ("So", "Sm") and char >= "©"


# Elements that providers put into titles and snippets, or that a page's author could.
_INLINE = frozenset(
    "a abbr acronym b bdi bdo big cite code del dfn em font i ins kbd mark nobr q s samp small "
    "span strike strong sub sup time tt u var wbr em_hl hlword highlight searchmatch".split()
)
_LINES = frozenset(
    "address article aside blockquote body br center dd details div dl dt fieldset figcaption "
    "figure footer form h1 h2 h3 h4 h5 h6 head header hr html li main nav ol p pre section summary "
    "table tbody tfoot thead title tr ul".split()
)
_BLOCK = _LINES | frozenset(
    "button iframe img input label link meta option script select style svg td textarea th "
    "video".split()
)
_ITEMS = frozenset("dd dt li tr".split())  # they end where the next one begins
# Any name, looked up afterwards: to try every name at every "<" takes twenty times as long.
_TAG = re.compile(r"<(/?)([A-Za-z][A-Za-z0-9_]{0,11})(?:[\s/][^<>]*+)?>|<!--[^<>]*+>")
_ENTITY = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
_BLANK_LINES = re.compile(r"\n(?:[ \t]*+\n){3,}+")


def _tag_gap(match: re.Match[str]) -> str:
    name = (match[2] or "br").lower()
    return "" if name in _INLINE else " " if name in _BLOCK else match[0]


def _line_gap(match: re.Match[str]) -> str:
    closing, name = match[1], (match[2] or "b").lower()
    if name in _LINES:
        return "" if closing and name in _ITEMS else "\n"
    return "" if name in _INLINE else " " if name in _BLOCK else match[0]


def _without_outer_blank_lines(text: str) -> str:
    start = text.rfind("\n", 0, len(text) - len(text.lstrip())) + 1
    end = len(text.rstrip())
    return text[start:end] + text[end:].partition("\n")[0]


def _decoded(match: re.Match[str]) -> str:
    return html.unescape(match.group()).replace("\xa0", " ")  # &nbsp; is for browsers


def grapheme_start(text: str, end: int) -> int:
    """The nearest position at or before `end` that does not tear a grapheme apart."""
    for at in range(end, max(0, end - 64), -1):
        if not _continues(text, at):
            return at
    return end


def _continues(text: str, at: int) -> bool:
    char, before = text[at], text[at - 1]
    if unicodedata.category(char) in ("Mn", "Mc", "Me", "Cf") or before == _ZWJ:
        return True
    if "\U0001f3fb" <= char <= "\U0001f3ff" or "\u1160" <= char <= "\u11ff":
        return True
    if "\U0001f1e6" <= char <= "\U0001f1ff":  # two regional indicators make one flag
        start = at
        while start and "\U0001f1e6" <= text[start - 1] <= "\U0001f1ff" and at - start < 64:
            start -= 1
        return (at - start) % 2 == 1
    return False
