"""Tools as each framework wants them. A new adapter is a file with `wrap(tool)`, and a row here.

    kensaku.tools_for("langchain")                           web_search, web_extract, web_context
    kensaku.tools_for("strands", "web_search", language="ja")

Descriptions, bounds and behaviour are those of `kensaku.tools`; an adapter only converts.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Iterable
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Unpack, overload

from kensaku.errors import MissingExtra, UnknownName
from kensaku.tools.registry import DEFAULT, ToolOptions, make_tools

if TYPE_CHECKING:
    import agents
    import claude_agent_sdk
    import google.genai.types
    import langchain_core.tools
    import pydantic_ai

    from kensaku.client import Kensaku
    from kensaku.mcp.tool import McpTool
    from kensaku.tools.base import Language

Framework = Literal[
    "strands",
    "pydantic-ai",
    "langchain",
    "openai-agents",
    "mcp",
    "claude",
    "google-genai",
    "google-adk",
    "llama-index",
    "agent-framework",
    "smolagents",
    "haystack",
    "agno",
    "autogen",
    "semantic-kernel",
    "dspy",
    "crewai",
    "litellm",
    "openai",
    "anthropic",
    "gemini",
    "function",
]


class Adapter(NamedTuple):
    """Where a framework's adapter is, and what it needs."""

    module: str
    needs: str = ""  # the module that must be importable
    extra: str = ""  # the extra of kensaku that installs it


ADAPTERS: dict[str, Adapter] = {
    "strands": Adapter("kensaku.adapters.strands", "strands", "strands"),
    "pydantic-ai": Adapter("kensaku.adapters.pydantic_ai", "pydantic_ai", "pydantic-ai"),
    "langchain": Adapter("kensaku.adapters.langchain", "langchain_core", "langchain"),
    "openai-agents": Adapter("kensaku.adapters.openai_agents", "agents", "openai-agents"),
    "mcp": Adapter("kensaku.mcp.tool", "mcp", "mcp"),
    "claude": Adapter("kensaku.adapters.claude", "claude_agent_sdk", "claude"),
    "google-genai": Adapter("kensaku.adapters.google_genai", "google.genai", "google"),
    "google-adk": Adapter("kensaku.adapters.google_adk", "google.adk", "google-adk"),
    "llama-index": Adapter("kensaku.adapters.llama_index", "llama_index.core", "llama-index"),
    "agent-framework": Adapter(
        "kensaku.adapters.agent_framework", "agent_framework", "agent-framework"
    ),
    "smolagents": Adapter("kensaku.adapters.smolagents", "smolagents", "smolagents"),
    "haystack": Adapter("kensaku.adapters.haystack", "haystack", "haystack"),
    "agno": Adapter("kensaku.adapters.agno", "agno", "agno"),
    "autogen": Adapter("kensaku.adapters.autogen", "autogen_core", "autogen"),
    "semantic-kernel": Adapter(
        "kensaku.adapters.semantic_kernel", "semantic_kernel", "semantic-kernel"
    ),
    "dspy": Adapter("kensaku.adapters.dspy", "dspy", "dspy"),
    "crewai": Adapter("kensaku.adapters.crewai", "crewai", "crewai"),
    "litellm": Adapter("kensaku.adapters.schemas"),
    "openai": Adapter("kensaku.adapters.schemas"),
    "anthropic": Adapter("kensaku.adapters.schemas"),
    "gemini": Adapter("kensaku.adapters.schemas"),
    "function": Adapter("kensaku.adapters.function"),
}


# One overload for each type that the framework itself declares. Strands takes `list[… | Any]`,
# which only `list[Any]` fits; what cannot be installed beside the others has none, either.
@overload
def tools_for(
    framework: Literal["pydantic-ai"],
    names: str | Iterable[str] = ...,
    *,
    client: Kensaku | None = ...,
    language: Language = ...,
    **options: Unpack[ToolOptions],
) -> list[pydantic_ai.Tool[Any]]: ...
@overload
def tools_for(
    framework: Literal["langchain"],
    names: str | Iterable[str] = ...,
    *,
    client: Kensaku | None = ...,
    language: Language = ...,
    **options: Unpack[ToolOptions],
) -> list[langchain_core.tools.BaseTool]: ...
@overload
def tools_for(
    framework: Literal["openai-agents"],
    names: str | Iterable[str] = ...,
    *,
    client: Kensaku | None = ...,
    language: Language = ...,
    **options: Unpack[ToolOptions],
) -> list[agents.Tool]: ...
@overload
def tools_for(
    framework: Literal["mcp"],
    names: str | Iterable[str] = ...,
    *,
    client: Kensaku | None = ...,
    language: Language = ...,
    **options: Unpack[ToolOptions],
) -> list[McpTool]: ...
@overload
def tools_for(
    framework: Literal["claude"],
    names: str | Iterable[str] = ...,
    *,
    client: Kensaku | None = ...,
    language: Language = ...,
    **options: Unpack[ToolOptions],
) -> list[claude_agent_sdk.SdkMcpTool[Any]]: ...
@overload
def tools_for(
    framework: Literal["google-genai"],
    names: str | Iterable[str] = ...,
    *,
    client: Kensaku | None = ...,
    language: Language = ...,
    **options: Unpack[ToolOptions],
) -> list[google.genai.types.FunctionDeclaration]: ...
@overload
def tools_for(
    framework: Literal["litellm", "openai", "anthropic", "gemini"],
    names: str | Iterable[str] = ...,
    *,
    client: Kensaku | None = ...,
    language: Language = ...,
    **options: Unpack[ToolOptions],
) -> list[dict[str, Any]]: ...
@overload
def tools_for(
    framework: Literal["function"],
    names: str | Iterable[str] = ...,
    *,
    client: Kensaku | None = ...,
    language: Language = ...,
    **options: Unpack[ToolOptions],
) -> list[Callable[..., Coroutine[Any, Any, str]]]: ...
@overload
def tools_for(
    framework: Framework,
    names: str | Iterable[str] = ...,
    *,
    client: Kensaku | None = ...,
    language: Language = ...,
    **options: Unpack[ToolOptions],
) -> list[Any]: ...
def tools_for(
    framework: Framework,
    names: str | Iterable[str] = DEFAULT,
    *,
    client: Kensaku | None = None,
    language: Language = "en",
    **options: Unpack[ToolOptions],
) -> list[Any]:
    """Return the tools of those names for a framework. Raises `UnknownName` or `MissingExtra`.

    Each tool gets the options that it takes; an option that none of them takes is unknown.
    Without a `client`, all tools of the process share one, whatever event loop they run in.
    """
    key = framework.lower().replace("_", "-")
    if key not in ADAPTERS:
        raise UnknownName("framework", framework, ADAPTERS)
    adapter = ADAPTERS[key]
    if adapter.needs and not _importable(adapter.needs):
        raise MissingExtra(framework, adapter.extra)
    module = import_module(adapter.module)
    wrap = getattr(module, f"for_{key}", None) or module.wrap
    return [wrap(tool) for tool in make_tools(names, client, language=language, **options)]


def _importable(name: str) -> bool:
    try:
        return find_spec(name) is not None
    except ModuleNotFoundError:
        return False
