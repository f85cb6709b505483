"""The part of a text that is about a query, for somebody who sees only so much of it. Pure.

text → the sentences where a part may begin → the part with most words of the query → cut
"""

from __future__ import annotations

import re
from bisect import bisect_right

from kensaku.text.clean import cut
from kensaku.text.terms import terms

LOOKED_AT = 20_000  # characters
MAX_TERMS = 30
_ELLIPSIS = "… "
_START = re.compile(r"\n\s*|[.!?…]\s+|[。！？]")


def excerpt(text: str, query: str, limit: int) -> str:
    """Return at most `limit` characters: those from the beginning, if no others say more."""
    if len(text) <= limit:
        return text
    start = _best_start(text[:LOOKED_AT], query, limit - len(_ELLIPSIS))
    return _ELLIPSIS + cut(text[start:], limit - len(_ELLIPSIS)) if start else cut(text, limit)


def _best_start(text: str, query: str, limit: int) -> int:
    """Return where the part begins that has most different words of the query, one of them soon."""
    words = sorted(terms(query), key=len, reverse=True)[:MAX_TERMS]
    if not words or limit <= 0:
        return 0
    pattern = re.compile("|".join(map(re.escape, words)), re.IGNORECASE)
    found = [(m.end(), m[0].lower()) for m in pattern.finditer(text)]
    ends = [end for end, _ in found]

    def worth(start: int) -> tuple[int, int]:
        first, last = bisect_right(ends, start), bisect_right(ends, start + limit)
        count = len({word for _, word in found[first:last]})
        return count, start - ends[first] if start and count else 0

    return max([0, *(m.end() for m in _START.finditer(text))], key=worth)
