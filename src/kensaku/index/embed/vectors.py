"""Embed what is new: documents → changed ones → passages → model → packed vectors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kensaku.index.embed.models import Model, Piece
from kensaku.index.entries import language_of, passages_of, revision
from kensaku.index.worker.client import Line
from kensaku.index.worker.dispatch import pack
from kensaku.models import Document


async def embedded(
    line: Line, model: Model, documents: Sequence[Document], collection: str
) -> dict[str, Any]:
    """What `add` needs to know of the vectors. Only new and changed documents are embedded."""
    latest = {d.url: d for d in documents}
    revisions = {url: revision(d, model.name) for url, d in latest.items()}
    changed = await line.call("changed", collection=collection, revisions=revisions)
    pieces = {url: passages_of(latest[url]) for url in changed}
    wanted = [
        Piece(language_of(latest[url]), p.title, p.text)
        for url, passages in pieces.items()
        for p in passages
    ]
    made = iter(await model.passages(wanted) if wanted else ())
    packed = {url: [pack(next(made)) for _ in passages] for url, passages in pieces.items()}
    return {"vectors": packed, "model": model.name}
