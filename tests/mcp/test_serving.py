"""How the server is put together: its bounds, its handlers, its progress, and what it closes."""

from __future__ import annotations

import asyncio
import sys
from contextlib import asynccontextmanager, nullcontext
from types import SimpleNamespace
from typing import Any

import pytest
from mcp import types
from mcp.shared.exceptions import MCPError

from kensaku import __version__
from kensaku.client import Kensaku
from kensaku.errors import UnknownName, UsageError
from kensaku.mcp import http
from kensaku.mcp import server as mcp_server
from kensaku.mcp.server import Handlers, ResultStore, make_server, report_progress, serve_stdio
from kensaku.mcp.tool import wrap
from kensaku.models import ProgressEvent
from kensaku.tools import BaseTool, ToolResult
from kensaku.tools.base import current_progress

MARKDOWN = "text/markdown"


class Echo(BaseTool):
    """Says what it was called with, and how far it is."""

    name, title, about = "echo", {"en": "Echo it"}, {"en": "Echo."}

    async def execute(self, *args: Any, **arguments: Any) -> ToolResult:
        return ToolResult(True, {"content": "whole"}, "short")


class Untitled(Echo):
    name, title = "untitled", {}


class Telling(Echo):
    def prompt_section(self, where: str = "") -> str:
        return f"for {where}"


# --- HTTP


def test_the_session_manager_gets_its_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    """Half an hour of silence ends a session; four mebibytes; 256 sessions; the same hosts."""
    made: list[Any] = []

    class Manager:
        def __init__(self, server: Any, **options: Any) -> None:
            made.append((server, options))

        def run(self) -> Any:
            return nullcontext()

    monkeypatch.setattr(http, "StreamableHTTPSessionManager", Manager)
    app = http.http_app("the server", token="secret")  # type: ignore[arg-type]

    [(server, options)] = made
    security = options.pop("security_settings")
    assert (server, options) == (
        "the server",
        {"session_idle_timeout": 1800.0, "max_request_body_size": 4 * 1024 * 1024},
    )
    assert security.allowed_hosts[:3] == ["127.0.0.1", "localhost", "[::1]"]
    assert app._app._max == 256  # type: ignore[attr-defined]
    assert app._hosts == {"127.0.0.1", "localhost", "[::1]"}
    assert app._token == http._digest(b"secret")
    assert http.http_app("x", hosts=None)._token is None  # type: ignore[arg-type]


def test_sessions_that_have_ended_are_forgotten() -> None:
    """The SDK keeps them."""
    live, ended = SimpleNamespace(is_terminated=False), SimpleNamespace(is_terminated=True)
    manager: Any = SimpleNamespace(_server_instances={"a": ended, "b": live, "c": ended})
    http._forget_ended(manager)

    assert manager._server_instances == {"b": live}


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Any, ...]]:
    """What is listened on and served, without a socket."""
    calls: list[tuple[Any, ...]] = []

    async def serve(app: Any, listener: Any, *, ready: Any, drain_seconds: int) -> None:
        calls.append(("serve", app, listener, drain_seconds))
        ready()

    def listen(host: str, port: int) -> Any:
        calls.append(("listen", host, port))
        return nullcontext("the listener")

    monkeypatch.setattr(http, "listen", listen)
    monkeypatch.setattr(http, "serve", serve)
    monkeypatch.setattr(http, "url_of", lambda host, listener: f"http://{host}")
    monkeypatch.setattr(http, "http_app", lambda server, **o: ("app", server, o))
    return calls


async def test_by_default_it_listens_on_this_machine_alone(served: list[Any]) -> None:
    """Without a token; requests get three seconds to end."""
    ready: list[str] = []
    await http.serve_http("the server", ready=ready.append)  # type: ignore[arg-type]

    own = ["127.0.0.1", "localhost", "[::1]"]
    app = ("app", "the server", {"hosts": own, "token": None})
    assert served == [("listen", "127.0.0.1", 8788), ("serve", app, "the listener", 3)]
    assert ready == ["http://127.0.0.1/mcp"]


