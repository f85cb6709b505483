"""Both services behind one interface, each with both of its transports: the same tests for all."""

from __future__ import annotations

import asyncio
import itertools
import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Coroutine
from typing import Any
from urllib.parse import urlencode

import aiohttp

from kensaku import Settings
from tests.search.support import until

from . import fake_slack, fake_telegram
from .fake_slack import FakeSlack
from .fake_telegram import FakeTelegram

Ready = Callable[[str], None]
_numbers = itertools.count(1_000)


class Side(ABC):
    """A service with people in it, and the bot that runs here."""

    channel: str
    ann: str
    ben: str
    words: tuple[str, ...]  # of the command line, for the transport

    def __init__(self, env: dict[str, str]) -> None:
        self.env = env
        self.where = ""
        self.session = aiohttp.ClientSession()
        self._task: asyncio.Task[None] | None = None

    @abstractmethod
    def serve(self, settings: Settings, ready: Ready) -> Coroutine[Any, Any, None]: ...

    @abstractmethod
    async def say(self, text: str, person: str = "", update: int = 0, **more: Any) -> None: ...

    @abstractmethod
    async def press(self, data: str, person: str = "") -> None: ...

    @property
    @abstractmethod
    def texts(self) -> list[str]:
        """The bot's messages as people see them now, oldest first."""

    @property
    @abstractmethod
    def buttons(self) -> dict[str, str]:
        """Label → data of the newest message that has any."""

    @property
    @abstractmethod
    def links(self) -> list[str]:
        """The addresses that the newest message links to."""

    @abstractmethod
    def count(self, method: str) -> int:
        """How often the bot called "send" or "edit"."""

    @property
    @abstractmethod
    def told(self) -> list[str]:
        """What people were told about presses, each alone."""

    @abstractmethod
    async def until_confirmed(self, update: int) -> None:
        """Wait until the service knows that an update was taken."""

    def refuse(self, kind: str, times: int = 1, seconds: float = 0.0) -> None:
        """Refuse the next messages: "busy" for so long, or "gone" for ever."""
        self.service.refusals.extend([(kind, seconds)] * times)  # type: ignore[attr-defined]

    def refuse_everything(self) -> None:
        """Be down for whatever the bot writes."""
        self.service.down = True  # type: ignore[attr-defined]

    def accept_everything(self) -> None:
        """Be up again."""
        self.service.down = False  # type: ignore[attr-defined]

    async def start(self, **more: str) -> None:
        """Run the bot in this process."""
        ready: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        settings = Settings.load(environ={**self.env, **more})
        self._task = asyncio.create_task(self.serve(settings, ready.set_result))
        await asyncio.wait([self._task, ready], return_when=asyncio.FIRST_COMPLETED)
        if not ready.done():
            await self._task
        self.where = ready.result()

    async def stop(self) -> None:
        """Stop the bot as SIGTERM does."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def close(self) -> None:
        await self.stop()
        await self.session.close()

    async def until_text(self, part: str, at: int = -1) -> str:
        """Wait until a message has this in it, and return it."""
        await until(lambda: len(self.texts) > max(at, 0) and part in self.texts[at])
        return self.texts[at]

    async def until_asked(self, label: str) -> str:
        """Wait for a button and return its data."""
        await until(lambda: label in self.buttons)
        return self.buttons[label]


class SlackSide(Side):
    """Ann and Ben write direct messages, or in the channel C1."""

    channel, ann, ben = "slack", "UANN", "UBEN"

    def __init__(self, env: dict[str, str], service: FakeSlack, *, http: bool) -> None:
        super().__init__(
            env
            | {
                "SLACK_BOT_TOKEN": fake_slack.BOT_TOKEN,
                "SLACK_APP_TOKEN": fake_slack.APP_TOKEN,
                "SLACK_SIGNING_SECRET": fake_slack.SIGNING_SECRET,
                "SLACK_API_BASE_URL": service.url + "/api",
                "KENSAKU_ALLOW_SLACK": f"{self.ann},{self.ben}",
            }
        )
        self.service, self.http = service, http
        self.words = ("--http", "0") if http else ()

    def serve(self, settings: Settings, ready: Ready) -> Coroutine[Any, Any, None]:
        from kensaku.assistant.channels.slack import serve_slack

        return serve_slack(settings, http=0 if self.http else None, ready=ready)

    async def say(self, text: str, person: str = "", update: int = 0, **more: Any) -> None:
        number = update or next(_numbers)
        event = {"type": "message", "channel": "D1", "channel_type": "im", "text": text,
                 "user": person or self.ann, "ts": f"1600000000.{number:06d}", **more}  # fmt: skip
        await self.send("events_api", {
            "type": "event_callback", "team_id": "T1", "api_app_id": "A1", "event": event,
            "event_id": f"Ev{number}", "event_time": 1_600_000_000,
            "authorizations": [{"team_id": "T1", "user_id": "UBOT", "is_bot": True}],
        })  # fmt: skip

    async def press(self, data: str, person: str = "") -> None:
        message = list(self.service.messages.values())[-1]
        await self.send("interactive", {
            "type": "block_actions", "team": {"id": "T1"}, "user": {"id": person or self.ann},
            "channel": {"id": message["channel"]}, "message": message, "trigger_id": "1.1",
            "actions": [{"type": "button", "action_id": "kensaku-0", "block_id": "b",
                         "value": data}],
        })  # fmt: skip

    async def send(self, kind: str, payload: dict[str, Any]) -> None:
        """Deliver something to the bot, and wait until it has taken it."""
        if not self.http:
            id = await self.service.send(kind, payload)
            await until(lambda: id in self.service.acknowledged)
            return
        form = kind == "interactive"
        text = json.dumps(payload)
        data = (urlencode({"payload": text}) if form else text).encode()
        headers = fake_slack.sign(data)
        if form:
            headers["Content-Type"] = "application/x-www-form-urlencoded"
        async with self.session.post(self.where + "/slack/events", data=data, headers=headers) as r:
            assert r.status == 200, await r.text()

    async def until_confirmed(self, update: int) -> None:
        """It is: `say` has waited for the receipt."""

    @property
    def told(self) -> list[str]:
        return [call["text"] for call in self.service.calls_of("chat.postEphemeral")]

    @property
    def texts(self) -> list[str]:
        return [m["text"] for m in self.service.messages.values()]

    @property
    def buttons(self) -> dict[str, str]:
        for message in reversed(self.service.messages.values()):
            for block in message["blocks"]:
                if block["type"] == "actions":
                    return {e["text"]["text"]: e["value"] for e in block["elements"]}
        return {}

    @property
    def links(self) -> list[str]:
        from re import findall

        return findall(r"<([^<>|]+)\|", self.texts[-1])

    def count(self, method: str) -> int:
        name = {"send": "chat.postMessage", "edit": "chat.update"}[method]
        return len(self.service.calls_of(name))


class TelegramSide(Side):
    """Ann and Ben write in private chats, or in the group -5."""

    channel, ann, ben = "telegram", "11", "22"

    def __init__(self, env: dict[str, str], service: FakeTelegram, *, webhook: bool) -> None:
        super().__init__(
            env
            | {
                "TELEGRAM_BOT_TOKEN": fake_telegram.TOKEN,
                "TELEGRAM_WEBHOOK_SECRET": fake_telegram.SECRET,
                "TELEGRAM_API_BASE_URL": service.url,
                "KENSAKU_ALLOW_TELEGRAM": f"{self.ann},{self.ben}",
            }
        )
        self.service, self.webhook = service, webhook
        self.words = ("--webhook", "0") if webhook else ()

    def serve(self, settings: Settings, ready: Ready) -> Coroutine[Any, Any, None]:
        from kensaku.assistant.channels.telegram import serve_telegram

        return serve_telegram(settings, webhook=0 if self.webhook else None, ready=ready)

    async def say(self, text: str, person: str = "", update: int = 0, **more: Any) -> None:
        number, id = update or next(_numbers), int(person or self.ann)
        message = {"message_id": number, "date": 1_700_000_000, "text": text,
                   "chat": {"id": id, "type": "private"},
                   "from": {"id": id, "is_bot": False, "first_name": "x"}, **more}  # fmt: skip
        await self.send({"update_id": number, "message": message})

    async def press(self, data: str, person: str = "") -> None:
        user = {"id": int(person or self.ann), "is_bot": False, "first_name": "x"}
        query = {"id": "q", "from": user, "chat_instance": "c", "data": data}
        answered = len(self.service.calls_of("answerCallbackQuery"))
        await self.send({"update_id": next(_numbers), "callback_query": query})
        await until(lambda: len(self.service.calls_of("answerCallbackQuery")) > answered)

    async def send(self, update: dict[str, Any]) -> None:
        """Deliver an update; by webhook, wait until it is taken."""
        if not self.webhook:
            self.service.send(update)
            return
        headers = {"X-Telegram-Bot-Api-Secret-Token": fake_telegram.SECRET}
        async with self.session.post(self.where + "/tg", json=update, headers=headers) as r:
            assert r.status == 200, await r.text()

    async def until_confirmed(self, update: int) -> None:
        """The next poll asks for what comes after it."""
        if not self.webhook:
            polls = lambda: self.service.calls_of("getUpdates")  # noqa: E731
            await until(lambda: any(int(p.get("offset") or 0) > update for p in polls()))

    @property
    def told(self) -> list[str]:
        answers = self.service.calls_of("answerCallbackQuery")
        return [call["text"] for call in answers if call.get("text")]

    @property
    def texts(self) -> list[str]:
        return [fake_telegram.Html(m["text"]).text for m in self.service.messages.values()]

    @property
    def buttons(self) -> dict[str, str]:
        for message in reversed(self.service.messages.values()):
            if markup := message.get("reply_markup"):
                return {k["text"]: k["callback_data"] for k in markup["inline_keyboard"][0]}
        return {}

    @property
    def links(self) -> list[str]:
        return fake_telegram.Html(list(self.service.messages.values())[-1]["text"]).links

    def count(self, method: str) -> int:
        return len(
            self.service.calls_of({"send": "sendMessage", "edit": "editMessageText"}[method])
        )
