"""Documents and queries on their way to a model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from kensaku.index.embed.models import PassageInput
from kensaku.index.embed.vectors import embed_documents, embed_query
from kensaku.index.entries import revision
from kensaku.index.request import SearchRequest
from kensaku.index.worker.protocol import unpack_vector
from kensaku.models import Document


class Model:
    """Embeds what is English, by its length."""

    name = "lengths"

    def __init__(self) -> None:
        self.asked: list[Any] = []

    def trust(self, language: str) -> float:
        return 0.25 if language == "en" else 0.0

    async def passages(self, inputs: Sequence[PassageInput]) -> list[list[float] | None]:
        self.asked.append(list(inputs))
        return [[float(len(p.text)), 1.0] if p.language == "en" else None for p in inputs]

    async def query(self, text: str) -> list[float]:
        self.asked.append(text)
        return [float(len(text)), 1.0]


class Client:
    """An index in which some documents have changed."""

    def __init__(self, *changed: str) -> None:
        self.changed = list(changed)
        self.calls: list[Any] = []

    async def call(self, name: str, **arguments: Any) -> Any:
        self.calls.append((name, arguments))
        return self.changed

    async def close(self) -> None:
        return None


A = Document("https://a.example/", "Otters", "Sea otters eat fish.", language="en")
B = Document("https://b.example/", "", "ラッコは魚を食べます。", language="ja")
C = Document("https://c.example/", "Old", "Old text", language="en")
C_NEW = Document("https://c.example/", "New", "New text.", language="en")


async def test_only_what_changed_is_embedded():
    """The last of several documents with one address counts; a passage may have no vector."""
    model, client = Model(), Client(A.url, B.url, C.url)

    made = await embed_documents(client, model, [C, A, B, C_NEW], "docs")

    [(name, arguments)] = client.calls
    assert name == "changed"
    assert arguments == {
        "collection": "docs",
        "revisions": {d.url: revision(d, "lengths") for d in (A, B, C_NEW)},
    }
    assert model.asked == [
        [
            PassageInput("en", "Otters", A.text),
            PassageInput("ja", "", B.text),
            PassageInput("en", "New", "New text."),
        ]
    ]
    assert made["model"] == "lengths"
    unpacked = {u: [v and list(unpack_vector(v)) for v in vs] for u, vs in made["vectors"].items()}
    assert unpacked == {A.url: [[20.0, 1.0]], B.url: [None], C.url: [[9.0, 1.0]]}


async def test_a_model_is_not_asked_for_nothing():
    """Nothing has changed."""
    model = Model()

    assert await embed_documents(Client(), model, [A], "docs") == {
        "vectors": {},
        "model": "lengths",
    }
    assert model.asked == []


@pytest.mark.parametrize(
    ("text", "mode", "needed", "trust", "embedded"),
    [
        ("what do otters eat", None, False, 0.25, True),
        ("ラッコは何を食べますか", None, False, 0.0, False),
        ("ラッコは何を食べますか", None, True, 0.0, True),
        ("ラッコは何を食べますか", "dense", False, 0.0, True),
        ("ラッコは何を食べますか", "hybrid", False, 0.0, True),
        ("what do otters eat", "lexical", True, 0.0, False),
    ],
)
async def test_a_query_is_embedded_when_it_helps_or_is_asked_for(
    text, mode, needed, trust, embedded
):
    """A model that cannot read it has no vote."""
    model = Model()
    request = SearchRequest(text, mode=mode, trust=0.0)

    made = await embed_query(request, model, needed=needed)

    assert made == SearchRequest(
        text,
        mode=mode,
        model="lengths",
        trust=trust,
        vector=[float(len(text)), 1.0] if embedded else None,
    )
    assert model.asked == ([text] if embedded else [])
