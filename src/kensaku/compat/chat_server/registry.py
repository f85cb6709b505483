"""The classes of the tool types in the database."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kensaku.compat.chat_server.tool import SearchWebTool

if TYPE_CHECKING:
    from langchain_core.tools import BaseTool

# What a row's `type` says → the class. A host application adds its own.
TOOL_REGISTRY: dict[str, type[Any]] = {"SearchWebTool": SearchWebTool}


def tool_name(kind: type[BaseTool]) -> str:
    """Return the name under which the model calls a class of tools."""
    return str(kind.model_fields["name"].default)
