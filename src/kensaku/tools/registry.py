"""The tools by name, and a registry of those that are enabled.

    ToolRegistry("grace_config.yml") or ToolRegistry(enabled=[…]) → get(name) → the tool or None

A tool that is not enabled is never constructed. The file is read only when it is named. Tools of
other packages are entry points of the group `kensaku.tools`.
"""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypedDict, Unpack

from kensaku import tools
from kensaku._plugins import plugins
from kensaku.config.file import SettingsFile, read_file
from kensaku.config.settings import environment
from kensaku.errors import ConfigError, UnknownName
from kensaku.messages import msg

if TYPE_CHECKING:
    from kensaku.client import Kensaku
    from kensaku.tools.base import BaseTool, Language
    from kensaku.tools.rag_search import SearchFunction
    from kensaku.tools.reasoning import Model

    Maker = Callable[..., BaseTool]  # a class, or what makes a tool

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
# Connectors know them by these names only. A registry has none of them: beside `web_search`, a
# model would have two tools for one thing.
CONNECTOR = {"search": "SearchTool", "fetch": "FetchTool"}
DEFAULT = ("web_search", "web_extract", "web_context")


class HostConfig(Protocol):
    """What a host has made of its settings file: a pydantic model, a dataclass, any object."""

    @property
    def tools(self) -> Any: ...  # its section, with `enabled`


Config = str | Path | Mapping[str, Any] | HostConfig | SettingsFile


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
    makers = [_maker(name) for name in names]
    known = set().union(*map(options_of, makers))
    for option in options:
        if option not in known:
            raise UnknownName(msg("option"), option, known)
    return [_construct(maker, client, language, options) for maker in makers]


def _maker(name: str) -> Maker:
    own = TOOLS | CONNECTOR
    if name in own:
        return getattr(tools, own[name])  # type: ignore[no-any-return]
    others = plugins("tools")
    if name not in others:
        raise UnknownName(msg("tool"), name, [*own, *others])
    return others[name].load()  # type: ignore[no-any-return]


def _construct(
    maker: Maker, client: Kensaku | None, language: str, options: Mapping[str, Any]
) -> BaseTool:
    accepted = {n: v for n, v in options.items() if n in options_of(maker)}
    return maker(client, **{"language": language, **accepted})


def options_of(maker: Maker) -> set[str]:
    """Return the names of the options that a tool's constructor takes besides `language`."""
    parameters = inspect.signature(maker).parameters.values()
    return {p.name for p in parameters if p.kind is p.KEYWORD_ONLY} - {"language"}


class ToolRegistry:
    """The enabled tools, by name."""

    def __init__(
        self,
        config: Config | None = None,
        *,
        enabled: Iterable[str] | None = None,
        client: Kensaku | None = None,
        language: Language = "en",
        **options: Unpack[ToolOptions],
    ) -> None:
        """Make the tools that are `enabled`, or else those that the configuration names."""
        source = read_config(config)
        chosen = list(enabled) if enabled is not None else enabled_names(source, DEFAULT)
        for name in chosen:
            if name not in TOOLS:
                raise UnknownName(msg("tool"), name, TOOLS)
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


def read_config(config: Config | None) -> SettingsFile:
    """Return a configuration as settings by key.

    It is the path of a YAML, TOML or JSON file, a mapping, or an object with an attribute for each
    section, as a pydantic model or a dataclass. Raises `ConfigError` for an object without tools.
    """
    if isinstance(config, SettingsFile):
        return config
    env = environment()
    if isinstance(config, str | Path):
        return read_file(Path(config), env)
    if config is None or isinstance(config, Mapping):
        return SettingsFile(config or {}, None, "", env)
    values = _attributes(config)
    if not isinstance(values, dict) or not values.keys() & {"tools", "enabled_tools"}:
        raise ConfigError(
            msg(
                "tools cannot be configured by an object of the type {name}",
                name=type(config).__name__,
            ),
            remedy=msg("pass the path of a file, a mapping, or an object with tools.enabled"),
        )
    sections = {name: _attributes(value) for name, value in values.items()}
    return SettingsFile(sections, None, "", env)


def _attributes(found: Any) -> Any:
    """Return the attributes of an object by name; what has none is returned as it is."""
    if dataclasses.is_dataclass(found) and not isinstance(found, type):
        return dataclasses.asdict(found)
    if isinstance(found, type) or not hasattr(found, "__dict__"):
        return found
    dump = getattr(found, "model_dump", None)
    return dump() if callable(dump) else dict(vars(found))


def enabled_names(source: SettingsFile, default: Iterable[str]) -> list[str]:
    """Read `enabled_tools` or `tools.enabled`."""
    for key in ("enabled_tools", "tools.enabled"):
        if key in source:
            names = source[key]
            if not isinstance(names, list | tuple) or not all(isinstance(n, str) for n in names):
                raise ConfigError(
                    msg(
                        "{where}: {key} must be a list of tool names",
                        where=source.where(key),
                        key=key,
                    )
                )
            return list(names)
    return list(default)


def _configure(
    source: SettingsFile, names: list[str], client: Kensaku | None, options: ToolOptions
) -> tuple[Kensaku | None, ToolOptions]:
    """Return the client and the options that other packages read from the file.

    An entry point of `kensaku.tool_settings` takes what `_configure` takes, and returns the same.
    """
    for point in plugins("tool_settings").values():
        client, options = point.load()(source, names, client, options)
    return client, options
