"""DSPy: `dspy.ReAct("question -> answer", tools=kensaku.tools_for("dspy"))`.

DSPy writes an exception into the prompt with its whole traceback, so the tool raises none and
checks every argument itself. It works by `react(…)` and by `await react.acall(…)`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kensaku.errors import MissingExtra

try:
    from dspy import Tool  # type: ignore[import-not-found, unused-ignore]
    from dspy.utils.callback import (  # type: ignore[import-not-found, unused-ignore]
        with_callbacks,
    )
except ImportError:
    raise MissingExtra("dspy", "dspy") from None

from pydantic import PrivateAttr

if TYPE_CHECKING:
    from kensaku.tools.base import BaseTool

__all__ = ["KensakuTool", "wrap"]


class KensakuTool(Tool):  # type: ignore[misc, unused-ignore]
    """A tool that returns the text for the model."""

    _tool: Any = PrivateAttr()

    def __init__(self, tool: BaseTool) -> None:
        def run(**arguments: Any) -> str:
            return tool.invoke_sync(arguments).text

        properties = tool.parameters["properties"]
        super().__init__(
            run,
            name=tool.name,
            desc=tool.description,
            args=properties,
            arg_types=dict.fromkeys(properties, Any),
        )
        self._tool = tool

    @with_callbacks  # type: ignore[misc, untyped-decorator, unused-ignore]
    def __call__(self, **arguments: Any) -> str:
        """Run the tool without await; works inside a running loop, too."""
        return str(self.func(**arguments))

    @with_callbacks  # type: ignore[misc, untyped-decorator, unused-ignore]
    async def acall(self, **arguments: Any) -> str:
        """Run the tool."""
        text: str = (await self._tool.invoke(arguments)).text
        return text

    def format_as_litellm_function_call(self) -> dict[str, Any]:
        """Return the schema for native calling. DSPy's own would require every argument."""
        function = {
            "name": self.name,
            "description": self.desc,
            "parameters": self._tool.parameters,
        }
        return {"type": "function", "function": function}


def wrap(tool: BaseTool) -> KensakuTool:
    """Return the tool for ReAct and every other module that takes tools."""
    return KensakuTool(tool)
