"""Embed documents before they are added, and queries before they are searched.

changed documents → passages → cache, model → packed vectors      query → model → vector
"""

from __future__ import annotations

import hashlib
from array import array
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from kensaku.errors import ProviderError
from kensaku.index.embed.inputs import PassageInput, Vector
from kensaku.index.entries import language_of, passages_of, revision
from kensaku.index.worker.protocol import pack_vector
from kensaku.messages import msg
from kensaku.text.languages import guess_language

if TYPE_CHECKING:
    from kensaku.index.embed.models import EmbeddingModel
    from kensaku.index.namespace import NamespacedClient
    from kensaku.index.request import SearchRequest
    from kensaku.models import Document
    from kensaku.store import Store

BATCH = 64  # passages that are embedded, and cached, together
CACHE_SECONDS = 90 * 86_400.0


async def embed_documents(
    client: NamespacedClient,
    model: EmbeddingModel,
    documents: Sequence[Document],
    collection: str,
    cache: Store | None = None,
) -> dict[str, Any]:
    """Embed new and changed documents; return the arguments `vectors` and `model` of `add`.

    Passages that the model has read before, for any collection, are taken from the cache.
    """
    latest = {d.url: d for d in documents}
    revisions = {url: revision(d, model.name) for url, d in latest.items()}
    changed = await client.call("changed", collection=collection, revisions=revisions)
    passages = {url: passages_of(latest[url]) for url in changed}
    inputs = [
        PassageInput(language_of(latest[url]), p.title, p.text)
        for url, of_document in passages.items()
        for p in of_document
    ]
    vectors: list[Vector | None] = []
    for start in range(0, len(inputs), BATCH):
        vectors += await _embed(model, inputs[start : start + BATCH], cache)
    in_order = iter(vectors)
    packed = {url: [pack_vector(next(in_order)) for _ in of] for url, of in passages.items()}
    return {"vectors": packed, "model": model.name}


async def _embed(
    model: EmbeddingModel, inputs: Sequence[PassageInput], cache: Store | None
) -> list[Vector | None]:
    if cache is None:
        return await model.passages(inputs)
    keys = [_cache_key(model.name, passage) for passage in inputs]
    known = {
        key: array("f", value)
        for key, value in zip(keys, await cache.get(keys), strict=True)
        if value is not None
    }
    vectors: dict[str, Vector | None] = dict(known)
    missing = {k: p for k, p in zip(keys, inputs, strict=True) if k not in vectors}
    if missing:
        vectors |= zip(missing, await model.passages(list(missing.values())), strict=True)
    for key in missing:
        if (vector := vectors[key]) is not None:
            await cache.put(key, array("f", vector).tobytes(), CACHE_SECONDS)
    return [vectors[key] for key in keys]


def _cache_key(model: str, passage: PassageInput) -> str:
    read = "\0".join((model, *passage)).encode("utf-8", "replace")
    return f"embedding:{hashlib.blake2b(read, digest_size=16).hexdigest()}"


async def embed_query(
    request: SearchRequest, model: EmbeddingModel, *, needed: bool = False
) -> tuple[SearchRequest, list[str]]:
    """Add the query's vector, unless the model cannot read its language and it is not `needed`.

    Return notes as well: when the model does not answer, the search is one by words, unless it
    asks for vectors.
    """
    if request.mode == "lexical":
        return replace(request, model=model.name), []
    trust = model.trust(guess_language(request.text))
    if not (needed or trust > 0 or request.mode is not None):
        return replace(request, model=model.name, trust=trust), []
    try:
        vector = await model.query(request.text)
    except ProviderError as error:
        if needed or request.mode is not None:
            raise
        note = msg("searched by words only: {why}", why=error.message)
        return replace(request, model=model.name), [note]
    return replace(request, model=model.name, trust=trust, vector=vector), []
