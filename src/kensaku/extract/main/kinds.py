"""The kind of a page: signals and totals over its blocks → one probability for each kind.

What belongs to the main content differs by kind: a forum's replies do, a news site's comments do
not. The probabilities are features of every block.
"""

from __future__ import annotations

from kensaku.extract.main.features import BIT_FIELDS, NUMBERS, Row
from kensaku.extract.main.signals import PageFacts

KINDS = ("article", "forum", "product", "collection", "listing", "documentation", "service")
_TOTALS = {
    "near": ("comment", "review", "product", "price", "post", "doc", "list", "faq", "content"),
    "in": ("article", "main", "li", "td", "pre", "form", "a"),
    "cue": ("price", "date", "comments", "review", "account", "more", "byline", "details"),
    "under": ("comments", "related", "details"),
}
_SIZE = NUMBERS.index("size")
_PAGE_NUMBERS = tuple(
    (name, NUMBERS.index(name))
    for name in ("page_size", "page_blocks", "page_linked", "page_long", "prices", "dates", "items")
)
# By column of the row: signal names with their bits.
_BITS = {
    len(NUMBERS) + at: [(f"{field}:{n}", 1 << names.index(n)) for n in _TOTALS[field]]
    for at, (field, names) in enumerate(BIT_FIELDS)
    if field in _TOTALS
}


def kind_signals(rows: list[Row], facts: PageFacts) -> dict[str, float]:
    """Return the signals by which the kind of a page is told."""
    signals = dict(facts.signals)
    if not rows:
        return signals
    signals |= {name: rows[0][column] for name, column in _PAGE_NUMBERS}
    sizes = [row[_SIZE] for row in rows]
    total = sum(sizes) or 1.0
    for column, bits in _BITS.items():
        # Blocks share their bits: few values stand for all of them.
        values: dict[float, list[float]] = {}
        for row, size in zip(rows, sizes, strict=True):
            values.setdefault(row[column], []).append(size)
        sums = [(int(value), len(found), sum(found)) for value, found in values.items()]
        for name, bit in bits:
            signals["blocks " + name] = float(sum([n for v, n, _ in sums if v & bit]))
            signals["share " + name] = sum([words for v, _, words in sums if v & bit]) / total
    signals["largest"] = max(sizes)
    signals["median"] = sorted(sizes)[len(sizes) // 2]
    return signals
