"""Serve the tools to MCP clients, over stdio or HTTP.

By default the server talks to the program that started it. With --http it listens on this machine
only; other addresses need a token, from KENSAKU_MCP_TOKEN or --token-file, which clients send as
`Authorization: Bearer …`.

`kensaku mcp install CLIENT` adds the server to the settings of an MCP client, or prints them with
--print; `kensaku mcp uninstall CLIENT` removes it; `kensaku mcp clients` lists the supported
clients.
"""

from __future__ import annotations

import argparse
import signal
from contextlib import AsyncExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from kensaku.cli._terminal import format_table, print_message, print_result, t
from kensaku.config.settings import Settings
from kensaku.errors import MissingExtra, UsageError, system_reason
from kensaku.mcp.install import CLIENTS, client_named, entry, install, server_command, uninstall
from kensaku.messages import msg
from kensaku.tools.registry import CONNECTOR, DEFAULT, TOOLS, make_tools

if TYPE_CHECKING:
    from kensaku.config.settings import Settings

USAGE = "[--http] [options] | install CLIENT [--print] | uninstall CLIENT | clients"
EXTRA = "mcp"
TAVILY = ("tavily_search", "tavily_extract", "tavily_context")  # in Japanese, by Tavily alone


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the tools, the address and the token."""
    add = parser.add_argument
    add("action", nargs="*", metavar="ACTION", help="install CLIENT, uninstall CLIENT, or clients")
    add("--print", action="store_true", help="install: print the settings instead of writing them")
    add("--tools", metavar="NAMES", default=",".join(DEFAULT),
        help=msg("tools, separated by commas: {names}",
                 names=", ".join((*TOOLS, *CONNECTOR, *TAVILY))))  # fmt: skip
    add(
        "--language",
        metavar="CODE",
        default="en",
        help="language of the tools' descriptions: en or ja",
    )
    add(
        "--structured",
        action="store_true",
        help="add structured content, for programs; a model would read it without the fence",
    )
    add("--http", action="store_true", help="serve over Streamable HTTP, under /mcp")
    add(
        "--host",
        default="127.0.0.1",
        metavar="HOST",
        help="address to listen on (default 127.0.0.1)",
    )
    add(
        "--port",
        type=int,
        default=8788,
        metavar="PORT",
        help="port to listen on (default 8788); 0 for any",
    )
    add("--allow-host", action="append", default=[], metavar="NAME",
        help="another host name that clients use; repeatable")  # fmt: skip
    add("--token-file", type=Path, metavar="FILE", help="file with the token on one line")
    add("--config", type=Path, metavar="FILE", help="read settings from this file")


async def run(args: argparse.Namespace) -> int:
    """Serve until the client disconnects, or until Ctrl-C; or change a client's settings."""
    if args.action:
        return _manage(args)
    try:
        import mcp  # noqa: F401
    except ImportError:
        raise MissingExtra("mcp", "mcp") from None
    from kensaku.client import Kensaku
    from kensaku.mcp.server import make_server, serve_stdio

    names = [n.strip() for n in args.tools.split(",") if n.strip()]
    async with Kensaku(Settings.load(args.config)) as client, AsyncExitStack() as stack:
        tools = make_tools(names, client, language=args.language)
        for tool in tools:
            stack.push_async_callback(tool.close)
        server = make_server(tools, client=client, structured=args.structured)
        if not args.http:
            # A thread blocks on stdin and cannot be cancelled, so Ctrl-C ends the process.
            signal.signal(signal.SIGINT, signal.SIG_DFL)
            await serve_stdio(server)
            return 0
        from kensaku.mcp.http import serve_http

        await serve_http(
            server,
            args.host,
            args.port,
            token=_token(args.token_file, client.settings),
            allow_hosts=args.allow_host,
            ready=lambda url: print_message(t("kensaku mcp: {url}", url=url)),
        )
    return 0


def _manage(args: argparse.Namespace) -> int:
    """Install into a client, take out, or list the clients."""
    home = Path.home()
    match args.action:
        case ["clients"]:
            rows = [[name, c.label, str(c.path(home))] for name, c in CLIENTS.items()]
            print_result(format_table([[msg("client"), msg("name"), msg("file")], *rows]))
        case ["install", name]:
            client = client_named(name)
            tools = "" if args.tools == ",".join(DEFAULT) else args.tools
            command = server_command(tools, "" if args.language == "en" else args.language)
            path = client.path(home)
            if args.print:
                print_message(t("kensaku mcp: for {path}", path=path))
                print_result(entry(client, command))
            elif install(client, command, path):
                print_message(
                    t(
                        "kensaku mcp: {client} is set up in {path}; restart it",
                        client=client.label,
                        path=path,
                    )
                )
            else:
                print_message(
                    t(
                        "kensaku mcp: {client} is set up already, in {path}",
                        client=client.label,
                        path=path,
                    )
                )
        case ["uninstall", name]:
            client = client_named(name)
            path = client.path(home)
            if uninstall(client, path):
                print_message(t("kensaku mcp: kensaku was removed from {path}", path=path))
            else:
                print_message(t("kensaku mcp: kensaku was not in {path}", path=path))
        case _:
            said = " ".join(args.action)[:60]
            raise UsageError(
                msg("unknown: {said}", said=said), remedy=msg("kensaku mcp {usage}", usage=USAGE)
            )
    return 0


def _token(file: Path | None, settings: Settings) -> str | None:
    if file is None:
        return settings.mcp_token.reveal() if settings.mcp_token else None
    try:
        if file.stat().st_mode & 0o077:
            print_message(t("kensaku mcp: others can read {file}; chmod 600 it", file=file))
        return file.read_text().strip()
    except (OSError, UnicodeDecodeError) as error:
        why = system_reason(error) if isinstance(error, OSError) else msg("it is not text")
        raise UsageError(msg("cannot read {file}: {why}", file=file, why=why)) from None
