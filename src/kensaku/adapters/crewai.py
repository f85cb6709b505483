"""CrewAI: `Agent(role="…", tools=kensaku.tools_for("crewai"), …)`.

It works by `kickoff` and by `kickoff_async`. CrewAI would keep results for the length of a crew,
an outage as well as an answer; that is left to the client's own cache, which knows the difference.
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

__all__ = ["KensakuTool", "never", "wrap"]


def never(arguments: Any = None, result: Any = None) -> bool:
    """Whether CrewAI keeps a result."""
    return False


class KensakuTool(CrewTool):  # type: ignore[misc, unused-ignore]
    """A tool that returns the text for the model."""

    _tool: Any = PrivateAttr()

    def __init__(self, tool: BaseTool) -> None:
        super().__init__(
            name=tool.name,
            description=tool.description,
            args_schema=arguments_model(tool, _nullable(tool.parameters)),
            cache_function=never,
        )
        self._tool = tool

    def _run(self, **arguments: Any) -> str:
        text: str = self._tool.invoke_sync(arguments).text
        return text

    async def _arun(self, **arguments: Any) -> str:
        text: str = (await self._tool.invoke(arguments)).text
        return text


def wrap(tool: BaseTool) -> KensakuTool:
    """The tool for an agent of a crew."""
    return KensakuTool(tool)


def _nullable(schema: dict[str, Any]) -> dict[str, Any]:
    """CrewAI makes every argument required (OpenAI's strict mode): an optional one may be null,
    or each search would have to be of the last day, week, month or year."""
    properties = {
        name: about if name in schema["required"] else _or_null(about)
        for name, about in schema["properties"].items()
    }
    return {**schema, "properties": properties}


def _or_null(about: dict[str, Any]) -> dict[str, Any]:
    either = {**about, "type": [about["type"], "null"]}
    return {**either, "enum": [*about["enum"], None]} if "enum" in about else either
