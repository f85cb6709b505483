"""`web_context`, `rag_search`, `verify_quote`: passages to reason with, and a check on quotes."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from kensaku.errors import KensakuError
from kensaku.models import Hit, Outcome
from kensaku.search.confidence import weigh
from kensaku.tools.base import BaseTool, Param, ToolResult
from kensaku.tools.fence import fenced
from kensaku.tools.web_search import QUERY

if TYPE_CHECKING:
    from kensaku.client import Kensaku

log = logging.getLogger("kensaku.tools")


class WebContextTool(BaseTool):
    name = "web_context"
    title = {"en": "Context for an answer", "ja": "回答のための文脈"}
    about = {
        "en": "Search the web and get the best passages, numbered [1], [2], …, within a number of "
        "tokens. Cite them by their numbers.",
        "ja": "ウェブを検索し、最も関係の深い一節を [1]、[2] … の番号付きで、指定した"
        "トークン数以内で返す。番号で引用すること。",
    }
    params = (
        QUERY,
        Param(
            "max_tokens",
            "integer",
            {"en": "How many tokens of text at most.", "ja": "トークン数の上限"},
            default=2_000,
            minimum=1,
            maximum=20_000,
        ),
        Param(
            "cursor",
            "string",
            {"en": "The cursor of an earlier result, for more.", "ja": "続きを得るためのカーソル"},
            maximum=200,
        ),
    )

    async def execute(self, *args: Any, **arguments: Any) -> ToolResult:
        found = await self.client.context(**arguments)
        searched = found.outcome is not Outcome.UNAVAILABLE
        text = fenced(found.text, self.language) if self.fence and found.text else found.text
        more = f" · more with cursor {found.cursor}" if found.cursor else ""
        return ToolResult(
            success=searched,
            output=found.to_dict(),
            text=f"outcome: {found.outcome} · tokens: {found.tokens}{more}\n{text}".rstrip(),
            confidence_factors={"citations": len(found.citations), "tokens": found.tokens},
            error=None if searched else "nobody could search",
            error_kind=None if searched else "tool",
        )


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
        found = await search_rag_knowledge_base_structured(
            query, collection, limit, client=self.client
        )
        factors = self._calculate_confidence_factors(query, found)
        if not isinstance(found, list):
            log.error("rag_search failed: %s", found)
            return ToolResult(
                False, output=[], text=f"Error: {found}", error=found, error_kind="tool",
                confidence_factors=factors,
            )  # fmt: skip
        log.info("rag_search: %d results, mean score %s", len(found), factors["score_mean"])
        lines = [
            f"{n}. {r['title']}\n   {r['url']}\n   {r['content']}" for n, r in enumerate(found, 1)
        ]
        body = "\n\n".join(lines) or "nothing was found in the index"
        return ToolResult(
            True,
            output=found,
            text=fenced(body, self.language) if self.fence and found else body,
            confidence_factors=factors,
        )

    @staticmethod
    def _calculate_confidence_factors(
        query: str, found: Sequence[Mapping[str, Any]] | str
    ) -> dict[str, Any]:
        """Count, mean, variance, coverage and the rest, each in its bounds; off-topic lowers it."""
        hits = [] if isinstance(found, str) else [_hit(r) for r in found]
        factors = weigh(query, hits).to_dict()
        return {**factors.pop("factors"), **factors}


async def search_rag_knowledge_base_structured(
    query: str,
    collection: str | None = None,
    limit: int | None = None,
    *,
    client: Kensaku | None = None,
) -> list[dict[str, Any]] | str:
    """The documents of a collection, or of all, that answer best: a list of results, best first.
    A text instead of a list says why there is none."""
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


class VerifyQuoteTool(BaseTool):
    name = "verify_quote"
    title = {"en": "Check a quote", "ja": "引用の確認"}
    about = {
        "en": "Check whether a quote really stands in a page. Use it before quoting.",
        "ja": "引用文が本当にそのページにあるか確かめる。引用する前に使う。",
    }
    params = (
        Param(
            "quote",
            "string",
            {"en": "The words to look for.", "ja": "確かめる文"},
            required=True,
            minimum=1,
            maximum=2_000,
        ),
        Param(
            "url",
            "string",
            {"en": "The page that is cited.", "ja": "引用元の URL"},
            required=True,
            minimum=1,
            maximum=2_000,
        ),
    )

    async def execute(self, *args: Any, **arguments: Any) -> ToolResult:
        verdict = await self.client.verify(arguments["quote"], arguments["url"])
        where = (
            f"found, characters {verdict.start} to {verdict.end}" if verdict.found else "not found"
        )
        return ToolResult(
            True, output=verdict.to_dict(), text=where, confidence_factors={"found": verdict.found}
        )
