"""What an index asks its embedding model, and when it does without."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from kensaku.index import AddResult, Index
from kensaku.index.embed.models import PassageInput
from kensaku.models import Document

pytest.importorskip("qdrant_client")

A = Document("https://a.example/", "Otters", "Sea otters eat fish.", language="en")
B = Document("https://b.example/", "", "ラッコは魚を食べます。", language="ja")
C = Document("https://c.example/", "Old", "Old text", language="en")
C_NEW = Document("https://c.example/", "New", "New text.", language="en")


class Model:
    """Reads English; a text about otters points one way, and any other the other way."""

    name = "otters"

    def __init__(self) -> None:
        self.read: list[str] = []
        self.asked: list[str] = []

    def trust(self, language: str) -> float:
        return 0.25 if language == "en" else 0.0

    async def passages(self, inputs: Sequence[PassageInput]) -> list[list[float] | None]:
        self.read += [p.full_text for p in inputs]
        return [_vector(p.text) if p.language == "en" else None for p in inputs]

    async def query(self, text: str) -> list[float]:
        self.asked.append(text)
        return _vector(text)


def _vector(text: str) -> list[float]:
    return [1.0, 0.1] if "otter" in text else [0.1, 1.0]


async def test_only_what_changed_is_embedded():
    """The last of several documents with one address counts; a passage may have no vector."""
    model = Model()
    async with Index(url=":memory:", model=model) as index:
        await index.add([A, B, C])
        assert model.read == ["Otters\nSea otters eat fish.", B.text, "Old\nOld text"]
        model.read.clear()

        assert await index.add([C, A, B, C_NEW]) == AddResult(updated=1, unchanged=2)
        assert model.read == ["New\nNew text."]

        assert await index.add([A]) == AddResult(unchanged=1)
        assert model.read == ["New\nNew text."]
        found = await index.search("about otters", mode="dense")
        assert [hit.url for hit in found] == [A.url, C.url]


@pytest.mark.parametrize(
    ("text", "options", "asked"),
    [
        ("sea otter", {}, True),
        ("sea otter", {"mode": "lexical"}, False),
        ("sea otter", {"mode": "lexical", "collections": "docs"}, False),
        ("ラッコは魚", {}, False),
        ("ラッコは魚", {"mode": "dense"}, True),
        ("ラッコは魚", {"mode": "hybrid"}, True),
        ("ラッコは魚", {"collections": "docs"}, True),
    ],
)
async def test_a_query_is_embedded_when_it_helps_or_is_asked_for(text, options, asked):
    """A model that cannot read it has no vote; a collection of others has vectors alone."""
    model = Model()
    async with Index(url=":memory:", model=model) as index:
        await index.add([A, B], "docs")

        found = await index.search(text, **options)

    assert found
    assert model.asked == ([text] if asked else [])
