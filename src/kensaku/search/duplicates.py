"""Fold hits that are the same page, or have the same text, into one.

hits → one of each address → near-equal texts → folded as copies
                                              → kept as variants: another figure, name, denial
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice

from kensaku.models import LOCAL, Explain, Hit
from kensaku.text.urls import canonical
from kensaku.text.variants import are_variants

SHORT = 40  # characters; shorter texts are alike by accident
NEAR = 0.9  # share of words two texts have in common when one is a copy of the other
VARIANTS = 5  # hits with nearly the same text that a hit is compared with


def deduplicate(hits: Sequence[Hit]) -> list[Hit]:
    """Duplicates folded into the first of them: by address, then by near-equal text.

    A text that is nearly that of another and has another figure or name, or denies it, is no copy:
    both are kept, and name each other in `Explain.variants`.

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
        near = list(islice(_near(hit, seen), VARIANTS))
        twin = next((n for n in near if not are_variants(hit.content, seen[n].content)), None)
        if twin is not None:
            kept[twin] = _add_copy(kept[twin], hit)
            continue
        seen.append(hit)
        for n in near:
            kept[n], hit = _add_variant(kept[n], hit), _add_variant(hit, kept[n])
        kept.append(hit)
    return kept


def folded_note(hits: Sequence[Hit]) -> list[str]:
    """Say how many hits were folded because of their text, and how many nearly were."""
    copies = sum(len(h.explain.copies) for h in hits if h.explain)
    variants = sum(bool(h.explain.variants) for h in hits if h.explain)
    notes = []
    if copies:
        notes.append(f"{_counted(copies)} with the text of another, or nearly, left out")
    if variants:
        notes.append(f"{_counted(variants)} with nearly the same text and other figures or names")
    return notes


def _counted(count: int) -> str:
    return "1 hit" if count == 1 else f"{count} hits"


def _both_stored(one: Hit, other: Hit) -> bool:
    return one.provider == other.provider == LOCAL


def _near(hit: Hit, known: Sequence[Hit]) -> Iterator[int]:
    """Yield which of the known hits have nearly the text of this one.

    They are about as long, and share at least one of a few short pieces, which is quickly seen;
    only then are the words compared. Short texts are alike by accident: "Sign in to continue".
    """
    text = hit.content
    size, step = len(text), len(text) // 4
    if size < SHORT or hit.provider == LOCAL:
        return
    pieces = text[step : step + 16], text[2 * step :][:16], text[3 * step :][:16]
    for n, one in enumerate(known):
        other = one.content
        if (
            0.8 * size < len(other) < 1.25 * size
            and (pieces[0] in other or pieces[1] in other or pieces[2] in other)
            and one.provider != LOCAL
            and _nearly_equal(text, other)
        ):
            yield n


def _add_copy(first: Hit, copy: Hit) -> Hit:
    explain = first.explain or Explain()
    explain = replace(explain, copies=(*explain.copies, copy.url))
    return replace(_merge_hits(first, copy), explain=explain)


def _add_variant(hit: Hit, other: Hit) -> Hit:
    explain = hit.explain or Explain()
    return replace(hit, explain=replace(explain, variants=(*explain.variants, other.url)))


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
