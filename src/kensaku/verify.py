"""Does a quote stand in its source? Found or not, with offsets; no opinion.

    verify("…", text) → Verification(found, start, end), so that text[start:end] is the quote

Spacing, letter case, width and the shapes of quotation marks and dashes do not count; words do.
"""

from __future__ import annotations

import unicodedata
from dataclasses import asdict, dataclass
from typing import Any

from kensaku.errors import InvalidQuery

MAX_QUOTE = 10_000
_SAME = str.maketrans("“”„«»‘’‚‛`´‐‑‒–—―−…", "\"\"\"\"\"''''''-------.")


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


def verify(quote: str, source: str) -> Verification:
    """Look for `quote` in `source`. Raises `InvalidQuery` for an empty or endless quote."""
    wanted, _ = _folded(quote.strip().strip("\"'“”‘’「」『』").strip())
    if not wanted or len(quote) > MAX_QUOTE:
        raise InvalidQuery(
            f"a quote has 1 to {MAX_QUOTE:,} characters; this one has {len(quote):,}"
        )
    text, places = _folded(source)
    at = text.find(wanted)
    if at < 0:
        return Verification(found=False)
    start, end = places[at], places[at + len(wanted) - 1] + 1
    return Verification(True, start, end, source[start:end])


def _folded(text: str) -> tuple[str, list[int]]:
    """The text as it is compared, and for each of its characters where it came from."""
    folded: list[str] = []
    places: list[int] = []
    for at, char in enumerate(text):
        if char.isspace():
            # A line break inside Japanese, and two spaces instead of one, are the same to a reader.
            continue
        for c in unicodedata.normalize("NFKC", char).casefold().translate(_SAME):
            folded.append(c)
            places.append(at)
    return "".join(folded), places
