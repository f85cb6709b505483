"""What differs between mcp 1 and mcp 2: how a low-level server gets its handlers.

    mcp 2  `Server(on_call_tool=…)` calls a handler with its context and the parameters
    mcp 1  `Server.request_handlers` takes the whole request; the context is the server's

The types differ in the names of their attributes. Both read the protocol's own names, so what is
sent is written as `types.Tool.model_validate({"inputSchema": …})`.
"""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from types import SimpleNamespace
from typing import Any, cast

from mcp import types
from mcp.server.lowlevel import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.shared import exceptions

IS_MCP_1 = not hasattr(exceptions, "MCPError")


def new_server(
    *,
    name: str,
    title: str,
    version: str,
    instructions: str | None,
    lifespan: Callable[[Server[Any]], AbstractAsyncContextManager[None]],
    handlers: dict[str, Callable[..., Any]],
) -> Server[Any]:
    """Return a server with these handlers, by mcp 2's names: `on_list_tools` and so on."""
    options: dict[str, Any] = {
        "name": name,
        "version": version,
        "instructions": instructions,
        "lifespan": lifespan,
    }
    if not IS_MCP_1:
        return Server(**options, title=title, **cast(Any, handlers))
    server: Any = Server(**options)
    for handler_name, handler in handlers.items():
        words = handler_name.removeprefix("on_").split("_")
        kind = getattr(types, "".join(word.capitalize() for word in words) + "Request")
        server.request_handlers[kind] = _with_context(server, handler)
    return server  # type: ignore[no-any-return]


def _with_context(server: Any, handler: Callable[..., Any]) -> Callable[..., Any]:
    async def handle(request: Any) -> Any:
        ctx = server.request_context

        async def report(done: float, total: float | None, message: str | None) -> None:
            token = ctx.meta.progressToken if ctx.meta else None
            if token is not None:
                call = str(ctx.request_id)  # over HTTP, the stream of this request
                await ctx.session.send_progress_notification(token, done, total, message, call)

        session = SimpleNamespace(report_progress=report)
        context = SimpleNamespace(session=session, request=ctx.request)
        return types.ServerResult(await handler(context, request.params))  # type: ignore[operator]

    return handle


def refusal(code: int, message: str) -> Exception:
    """Return the exception with which a handler answers a request by an error."""
    if IS_MCP_1:
        error: Any = types.ErrorData(code=code, message=message)
        return exceptions.McpError(error)  # type: ignore[attr-defined, no-any-return]
    return exceptions.MCPError(code, message)


def run_sessions(
    manager: StreamableHTTPSessionManager, server: Server[Any]
) -> Callable[[], AbstractAsyncContextManager[None]]:
    """Return what runs the sessions of a server, and enters its lifespan once.

    mcp 1 enters it for each session, and the first one to end would close the client of all.
    """
    if not IS_MCP_1:
        return manager.run
    lifespan, server.lifespan = server.lifespan, lambda _: nullcontext()

    @asynccontextmanager
    async def run() -> AsyncIterator[None]:
        async with lifespan(server), manager.run():
            yield

    return run


def stdio_files() -> dict[str, Any]:
    """Return the files for `stdio_server`: mcp 1 closes its own, and with them the process's."""
    if not IS_MCP_1:
        return {}
    import anyio

    stdin = os.fdopen(os.dup(0), encoding="utf-8", errors="replace")
    stdout = os.fdopen(os.dup(1), "w", encoding="utf-8")
    return {"stdin": anyio.wrap_file(stdin), "stdout": anyio.wrap_file(stdout)}
