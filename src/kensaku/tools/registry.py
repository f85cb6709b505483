"""Which tools there are, and which of them are on.

    ToolRegistry("grace_config.yml") or ToolRegistry(enabled=[…]) → get(name) → the tool or None

Only what is enabled is ever built.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kensaku import tools
from kensaku.config.file import Source, read_file
from kensaku.errors import ConfigError, UnknownName

if TYPE_CHECKING:
    from kensaku.client import Kensaku
    from kensaku.tools.base import BaseTool

# name → class, in the order in which they are registered.
TOOLS = {
    "rag_search": "RAGSearchTool",
    "reasoning": "ReasoningTool",
    "ask_user": "AskUserTool",
    "web_search": "WebSearchTool",
    "web_extract": "WebExtractTool",
    "web_context": "WebContextTool",
    "web_crawl": "WebCrawlTool",
    "web_map": "WebMapTool",
    "verify_quote": "VerifyQuoteTool",
}
DEFAULT = ("web_search", "web_extract", "web_context")


def make_tool(name: str, client: Kensaku | None = None, **options: Any) -> BaseTool:
    """One tool by its name. Raises `UnknownName`, which names the nearest."""
    if name not in TOOLS:
        raise UnknownName("tool", name, TOOLS)
    made: BaseTool = getattr(tools, TOOLS[name])(client, **options)
    return made


class ToolRegistry:
    """The enabled tools, by name."""

    def __init__(
        self,
        config: str | Path | Mapping[str, Any] | None = None,
        *,
        enabled: Iterable[str] | None = None,
        client: Kensaku | None = None,
        **options: Any,
    ) -> None:
        chosen = list(enabled) if enabled is not None else _enabled(config)
        self._tools: dict[str, BaseTool] = {}
        for name in chosen:
            if name not in TOOLS:
                raise UnknownName("tool", name, TOOLS)
        for name in TOOLS:  # the order is ours, whatever order the file has
            if name in chosen:
                self.register(make_tool(name, client, **options))

    def register(self, tool: BaseTool) -> None:
        """Add a tool, or put it in the place of the one with the same name."""
        self._tools[tool.name] = tool

    def get(self, name: str) -> BaseTool | None:
        """The tool of that name; None when it is not enabled."""
        return self._tools.get(name)

    def __iter__(self) -> Any:
        return iter(self._tools.values())

    def __len__(self) -> int:
        return len(self._tools)


def _enabled(config: str | Path | Mapping[str, Any] | None) -> list[str]:
    """`enabled_tools`, or `tools.enabled`, of a YAML, TOML or JSON file, or of a mapping."""
    if config is None:
        return list(DEFAULT)
    source = (
        Source(config, None, "", {}) if isinstance(config, Mapping) else read_file(Path(config), {})
    )
    for key in ("enabled_tools", "tools.enabled"):
        if key in source:
            found = source[key]
            if not isinstance(found, list) or not all(isinstance(n, str) for n in found):
                raise ConfigError(f"{source.where(key)}: {key} must be a list of tool names")
            return found
    return list(DEFAULT)
