"""The Bot API on loopback. It reads HTML as Telegram does, and refuses what Telegram refuses.

`linked` is what an application would turn into links and mentions by itself, by the rules of
TDLib: a name behind `@`, an address with or without a scheme, a command.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import re
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from html.parser import HTMLParser
from typing import Any

from aiohttp import web

TOKEN = "123456789:CANARY-abcdefghijklmnopqrstuvwxyz0"
SECRET = "webhook_secret-0123456789"
OWN = {"id": 123456789, "is_bot": True, "first_name": "Kensaku", "username": "KensakuBot"}
MAX_TEXT, MAX_DATA = 4_096, 64
TAGS = {"a", "b", "code", "i", "pre"}
_LINKED = re.compile(
    r"(?<!\w)@\w{3,}|\b[a-z]+://[\w.-]|(?<![\w@.])(?:[\w-]+\.)+[a-z]{2,}\b|\b\d+\.\d+\.\d+\.\d+"
    r"|(?<![\w/<>])/[A-Za-z]\w*",
    re.IGNORECASE,
)


class Html(HTMLParser):
    """What Telegram makes of a text: plain text, links, and what is wrong with it."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.text, self.links, self.wrong = "", [], ""
        self.linked: list[str] = []
        self._open: list[str] = []
        self.feed(text)
        self.close()
        self.wrong = self.wrong or ("unclosed tag" if self._open else "")

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        allowed = {"href"} if tag == "a" else set()
        if tag not in TAGS or {name for name, _ in attrs} - allowed:
            self.wrong = f"unsupported start tag {tag}"
        self.links += [value for name, value in attrs if name == "href"]
        self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if not self._open or self._open.pop() != tag:
            self.wrong = f"unexpected end tag {tag}"

    def handle_data(self, data: str) -> None:
        self.text += data
        if not {"a", "code"} & set(self._open):
            self.linked += _LINKED.findall(data)


class FakeTelegram:
    """One bot. `messages` are those that it has sent, as they stand now."""

    def __init__(self) -> None:
        self.url = ""
        self.calls: list[tuple[str, dict[str, Any]]] = []
        self.messages: dict[int, dict[str, Any]] = {}
        self.down = False
        self.refusals: deque[tuple[str, float]] = deque()  # of the next messages: busy, or gone
        self.polled = asyncio.Event()
        self._updates: list[dict[str, Any]] = []
        self._arrived = asyncio.Event()
        self._numbers = itertools.count(100)

    def calls_of(self, method: str) -> list[dict[str, Any]]:
        """Return what was sent to a method."""
        return [values for name, values in self.calls if name == method]

    def send(self, update: dict[str, Any]) -> None:
        """Let the next poll see an update."""
        self._updates.append(update)
        self._arrived.set()

    async def api(self, request: web.Request) -> web.Response:
        """Answer a call of the Bot API."""
        method = request.match_info["method"]
        if request.match_info["token"] != TOKEN:
            return _refuse(401, "Unauthorized")
        values = {k: _value(v) for k, v in (await request.post()).items()}
        self.calls.append((method, values))
        if self.down and method in ("sendMessage", "editMessageText"):
            return _refuse(502, "Bad Gateway")
        if self.refusals and method in ("sendMessage", "editMessageText"):
            kind, seconds = self.refusals.popleft()
            if kind == "busy":
                return _refuse(429, "Too Many Requests", parameters={"retry_after": seconds})
            return _refuse(403, "Forbidden: bot was blocked by the user")
        answer = getattr(self, f"_{method}", None)
        if answer is None:
            return _refuse(404, "Not Found")
        done = answer(values)
        done = await done if asyncio.iscoroutine(done) else done
        return done if isinstance(done, web.Response) else web.json_response(
            {"ok": True, "result": done}
        )  # fmt: skip

    def _getMe(self, _: Any) -> dict[str, Any]:
        return OWN

    async def _getUpdates(self, values: dict[str, Any]) -> list[dict[str, Any]]:
        offset = int(values.get("offset") or 0)
        self._updates = [u for u in self._updates if u["update_id"] >= offset]
        self.polled.set()
        if not self._updates:
            self._arrived.clear()
            try:
                async with asyncio.timeout(float(values.get("timeout") or 0)):
                    await self._arrived.wait()
            except TimeoutError:
                return []
        return self._updates

    def _deleteWebhook(self, _: Any) -> bool:
        return True

    _setWebhook = _answerCallbackQuery = _sendChatAction = _deleteWebhook

    def _sendMessage(self, values: dict[str, Any]) -> Any:
        return _wrong(values) or self._keep(next(self._numbers), values)

    def _editMessageText(self, values: dict[str, Any]) -> Any:
        id = int(values["message_id"])
        if id not in self.messages:
            return _refuse(400, "Bad Request: message to edit not found")
        before = self.messages[id]
        if all(before.get(k) == values.get(k) for k in ("text", "reply_markup")):
            return _refuse(400, "Bad Request: message is not modified")
        # Telegram removes the buttons unless they are sent again.
        return _wrong(values) or self._keep(id, {**before, "reply_markup": None, **values})

    def _keep(self, id: int, values: dict[str, Any]) -> dict[str, Any]:
        self.messages[id] = values
        chat = {"id": int(values["chat_id"]), "type": "private"}
        return {"message_id": id, "date": 1_700_000_000, "chat": chat, "text": "…"}


def _wrong(values: dict[str, Any]) -> web.Response | None:
    read = Html(values["text"])
    if read.wrong:
        return _refuse(400, f"Bad Request: can't parse entities: {read.wrong}")
    if not 0 < len(read.text.encode("utf-16-le")) // 2 <= MAX_TEXT:
        return _refuse(400, "Bad Request: message is too long")
    keys = (values.get("reply_markup") or {}).get("inline_keyboard", [])
    if any(len(key["callback_data"].encode()) > MAX_DATA for row in keys for key in row):
        return _refuse(400, "Bad Request: BUTTON_DATA_INVALID")
    return None


def _refuse(status: int, description: str, **more: Any) -> web.Response:
    body = {"ok": False, "error_code": status, "description": description, **more}
    return web.json_response(body, status=status)


def _value(value: Any) -> Any:
    try:
        return json.loads(value) if value[:1] in "{[" else value
    except ValueError:
        return value


@asynccontextmanager
async def open_telegram() -> AsyncIterator[FakeTelegram]:
    """Serve the Bot API on a loopback port."""
    telegram = FakeTelegram()
    app = web.Application()
    app.router.add_post("/bot{token}/{method}", telegram.api)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    telegram.url = f"http://127.0.0.1:{runner.addresses[0][1]}"
    try:
        yield telegram
    finally:
        await runner.cleanup()
