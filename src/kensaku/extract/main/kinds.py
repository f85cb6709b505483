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
# Signal name, column of the row, bit.
_BITS = tuple(
    (f"{field}:{name}", len(NUMBERS) + at, 1 << names.index(name))
    for at, (field, names) in enumerate(BIT_FIELDS)
    for name in _TOTALS.get(field, ())
)


def kind_signals(rows: list[Row], facts: PageFacts) -> dict[str, float]:
    """Return the signals by which the kind of a page is told."""
    signals = dict(facts.signals)
    if not rows:
        return signals
    signals |= {name: rows[0][column] for name, column in _PAGE_NUMBERS}
    sizes = [row[_SIZE] for row in rows]
    total = sum(sizes) or 1.0
    for name, column, bit in _BITS:
        having = [size for row, size in zip(rows, sizes, strict=True) if int(row[column]) & bit]
        signals["blocks " + name] = float(len(having))
        signals["share " + name] = sum(having) / total
    signals["largest"] = max(sizes)
    signals["median"] = sorted(sizes)[len(sizes) // 2]
    return signals
