"""The other good passages of the documents that a search found in the local index.

    hits → their collections → best passages for the query → those of the hits, by address

A hit shows the best passage of its document. A context has room for more of a long one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from kensaku.errors import IndexFault

if TYPE_CHECKING:
    from kensaku.index import Index
    from kensaku.models import Hit, Passage

_FEWEST, _MOST = 20, 400  # passages that are asked for …
_TOKENS_EACH = 60  # … one for so many tokens of the budget: most are longer


async def stored_passages(
    index: Index, query: str, hits: Sequence[Hit], max_tokens: int
) -> dict[str, list[Passage]]:
    """Return the passages that match the query, of each document in `hits`, by its address."""
    urls: dict[str, set[str]] = {}
    for hit in hits:
        local = hit.explain.local if hit.explain else None
        if local is not None and local.collection and hit.raw_content is None:
            urls.setdefault(local.collection, set()).add(hit.url)
    count = min(_MOST, max(_FEWEST, max_tokens // _TOKENS_EACH))
    found: dict[str, list[Passage]] = {}
    for collection, wanted in urls.items():
        try:
            passages = await index.passages(query, collections=collection, max_results=count)
        except IndexFault:  # the hits have a passage each already
            continue
        for passage in passages:
            if passage.url in wanted:
                found.setdefault(passage.url, []).append(passage)
    return found
