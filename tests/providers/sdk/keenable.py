"""Keenable, by its official client."""

from __future__ import annotations

from typing import get_type_hints

from keenable import Keenable

from kensaku.testing import Sample

from .reading import KEY, Row

DISTRIBUTION = "keenable"
CHOICES = {"mode": get_type_hints(Keenable.search)["mode"]}


def search(base_url: str, reply: Sample) -> list[Row]:
    with Keenable(KEY, base_url=base_url) as client:
        found = client.search(
            "otters", mode="pro", site="a.example", published_after="2026-01-02",
            published_before="2026-02-03", acquired_after="2026-01-02",
            acquired_before="2026-02-03", snippet_max_length=500,
        )  # fmt: skip
    return [Row(r.url, r.title, r.snippet or r.description) for r in found]


def search_keyless(base_url: str) -> None:
    with Keenable(base_url=base_url) as client:
        client.search("otters")
