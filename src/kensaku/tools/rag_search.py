"""`rag_search`: search the documents of the local index, or with a function of one's own.

    collections in order → search function → rows, or a message → the first that has rows
                         → scores → confidence factors

A search function returns rows, or a message that says why there are none.
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from kensaku._logger import get_logger
from kensaku.errors import KensakuError
from kensaku.index.payload import read_payload
from kensaku.messages import msg
from kensaku.models import Hit
from kensaku.models.confidence import confidence_of, relevance, score_statistics, search_factors
from kensaku.text.terms import terms
from kensaku.tools import shared_client
from kensaku.tools._params import QUERY
from kensaku.tools.base import BaseTool, Language, Param, ToolResult

if TYPE_CHECKING:
    from kensaku.client import Kensaku

log = get_logger("kensaku.tools")

Row = Mapping[str, Any]
Rows = Sequence[Row] | str
# (query, collection) → rows or a message. It may be a coroutine function, and may take `limit`.
SearchFunction = Callable[..., Rows | Awaitable[Rows]]

NO_RESULT, TOOL_ERROR = "[[NO_RAG_RESULT", "[[RAG_TOOL_ERROR]]"
DEFAULT_LIMIT = 5
NOTHING = "No relevant results found in any collection."
NOT_SEARCHED = "the index could not be searched"


class RAGSearchTool(BaseTool):
    """Search the collections of the index: embedded, or a Qdrant server."""

    name = "rag_search"
    title = msg("Search own documents")
    about = msg("Search the documents that were added to the local index.")
    open_world = False
    params = (
        QUERY,
        Param("collection", "string", msg("Which collection."), maximum=255),
        Param(
            "limit",
            "integer",
            msg("How many results to return.", context="of own documents"),
            minimum=1,
            maximum=50,
        ),
    )

    def __init__(
        self,
        client: Kensaku | None = None,
        *,
        language: Language = "en",
        fence: bool = True,
        search: SearchFunction | None = None,
        collections: Sequence[str] = (),
        limit: int = DEFAULT_LIMIT,
        min_score: float = 0.0,
    ) -> None:
        """Search with `search` instead of the index; try `collections` in this order.

        Without `collections`, a call that names none searches all of the index. `limit` is for
        calls that name none. Results with a score under `min_score` are left out.
        """
        super().__init__(client, language=language, fence=fence)
        self._search = search
        self.collections = tuple(collections)
        self.limit = limit
        self.min_score = min_score

    async def execute(
        self, query: str, collection: str | None = None, limit: int | None = None
    ) -> ToolResult:
        limit = limit or self.limit
        log.info("rag_search: collection %s, limit %s", collection or "all", limit)
        log.debug("rag_search: query %r", query)
        found = await self._first_found(query, collection, limit)
        if isinstance(found, str):
            return self._failure(found)
        rows, used = found
        factors = self._factors(query, rows) | ({"used_collection": used} if used else {})
        log.info("rag_search: %d results, mean score %s", len(rows), factors["avg_score"])
        text = "\n\n".join(
            f"{n}. {r['title']}\n   {r['url']}\n   {r['content']}" for n, r in enumerate(rows, 1)
        )
        return ToolResult(
            True, output=rows, text=self.fence_web_text(text, "local"), confidence_factors=factors
        )

    async def _first_found(
        self, query: str, collection: str | None, limit: int
    ) -> tuple[list[dict[str, Any]], str | None] | str:
        """Return the rows of the first collection that has some, or why there are none.

        It is a failure only when no collection could be searched.
        """
        order = dict.fromkeys(name for name in (collection, *self.collections) if name)
        failures: list[str] = []
        for name in order or [None]:
            found = await self._ask(query, name, limit)
            if isinstance(found, str) and not found.startswith(NO_RESULT):
                failures.append(found)
                continue
            rows = [] if isinstance(found, str) else [_row(r) for r in found[:limit]]
            rows = [r for r in rows if r["score"] >= self.min_score]
            if rows:
                return rows, name
        if len(failures) == len(order or [None]):
            return failures[0]
        return f"{NO_RESULT}]] {NOTHING}"

    async def _ask(self, query: str, collection: str | None, limit: int) -> Rows:
        search: Any = self._search or search_rag_knowledge_base_structured
        options = {"limit": limit, **({} if self._search else {"client": self.client})}
        accepted = inspect.signature(search).parameters
        options = {name: value for name, value in options.items() if name in accepted}
        try:
            if inspect.iscoroutinefunction(search):
                found = search(query, collection, **options)
            else:  # it may wait for a network, and the event loop must not
                found = await asyncio.to_thread(search, query, collection, **options)
            rows: Rows = await found if inspect.isawaitable(found) else found
        except Exception as error:  # another collection may answer
            log.exception("rag_search: the search function failed")
            return f"{TOOL_ERROR} the search function failed ({type(error).__name__})"
        if isinstance(rows, str) or _are_rows(rows):
            return rows
        return f"{TOOL_ERROR} the search function returned no list of rows ({type(rows).__name__})"

    def _failure(self, message: str) -> ToolResult:
        nothing = message.startswith(NO_RESULT)
        sentence = message.partition("]]")[2].strip() if message.startswith("[[") else message
        if not nothing:
            log.error("rag_search failed: %s", sentence)
        said = self.fence_web_text(sentence, "failures")  # a server may have written it
        return ToolResult(
            False,
            output=[],
            text=sentence if nothing else f"Error: {NOT_SEARCHED}\n{said}",
            error=sentence,
            error_kind="empty" if nothing else "tool",
            confidence_factors={**self._factors("", []), "message": sentence},
        )

    @staticmethod
    def _calculate_confidence_factors(scores: Sequence[float]) -> dict[str, float]:
        """Return count, mean, variance, maximum and minimum of the scores."""
        return score_statistics(scores)

    def _factors(self, query: str, rows: Sequence[Row]) -> dict[str, Any]:
        """Return statistics of the scores, and features of the texts."""
        hits = [Hit(r["url"], r["title"], r["content"], r["score"]) for r in rows]
        sources = [str(r["payload"].get("source") or r["url"]) for r in rows]
        scores = [r["score"] for r in rows]
        own = search_factors(confidence_of(query, hits), scores, sources)
        return own | self._calculate_confidence_factors(scores)


async def search_rag_knowledge_base_structured(
    query: str,
    collection: str | None = None,
    limit: int | None = None,
    *,
    client: Kensaku | None = None,
) -> list[dict[str, Any]] | str:
    """Return the best documents of a collection, or of all, best first.

    Each is a hit, with its fields again as `payload`, and `score` on the scale of a cosine. A text
    instead of a list says why there is none: it begins with `[[NO_RAG_RESULT]]` when nothing was
    found, and with `[[RAG_TOOL_ERROR]]` when nobody could search.
    """
    index = (client or shared_client()).index
    try:
        hits = await index.search(query, collections=collection, max_results=limit or DEFAULT_LIMIT)
    except KensakuError as error:
        return f"{TOOL_ERROR} {error}"
    words = terms(query)
    rows = [{**hit.to_dict(), "score": round(relevance(words, hit), 4)} for hit in hits]
    return [_row(r) for r in rows] or f"{NO_RESULT}]] {NOTHING}"


def _are_rows(found: Any) -> bool:
    return isinstance(found, list | tuple) and all(isinstance(row, Mapping) for row in found)


def _row(result: Row) -> dict[str, Any]:
    """Return a result with the fields of a hit and those of a point: `score` and `payload`."""
    read = read_payload(result)
    score = result.get("score")
    explain = result.get("explain")
    stored = explain.get("metadata", {}) if isinstance(explain, Mapping) else {}
    said = {"title": read.title, "url": read.url, "content": read.text, "source": read.url}
    return {
        **result,
        "title": read.title,
        "url": read.url,
        "content": read.text,
        "score": min(1.0, max(0.0, float(score))) if isinstance(score, int | float) else 0.0,
        "payload": {**said, **stored, **(result.get("payload") or {})},
    }
