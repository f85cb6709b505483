"""Any MCP server as a source: `mcp:NAME` is the server that the settings describe by this name.

    [providers."mcp:notes"]
    base_url = "https://notes.example/mcp"     # or: command = ["notes-server", "--stdio"]
    tool = "search_notes"

A command runs as one process of the client, and ends with it (`transport/mcp_process.py`). A server
over HTTP that keeps sessions gets its handshake when it asks for one; the session is used again.
Its results are read from a list of objects with addresses, or from text with links. Anything else
is `Unreadable`: text without a link may be an answer, or an excuse, but it is no empty list.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from kensaku.errors import ConfigError
from kensaku.foreign_json import decode_json
from kensaku.messages import msg
from kensaku.providers._mcp import HEADERS, ID, McpProvider, tool_text
from kensaku.providers._rows import MAX_ROWS
from kensaku.providers.base import Request, is_address, member
from kensaku.transport.mcp_process import HELLO, Command, McpProcesses

if TYPE_CHECKING:
    from kensaku.models import Hit, Query
    from kensaku.providers.base import Findings, Transport
    from kensaku.resources import Resources

NAME = re.compile(r"mcp:[a-z0-9][a-z0-9_-]{0,39}")
NEEDS_SESSION = (400, 404)  # no session was named; or it has ended
LISTS = ("results", "hits", "items", "documents", "result", "data", "organic", "pages")
URLS, TITLES = ("url", "link", "href", "uri"), ("title", "name")
CONTENTS = ("content", "snippet", "text", "description", "summary", "excerpts", "highlights")
DATES = ("published", "published_date", "publishedDate", "date")
_URL = re.compile(r"^\W{0,8}(?:url|link|source)\W{1,8}(https?://[^\s<>()\[\]]+)", re.IGNORECASE)
_TITLE = re.compile(r"^\W{0,8}title\W{0,4}:\W{0,4}(.+)", re.IGNORECASE)
_BARE = re.compile(r"^\s{0,8}<?(https?://[^\s<>]+)>?\s*$")  # below its title
_LABEL = re.compile(r"^\W{0,8}(?:description|content|snippet|summary)\W{0,4}:\s*", re.IGNORECASE)
_LINK = re.compile(r"\[([^\[\]]{1,300})\]\((https?://[^\s()]+)\)")


class AnyMcp(McpProvider):
    """Subclasses have only a name."""

    keyless = True
    specialist = True  # whoever wants it in each search writes "auto,mcp:notes"
    needs = ("tool",)
    markup = False

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._session: dict[str, str] = {}
        self._words = tuple(shlex.split(self.option.get("command", "")))
        self._processes: McpProcesses | None = None
        self._owned: McpProcesses | None = None
        self.runs_program = bool(self._words)
        self.needs_address = not self._words
        if self._words and self.base_url:
            raise ConfigError(
                msg("{name} has a command and a base_url", name=self.name),
                remedy=msg("set only one of them"),
            )

    def attach(self, resources: Resources) -> None:
        if not self._words:
            return
        if resources.shared is not None:  # one process for all tenants
            shared = resources.shared.provider(self.name)
            assert isinstance(shared, AnyMcp)
            self._processes = shared._processes
            return
        variables = tuple(re.findall(r"\w+", self.option.get("env", "")))
        command = Command(self._words, variables, resources.settings.home / "mcp")
        self._processes = self._owned = McpProcesses(command)

    async def close(self) -> None:
        if self._owned is not None:
            await self._owned.close()

    def arguments(self, query: Query) -> dict[str, Any]:
        found: dict[str, Any] = {self.option.get("query_argument", "query"): query.text}
        if limit := self.option.get("limit_argument"):
            found[limit] = min(query.limit, self.max_results)
        return found

    def request(self, query: Query, key: str) -> Request:
        call = {"name": self.option["tool"], "arguments": self.arguments(query)}
        return self._message("tools/call", call, key, id=ID)

    async def ask(self, query: Query, key: str, http: Transport) -> Findings:
        if self._processes is not None:
            return await super().ask(query, key, self._processes)
        reply = await http.send(self.request(query, key), self.name)
        if reply.status in NEEDS_SESSION:
            await self._open_session(key, http)
        else:
            http = _Replies(reply)
        return await super().ask(query, key, http)

    async def _open_session(self, key: str, http: Transport) -> None:
        self._session = {}
        reply = await http.send(self._message("initialize", HELLO, key, id=ID), self.name)
        if session := reply.headers.get("mcp-session-id"):
            self._session = {"Mcp-Session-Id": session}
            await http.send(self._message("notifications/initialized", {}, key), self.name)

    def _message(self, method: str, params: Mapping[str, Any], key: str, **id: int) -> Request:
        name = self.option.get("key_header", "Authorization")
        value = f"Bearer {key}" if name == "Authorization" else key
        return Request(
            url=self.base_url,
            headers={**HEADERS, **self._session, **({name: value} if key else {})},
            json={"jsonrpc": "2.0", **id, "method": method, "params": params},
        )

    def hits(self, body: Any) -> list[Hit]:
        found = _objects(member(body, "result", "structuredContent"))
        if found is None:
            text = tool_text(body)
            try:
                found = _objects(decode_json(text))
            except ValueError:
                found = _in_text(text)
        if found is None:
            raise ValueError("no list of results")
        return [
            self.hit(
                _first(r, URLS), _first(r, TITLES), _first(r, CONTENTS), published=_first(r, DATES)
            )
            for r in found[:MAX_ROWS]
        ]


class _Replies:
    """A transport that has the reply already."""

    def __init__(self, reply: Any) -> None:
        self._reply = reply

    async def send(self, request: Request, provider: str) -> Any:
        return self._reply


def _objects(data: Any) -> list[dict[str, Any]] | None:
    """Return the list of results in some data; None when there is none."""
    if isinstance(data, list):
        found = [r for r in data if isinstance(r, dict) and is_address(_first(r, URLS))]
        return found if found or not data else None
    if isinstance(data, dict):
        lists = (_objects(data[name]) for name in LISTS if isinstance(data.get(name), list | dict))
        return next((found for found in lists if found is not None), None)
    return None


def _in_text(text: str) -> list[dict[str, Any]] | None:
    """Return the results of a text: blocks of `Title:` and `URL:`, or Markdown links."""
    found: list[dict[str, Any]] = []
    title = between = above = ""
    for line in text.splitlines():
        if named := _TITLE.match(line):
            title, between = named[1], ""
        elif url := _URL.match(line):
            found.append({"url": url[1], "title": title, "text": between})
            title = between = ""
        elif title and line.strip(" -*_"):  # mcp-searxng has the description above the address
            between = f"{between}\n{_LABEL.sub('', line)}".strip()
        elif (bare := _BARE.match(line)) and above:
            if found:
                found[-1]["text"] = found[-1]["text"].removesuffix(above).strip()
            found.append({"url": bare[1], "title": above.strip(" #*-.0123456789"), "text": ""})
        elif link := _LINK.search(line):
            rest = line[link.end() :].strip(" -–—:")
            found.append({"url": link[2], "title": link[1], "text": rest})
        elif found and line.strip(" -*_"):
            found[-1]["text"] = f"{found[-1]['text']}\n{line}".strip()
        above = line.strip() or above
    return found or None


def _first(row: dict[str, Any], names: tuple[str, ...]) -> Any:
    return next((row[name] for name in names if row.get(name)), None)


def named(name: str) -> type[AnyMcp]:
    """Return the class of the server of that name."""
    variable = name.upper().replace(":", "_").replace("-", "_")
    options = ("tool", "query_argument", "limit_argument", "key_header")
    members = {
        "name": name,
        "label": f"MCP ({name.removeprefix('mcp:')})",
        "key_variable": f"{variable}_API_KEY",
        "options": {option: f"{variable}_{option.upper()}" for option in options}
        | {"command": "", "env": ""},
        "__doc__": AnyMcp.__doc__,
    }
    return type("AnyMcp", (AnyMcp,), members)
