"""CrewAI: `Agent(role="…", tools=kensaku.tools_for("crewai"), …)`.

It works by `kickoff` and by `kickoff_async`. CrewAI's cache is off for these tools: it would keep
an outage like an answer. The client's own cache knows the difference.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kensaku.errors import MissingExtra

try:
    from crewai.tools import (  # type: ignore[import-not-found, unused-ignore]
        BaseTool as CrewTool,
    )
except ImportError:
    raise MissingExtra("crewai", "crewai") from None

from pydantic import PrivateAttr

from kensaku.adapters._pydantic_args import arguments_model

if TYPE_CHECKING:
    from kensaku.tools.base import BaseTool

__all__ = ["KensakuTool", "never_cache", "wrap"]


def never_cache(arguments: Any = None, result: Any = None) -> bool:
    """Tell CrewAI not to cache the result."""
    return False


class KensakuTool(CrewTool):  # type: ignore[misc, unused-ignore]
    """A tool that returns the text for the model."""

    _tool: Any = PrivateAttr()

    def __init__(self, tool: BaseTool) -> None:
        super().__init__(
            name=tool.name,
            description=tool.description,
            args_schema=arguments_model(tool, _nullable(tool.parameters)),
            cache_function=never_cache,
        )
        self._tool = tool

    def _run(self, **arguments: Any) -> str:
        text: str = self._tool.invoke_sync(arguments).text
        return text

    async def _arun(self, **arguments: Any) -> str:
        text: str = (await self._tool.invoke(arguments)).text
        return text


def wrap(tool: BaseTool) -> KensakuTool:
    """Return the tool for an agent of a crew."""
    return KensakuTool(tool)


def _nullable(schema: dict[str, Any]) -> dict[str, Any]:
    """Let optional arguments be null: CrewAI makes every argument required (OpenAI's strict mode),
    and each search would have to be of the last day, week, month or year."""
    properties = {
        name: about if name in schema["required"] else _or_null(about)
        for name, about in schema["properties"].items()
    }
    return {**schema, "properties": properties}


def _or_null(about: dict[str, Any]) -> dict[str, Any]:
    either = {**about, "type": [about["type"], "null"]}
    return {**either, "enum": [*about["enum"], None]} if "enum" in about else either
