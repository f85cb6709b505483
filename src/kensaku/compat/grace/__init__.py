"""The tools of a GRACE agent, called as its executor calls them: plainly, with keywords.

    registry = create_tool_registry(get_config())      the agent's own object, or the file's path
    registry.get("rag_search").execute(query="…", collection=None) → ToolResult
    create_executor(tool_registry=registry)

`search_rag_knowledge_base_structured` is the search function of its `agent_tools.py` on our index.
"""

from kensaku.compat.grace.registry import GraceTool, GraceToolRegistry, create_tool_registry
from kensaku.compat.grace.search import search_rag_knowledge_base_structured

__all__ = [
    "GraceTool",
    "GraceToolRegistry",
    "create_tool_registry",
    "search_rag_knowledge_base_structured",
]
