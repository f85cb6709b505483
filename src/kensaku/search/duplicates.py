"""Fold hits that are the same page, or have the same text, into one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from kensaku.models import LOCAL, Explain, Hit
from kensaku.text.urls import canonical

SHORT = 40  # characters; shorter texts are alike by accident
NEAR = 0.9  # share of words two texts have in common when one is a copy of the other


def deduplicate(hits: Sequence[Hit]) -> list[Hit]:
    """Duplicates folded into the first of them: by address, then by near-equal text.

    Documents of the local index are their owner's: two that differ in a word are two. The index
    itself leaves out those with the same text.
    """
    by_url: dict[str, Hit] = {}
    for hit in hits:
        try:
            key = canonical(hit.url)
        except ValueError:
            key = hit.url
        if key in by_url and _both_stored(by_url[key], hit):
            key += f"\n{len(by_url)}"
        by_url[key] = hit if key not in by_url else _merge_hits(by_url[key], hit)
    kept: list[Hit] = []
    seen: list[Hit] = []  # as they were before folding, so that a copy of a copy is one, too
    for hit in by_url.values():
        twin = _copy_of(hit, seen)
        if twin is None:
            kept.append(hit)
            seen.append(hit)
        else:
            kept[twin] = _add_copy(kept[twin], hit)
    return kept


def folded_note(hits: Iterable[Hit]) -> list[str]:
    """Say how many hits were folded because their text is that of another hit."""
    copies = sum(len(h.explain.copies) for h in hits if h.explain)
    counted = "1 hit" if copies == 1 else f"{copies} hits"
    return [f"{counted} with the text of another, or nearly, left out"] if copies else []


def _both_stored(one: Hit, other: Hit) -> bool:
    return one.provider == other.provider == LOCAL


def _copy_of(hit: Hit, known: Sequence[Hit]) -> int | None:
    """Which of the known hits this one is a copy of.

    Copies are about as long, and share at least one of a few short pieces, which is quickly seen;
    only then are the words compared. Short texts are alike by accident: "Sign in to continue".
    """
    text = hit.content
    size, step = len(text), len(text) // 4
    if size < SHORT or hit.provider == LOCAL:
        return None
    pieces = text[step : step + 16], text[2 * step :][:16], text[3 * step :][:16]
    for n, one in enumerate(known):
        other = one.content
        if (
            0.8 * size < len(other) < 1.25 * size
            and (pieces[0] in other or pieces[1] in other or pieces[2] in other)
            and one.provider != LOCAL
            and _nearly_equal(text, other)
        ):
            return n
    return None


def _add_copy(first: Hit, copy: Hit) -> Hit:
    explain = first.explain or Explain()
    explain = replace(explain, copies=(*explain.copies, copy.url))
    return replace(_merge_hits(first, copy), explain=explain)


def _nearly_equal(a: str, b: str) -> bool:
    """Whether two texts are the same, give or take a tenth of their words."""
    small, large = sorted((_pieces(a), _pieces(b)), key=len)
    return len(small) >= 12 and len(small & large) >= NEAR * len(large)


def _pieces(text: str) -> frozenset[str]:
    """The words of a text; pairs of characters where words have no spaces."""
    lower = text.lower()
    words = lower.split()
    if len(words) * 20 > len(lower):
        return frozenset(words)
    return frozenset(lower[n : n + 2] for n in range(len(lower) - 1))


def _merge_hits(first: Hit, other: Hit) -> Hit:
    """One hit of two: the first one's place, the longer text, everybody's word for it."""
    longer = other if len(other.content) > 2 * len(first.content) else first
    return replace(
        first,
        content=longer.content,
        score=first.score if first.score is not None else other.score,
        published=first.published or other.published,
        raw_content=first.raw_content or other.raw_content,
        sources=(*first.sources, *other.sources),
    )
