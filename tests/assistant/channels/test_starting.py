"""How Slack and Telegram start and stop: which transport gets which values, and what is closed."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from types import SimpleNamespace
from typing import Any

import aiohttp
import pytest
from aiogram import exceptions
from aiogram.methods import GetMe
from slack_sdk.errors import SlackApiError
from slack_sdk.http_retry.builtin_async_handlers import AsyncRateLimitErrorRetryHandler

from kensaku import Settings
from kensaku.assistant.channels import slack, telegram
from kensaku.assistant.channels._message import Content, NotDelivered
from kensaku.assistant.channels._webhook import Received
from kensaku.errors import ChannelFault

from .fake_slack import BOT_TOKEN, OWN, SIGNING_SECRET, open_slack, sign
from .fake_telegram import SECRET, TOKEN

SLACK = Settings(
    slack_bot_token="xoxb-1", slack_app_token="xapp-1", slack_signing_secret="signed",
    slack_api_base_url="http://127.0.0.1:9/api/",
)  # fmt: skip
TELEGRAM = Settings(telegram_bot_token=TOKEN, telegram_webhook_secret=SECRET)


class Calls:
    """What was called, in order."""

    def __init__(self) -> None:
        self.all: list[tuple[Any, ...]] = []

    def __call__(self, *call: Any) -> None:
        self.all.append(call)


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> Calls:
    """Both services with a bot and a web server that only write down how they are used."""
    made = Calls()

    @asynccontextmanager
    async def open_bot(settings: Settings, channel: str, writer: Any) -> AsyncIterator[str]:
        made("open", settings, channel, type(writer).__name__)
        yield "the bot"
        made("closed")

    async def serve_webhook(handle: Any, host: str, port: int, path: str, ready: Any) -> None:
        made("webhook", type(handle).__name__, host, port, path)
        ready("http://here")

    for service in (slack, telegram):
        monkeypatch.setattr(service, "open_bot", open_bot)
        monkeypatch.setattr(service, "serve_webhook", serve_webhook)
    return made


# --- Slack


@pytest.fixture
def in_slack(calls: Calls, monkeypatch: pytest.MonkeyPatch) -> Calls:
    """A workspace that knows the bot."""

    async def who_am_i(client: Any) -> str:
        calls("who", client.token, client.base_url)
        return "UBOT"

    def make_app(bot: Any, client: Any, secret: str, own: str) -> str:
        calls("app", bot, client.token, secret, own)
        return "the app"

    class Handler:
        def __init__(self, *given: Any) -> None:
            calls("handler", *given)

        async def connect_async(self) -> None:
            calls("connect")

        async def close_async(self) -> None:
            calls("disconnect")

    monkeypatch.setattr(slack, "_who_am_i", who_am_i)
    monkeypatch.setattr(slack, "make_app", make_app)
    monkeypatch.setattr(slack, "AsyncSocketModeHandler", Handler)
    return calls


ASKED = [("who", "xoxb-1", "http://127.0.0.1:9/api/"), ("open", SLACK, "slack", "SlackWriter")]


@pytest.mark.parametrize(("host", "served"), [({}, "127.0.0.1"), ({"host": "0.0.0.0"}, "0.0.0.0")])
async def test_slack_by_signed_requests(host: dict[str, str], served: str, in_slack: Calls) -> None:
    """With the signing secret, on this machine alone unless somebody says otherwise."""
    ready: list[str] = []
    await slack.serve_slack(SLACK, http=0, ready=ready.append, **host)

    assert in_slack.all == [
        *ASKED, ("app", "the bot", "xoxb-1", "signed", "UBOT"),
        ("webhook", "SignedRequests", served, 0, "/slack/events"), ("closed",),
    ]  # fmt: skip
    assert ready == ["http://here"]


async def test_slack_by_socket_mode(in_slack: Calls) -> None:
    """With the token of the app and no secret; the socket is closed before the bot."""
    ready = asyncio.Event()
    said: list[str] = []
    task = asyncio.ensure_future(
        slack.serve_slack(SLACK, ready=lambda how: (said.append(how), ready.set())[0])
    )
    await ready.wait()
    assert in_slack.all == [
        *ASKED, ("app", "the bot", "xoxb-1", "", "UBOT"), ("handler", "the app", "xapp-1"),
        ("connect",),
    ]  # fmt: skip
    await asyncio.sleep(0)
    assert not task.done()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task

    assert said == ["socket mode"]
    assert in_slack.all[-1] == ("disconnect",)


async def test_a_client_of_slack_waits_twice_when_it_is_asked_to() -> None:
    """Each call has fifteen seconds, in the session that it was given."""
    async with aiohttp.ClientSession() as session:
        for url in ("http://s.example/api", "http://s.example/api//"):
            client = slack.make_client(url, "xoxb-1", session)  # type: ignore[arg-type]
            assert (client.token, client.base_url) == ("xoxb-1", "http://s.example/api/")
            assert (client.timeout, client.session) == (15, session)
            waiting = [
                handler.max_retry_count
                for handler in client.retry_handlers
                if isinstance(handler, AsyncRateLimitErrorRetryHandler)
            ]
            assert waiting == [2]


@pytest.mark.parametrize("secret", ["", SIGNING_SECRET])
async def test_the_app_answers_when_a_message_is_stored(secret: str) -> None:
    """And not before: Slack would not send it again. Of the token nothing is said."""
    async with aiohttp.ClientSession() as session:
        client = slack.make_client("http://127.0.0.1:9", "xoxb-1", session)  # type: ignore[arg-type]
        app = slack.make_app(None, client, secret, "UBOT")  # type: ignore[arg-type]

    assert app.client is client
    assert app._process_before_response is True
    assert app._signing_secret == (secret or "none in socket mode")
    log = logging.getLogger("slack_bolt.AsyncApp")
    told = ["As you gave `client` as well, `token` will be unused.", "something else"]
    records = [logging.LogRecord(log.name, 30, "x", 1, text, (), None) for text in told]
    assert [bool(log.filter(record)) for record in records] == [False, True]


class Refusing:
    """A client whose calls are refused with a long reason."""

    def __init__(self, response: dict[str, str]) -> None:
        self.error = SlackApiError("no", SimpleNamespace(get=response.get))

    async def chat_postMessage(self, **_: Any) -> Any:
        raise self.error

    async def auth_test(self) -> Any:
        raise self.error


@pytest.mark.parametrize(
    ("response", "reason"),
    [({"error": "x" * 100}, "x" * 100), ({"error": "x" * 101}, "x" * 100), ({}, "unknown")],
)
async def test_a_reason_of_slack_is_shown_up_to_a_hundred_characters(
    response: dict[str, str], reason: str
) -> None:
    """It is somebody else's text."""
    client: Any = Refusing(response)
    with pytest.raises(NotDelivered) as refused:
        await slack.SlackWriter(client).send({"channel": "C1"}, Content("x"))
    assert (str(refused.value), refused.value.retry_after) == (f"Slack says {reason}", 0.0)

    with pytest.raises(ChannelFault) as fault:
        await slack._who_am_i(client)
    assert fault.value.message == f"Slack refuses SLACK_BOT_TOKEN: {reason}"


