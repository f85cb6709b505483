"""Put our tools in the place of those of `grace/tools.py`: a plug-in of pytest, for his tests."""

from __future__ import annotations

from typing import Any

import agent_tools
import grace
from grace import executor, tools

from kensaku.compat.grace import GraceTool, GraceToolRegistry, create_tool_registry
from kensaku.tools import RAGSearchTool, ToolResult


def rag_search(config: Any = None, qdrant_url: str | None = None) -> GraceTool:
    """Make our tool as he makes his: it asks the function of his `agent_tools`."""

    def search(query: str, collection: str) -> Any:
        return agent_tools.search_rag_knowledge_base_structured(query, collection)

    return GraceTool(RAGSearchTool(search=search, collections=config.qdrant.search_priority))


OURS = {
    "create_tool_registry": create_tool_registry,
    "ToolRegistry": GraceToolRegistry,
    "ToolResult": ToolResult,
    "RAGSearchTool": rag_search,
}
for module in (grace, tools, executor):
    for name, ours in OURS.items():
        if hasattr(module, name):
            setattr(module, name, ours)
