"""Factors and ranks of lists of hits: `make golden` writes them anew.

The confidence is fitted on these factors. One that is computed otherwise makes it wrong without any
error: fit it again (`bench/confidence.py`).
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from kensaku.models import Explain, Hit, LocalMatch, Query, Source
from kensaku.models.confidence import confidence_of, relevance, search_factors
from kensaku.search.rank import fuse, limit_per_host, merge
from kensaku.text.terms import is_about, terms

FILE = Path(__file__).with_name("factors.json")


def _source(text: str) -> Source:
    """Read "serper:1@google": the provider, its rank, the family of its index."""
    provider, _, rest = text.partition(":")
    rank, _, family = rest.partition("@")
    return Source(provider, int(rank), family=family)


def _hit(
    name: str, content: str = "", score: float | None = None, *found_by: str, **local: Any
) -> Hit:
    sources = tuple(_source(text) for text in found_by)
    explain = Explain(local=LocalMatch(collection="c", **local)) if local else None
    return Hit(
        f"https://{name}",
        name.partition(".")[0],
        content,
        score,
        None,
        "p",
        sources=sources,
        explain=explain,
    )


_WEB = [
    _hit("otter.example/a", "Sea otters hold hands while they sleep", 0.9, "tavily:1", "brave:3"),
    _hit(
        "b.example/",
        "Otters are animals of the sea",
        0.5,
        "tavily:2",
        "serper:1@google",
        "google:2@google",
    ),
    _hit("c.example/x?utm_source=1", "Sea otters hold hands while they sleep", 0.4, "brave:1"),
    _hit("www.b.example/y", "Nothing of it", None, "brave:2"),
    _hit("b.example/z", "Why do sea otters hold hands", 0.1, "exa:1"),
    _hit("d.example/", "hands", 0.0, "exa:2"),
]
LISTS = {
    "web": _WEB,
    "one": _WEB[:1],
    "without scores": [replace(h, score=None) for h in _WEB],
    "words": [_hit(f"w{n}.example/", "sea otters " * n, 0.3 * n, "local:1", bm25=9.0 - n, strength=2.0 - n / 4) for n in (1, 2, 3)],
    "one by words": [_hit("w.example/", "sea otters hold", 0.8, "local:1", bm25=9.0, strength=2.0)],
    "meaning": [_hit(f"m{n}.example/", "seals", 0.2 * n, "local:1", cosine=0.9 - n / 5) for n in (1, 2)],
    "both": [_hit("m.example/", "otters", 1.4, "local:1", cosine=0.3, bm25=2.0), _WEB[0]],
    "none": [],
}  # fmt: skip
QUERIES = [
    "why do sea otters hold hands",
    "otters",
    "ラッコはなぜ手をつなぐ",
    "the of",
    "sea otters asleep",
]


def describe(name: str) -> dict[str, Any]:
    """Return what is made of a list for each query."""
    hits = LISTS[name]
    return json.loads(json.dumps({text: _for(text, hits) for text in QUERIES}))


def _for(text: str, hits: list[Hit]) -> dict[str, Any]:
    query = Query(text)
    fused = fuse([hits[::2], hits[1::2]], query)
    scores = [round(relevance(terms(text), hit), 4) for hit in hits]
    return {
        "confidence": confidence_of(text, hits).to_dict(),
        "stale": confidence_of(text, hits, stale=True).score,
        "partial": confidence_of(text, hits, partial=True).score,
        "relevance": scores,
        "flat": search_factors(
            confidence_of(text, merge(hits, query)), scores, [h.url for h in hits]
        ),
        "merged": [h.to_dict() for h in merge(hits, query)],
        "fused": [[h.url, h.to_dict().get("explain")] for h in fused],
        "per host": [h.url for h in limit_per_host(hits, 1)],
        "about": is_about(text, hits),
    }


def write() -> None:
    """Take what is computed now as right."""
    known = {name: describe(name) for name in LISTS}
    FILE.write_text(json.dumps(known, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
