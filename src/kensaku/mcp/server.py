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
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Unpack

from mcp import types
from mcp.server.lowlevel import Server

from kensaku import __version__
from kensaku.errors import UnknownName
from kensaku.mcp._sdk import new_server, refusal, stdio_files
from kensaku.mcp.tool import MARKDOWN, McpTool, failure, wrap
from kensaku.messages import msg
from kensaku.models import ProgressEvent
from kensaku.tools.base import BaseTool, Language, current_progress, progress_to
from kensaku.tools.registry import DEFAULT, ToolOptions, make_tools

if TYPE_CHECKING:
    from kensaku.client import Kensaku

HEARTBEAT = 5.0  # seconds after which a client hears that the work goes on

Context = Any  # of mcp 2, or its like: `session.report_progress` and `request`
Report = Callable[[float, float | None, str | None], Awaitable[None]]


def make_server(
    tools: Iterable[str | BaseTool] = DEFAULT,
    *,
    client: Kensaku | None = None,
    language: Language = "en",
    structured: bool = False,
    **options: Unpack[ToolOptions],
) -> Server[Any]:
    """Return a server that offers these tools: names, or tools of your own.

    Without a `client` the server makes one, and closes it. `structured`: results also have data,
    for programs that show it to no model; it is not fenced.
    """
    from kensaku.client import Kensaku

    used, entries = client or Kensaku(progress=_forward), list(tools)
    names = [t for t in entries if isinstance(t, str)]
    made = {t.name: t for t in make_tools(names, used, language=language, **options)}
    offered = [made[t] if isinstance(t, str) else t for t in entries]

    @asynccontextmanager
    async def lifespan(_: Server[Any]) -> AsyncIterator[None]:
        try:
            yield
        finally:
            if client is None:
                await used.close()

    handlers = Handlers({t.name: wrap(t, structured=structured) for t in offered}, ResultStore())
    return new_server(
        name="kensaku",
        version=__version__,
        title="Kensaku web search",
        instructions="\n".join(filter(None, (t.prompt_section("mcp") for t in offered))) or None,
        lifespan=lifespan,
        handlers={
            "on_list_tools": handlers.list_tools,
            "on_call_tool": handlers.call_tool,
            "on_list_resources": handlers.list_resources,
            "on_list_resource_templates": handlers.list_templates,
            "on_read_resource": handlers.read_resource,
        },
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
        """Store a result and return its unguessable URI."""
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
            return failure(str(UnknownName(msg("tool"), params.name, self.tools)))
        async with report_progress(
            ctx.session.report_progress, tool.definition.title or params.name
        ):
            return await tool(params.arguments, self.results.add)

    async def list_resources(
        self, ctx: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListResourcesResult:
        """List stored results over stdio only: over HTTP, other clients would see them."""
        mine = self.results.items() if ctx.request is None else []
        resources = [
            {"name": uri, "uri": uri, "title": result.title, "mimeType": MARKDOWN}
            for uri, result in mine
        ]
        return types.ListResourcesResult.model_validate({"resources": resources})

    async def list_templates(
        self, ctx: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListResourceTemplatesResult:
        template = {
            "name": "result",
            "title": "The whole of a result that was cut",
            "uriTemplate": "kensaku://result/{id}",
            "mimeType": MARKDOWN,
        }
        return types.ListResourceTemplatesResult.model_validate({"resourceTemplates": [template]})

    async def read_resource(
        self, ctx: Context, params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        uri = str(params.uri)
        if (result := self.results.get(uri)) is None:
            raise refusal(types.INVALID_PARAMS, "there is no such resource, or no longer")
        text = {"uri": uri, "mimeType": MARKDOWN, "text": result.text}
        return types.ReadResourceResult.model_validate({"contents": [text]})


# --- progress


def _forward(event: ProgressEvent) -> None:
    """Forward the client's progress to the call that it belongs to."""
    if (callback := current_progress()) is not None:
        callback(event)


@asynccontextmanager
async def report_progress(report: Report, title: str) -> AsyncIterator[None]:
    """Send every step of the call inside to the client, and a heartbeat when there is none."""
    loop, events = asyncio.get_running_loop(), asyncio.Queue[ProgressEvent | None]()

    def put(event: ProgressEvent | None) -> None:  # it may come from a worker's thread
        loop.call_soon_threadsafe(events.put_nowait, event)

    sender = asyncio.create_task(_send(report, title, events))
    try:
        with progress_to(put):
            yield
    except BaseException:  # cancelled: nobody listens any more
        sender.cancel()
        raise
    else:
        put(None)
        await asyncio.gather(sender, return_exceptions=True)  # the client may have disconnected


async def _send(report: Report, title: str, events: asyncio.Queue[ProgressEvent | None]) -> None:
    """Send what the queue gives. Progress must grow: a heartbeat adds a fraction of a step."""
    last, beats = ProgressEvent(title, 0), 0
    await report(0, None, title)
    while True:
        try:
            async with asyncio.timeout(HEARTBEAT):
                event = await events.get()
        except TimeoutError:
            beats += 1
        else:
            if event is None:
                return
            if event.done <= last.done:
                continue
            last, beats = event, 0
        await report(last.done + beats / (beats + 1), last.total or None, last.stage)


# --- stdio


async def serve_stdio(server: Server[Any]) -> None:
    """Serve the one client that started this process, until it disconnects."""
    from mcp.server.stdio import stdio_server

    # What libraries print goes to stderr. The transport diverts the descriptor, but a buffer that
    # is written out later would still reach the client.
    async with stdio_server(**stdio_files()) as (read, write):
        with redirect_stdout(sys.stderr):
            await server.run(read, write, server.create_initialization_options())
