"""Tools for tool servers: a small OpenAPI document, and a path for each tool.

Open WebUI and others read `/tools/openapi.json`, show the model the operations as its tools, and
post the arguments. Names, descriptions and schemas are the tools' own.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from kensaku import __version__
from kensaku.errors import InvalidQuery, KensakuError
from kensaku.server.auth import KEY_HEADERS
from kensaku.server.wires.base import Asked, Endpoint, Wire

if TYPE_CHECKING:
    from kensaku.server.request import Request
    from kensaku.tools.base import BaseTool


class ToolFailed(KensakuError):
    """A tool could not do what was asked for."""

    status = 503


class Tools(Wire):
    name = "tools"
    label = "Tool server"
    docs = "https://docs.openwebui.com/features/plugin/tools/openapi-servers/"
    keys = KEY_HEADERS
    client = "Open WebUI: Settings, External Tools: {url}/tools"

    def endpoints(self) -> Sequence[Endpoint]:
        # Without summaries: they have a document of their own.
        return [
            Endpoint("GET", "/openapi.json", do=_describe, is_open=True, is_admitted=False),
            *(
                Endpoint("POST", f"/{tool.name}", do=partial(_run, tool.name), cost=_one)
                for tool in _tools()
            ),
        ]

    def error(self, status: int, message: str) -> Any:
        return {"detail": message}


def _tools(client: Any = None) -> list[BaseTool]:
    from kensaku.tools.registry import DEFAULT, ToolRegistry

    registry = ToolRegistry(enabled=list(DEFAULT), client=client)
    return [tool for name in DEFAULT if (tool := registry.get(name)) is not None]


def _one(asked: Asked) -> int:
    """Each call counts as a search, as over MCP."""
    return 1


async def _describe(request: Request, asked: Asked) -> Any:
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Kensaku",
            "version": __version__,
            "description": "Search the web, read pages, and gather context with sources.",
        },
        "servers": [{"url": f"{request.root}/tools"}],
        "paths": {f"/{tool.name}": {"post": _operation(tool)} for tool in _tools()},
        "components": {"securitySchemes": {"key": {"type": "http", "scheme": "bearer"}}},
        "security": [{"key": []}, {}],
    }


def _operation(tool: BaseTool) -> dict[str, Any]:
    text = {"application/json": {"schema": {"type": "string"}}}
    return {
        "operationId": tool.name,
        "summary": tool.name,
        "description": tool.description,
        "requestBody": {
            "required": True,
            "content": {"application/json": {"schema": tool.parameters}},
        },
        "responses": {"200": {"description": "What the model reads", "content": text}},
    }


async def _run(name: str, request: Request, asked: Asked) -> str:
    """Run a tool; return what the model reads. Raises `InvalidQuery` or `ToolFailed`."""
    tool = next(tool for tool in _tools(request.client) if tool.name == name)
    done = await tool.invoke({n: v for n, v in asked.body.items() if n != "api_key"})
    if done.error_kind == "arguments":
        raise InvalidQuery(done.error or done.text)
    if done.is_error:
        raise ToolFailed(done.error or done.text)
    request.outcome = "found" if done.success else "empty"
    return done.text
