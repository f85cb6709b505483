"""Does a quote stand in its source? Found or not, with offsets; no opinion.

    verify("…", text) → Verification(found, start, end), so that text[start:end] is the quote

Spacing, letter case, width and the shapes of quotation marks and dashes do not count; words and
figures do: "5 million" does not stand in "1.5 million", nor "art" in "start".
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from math import inf
from time import monotonic
from typing import TYPE_CHECKING, Any

from kensaku.errors import InvalidQuery, TooLarge
from kensaku.messages import msg
from kensaku.models import Page

if TYPE_CHECKING:
    from kensaku.answers.context import Citation

MAX_QUOTE = 10_000
CHECK_EVERY = 2**15  # characters between two looks at the clock
_AROUND = " \t\r\n\"'“”„‘’«»「」『』"
_SAME = str.maketrans('"“”„«»‘’‚‛`´‐‑‒–—―−〜', "'''''''''''' -------~".replace(" ", ""))


@dataclass(frozen=True, slots=True)
class Verification:
    """Whether a quote was found, and where."""

    found: bool
    start: int | None = None
    end: int | None = None
    text: str = ""  # the words of the source, as they stand there

    def to_dict(self) -> dict[str, Any]:
        """The verdict, ready for JSON."""
        return asdict(self)


def verify(quote: str, source: str, *, deadline: float = inf) -> Verification:
    """Look for `quote` in `source`, in linear time.

    Raises `InvalidQuery` for an empty or endless quote, and `TooLarge` when `time.monotonic()` is
    past the deadline before the end of the source.
    """
    wanted = ""
    if len(quote) <= MAX_QUOTE:
        wanted = _normalise(quote.strip(_AROUND))[0]
    if not wanted:
        raise InvalidQuery(
            msg(
                "a quote has 1 to {max_quote:,} characters besides its quotation marks; this "
                "one has {count:,}",
                max_quote=MAX_QUOTE,
                count=len(quote.strip(_AROUND)),
            )
        )
    text, places, spaced = _normalise(source, deadline)
    found = (
        at for at in _occurrences(text, wanted) if _is_whole(text, at, at + len(wanted), spaced)
    )
    if (at := next(found, None)) is None:
        return Verification(found=False)
    start, end = places[at], places[at + len(wanted) - 1] + 1
    return Verification(True, start, end, source[start:end])


def verify_source(quote: str, source: Citation | Page, *, deadline: float = inf) -> Verification:
    """Look for `quote` in a page or in the passages of a citation; offsets are the page's."""
    if isinstance(source, Page):
        return verify(quote, source.text, deadline=deadline)
    for passage in source.passages:
        result = verify(quote, passage.text, deadline=deadline)
        if result.start is not None and result.end is not None:
            shift = passage.start
            return replace(result, start=result.start + shift, end=result.end + shift)
    return verify(quote, "")


class _Folds(dict[str, str]):
    """What a character is compared as; each is worked out once."""

    def __missing__(self, char: str) -> str:
        # Taken apart, not put together: か + ゛ and が come out alike, one character at a time.
        plain = unicodedata.normalize("NFKD", char.translate(_SAME)).casefold().translate(_SAME)
        self[char] = plain = "" if unicodedata.category(char) == "Cf" else plain.replace(" ", "")
        return plain


def _occurrences(text: str, wanted: str) -> Iterator[int]:
    """Yield where `wanted` begins, overlapping ones, too, in linear time (Knuth, Morris, Pratt).

    `str.find` again and again takes the length of `wanted` for each of them.
    """
    first = text.find(wanted)
    if first < 0:
        return
    back = [0] * len(wanted)  # the longest beginning of `wanted` that ends at each character
    same = 0
    for at in range(1, len(wanted)):
        while same and wanted[at] != wanted[same]:
            same = back[same - 1]
        same += wanted[at] == wanted[same]
        back[at] = same
    same = 0
    for at in range(first, len(text)):
        while same and (same == len(wanted) or text[at] != wanted[same]):
            same = back[same - 1]
        same += text[at] == wanted[same]
        if same == len(wanted):
            yield at - same + 1


def _normalise(text: str, deadline: float = inf) -> tuple[str, list[int], set[int]]:
    """The text as it is compared, for each of its characters where it came from, and those behind
    a space that was left out."""
    folds, folded, places, spaced = _Folds(), list[str](), list[int](), set[int]()
    space = False
    for at, char in enumerate(text):
        if not at % CHECK_EVERY and monotonic() > deadline:
            raise TooLarge(
                msg(
                    "the text has {count:,} characters: too many to look through in time",
                    count=len(text),
                ),
                remedy=msg("allow more time, or check a citation instead of the page"),
            )
        if char.isspace():
            space = True
        elif plain := folds[char]:
            # Beside punctuation, and where words are not set apart, a space says nothing.
            if space and folded:
                if _in_word(folded[-1]) and _in_word(plain[0]):
                    folded.append(" ")
                    places.append(at)
                else:
                    spaced.add(len(folded))
            space = False
            folded += plain
            places += [at] * len(plain)
    return "".join(folded), places, spaced


def _is_whole(text: str, start: int, end: int, spaced: set[int]) -> bool:
    """Whether a stretch begins and ends where a word, a figure and a character do."""
    if end < len(text) and unicodedata.combining(text[end]):
        return False
    return not (_splits_word(text, start, spaced) or _splits_word(text, end, spaced))


def _splits_word(text: str, at: int, spaced: set[int]) -> bool:
    """Whether a cut here goes through a word or a figure."""
    if not 0 < at < len(text) or at in spaced:
        return False
    before, after = text[at - 1], text[at]
    if _in_word(before) and _in_word(after):
        return True
    if after in ".," and before.isdigit():  # 3|.14, but not 3|, 14
        return text[at + 1 : at + 2].isdigit() and at + 1 not in spaced
    if before in ".," and after.isdigit():  # 3.|14
        return text[at - 2 : at - 1].isdigit() and at - 1 not in spaced
    return False


def _in_word(char: str) -> bool:
    # Folded: every letter that has a case is a small one, and its accents stand behind it.
    return char.islower() or char.isdigit() or "\u0300" <= char <= "\u036f"
