"""Embedding models behind an HTTP endpoint, in the four shapes that there are.

    openai:<name>@<base url>      POST {base}/embeddings   OpenAI, vLLM, LM Studio, LiteLLM …
    ollama:<name>[@<base url>]    POST {base}/api/embed
    tei:<name>@<base url>         POST {base}/embed        text-embeddings-inference
    gemini:<name>[@<base url>]    POST {base}/v1/models/{name}:batchEmbedContents

Passages wait for an endpoint that is busy or restarting. A query does not: a search by words is
better than none, and an endpoint that has just failed is not asked again for a while.
"""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

from kensaku.errors import Outage, ProviderError, RateLimited, Timeout, Unreadable
from kensaku.index.embed.inputs import PassageInput, Vector
from kensaku.messages import msg

# (url, JSON body, headers) → the JSON of the reply. Only `transport/http.py` sends HTTP requests.
PostJson = Callable[[str, dict[str, Any], Mapping[str, str]], Awaitable[Any]]

NAME = "embeddings"  # in errors and logs
# Equal weights for words and vectors: not tuned. On SciFact all from 0.4 to 0.6 do.
TRUST = 0.5
MAX_CHARS = 8_000  # of one text; endpoints refuse texts over their context window
TRIES = 3  # of a request for passages
WAIT, MAX_WAIT = 1.0, 30.0  # seconds before the next one, unless the endpoint says how many
PASSAGE_SECONDS = 120.0  # for one request; a model on a CPU is slow
QUERY_SECONDS = 3.0
PAUSE = 10.0  # seconds in which queries are not sent after one failed


class OpenAIModel:
    """An endpoint that speaks OpenAI's /embeddings; the others differ in their shape."""

    kind = "openai"
    path = "/embeddings"
    batch = 64  # texts in one request

    def __init__(self, model: str, base: str, post: PostJson, key: str | None = None) -> None:
        self.name = f"{self.kind}:{model}"
        self._model, self._post = model, post
        self._url = base.rstrip("/") + self.path.format(model=model)
        self._headers = self._authorization(key) if key else {}
        self._failure = ""  # the last one of a query, while the endpoint is not asked
        self._paused_until = 0.0

    def trust(self, language: str) -> float:
        return TRUST

    async def passages(self, inputs: Sequence[PassageInput]) -> list[Vector | None]:
        vectors: list[Vector | None] = []
        for start in range(0, len(inputs), self.batch):
            batch = inputs[start : start + self.batch]
            vectors += await self._patiently([p.full_text[:MAX_CHARS] for p in batch])
        return vectors

    async def query(self, text: str) -> Vector:
        if time.monotonic() < self._paused_until:
            raise Outage(NAME, self._failure)
        try:
            return (await self._embed([text[:MAX_CHARS]], QUERY_SECONDS))[0]
        except ProviderError as error:
            self._failure, self._paused_until = error.message, time.monotonic() + PAUSE
            raise

    async def _patiently(self, texts: list[str]) -> list[Vector]:
        for failed in range(1, TRIES):
            try:
                return await self._embed(texts, PASSAGE_SECONDS)
            except (Outage, RateLimited) as error:
                wait = WAIT * failed if error.retry_after is None else error.retry_after
                if wait > MAX_WAIT:
                    raise
                await asyncio.sleep(wait)
        return await self._embed(texts, PASSAGE_SECONDS)

    async def _embed(self, texts: list[str], seconds: float) -> list[Vector]:
        try:
            async with asyncio.timeout(seconds):
                reply = await self._post(self._url, self._body(texts), self._headers)
        except TimeoutError:
            late = msg("{name} took longer than {seconds:g} s", name=self.name, seconds=seconds)
            raise Timeout(NAME, late) from None
        try:
            vectors: list[Vector] = [_numbers(row) for row in self._read(reply)]
        except (AttributeError, KeyError, TypeError, ValueError):
            raise self._unreadable(0, texts) from None
        if len(vectors) != len(texts) or len({len(v) for v in vectors}) > 1:
            raise self._unreadable(len(vectors), texts)
        return vectors

    def _unreadable(self, count: int, texts: Sequence[str]) -> Unreadable:
        return Unreadable(
            NAME,
            msg(
                "the embedding model {name} gave {count} vectors for {count2} texts",
                name=self.name,
                count=count,
                count2=len(texts),
            ),
            remedy=msg("check the address and the name of the model"),
        )

    def _authorization(self, key: str) -> dict[str, str]:
        return {"Authorization": f"Bearer {key}"}

    def _body(self, texts: list[str]) -> dict[str, Any]:
        return {"model": self._model, "input": texts}

    def _read(self, reply: Any) -> Any:
        return [row["embedding"] for row in sorted(reply["data"], key=lambda row: row["index"])]


class OllamaModel(OpenAIModel):
    """Ollama's own endpoint; it takes no key."""

    kind = "ollama"
    path = "/api/embed"

    def _authorization(self, key: str) -> dict[str, str]:
        return {}

    def _read(self, reply: Any) -> Any:
        return reply["embeddings"]


class TeiModel(OpenAIModel):
    """text-embeddings-inference. It serves one model, whose name it does not ask for."""

    kind = "tei"
    path = "/embed"
    batch = 32  # the most that it takes unless told otherwise

    def _body(self, texts: list[str]) -> dict[str, Any]:
        return {"inputs": texts, "truncate": True}

    def _read(self, reply: Any) -> Any:
        return reply


class GeminiModel(OpenAIModel):
    """Google's batchEmbedContents, as its own SDK sends it."""

    kind = "gemini"
    path = "/v1/models/{model}:batchEmbedContents"

    def _authorization(self, key: str) -> dict[str, str]:
        return {"x-goog-api-key": key}

    def _body(self, texts: list[str]) -> dict[str, Any]:
        model = f"models/{self._model}"
        contents = [{"role": "user", "parts": [{"text": text}]} for text in texts]
        return {"requests": [{"model": model, "content": content} for content in contents]}

    def _read(self, reply: Any) -> Any:
        return [row["values"] for row in reply["embeddings"]]


def _numbers(row: Any) -> list[float]:
    vector = [float(number) for number in row]
    if not vector or not all(map(math.isfinite, vector)):
        raise ValueError("a vector has numbers")
    return vector
