"""Slack on loopback: its Web API, a socket for events, and how it signs requests.

It refuses what Slack refuses: unknown tokens and messages, texts over the bound, long values.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import itertools
import json
import time
from collections import deque
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

from aiohttp import WSMsgType, web

BOT_TOKEN = "xoxb-0123456789-abcdefghij-CANARYslack"
APP_TOKEN = "xapp-1-A0123456789-abcdefCANARY"
SIGNING_SECRET = "8f742231b10e8888abcd99yyyzzz85a5"
OWN = "UBOT"
MAX_SECTION, MAX_VALUE = 3_000, 2_000


class FakeSlack:
    """One workspace. `messages` are those that the bot has sent, as they stand now."""

    def __init__(self) -> None:
        self.url = ""
        self.calls: list[tuple[str, dict[str, Any]]] = []
        self.messages: dict[str, dict[str, Any]] = {}
        self.acknowledged: set[str] = set()
        self.down = False
        self.refusals: deque[tuple[str, float]] = deque()  # of the next messages: busy, or gone
        self.connected = asyncio.Event()
        self._numbers = itertools.count(1)
        self._sockets: list[web.WebSocketResponse] = []

    def calls_of(self, method: str) -> list[dict[str, Any]]:
        """Return what was sent to a method."""
        return [values for name, values in self.calls if name == method]

    async def send(self, kind: str, payload: Mapping[str, Any]) -> str:
        """Send an envelope by the socket and return its id."""
        await self.connected.wait()
        id = f"envelope-{next(self._numbers)}"
        body = {"envelope_id": id, "type": kind, "payload": payload}
        await self._sockets[-1].send_str(json.dumps({**body, "accepts_response_payload": False}))
        return id

    async def api(self, request: web.Request) -> web.Response:
        """Answer a call of the Web API."""
        method = request.match_info["method"]
        if request.content_type == "application/json":
            values = await request.json()
        else:
            values = dict(await request.post())
        self.calls.append((method, values))
        if self.down and method.startswith("chat."):
            return web.json_response({"ok": False, "error": "internal_error"})
        if self.refusals and method.startswith("chat."):
            kind, seconds = self.refusals.popleft()
            if kind == "busy":
                said = {"ok": False, "error": "ratelimited"}
                headers = {"Retry-After": f"{seconds:g}"}
                return web.json_response(said, status=429, headers=headers)
            return web.json_response({"ok": False, "error": "channel_not_found"})
        wanted = APP_TOKEN if method == "apps.connections.open" else BOT_TOKEN
        if request.headers.get("Authorization") != f"Bearer {wanted}":
            return web.json_response({"ok": False, "error": "invalid_auth"})
        answer = getattr(self, "_" + method.replace(".", "_"), None)
        if answer is None:
            return web.json_response({"ok": False, "error": "unknown_method"})
        return web.json_response(answer(values))

    async def socket(self, request: web.Request) -> web.WebSocketResponse:
        """Serve socket mode."""
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        await socket.send_str(json.dumps({"type": "hello", "num_connections": 1}))
        self._sockets.append(socket)
        self.connected.set()
        async for message in socket:
            if message.type == WSMsgType.TEXT and message.data.startswith("{"):
                self.acknowledged.add(json.loads(message.data).get("envelope_id", ""))
        return socket

    async def close_sockets(self) -> None:
        """Close what is open, as when Slack refreshes a connection."""
        for socket in self._sockets:
            await socket.close()

    def _auth_test(self, _: Any) -> dict[str, Any]:
        return {"ok": True, "user_id": OWN, "bot_id": "B1", "team_id": "T1", "team": "t",
                "user": "kensaku", "url": "https://t.slack.com/"}  # fmt: skip

    def _apps_connections_open(self, _: Any) -> dict[str, Any]:
        return {"ok": True, "url": self.url.replace("http", "ws") + "/socket"}

    def _chat_postMessage(self, values: dict[str, Any]) -> dict[str, Any]:
        if wrong := _wrong(values):
            return {"ok": False, "error": wrong}
        ts = f"1700000000.{next(self._numbers):06d}"
        self.messages[ts] = values
        return {"ok": True, "ts": ts, "channel": values["channel"]}

    def _chat_update(self, values: dict[str, Any]) -> dict[str, Any]:
        if values["ts"] not in self.messages:
            return {"ok": False, "error": "message_not_found"}
        if wrong := _wrong(values):
            return {"ok": False, "error": wrong}
        self.messages[values["ts"]] = {**self.messages[values["ts"]], **values}
        return {"ok": True, "ts": values["ts"], "channel": values["channel"]}

    def _chat_postEphemeral(self, values: dict[str, Any]) -> dict[str, Any]:
        return {"ok": True, "message_ts": "1.1"}


def _wrong(values: dict[str, Any]) -> str:
    if len(values["text"]) > 4_000:
        return "msg_too_long"
    for block in values["blocks"]:
        if block["type"] == "section" and not 0 < len(block["text"]["text"]) <= MAX_SECTION:
            return "invalid_blocks"
        if any(len(e["value"]) > MAX_VALUE for e in block.get("elements", ())):
            return "invalid_blocks"
    return ""


def sign(body: bytes, *, secret: str = SIGNING_SECRET, at: float | None = None) -> dict[str, str]:
    """Return the headers with which Slack signs a request."""
    stamp = str(int(time.time() if at is None else at))
    digest = hmac.new(secret.encode(), b"v0:" + stamp.encode() + b":" + body, hashlib.sha256)
    return {
        "X-Slack-Request-Timestamp": stamp,
        "X-Slack-Signature": "v0=" + digest.hexdigest(),
        "Content-Type": "application/json",
    }


@asynccontextmanager
async def open_slack() -> AsyncIterator[FakeSlack]:
    """Serve a workspace on a loopback port."""
    slack = FakeSlack()
    app = web.Application()
    app.router.add_post("/api/{method}", slack.api)
    app.router.add_get("/socket", slack.socket)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    slack.url = f"http://127.0.0.1:{runner.addresses[0][1]}"
    try:
        yield slack
    finally:
        await slack.close_sockets()
        await runner.cleanup()
