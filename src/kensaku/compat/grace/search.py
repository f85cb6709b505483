"""The search function of the agent's own tools, plain, on our index."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kensaku.tools import rag_search
from kensaku.tools.base import shared_portal

if TYPE_CHECKING:
    from kensaku.client import Kensaku


def search_rag_knowledge_base_structured(
    query: str, collection_name: str | None = None, *, client: Kensaku | None = None
) -> list[dict[str, Any]] | str:
    """Return rows with `score` and `payload`, or a message that begins with its marker."""
    found = rag_search.search_rag_knowledge_base_structured(query, collection_name, client=client)
    return shared_portal().run(found)
