"""LangChain and LangGraph.

    agent = create_agent(model, tools=[wrap(tool)])      or kensaku.tools_for("langchain")

The text is the message's content, the same facts as data are its `artifact`, and its `status` is
"error" when no provider could search. It works by `invoke` and by `ainvoke`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kensaku.errors import MissingExtra

try:
    from langchain_core.messages import ToolMessage
    from langchain_core.tools import StructuredTool
except ImportError:
    raise MissingExtra("langchain-core", "langchain") from None


if TYPE_CHECKING:
    from kensaku.tools.base import BaseTool, ToolResult

__all__ = ["wrap"]


class KensakuTool(StructuredTool):
    """A tool whose failures have an error status and still carry their data."""

    # The tool gets exactly what the model sent: `config` and `self` are not arguments.
    def _run(self, /, **arguments: Any) -> Any:  # type: ignore[override]
        return self.func(**arguments) if self.func else None

    async def _arun(self, /, **arguments: Any) -> Any:  # type: ignore[override]
        return await self.coroutine(**arguments) if self.coroutine else None

    def run(self, *args: Any, **options: Any) -> Any:
        return _with_status(super().run(*args, **options))

    async def arun(self, *args: Any, **options: Any) -> Any:
        return _with_status(await super().arun(*args, **options))


def wrap(tool: BaseTool) -> KensakuTool:
    """Return the tool for LangChain. It checks the arguments: LangChain does not check a schema."""

    def run(**arguments: Any) -> tuple[str, dict[str, Any]]:
        return _content_and_artifact(tool.invoke_sync(arguments))

    async def arun(**arguments: Any) -> tuple[str, dict[str, Any]]:
        return _content_and_artifact(await tool.invoke(arguments))

    return KensakuTool(
        name=tool.name,
        description=tool.description,
        args_schema=tool.parameters,
        func=run,
        coroutine=arun,
        response_format="content_and_artifact",
    )


def _content_and_artifact(result: ToolResult) -> tuple[str, dict[str, Any]]:
    return result.text, result.to_dict()


def _with_status(output: Any) -> Any:
    # A ToolException would set the status, too, but it loses the artifact.
    if isinstance(output, ToolMessage) and output.artifact and not output.artifact["success"]:
        output.status = "error"
    return output
