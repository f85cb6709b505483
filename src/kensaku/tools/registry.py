"""The tools by name, and a registry of those that are enabled.

    ToolRegistry("grace_config.yml") or ToolRegistry(enabled=[…]) → get(name) → the tool or None

A tool that is not enabled is never constructed. The file may also say where and with which models
the tools search (`config/grace.py`). It is read only when it is named.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

from kensaku import tools
from kensaku.config.file import SettingsFile, read_file
from kensaku.config.grace import read_grace
from kensaku.config.settings import Settings, environment, key_of
from kensaku.errors import ConfigError, UnknownName

if TYPE_CHECKING:
    from kensaku.client import Kensaku
    from kensaku.tools.base import BaseTool, Language
    from kensaku.tools.rag_search import SearchFunction
    from kensaku.tools.reasoning import Model

# name → class, in the order of registration.
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


class ToolOptions(TypedDict, total=False):
    """What the constructors of the tools take. A test compares it with them."""

    fence: bool  # put web text between random markers; on unless switched off
    max_tokens: int  # how long the text of web_search, web_extract and web_crawl may be
    model: Model | None  # what reasoning asks
    search: SearchFunction | None  # what rag_search asks instead of the index …
    collections: Sequence[str]  # … and the collections it tries, in this order …
    limit: int  # … the results it returns unless a call says how many …
    min_score: float  # … and the score under which it leaves them out


def make_tool(
    name: str,
    client: Kensaku | None = None,
    *,
    language: Language = "en",
    **options: Unpack[ToolOptions],
) -> BaseTool:
    """Make one tool by its name. Raises `UnknownName`, which names the nearest."""
    return make_tools(name, client, language=language, **options)[0]


def make_tools(
    names: str | Iterable[str],
    client: Kensaku | None = None,
    *,
    language: Language = "en",
    **options: Unpack[ToolOptions],
) -> list[BaseTool]:
    """Make the tools of those names; each gets the options that its constructor takes.

    Raises `UnknownName` for a name that is no tool, or an option that none of them takes.
    """
    names = [names] if isinstance(names, str) else list(names)
    for name in names:
        if name not in TOOLS:
            raise UnknownName("tool", name, TOOLS)
    classes: list[type[BaseTool]] = [getattr(tools, TOOLS[name]) for name in names]
    known = set().union(*(options_of(cls) for cls in classes))
    for option in options:
        if option not in known:
            raise UnknownName("option", option, known)
    return [_construct(cls, client, language, options) for cls in classes]


def _construct(
    cls: type[BaseTool], client: Kensaku | None, language: str, options: Mapping[str, Any]
) -> BaseTool:
    accepted = {n: v for n, v in options.items() if n in options_of(cls)}
    return cls(client, **{"language": language, **accepted})


def options_of(cls: type[BaseTool]) -> set[str]:
    """Return the names of the options that a tool's constructor takes besides `language`."""
    parameters = inspect.signature(cls).parameters.values()
    return {p.name for p in parameters if p.kind is p.KEYWORD_ONLY} - {"language"}


class ToolRegistry:
    """The enabled tools, by name."""

    def __init__(
        self,
        config: str | Path | Mapping[str, Any] | None = None,
        *,
        enabled: Iterable[str] | None = None,
        client: Kensaku | None = None,
        language: Language = "en",
        **options: Unpack[ToolOptions],
    ) -> None:
        source = _source(config)
        chosen = list(enabled) if enabled is not None else _enabled(source)
        for name in chosen:
            if name not in TOOLS:
                raise UnknownName("tool", name, TOOLS)
        ordered = [name for name in TOOLS if name in chosen]  # the file's order does not matter
        self._tools: dict[str, BaseTool] = {}
        if config is not None:
            client, options = _configure(source, ordered, client, options)
        for tool in make_tools(ordered, client, language=language, **options):
            self.register(tool)

    def register(self, tool: BaseTool) -> None:
        """Add a tool, or replace the one with the same name."""
        self._tools[tool.name] = tool

    def get(self, name: str) -> BaseTool | None:
        """Return the tool of that name, or None when it is not enabled."""
        return self._tools.get(name)

    def __iter__(self) -> Iterator[BaseTool]:
        return iter(self._tools.values())

    def __len__(self) -> int:
        return len(self._tools)


def _source(config: str | Path | Mapping[str, Any] | None) -> SettingsFile:
    """Return a YAML, TOML or JSON file, or a mapping, as settings by key."""
    env = environment()
    if isinstance(config, str | Path):
        return read_file(Path(config), env)
    return SettingsFile(config or {}, None, "", env)


def _enabled(source: SettingsFile) -> list[str]:
    """Read `enabled_tools` or `tools.enabled`."""
    for key in ("enabled_tools", "tools.enabled"):
        if key in source:
            names = source[key]
            if not isinstance(names, list) or not all(isinstance(n, str) for n in names):
                raise ConfigError(f"{source.where(key)}: {key} must be a list of tool names")
            return names
    return list(DEFAULT)


def _configure(
    source: SettingsFile, names: list[str], client: Kensaku | None, options: ToolOptions
) -> tuple[Kensaku | None, ToolOptions]:
    """Return the client and the options that the sections of the file ask for.

    A client or an option that the caller gave stays as it is, and so do our own settings.
    """
    grace = read_grace(source, environment())
    configured = ToolOptions()
    if "rag_search" in names:
        configured |= ToolOptions(**grace.rag_search)  # type: ignore[typeddict-item]
    if "reasoning" in names and grace.llm is not None:
        from kensaku.tools.reasoning import gemini

        llm = grace.llm
        configured["model"] = gemini(
            llm.model, temperature=llm.temperature, max_tokens=llm.max_tokens, timeout=llm.timeout
        )
    if client is None and grace.settings:
        from kensaku.client import Kensaku

        ours = Settings.load().origins
        client = Kensaku(
            Settings.load(**{n: v for n, v in grace.settings.items() if key_of(n) not in ours})
        )
    return client, configured | options
