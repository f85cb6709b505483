"""`rag_search`: search the documents of the local index."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from kensaku.errors import KensakuError
from kensaku.models import Hit
from kensaku.search.confidence import confidence_of
from kensaku.tools._params import QUERY
from kensaku.tools.base import BaseTool, Param, ToolResult

if TYPE_CHECKING:
    from kensaku.client import Kensaku

log = logging.getLogger("kensaku.tools")


class RAGSearchTool(BaseTool):
    """Search the collections of the index: embedded, or a Qdrant server."""

    name = "rag_search"
    title = {"en": "Search own documents", "ja": "文書検索"}
    about = {
        "en": "Search the documents that were added to the local index.",
        "ja": "ローカルの索引に登録された文書を検索する。",
    }
    open_world = False
    params = (
        QUERY,
        Param(
            "collection", "string", {"en": "Which collection.", "ja": "コレクション名"}, maximum=64
        ),
        Param(
            "limit",
            "integer",
            {"en": "How many results to return.", "ja": "件数の上限"},
            default=5,
            minimum=1,
            maximum=50,
        ),
    )

    async def execute(
        self, query: str, collection: str | None = None, limit: int | None = None
    ) -> ToolResult:
        log.info("rag_search: collection %s, limit %s", collection or "all", limit or 5)
        log.debug("rag_search: query %r", query)
        results = await search_rag_knowledge_base_structured(
            query, collection, limit, client=self.client
        )
        factors = self._calculate_confidence_factors(query, results)
        if isinstance(results, str):
            log.error("rag_search failed: %s", results)
            return ToolResult(
                False, output=[], text=f"Error: {results}", error=results, error_kind="tool",
                confidence_factors=factors,
            )  # fmt: skip
        log.info("rag_search: %d results, mean score %s", len(results), factors["score_mean"])
        text = "\n\n".join(
            f"{n}. {r['title']}\n   {r['url']}\n   {r['content']}" for n, r in enumerate(results, 1)
        )
        return ToolResult(
            True,
            output=results,
            text=self.fence_web_text(text) or "nothing was found in the index",
            confidence_factors=factors,
        )

    @staticmethod
    def _calculate_confidence_factors(
        query: str, results: Sequence[Mapping[str, Any]] | str
    ) -> dict[str, Any]:
        """Return count, mean, variance, coverage and the rest, each within its bounds."""
        hits = [] if isinstance(results, str) else [_hit(r) for r in results]
        factors = confidence_of(query, hits).to_dict()
        return {**factors.pop("factors"), **factors}


async def search_rag_knowledge_base_structured(
    query: str,
    collection: str | None = None,
    limit: int | None = None,
    *,
    client: Kensaku | None = None,
) -> list[dict[str, Any]] | str:
    """Return the best documents of a collection, or of all, best first.

    A text instead of a list says why there is none.
    """
    from kensaku.tools import shared_client

    index = (client or shared_client()).index
    try:
        hits = await index.search(query, collections=collection, max_results=limit or 5)
    except KensakuError as error:
        return str(error)
    return [hit.to_dict() for hit in hits]


def _hit(result: Mapping[str, Any]) -> Hit:
    url, title, content = (str(result.get(n) or "") for n in ("url", "title", "content"))
    score = result.get("score")
    return Hit(url, title, content, None if score is None else min(1.0, max(0.0, score)))
