"""A few documents in three languages."""

from __future__ import annotations

from collections.abc import Iterable

from kensaku.models import Document, Hit

OTTERS = Document(
    "https://zoo.example.org/otters",
    "Otters",
    "Otters are carnivorous mammals. They live in rivers and eat fish. Sea otters use stones.",
    published="2024-03-01",
)
HERONS = Document(
    "https://birds.example.com/herons",
    "Herons",
    "Herons are long-legged birds. They stand in rivers and wait for fish.",
    published="2025-06-15T10:00:00Z",
)
WINE = Document(
    "https://wein.example.de/riesling",
    "Riesling",
    "Der Riesling ist eine weiße Rebsorte, und die besten Lagen sind an der Mosel und am Rhein.",
    published="2023",
)
SEARCH = Document(
    "https://kensaku.example.jp/engine",
    "検索エンジン",
    "検索エンジンは、インターネット上の情報を検索するための仕組みである。東京で開発された。",
)
ALL = (OTTERS, HERONS, WINE, SEARCH)


def urls(hits: Iterable[Hit]) -> list[str]:
    """The addresses of hits, in order."""
    return [hit.url for hit in hits]
