"""Embed documents before they are added, and queries before they are searched.

changed documents → passages → model → packed vectors      query → model → vector
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from kensaku.index.embed.models import EmbeddingModel, PassageInput
from kensaku.index.entries import language_of, passages_of, revision
from kensaku.index.request import SearchRequest
from kensaku.index.worker.client import IndexClient
from kensaku.index.worker.protocol import pack_vector
from kensaku.models import Document
from kensaku.text.languages import guess_language


async def embed_documents(
    client: IndexClient, model: EmbeddingModel, documents: Sequence[Document], collection: str
) -> dict[str, Any]:
    """Embed new and changed documents; return the arguments `vectors` and `model` of `add`."""
    latest = {d.url: d for d in documents}
    revisions = {url: revision(d, model.name) for url, d in latest.items()}
    changed = await client.call("changed", collection=collection, revisions=revisions)
    passages = {url: passages_of(latest[url]) for url in changed}
    inputs = [
        PassageInput(language_of(latest[url]), p.title, p.text)
        for url, of_document in passages.items()
        for p in of_document
    ]
    vectors = iter(await model.passages(inputs) if inputs else ())
    packed = {url: [pack_vector(next(vectors)) for _ in of] for url, of in passages.items()}
    return {"vectors": packed, "model": model.name}


async def embed_query(
    request: SearchRequest, model: EmbeddingModel, *, needed: bool = False
) -> SearchRequest:
    """Add the query's vector, unless the model cannot read its language and it is not `needed`."""
    if request.mode == "lexical":
        return replace(request, model=model.name)
    trust = model.trust(guess_language(request.text))
    wanted = needed or trust > 0 or request.mode is not None
    vector = await model.query(request.text) if wanted else None
    return replace(request, model=model.name, trust=trust, vector=vector)
