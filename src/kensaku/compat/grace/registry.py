"""A registry whose tools run without `await`, for an executor that knows no event loop."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol, Unpack

from kensaku._logger import get_logger
from kensaku.errors import ConfigError, UnknownName
from kensaku.models import Response
from kensaku.models.confidence import relevance
from kensaku.text.redact import redact
from kensaku.text.short import short_repr
from kensaku.text.terms import terms
from kensaku.tools.base import BaseTool, ToolResult
from kensaku.tools.registry import (
    TOOLS,
    Config,
    ToolOptions,
    ToolRegistry,
    enabled_names,
    read_config,
)

if TYPE_CHECKING:
    from kensaku.client import Kensaku
    from kensaku.config.file import SettingsFile

log = get_logger("kensaku.compat.grace")

# The tools of the document, for a configuration that names none.
DEFAULT = ("rag_search", "reasoning", "ask_user", "web_search")
# What the executor calls an argument, and what the tool calls it.
_RENAMED = {"num_results": "max_results"}
# The document asks for a log of these; what was gathered so far is long, and left out.
_LOGGED = ("query", "question", "reason", "urgency", "collection", "limit", "max_results")
MAX_LOGGED = 500  # characters of a value


class HostTool(Protocol):
    """What the executor needs of a tool; the agent may register its own."""

    @property
    def name(self) -> str: ...

    def execute(self, **arguments: Any) -> Any: ...


class GraceTool:
    """One tool. `execute` takes keywords and leaves out those that the tool does not know."""

    def __init__(self, tool: BaseTool) -> None:
        self._tool = tool
        self.name = tool.name
        self.description = tool.description

    def execute(self, **arguments: Any) -> ToolResult:
        """Run the tool and wait for its result. A failure is a result, never an exception.

        The input is logged at INFO with the query or the question, as the document asks.
        """
        known = {p.name for p in self._tool.params}
        renamed = {_RENAMED.get(name, name): value for name, value in arguments.items()}
        accepted = {name: value for name, value in renamed.items() if name in known}
        log.info("%s: %s", self.name, _shown(accepted))
        result = self._tool.invoke_sync(accepted)
        if self.name == "web_search":
            return replace(result, output=_rows(result.output))
        return result


class GraceToolRegistry:
    """The enabled tools by name, as the executor asks for them."""

    def __init__(
        self,
        config: Config | None = None,
        *,
        client: Kensaku | None = None,
        **options: Unpack[ToolOptions],
    ) -> None:
        self._tools: dict[str, HostTool] = {}
        source = None if config is None else read_config(config)
        names = DEFAULT if source is None else _known_names(source)
        for tool in ToolRegistry(source, enabled=names, client=client, language="ja", **options):
            self.register(tool)

    def register(self, tool: BaseTool | HostTool) -> None:
        """Add a tool of ours, or one of the agent's own; it replaces the one of the same name."""
        if isinstance(tool, BaseTool):
            self._tools[tool.name] = GraceTool(tool)
        elif isinstance(getattr(tool, "name", None), str) and callable(
            getattr(tool, "execute", None)
        ):
            self._tools[tool.name] = tool
        else:
            raise ConfigError(
                f"an object of the type {type(tool).__name__} cannot be registered",
                remedy="register an object with a name and a method execute",
            )

    def get(self, name: str) -> HostTool | None:
        """Return the tool of that name, or None when it is not enabled."""
        return self._tools.get(name)

    def list_tools(self) -> list[str]:
        """Return the names of the enabled tools."""
        return list(self._tools)

    def execute(self, name: str, **arguments: Any) -> Any:
        """Run the tool of that name and return its result."""
        if (tool := self.get(name)) is None:
            message = f"Unknown tool: {name}"
            return ToolResult(False, text=message, error=message, error_kind="arguments")
        return tool.execute(**arguments)


def create_tool_registry(
    config: Config | None = None,
    *,
    client: Kensaku | None = None,
    **options: Unpack[ToolOptions],
) -> GraceToolRegistry:
    """Make the tools that a configuration enables, with its models and collections.

    `config` is the agent's own `GraceConfig`, a mapping, or the path of a `grace_config.yml`;
    without one, the tools are those of the document. A name that is no tool of ours is skipped
    with a warning: the agent has tools of its own.
    """
    return GraceToolRegistry(config, client=client, **options)


def _known_names(source: SettingsFile) -> list[str]:
    names = enabled_names(source, DEFAULT)
    for name in names:
        if name not in TOOLS:
            log.warning("%s; it is skipped", UnknownName("tool", name, TOOLS))
    return [name for name in names if name in TOOLS]


def _shown(arguments: dict[str, Any]) -> str:
    """Write arguments on one line: a line break in a query must not begin a line of the log."""
    given = ((name, arguments.get(name)) for name in _LOGGED)
    shown = (f"{n}={short_repr(v, MAX_LOGGED)}" for n, v in given if v is not None)
    return redact(", ".join(shown))


def _rows(output: Any) -> list[dict[str, Any]]:
    """Return a web search's results as the executor reads sources: a score, and a payload."""
    if not isinstance(output, dict):
        return []  # the arguments were refused
    response = Response.from_dict(output)
    words = terms(response.query.text)
    return [
        {
            "score": round(relevance(words, hit), 4),
            "provider": hit.provider,
            "payload": {
                "title": hit.title,
                "url": hit.url,
                "content": hit.content,
                "source": hit.url,
            },
        }
        for hit in response.hits
    ]