async def test_the_bot_knows_its_own_name() -> None:
    """By it, mentions of it are read, and its own messages are left alone."""
    async with open_slack() as service, aiohttp.ClientSession() as session:
        client = slack.make_client(f"{service.url}/api", BOT_TOKEN, session)  # type: ignore[arg-type]
        assert await slack._who_am_i(client) == OWN


class Whispers:
    """The client of an app; takes what is whispered."""

    token, base_url, retry_handlers = "xoxb-1", "http://127.0.0.1:9/", ()

    def __init__(self) -> None:
        self.whispered: list[dict[str, Any]] = []

    async def chat_postEphemeral(self, **values: Any) -> None:
        self.whispered.append(values)


@pytest.mark.parametrize(
    ("body", "values"),
    [
        ({}, {"channel": "", "thread_ts": None}),
        ({"channel": {}, "message": {}}, {"channel": "", "thread_ts": None}),
        ({"channel": {"id": "C1"}, "message": {"thread_ts": "1.0"}},
         {"channel": "C1", "thread_ts": "1.0"}),
    ],
)  # fmt: skip
async def test_a_whisper_goes_where_the_button_is(
    body: dict[str, Any], values: dict[str, Any]
) -> None:
    """A press in a message that Slack does not name is answered as well as it can be."""
    client = Whispers()
    await slack._whisper(client, body, "U1", "closed")  # type: ignore[arg-type]

    assert client.whispered == [{**values, "user": "U1", "text": "closed"}]


