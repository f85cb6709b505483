"""A reranker behind a URL: the passages that it finds most relevant to a query come first.

    Reranker.score(query, texts)    → a score for each text, or a `ProviderError`
    relevance(reranker, query, …)   → the scores of the best passages, and a note if there are none
    reorder(passages, scores)       → the same passages, by these scores

Two shapes are sent, and the reply of either is read:

    with a model's name   {model, query, documents, top_n, …}  Jina, Cohere, vLLM
    without one           {query, texts, truncate}             text-embeddings-inference (TEI)
"""

from __future__ import annotations

import asyncio
import hashlib
import math
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Any

from kensaku.errors import Outage, ProviderError, Timeout, Unreadable
from kensaku.messages import msg
from kensaku.transport.request import Request

if TYPE_CHECKING:
    from kensaku.config.secret import Secret
    from kensaku.config.settings import Settings
    from kensaku.models import Passage
    from kensaku.transport.http import HttpClient

NAME = "rerank"  # in errors and logs
MAX_PASSAGES = 64  # of one query; by our own ranking, the others stay behind them
MAX_CHARS = 4_000  # that are sent of the query, and of each text
TEI_BATCH = 32  # the most that TEI takes in one request unless told otherwise
SECONDS = 5.0
PAUSE = 10.0  # seconds that a reranker is not asked after it failed
KEPT_SCORES = 20_000


class Reranker:
    """An endpoint that scores texts for a query. It remembers its scores, and its last failure."""

    def __init__(self, url: str, model: str, key: Secret | None, http: HttpClient) -> None:
        self.model = model
        self._url, self._key, self._http = url, key, http
        self._scores: dict[tuple[str, str], float] = {}
        self._failure = ""  # the last one, while the endpoint is not asked
        self._paused_until = 0.0

    @classmethod
    def from_settings(cls, settings: Settings, http: HttpClient) -> Reranker | None:
        """The reranker that the settings name."""
        s = settings
        if not s.rerank_url:
            return None
        return cls(s.rerank_url, s.rerank_model, s.rerank_api_key, http)

    async def score(
        self, query: str, texts: Sequence[str], seconds: float = SECONDS
    ) -> list[float]:
        """Return a score for each text: the higher, the more relevant. Texts that were scored for
        this query before are not sent again.

        Raises a `ProviderError` when the endpoint fails, takes longer than `seconds`, or does not
        score every text.
        """
        query, cut = query[:MAX_CHARS], [text[:MAX_CHARS] for text in texts]
        known = {t: self._scores[query, t] for t in cut if (query, t) in self._scores}
        if new := [text for text in dict.fromkeys(cut) if text not in known]:
            known |= zip(new, await self._ask(query, new, seconds), strict=True)
            self._scores |= {(query, text): known[text] for text in new}
            while len(self._scores) > KEPT_SCORES:
                del self._scores[next(iter(self._scores))]
        return [known[text] for text in cut]

    async def _ask(self, query: str, texts: Sequence[str], seconds: float) -> list[float]:
        if time.monotonic() < self._paused_until:
            raise Outage(NAME, self._failure)
        limit = min(SECONDS, seconds)
        size = len(texts) if self.model else TEI_BATCH
        scores: list[float] = []
        try:
            async with asyncio.timeout(limit):
                for start in range(0, len(texts), size):
                    scores += await self._send(query, texts[start : start + size])
        except TimeoutError:
            late = Timeout(NAME, msg("it took longer than {limit:.2g} s", limit=limit))
            if limit == SECONDS:  # with less time, it may just not have been given a chance
                self._pause(late)
            raise late from None
        except ProviderError as error:
            self._pause(error)
            raise
        return scores

    def _pause(self, failure: ProviderError) -> None:
        self._failure, self._paused_until = failure.message, time.monotonic() + PAUSE

    async def _send(self, query: str, texts: Sequence[str]) -> list[float]:
        body: dict[str, Any] = {"query": query, "texts": list(texts), "truncate": True}
        if self.model:
            body = {
                "model": self.model,
                "query": query,
                "documents": list(texts),
                "top_n": len(texts),
                "return_documents": False,
            }
        headers = {"Authorization": f"Bearer {self._key.reveal()}"} if self._key else {}
        reply = await self._http.send(Request(self._url, headers=headers, json=body), NAME)
        if reply.status != 200:
            message = f"it answered {reply.status}; check rerank.url, rerank.model and its key"
            raise Unreadable(NAME, message, status=reply.status)
        try:
            return read_scores(reply.json(), len(texts))
        except (ValueError, KeyError, TypeError):
            raise Unreadable(NAME, msg("its reply has no score for each passage")) from None


def read_scores(reply: Any, count: int) -> list[float]:
    """Return the scores of a reply in the order of the texts.

    Raises `ValueError`, `KeyError` or `TypeError` unless each of `count` texts has one number.
    """
    rows = reply["results"] if isinstance(reply, dict) else reply
    scores: dict[int, float] = {}
    for row in rows:
        value = row["relevance_score"] if "relevance_score" in row else row["score"]
        if type(row["index"]) is not int or type(value) not in (int, float):
            raise TypeError("an index is a whole number, and a score a number")
        if row["index"] in scores or not math.isfinite(value):
            raise ValueError("a score stands twice, or is not finite")
        scores[row["index"]] = float(value)
    if len(scores) != count:
        raise ValueError(f"there are {len(scores)} scores for {count} texts")
    return [scores[n] for n in range(count)]


@dataclass(frozen=True, slots=True)
class Relevance:
    """What a reranker said of the passages for one query."""

    scores: Mapping[str, float] = field(default_factory=dict, repr=False)  # by `digest`
    notes: tuple[str, ...] = ()  # why there are none


async def relevance(
    reranker: Reranker | None, query: str, passages: Iterable[Passage], seconds: float
) -> Relevance:
    """Ask for the scores of the first passages. A reranker that fails leaves a note."""
    best = {digest(p): p for p in islice(passages, MAX_PASSAGES)}
    if reranker is None or len(best) < 2:
        return Relevance()
    if seconds <= 0:
        return Relevance(notes=(_note("the time of the call was over"),))
    try:
        scores = await reranker.score(query, [_read(p) for p in best.values()], seconds)
    except ProviderError as error:
        return Relevance(notes=(_note(error.message),))
    return Relevance(dict(zip(best, scores, strict=True)))


def reorder(passages: Sequence[Passage], scores: Mapping[str, float]) -> list[Passage]:
    """Return the passages by their scores; equal ones, and those without, stay in their order."""
    if not scores:
        return list(passages)
    return sorted(passages, key=lambda p: -scores.get(digest(p), -math.inf))


def digest(passage: Passage) -> str:
    """Return a short name for what a reranker reads of a passage."""
    data = _read(passage).encode("utf-8", "replace")
    return hashlib.blake2b(data, digest_size=8).hexdigest()


def _read(passage: Passage) -> str:
    """Return what a reranker reads of a passage: its text may be about what the title names."""
    return f"{passage.title}\n{passage.text}" if passage.title else passage.text


def _note(why: str) -> str:
    return f"the passages were not reranked ({why}); they are in our own order"
