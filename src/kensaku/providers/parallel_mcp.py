"""Parallel without a key, by its MCP server. With a key, `parallel` is its API."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

from kensaku.providers._mcp import McpProvider, tool_data
from kensaku.providers.base import rows
from kensaku.providers.parallel import MAX_KEYWORD_CHARS
from kensaku.text.short import cut_at_word

if TYPE_CHECKING:
    from kensaku.models import Hit, Query


class ParallelMcp(McpProvider):
    name = "parallel_mcp"
    label = "Parallel (MCP)"
    docs = "https://docs.parallel.ai/integrations/mcp/search-mcp"
    known_by = "sdk"
    known_source = "openclaw/openclaw/extensions/parallel/src/parallel-mcp-search.runtime.ts"
    url = "https://search.parallel.ai"
    keyless = True
    pooled = True
    max_results = 10  # it has no parameter for it
    family = "parallel"
    markup = False
    keyless_rate = "10/m"  # its limits are not published

    tool = "web_search"

    def arguments(self, query: Query) -> dict[str, Any]:
        keywords = cut_at_word(query.text, MAX_KEYWORD_CHARS)
        # It demands the id of a session, and groups calls by it. An id of the query ties no two
        # questions together.
        asked = query.text.encode("utf-8", "replace")
        return {
            "objective": query.text,
            "search_queries": [keywords],
            "session_id": hashlib.blake2s(asked, digest_size=16).hexdigest(),
        }

    def hits(self, body: Any) -> list[Hit]:
        return [
            self.hit(
                r.get("url"), r.get("title"), r.get("excerpts"), published=r.get("publish_date")
            )
            for r in rows(tool_data(body)["results"])
        ]