async def test_a_body_that_nests_too_deep_is_refused() -> None:
    """Although it is signed."""
    body = b"[" * 100_000
    headers = {name.lower(): value for name, value in sign(body).items()}
    handle = slack.SignedRequests(None, SIGNING_SECRET)  # type: ignore[arg-type]

    assert (await handle(Received(headers, body))).status == 400


# --- Telegram


class Api:
    """The Bot API; writes down its calls."""

    def __init__(self, calls: Calls) -> None:
        self._calls = calls

    async def __aenter__(self) -> Api:
        return self

    async def __aexit__(self, *_: object) -> None:
        self._calls("api closed")

    async def me(self) -> str:
        self._calls("me")
        return "us"

    async def delete_webhook(self) -> None:
        self._calls("delete webhook")

    async def set_webhook(self, url: str, **options: Any) -> None:
        self._calls("set webhook", url, options)


class Dispatcher:
    """Polls until it is stopped, or fails."""

    def __init__(self, calls: Calls, error: Exception | None = None) -> None:
        self._calls, self._error = calls, error
        self.polling, self.began = asyncio.Event(), True

    async def start_polling(self, api: Any, **options: Any) -> None:
        self._calls("poll", options)
        self.polling.set()
        if self._error is not None:
            raise self._error
        await asyncio.Event().wait()

    async def stop_polling(self) -> None:
        self._calls("stop polling")
        if not self.began:
            raise RuntimeError("Polling is not started")


POLLED = {
    "handle_as_tasks": False, "handle_signals": False, "close_bot_session": False,
    "allowed_updates": ["message", "callback_query"],
}  # fmt: skip


@pytest.fixture
def in_telegram(calls: Calls, monkeypatch: pytest.MonkeyPatch) -> Calls:
    """A bot that Telegram knows."""

    def make_dispatcher(bot: Any, api: Any, own: Any) -> Dispatcher:
        calls("dispatcher", bot, own)
        return Dispatcher(calls, exceptions.TelegramNotFound(GetMe(), "x"))

    monkeypatch.setattr(telegram, "open_api", lambda _: Api(calls))
    monkeypatch.setattr(telegram, "make_dispatcher", make_dispatcher)
    return calls


BEGUN = [
    ("me",),
    ("open", TELEGRAM, "telegram", "TelegramWriter"),
    ("dispatcher", "the bot", "us"),
]


@pytest.mark.parametrize(
    ("options", "host", "registered"),
    [
        ({}, "127.0.0.1", []),
        ({"host": "0.0.0.0"}, "0.0.0.0", []),
        (
            {"url": "https://b.example/"},
            "127.0.0.1",
            [("set webhook", "https://b.example/",
              {"secret_token": SECRET, "allowed_updates": POLLED["allowed_updates"]})],
        ),
    ],
)  # fmt: skip
async def test_telegram_by_webhook(
    options: dict[str, str], host: str, registered: list[Any], in_telegram: Calls
) -> None:
    """An address is registered only if there is one; any path is served."""
    ready: list[str] = []
    await telegram.serve_telegram(TELEGRAM, webhook=0, ready=ready.append, **options)  # type: ignore[arg-type]

    assert in_telegram.all == [
        *BEGUN, *registered, ("webhook", "SecretUpdates", host, 0, "/{path:.*}"), ("closed",),
        ("api closed",),
    ]  # fmt: skip
    assert ready == ["http://here"]


async def test_telegram_by_polling(in_telegram: Calls) -> None:
    """A webhook of before is taken back first; what ends the polling is told."""
    ready: list[str] = []
    with pytest.raises(ChannelFault, match="Telegram refuses TELEGRAM_BOT_TOKEN"):
        await telegram.serve_telegram(TELEGRAM, ready=ready.append)

    assert in_telegram.all == [
        *BEGUN, ("delete webhook",), ("poll", POLLED), ("api closed",),
    ]  # fmt: skip
    assert ready == ["polling"]


@pytest.mark.parametrize("began", [True, False])
async def test_polling_that_is_cancelled_leaves_no_task(began: bool, calls: Calls) -> None:
    """It is stopped first, if it has begun."""
    dispatcher = Dispatcher(calls)
    dispatcher.began = began
    before = asyncio.all_tasks()
    task = asyncio.ensure_future(telegram._poll(dispatcher, None))  # type: ignore[arg-type]
    await dispatcher.polling.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await asyncio.sleep(0)

    assert calls.all == [("poll", POLLED), ("stop polling",)]
    assert asyncio.all_tasks() == before
