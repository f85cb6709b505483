"""The MCP server over stdio. `kensaku.mcp.http` serves it over HTTP.

    tools/call → McpTool → progress while it runs → result, and the whole of it as a resource

Cancelling a request cancels the search. Nothing but protocol is written to stdout.
"""

from __future__ import annotations

import asyncio
import secrets
import sys
from collections import OrderedDict
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import asynccontextmanager, redirect_stdout
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Unpack

from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError

from kensaku import __version__
from kensaku.errors import UnknownName
from kensaku.mcp.tool import MARKDOWN, McpTool, failure, wrap
from kensaku.tools.base import BaseTool, Language
from kensaku.tools.registry import DEFAULT, ToolOptions, make_tools
from mcp import types

if TYPE_CHECKING:
    from kensaku.client import Kensaku

HEARTBEAT = 5.0  # seconds after which a client hears that the work goes on

Context = ServerRequestContext[Any]
Report = Callable[[float, float | None, str | None], Awaitable[None]]
Step = tuple[str, int, int]


def make_server(
    tools: Iterable[str | BaseTool] = DEFAULT,
    *,
    client: Kensaku | None = None,
    language: Language = "en",
    **options: Unpack[ToolOptions],
) -> Server[Any]:
    """Return a server that offers these tools: names, or tools of your own.

    Without a `client` the server makes one, and closes it.
    """
    from kensaku.client import Kensaku

    used, entries = client or Kensaku(), list(tools)
    names = [t for t in entries if isinstance(t, str)]
    made = iter(make_tools(names, used, language=language, **options))
    offered = [t if isinstance(t, BaseTool) else next(made) for t in entries]
    used.progress = used.progress or _announce

    @asynccontextmanager
    async def lifespan(_: Server[Any]) -> AsyncIterator[None]:
        try:
            yield
        finally:
            if client is None:
                await used.close()

    handlers = Handlers({t.name: wrap(t) for t in offered}, ResultStore())
    return Server(
        "kensaku",
        version=__version__,
        title="Kensaku web search",
        instructions="\n".join(filter(None, (t.prompt_section("mcp") for t in offered))) or None,
        lifespan=lifespan,
        on_list_tools=handlers.list_tools,
        on_call_tool=handlers.call_tool,
        on_list_resources=handlers.list_resources,
        on_list_resource_templates=handlers.list_templates,
        on_read_resource=handlers.read_resource,
    )


@dataclass(frozen=True)
class StoredResult:
    """A whole result, with its title."""

    title: str
    text: str


class ResultStore:
    """Whole results that were too long for a text. The oldest make room for new ones."""

    def __init__(self, most: int = 64, chars: int = 16_000_000) -> None:
        self._most, self._chars = most, chars
        self._stored: OrderedDict[str, StoredResult] = OrderedDict()

    def add(self, title: str, text: str) -> str:
        """Store a result and return its URI, which only its receiver knows."""
        uri = f"kensaku://result/{secrets.token_urlsafe(24)}"
        self._stored[uri] = StoredResult(title, text[: self._chars])
        while len(self._stored) > self._most or self.chars > self._chars:
            self._stored.popitem(last=False)
        return uri

    @property
    def chars(self) -> int:
        """How many characters are stored."""
        return sum(len(r.text) for r in self._stored.values())

    def get(self, uri: str) -> StoredResult | None:
        """Return the result, as long as it is stored."""
        return self._stored.get(uri)

    def items(self) -> list[tuple[str, StoredResult]]:
        """Return what is stored, oldest first."""
        return list(self._stored.items())


@dataclass(frozen=True)
class Handlers:
    """The handlers of the requests."""

    tools: dict[str, McpTool]
    results: ResultStore

    async def list_tools(
        self, ctx: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[t.definition for t in self.tools.values()])

    async def call_tool(
        self, ctx: Context, params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        tool = self.tools.get(params.name)
        if tool is None:
            return failure(str(UnknownName("tool", params.name, self.tools)))
        async with reporting(ctx.session.report_progress, tool.definition.title or params.name):
            return await tool(params.arguments, self.results.add)

    async def list_resources(
        self, ctx: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListResourcesResult:
        """List stored results over stdio only: over HTTP, other clients would see them."""
        mine = self.results.items() if ctx.request is None else []
        return types.ListResourcesResult(
            resources=[
                types.Resource(name=uri, uri=uri, title=result.title, mime_type=MARKDOWN)
                for uri, result in mine
            ]
        )

    async def list_templates(
        self, ctx: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListResourceTemplatesResult:
        template = types.ResourceTemplate(
            name="result",
            title="The whole of a result that was cut",
            uri_template="kensaku://result/{id}",
            mime_type=MARKDOWN,
        )
        return types.ListResourceTemplatesResult(resource_templates=[template])

    async def read_resource(
        self, ctx: Context, params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        uri = str(params.uri)
        if (result := self.results.get(uri)) is None:
            raise MCPError(types.INVALID_PARAMS, "there is no such resource, or no longer")
        text = types.TextResourceContents(uri=uri, mime_type=MARKDOWN, text=result.text)
        return types.ReadResourceResult(contents=[text])


# --- progress

_steps: ContextVar[Callable[[Step], None] | None] = ContextVar("kensaku_mcp_steps", default=None)


def _announce(what: str, done: int, total: int) -> None:
    """The client's progress, handed to whichever call it belongs to."""
    if (tell := _steps.get()) is not None:
        tell((what, done, total))


@asynccontextmanager
async def reporting(report: Report, title: str) -> AsyncIterator[None]:
    """Tell the client of every step, and that the work goes on when there is none to tell."""
    loop, steps = asyncio.get_running_loop(), asyncio.Queue[Step | None]()

    def tell(step: Step | None) -> None:  # it may come from a worker's thread
        loop.call_soon_threadsafe(steps.put_nowait, step)

    token = _steps.set(tell)
    teller = asyncio.create_task(_tell(report, title, steps))
    try:
        yield
    except BaseException:  # called off: nobody listens any more
        teller.cancel()
        raise
    else:
        tell(None)
        await asyncio.gather(teller, return_exceptions=True)  # the client may have gone
    finally:
        _steps.reset(token)


async def _tell(report: Report, title: str, steps: asyncio.Queue[Step | None]) -> None:
    """Progress must grow: between two steps, waiting adds fractions of one."""
    what, done, total, waited = title, 0, 0, 0
    await report(0, None, what)
    while True:
        try:
            async with asyncio.timeout(HEARTBEAT):
                step = await steps.get()
        except TimeoutError:
            waited += 1
        else:
            if step is None:
                return
            if step[1] <= done:
                continue
            (what, done, total), waited = step, 0
        await report(done + waited / (waited + 1), total or None, what)


# --- stdio


async def serve_stdio(server: Server[Any]) -> None:
    """Serve the one client that started this process, until it disconnects."""
    from mcp.server.stdio import stdio_server

    # What libraries print goes to stderr. The transport diverts the descriptor, but a buffer that
    # is written out later would still reach the client.
    async with stdio_server() as (read, write):
        with redirect_stdout(sys.stderr):
            await server.run(read, write, server.create_initialization_options())
