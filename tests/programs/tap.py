"""A reverse proxy on loopback between a program and the server, which writes down each request.

    with Tap(log) as tap:
        tap.upstream = server_url
        …                       # the program uses tap.url
    tap.seen                    # method, path, status

Heads and bodies pass as they are, streams as they come. Neither keys nor queries are written.
"""

from __future__ import annotations

import asyncio
import json
import socket
import threading
from collections.abc import AsyncIterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Self

import httpx
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"]
MAX_BODY = 32 << 20  # more than the server takes
MAX_NOTE = 400
# What belongs to one connection, and not to the message (RFC 9110, section 7.6.1).
HOPS = {"connection", "keep-alive", "transfer-encoding", "te", "upgrade", "proxy-connection"}


@dataclass(frozen=True)
class Seen:
    """A request, and how the server answered."""

    method: str
    path: str
    status: int
    note: str = ""  # the beginning of a refusal

    @property
    def refused(self) -> bool:
        return self.status >= 400

    def __str__(self) -> str:
        return f"{self.method} {self.path} → {self.status}"


class Tap:
    """The proxy, in a thread of its own."""

    def __init__(self, log: Path) -> None:
        self.seen: list[Seen] = []
        self.upstream = ""  # the server, which may be told before it starts where the tap is
        self._log = log
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        app = Starlette(routes=[Route("/{path:path}", self._pass_on, methods=METHODS)])
        self._server = uvicorn.Server(uvicorn.Config(app, log_level="error", lifespan="off"))
        self._thread = threading.Thread(target=asyncio.run, args=(self._serve(),))

    def __enter__(self) -> Self:
        self._log.unlink(missing_ok=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.should_exit = self._server.force_exit = True
        self._thread.join()
        self._listener.close()

    async def _serve(self) -> None:
        self._client = httpx.AsyncClient(timeout=None, limits=httpx.Limits(max_connections=None))
        async with self._client:
            await self._server.serve(sockets=[self._listener])

    async def _pass_on(self, request: Request) -> Response:
        body = bytearray()
        async for piece in request.stream():
            body += piece
            if len(body) > MAX_BODY:
                return Response("the tap takes no larger body", 413)
        target = self.upstream + request.scope["raw_path"].decode()
        if query := request.scope["query_string"].decode():
            target += "?" + query
        head = [(k, v) for k, v in request.headers.raw if k.decode() not in HOPS]
        asked = self._client.build_request(
            request.method, target, headers=head, content=bytes(body)
        )
        reply = await self._client.send(asked, stream=True)
        if reply.status_code >= 400:
            data = await reply.aread()
            self._note(request, reply.status_code, data.decode(errors="replace"))
            pieces = _once(data)
        else:
            self._note(request, reply.status_code)
            pieces = _pieces(reply)
        answer = StreamingResponse(pieces, reply.status_code)
        answer.raw_headers = [
            (k.lower(), v)
            for k, v in reply.headers.raw
            if k.decode().lower() not in _left_out(reply)
        ]
        return answer

    def _note(self, request: Request, status: int, note: str = "") -> None:
        seen = Seen(request.method, request.scope["path"], status, note[:MAX_NOTE])
        self.seen.append(seen)
        with self._log.open("a", encoding="utf-8") as log:
            log.write(json.dumps(asdict(seen), ensure_ascii=False) + "\n")


def _left_out(reply: httpx.Response) -> set[str]:
    """A refusal is read and decoded here, so its length is another."""
    return HOPS | {"content-length", "content-encoding"} if reply.status_code >= 400 else HOPS


async def _once(data: bytes) -> AsyncIterator[bytes]:
    yield data


async def _pieces(reply: httpx.Response) -> AsyncIterator[Any]:
    try:
        async for piece in reply.aiter_raw():
            yield piece
    finally:
        await reply.aclose()
