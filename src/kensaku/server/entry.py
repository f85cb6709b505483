"""What every request passes first: an id, one form of the path, headers that every reply has.

//search → /search      X-Request-Id: the client's, or a new one      500 without a word too much
"""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from starlette.exceptions import HTTPException
from starlette.middleware.cors import CORSMiddleware

from kensaku._logger import get_logger
from kensaku.observe import Caller, caller, observe
from kensaku.operations import RequestOperation
from kensaku.server.http import Whole, encode
from kensaku.server.logs import OwnId
from kensaku.server.proxies import TrustedProxies

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from kensaku.server.state import State
    from kensaku.server.wires.base import Wire

log = get_logger("kensaku.server")
_ID = re.compile(rb"[\w.-]{8,64}")
_WORD = re.compile(r"[\w.-]{0,20}", re.ASCII)
MAX_HEADERS = 64 * 1024  # bytes of all headers and the address
MAX_PATH = 200  # characters of a path that nobody serves, in the reply and in the log
CLIENT_GONE = 499  # as others log it: the client hung up before there was an answer
METHODS = ("DELETE", "GET", "HEAD", "PATCH", "POST", "PUT")  # for pages of other origins
EXPOSED = ("Mcp-Session-Id", "Retry-After", "WWW-Authenticate", "X-Request-Id")
SAFE = [
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
]


class Entry:
    """The outermost application."""

    def __init__(self, app: ASGIApp, state: State, wires: Iterable[Wire] = ()) -> None:
        """`wires`: those that say in their own shape that they have no such path."""
        self._app, self.state = app, state
        self._proxies = TrustedProxies(state.settings.trusted_proxies)
        self._territories = {path: wire for wire in wires for path in wire.territory}
        self._outermost: ASGIApp = self._enter
        if origins := state.settings.cors_origins:
            # A preflight brings no key, and needs none. Cookies and passwords stay at home.
            self._outermost = CORSMiddleware(
                self._enter, origins, METHODS, ["*"], expose_headers=EXPOSED
            )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._outermost(scope, receive, send)

    async def _enter(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._app(scope, receive, send)
            return
        request_id = _request_id(scope)
        state = {**scope.get("state", {}), "request_id": request_id}
        scope = self._rooted(scope)
        # With an "app" the router raises what is not found, instead of sending a text.
        inner = {**scope, "state": state, "app": self}
        observers, token = self.state.client.observers, caller.set(Caller(request_id))
        try:
            with observe(observers, RequestOperation, scope["method"], request_id) as operation:
                status = await self._serve(inner, receive, send, request_id)
                endpoint = _endpoint_of(inner)
                unknown = "" if endpoint else _shown(scope["path"])
                operation.record(status, endpoint or "none", state.get("key_id", ""), unknown)
        finally:
            caller.reset(token)

    def _rooted(self, scope: Scope) -> Scope:
        """Give the path its one form: one slash in front, below the root.

        The root is what a trusted proxy says that it cut off, else that of the settings, which a
        proxy may have cut off or not. A mount in another application counts, too.
        """
        outer, told = scope.get("root_path", ""), self._proxies.told(scope)
        below, root = scope["path"].removeprefix(outer), told.root
        if root is None:
            root = self.state.settings.root_path
            if root and f"{below}/".startswith(f"{root}/"):
                below = below.removeprefix(root)
        # Some clients join a base URL that ends in a slash with a path that begins with one. An
        # address in the path of a reader keeps its own.
        if below.startswith("//"):
            below = "/" + below.lstrip("/")
        scheme = told.scheme or scope.get("scheme", "http")
        root = outer + root
        return {**scope, "scheme": scheme, "root_path": root, "path": root + below}

    async def _serve(self, scope: Scope, receive: Receive, send: Send, request_id: str) -> int:
        """Answer a request; return the status of the answer."""
        status, whole = 0, False

        async def send_safely(message: Message) -> None:
            nonlocal status, whole
            whole = message["type"] == "http.response.body" and not message.get("more_body")
            if message["type"] == "http.response.start":
                status = message["status"]
                own = [(b"x-request-id", request_id.encode()), *SAFE]
                message = {**message, "headers": [*message.get("headers", ()), *own]}
            await send(message)

        if _head_size(scope) > MAX_HEADERS:
            refusal = _told(431, f"the headers are over {MAX_HEADERS:,} bytes")
            await refusal(scope, receive, send_safely)
            return status
        try:
            await self._app(scope, receive, send_safely)
        except HTTPException as error:
            await self._unknown(scope, error)(scope, receive, send_safely)
        except Exception:
            log.exception("request %s failed", request_id)
            if status and not whole:
                raise  # the connection ends: half a reply must not look whole
            if not status:
                failure = _told(500, f"Internal Server Error (request {request_id})")
                await failure(scope, receive, send_safely)
        return status or CLIENT_GONE

    def _unknown(self, scope: Scope, error: HTTPException) -> Whole:
        """Refuse a path, or a method, that nobody serves: as the vendor whose path it would be."""
        asked = f"{scope['method']} {scope['path'][:MAX_PATH]}"
        why = f"there is no {asked} here; GET /docs lists what there is"
        detail = why if error.status_code == 404 else f"{error.detail}: {asked}"
        below = scope["path"].removeprefix(scope.get("root_path", "")).split("/", 2)
        wire = self._territories.get("/".join(below[:2]))
        if wire is None:
            return _told(error.status_code, detail, error.headers)
        headers = [*(error.headers or {}).items(), *wire.headers]
        return Whole(encode(wire.error(error.status_code, detail)), error.status_code, headers)


def _told(status: int, error: str, headers: Mapping[str, str] | None = None) -> Whole:
    return Whole(encode({"detail": {"error": error}}), status, (headers or {}).items())


def _head_size(scope: Scope) -> int:
    size = len(scope["path"]) + len(scope.get("query_string", b""))
    for name, value in scope["headers"]:
        size += len(name) + len(value)
    return size


def _endpoint_of(scope: Scope) -> str:
    """The name of the route that a request took: of an endpoint of a wire, or of a function."""
    endpoint = scope.get("endpoint")
    return getattr(endpoint, "name", "") or getattr(endpoint, "__name__", "")


def _shown(path: str) -> str:
    """A path that nobody serves, for the log: whatever could be a key or a query is left out."""
    words = path[:MAX_PATH].split("/")
    return "/".join(word if _WORD.fullmatch(word) else "…" for word in words)


def _request_id(scope: Scope) -> str:
    for name, sent in scope["headers"]:
        if name == b"x-request-id" and _ID.fullmatch(sent):
            return str(sent.decode())
    return OwnId(uuid.uuid4())