async def test_with_a_token_it_listens_anywhere(served: list[Any]) -> None:
    """Under the names that it was told."""
    token = "x" * 16
    await http.serve_http("s", "192.0.2.7", 1, token=token, allow_hosts=["a.example"])  # type: ignore[arg-type]

    own = ["127.0.0.1", "localhost", "[::1]", "192.0.2.7", "a.example"]
    assert served == [
        ("listen", "192.0.2.7", 1),
        ("serve", ("app", "s", {"hosts": own, "token": token}), "the listener", 3),
    ]
    with pytest.raises(UsageError) as refused:
        await http.serve_http("s", "192.0.2.7")  # type: ignore[arg-type]
    assert refused.value.message == "on 192.0.2.7 other machines could use this server"


# --- the server


async def test_a_server_introduces_itself() -> None:
    """With its version, and what its tools want a model to know."""
    client = Kensaku()
    server = make_server([Telling(), Echo(), Telling()], client=client)

    assert (server.name, server.version, server.title) == (
        "kensaku", __version__, "Kensaku web search",
    )  # fmt: skip
    assert server.instructions == "for mcp\nfor mcp"
    assert make_server([Untitled()], client=client).instructions is None


@pytest.mark.parametrize("own", [True, False])
async def test_only_a_client_of_its_own_is_closed(
    own: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After the last request, also when something broke."""
    closed: list[Kensaku] = []

    async def close(self: Kensaku) -> None:
        closed.append(self)

    monkeypatch.setattr(Kensaku, "close", close)
    server = make_server([Echo()], client=None if own else Kensaku())

    async def serve() -> None:
        async with server.lifespan(server):
            assert closed == []
            raise EOFError

    with pytest.raises(EOFError):
        await serve()
    assert len(closed) == own


def test_a_tool_that_is_not_there_is_named() -> None:
    """Before anything is served; the specification's tools are known, too."""
    with pytest.raises(UnknownName, match="'web_serch'") as refused:
        make_server([Echo(), "web_search", "web_serch"], client=Kensaku())
    assert "web_search" in refused.value.remedy


@pytest.mark.parametrize(("options", "fence"), [({}, False), ({"fence": True}, True)])
def test_the_specifications_tools_are_fenced_only_if_somebody_asks(
    options: Any, fence: bool
) -> None:
    """Its words are compared letter by letter."""
    settings = Kensaku().settings
    tools = mcp_server._tavily_tools(settings, options)

    assert len(tools) == 3
    assert list(tools) == [tool.name for tool in tools.values()]
    deps = [vars(tool) for tool in tools.values()]
    assert all(fence in [getattr(v, "fence", None) for v in d.values()] for d in deps)


def context(*, over_http: bool = False) -> Any:
    """The context of a request."""

    async def report(*_: Any) -> None:
        """Nobody listens."""

    return SimpleNamespace(
        request="http" if over_http else None, session=SimpleNamespace(report_progress=report)
    )


def handlers(*tools: BaseTool) -> Handlers:
    """The handlers of these tools."""
    return Handlers({t.name: wrap(t) for t in tools}, ResultStore())


async def test_what_is_listed() -> None:
    """Tools in their order; the template of whole results; results over stdio alone."""
    handle = handlers(Untitled(), Echo())
    uri = handle.results.add("echo: the whole result", "text")

    tools = (await handle.list_tools(context(), None)).tools
    assert [t.name for t in tools] == ["untitled", "echo"]
    templates = (await handle.list_templates(context(), None)).resource_templates
    assert [t.model_dump(exclude_none=True, by_alias=True) for t in templates] == [
        {
            "name": "result",
            "title": "The whole of a result that was cut",
            "uriTemplate": "kensaku://result/{id}",
            "mimeType": MARKDOWN,
        }
    ]
    listed = (await handle.list_resources(context(), None)).resources
    assert [r.model_dump(exclude_none=True, by_alias=True) for r in listed] == [
        {"name": uri, "title": "echo: the whole result", "uri": uri, "mimeType": MARKDOWN}
    ]
    assert (await handle.list_resources(context(over_http=True), None)).resources == []


async def test_a_stored_result_is_read_as_it_is() -> None:
    """Also over HTTP: who knows its address may."""
    handle = handlers(Echo())
    uri = handle.results.add("t", "the whole text")
    params = types.ReadResourceRequestParams(uri=uri)

    read = await handle.read_resource(context(over_http=True), params)
    assert [c.model_dump(exclude_none=True, by_alias=True) for c in read.contents] == [
        {"uri": uri, "mimeType": MARKDOWN, "text": "the whole text"}
    ]
    gone = types.ReadResourceRequestParams(uri="kensaku://result/none")
    with pytest.raises(MCPError) as error:
        await handle.read_resource(context(), gone)
    assert error.value.code == types.INVALID_PARAMS


async def test_a_call_stores_what_its_text_omits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its progress is reported under its title, or its name."""
    titles: list[str] = []

    @asynccontextmanager
    async def reporting(report: Any, title: str) -> Any:
        titles.append(title)
        yield

    monkeypatch.setattr(mcp_server, "report_progress", reporting)
    handle = handlers(Echo(), Untitled())
    for name in ("echo", "untitled"):
        done = await handle.call_tool(
            context(), types.CallToolRequestParams(name=name, arguments={})
        )
        assert not done.is_error
    unknown = await handle.call_tool(
        context(), types.CallToolRequestParams(name="ecko", arguments={})
    )

    assert titles == ["Echo it", "untitled"]
    assert [r.title for _, r in handle.results.items()] == [
        "echo: the whole result", "untitled: the whole result",
    ]  # fmt: skip
    assert unknown.is_error
    assert "there is no tool 'ecko'" in unknown.content[0].text  # type: ignore[union-attr]


# --- progress


class Told:
    """What a client heard."""

    def __init__(self) -> None:
        self.all: list[tuple[float, float | None, str | None]] = []

    async def __call__(self, done: float, total: float | None, message: str | None) -> None:
        self.all.append((done, total, message))


async def turns() -> None:
    """Let everybody go on."""
    for _ in range(6):
        await asyncio.sleep(0)


async def test_progress_grows_and_a_heartbeat_is_a_fraction(clock: Any) -> None:
    """Every five seconds without a step; steps that go back are not told."""
    clock.stop()
    told, queue = Told(), asyncio.Queue[ProgressEvent | None]()
    sending = asyncio.ensure_future(mcp_server._send(told, "Walk", queue))
    await turns()
    clock.advance(4.9)
    await turns()
    assert told.all == [(0, None, "Walk")]
    for _ in range(2):
        clock.advance(5.0)
        await turns()
    for done, total in ((1, 3), (1, 3), (0, 3), (2, 0)):
        queue.put_nowait(ProgressEvent("walking", done, total))
        await turns()
    clock.advance(5.0)
    await turns()
    queue.put_nowait(None)
    await sending

    assert told.all == [
        (0, None, "Walk"), (0.5, None, "Walk"), (2 / 3, None, "Walk"), (1, 3, "walking"),
        (2, None, "walking"), (2.5, None, "walking"),
    ]  # fmt: skip


async def test_progress_is_for_the_call_inside() -> None:
    """Sent to its end; afterwards nobody listens."""
    told = Told()
    mcp_server._forward(ProgressEvent("lost", 1))
    async with report_progress(told, "Walk"):
        assert current_progress() is not None
        mcp_server._forward(ProgressEvent("walking", 1, 2))
    assert current_progress() is None
    assert told.all == [(0, None, "Walk"), (1, 2, "walking")]


async def test_a_call_that_breaks_leaves_no_task() -> None:
    """Nobody listens any more."""
    before, told = asyncio.all_tasks(), Told()

    async def call() -> None:
        async with report_progress(told, "Walk"):
            await turns()
            raise EOFError

    with pytest.raises(EOFError):
        await call()
    await turns()

    assert asyncio.all_tasks() == before
    assert told.all == [(0, None, "Walk")]


async def test_a_client_that_has_gone_does_not_break_the_call() -> None:
    """Its result may still be wanted."""

    async def gone(*_: Any) -> None:
        raise ConnectionError

    async with report_progress(gone, "Walk"):
        await turns()


# --- stdio


async def test_only_protocol_goes_to_stdout(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What a library prints goes to stderr, as long as the server runs."""
    ran: list[Any] = []

    @asynccontextmanager
    async def stdio_server() -> Any:
        yield "read", "write"

    class Server:
        def create_initialization_options(self) -> str:
            return "options"

        async def run(self, *given: Any) -> None:
            ran.append((*given, sys.stdout is sys.stderr))
            print("a library speaks")

    monkeypatch.setattr("mcp.server.stdio.stdio_server", stdio_server)
    await serve_stdio(Server())  # type: ignore[arg-type]

    assert ran == [("read", "write", "options", True)]
    assert capsys.readouterr() == ("", "a library speaks\n")
