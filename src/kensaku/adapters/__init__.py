"""A tool as each framework wants it. A new adapter is a file with `wrap(tool)`, and a line here.

    kensaku.tools_for("langchain")                           web_search, web_extract, web_context
    kensaku.tools_for("strands", ["web_search"], language="ja")

The words, the bounds and the behaviour are those of `kensaku.tools`; an adapter only hands them on.
"""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from kensaku.errors import MissingExtra, UnknownName
from kensaku.tools.registry import DEFAULT, make_tool

if TYPE_CHECKING:
    from kensaku.client import Kensaku

# framework → (module, what must be importable, the extra that installs it)
ADAPTERS = {
    "strands": ("kensaku.adapters.strands", "strands", "strands"),
    "pydantic-ai": ("kensaku.adapters.pydantic_ai", "pydantic_ai", "pydantic-ai"),
    "langchain": ("kensaku.adapters.langchain", "langchain_core", "langchain"),
    "openai-agents": ("kensaku.adapters.openai_agents", "agents", "openai-agents"),
    "mcp": ("kensaku.mcp.tool", "mcp", "mcp"),
    "claude": ("kensaku.adapters.claude", "claude_agent_sdk", "claude"),
    "google-genai": ("kensaku.adapters.google_genai", "google.genai", "google"),
    "google-adk": ("kensaku.adapters.google_adk", "google.adk", "google-adk"),
    "llama-index": ("kensaku.adapters.llama_index", "llama_index.core", "llama-index"),
    "agent-framework": ("kensaku.adapters.agent_framework", "agent_framework", "agent-framework"),
    "smolagents": ("kensaku.adapters.smolagents", "smolagents", "smolagents"),
    "haystack": ("kensaku.adapters.haystack", "haystack", "haystack"),
    "agno": ("kensaku.adapters.agno", "agno", "agno"),
    "autogen": ("kensaku.adapters.autogen", "autogen_core", "autogen"),
    "semantic-kernel": ("kensaku.adapters.semantic_kernel", "semantic_kernel", "semantic-kernel"),
    "dspy": ("kensaku.adapters.dspy", "dspy", "dspy"),
    "crewai": ("kensaku.adapters.crewai", "crewai", "crewai"),
    "litellm": ("kensaku.adapters.schemas", None, None),
    "openai": ("kensaku.adapters.schemas", None, None),
    "anthropic": ("kensaku.adapters.schemas", None, None),
    "gemini": ("kensaku.adapters.schemas", None, None),
    "function": ("kensaku.adapters.function", None, None),
}


def tools_for(
    framework: str,
    names: Iterable[str] = DEFAULT,
    *,
    client: Kensaku | None = None,
    language: str = "en",
    **options: Any,
) -> list[Any]:
    """The tools of those names for a framework. Raises `UnknownName` or `MissingExtra`.

    Without a `client`, all tools of the process share one, whatever event loop they run in.
    """
    key = framework.lower().replace("_", "-")
    if key not in ADAPTERS:
        raise UnknownName("framework", framework, ADAPTERS)
    module, needs, extra = ADAPTERS[key]
    if needs and extra and not _importable(needs):
        raise MissingExtra(framework, extra)
    adapter = import_module(module)
    wrap = getattr(adapter, f"for_{key}", None) or adapter.wrap
    return [wrap(make_tool(name, client, language=language, **options)) for name in names]


def _importable(name: str) -> bool:
    try:
        return find_spec(name) is not None
    except ModuleNotFoundError:
        return False
