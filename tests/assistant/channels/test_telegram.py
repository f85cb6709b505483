"""Telegram: what is read of a message, what a reply is sent as, and what its errors mean."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from aiogram import exceptions
from aiogram.methods import GetMe
from aiogram.types import (
    InlineKeyboardButton,
    InlineKeyboardMarkup,
    LinkPreviewOptions,
    Message,
    ReplyParameters,
    User,
)

from kensaku import Settings
from kensaku.assistant.channels import telegram
from kensaku.assistant.channels._message import (
    Button,
    Content,
    MessageGone,
    NotDelivered,
    Undeliverable,
)
from kensaku.assistant.channels._webhook import Received, Sent
from kensaku.errors import ChannelFault, ConfigError

from .fake_telegram import OWN, SECRET, TOKEN

BOT = User.model_validate(OWN)
ANN = {"id": 11, "is_bot": False, "first_name": "Ann"}
PRIVATE = {"id": 11, "type": "private"}
GROUP = {"id": -5, "type": "group", "title": "g"}
OF_US = {"message_id": 1, "date": 1, "chat": GROUP, "from": OWN}
OF_ANN = {"message_id": 1, "date": 1, "chat": GROUP, "from": ANN}
THERE = ("11", "-5::11", {"chat": -5, "reply_to": 7})


def message(text: str | None = "hi", **values: Any) -> Message:
    """A message of Ann's."""
    made = {"message_id": 7, "date": 1, "chat": PRIVATE, "from": ANN, "text": text, **values}
    return Message.model_validate(made)


@pytest.mark.parametrize(
    ("values", "received"),
    [
        ({}, ("11", "11", "hi", {"chat": 11})),
        ({"text": None, "caption": " photo "}, ("11", "11", "photo", {"chat": 11})),
        ({"text": "a  @KensakuBot"}, ("11", "11", "a  @KensakuBot", {"chat": 11})),
        ({"text": " "}, None),
        ({"text": None}, None),
        ({"from": None}, None),
        ({"from": {**ANN, "is_bot": True}}, None),
        ({"sender_chat": {"id": -7, "type": "channel", "title": "c"}}, None),
        ({"text": "/start"}, ("11", "11", "", {"chat": 11})),
        ({"text": "/ask  why "}, ("11", "11", "why", {"chat": 11})),
        ({"text": "/cancel now"}, ("11", "11", "cancel", {"chat": 11})),
        ({"text": "/stop"}, ("11", "11", "cancel", {"chat": 11})),
        ({"text": "/ask@other why"}, None),
        ({"text": "/ask@KENSAKUBOT why"}, ("11", "11", "why", {"chat": 11})),
    ],
)
def test_a_private_message_is_for_the_bot(values: dict[str, Any], received: Any) -> None:
    """One conversation; bots, channels and what is empty are nobody's."""
    assert telegram.read_message(message(**values), BOT) == received


@pytest.mark.parametrize(
    ("values", "text"),
    [
        ({}, None),
        ({"text": "so, @kensakubot  why"}, "so, why"),
        ({"text": "@KensakuBots why"}, None),
        ({"text": "/ask why"}, "why"),
        ({"text": "/help me"}, None),
        ({"text": "/help@KensakuBot me"}, "me"),
        ({"text": "why", "reply_to_message": OF_US}, "why"),
        ({"text": "why", "reply_to_message": OF_ANN}, None),
        ({"text": "why", "reply_to_message": {**OF_US, "from": None}}, None),
    ],
)
def test_a_group_has_to_speak_to_the_bot(values: dict[str, Any], text: str | None) -> None:
    """By its name, a command or a reply. The answer is a reply to that message."""
    received = telegram.read_message(message(**{"chat": GROUP, **values}), BOT)

    person, thread, place = THERE
    assert received == (None if text is None else (person, thread, text, place))


def test_a_topic_is_a_conversation() -> None:
    """A thread that is no topic is not."""
    asked = {"text": "/ask why", "chat": {**GROUP, "type": "supergroup"}, "message_thread_id": 3}
    in_topic = telegram.read_message(message(**asked, is_topic_message=True), BOT)
    in_thread = telegram.read_message(message(**asked), BOT)

    assert in_topic == ("11", "-5:3:11", "why", {"chat": -5, "reply_to": 7, "topic": 3})
    assert in_thread is not None
    assert in_thread[1:] == ("-5::11", "why", {"chat": -5, "reply_to": 7})


class Api:
    """Takes calls, and answers with a message or an error."""

    def __init__(self, error: Exception | None = None) -> None:
        self.calls: list[tuple[str, tuple[Any, ...], dict[str, Any]]] = []
        self.error = error

    def __getattr__(self, name: str) -> Callable[..., Any]:
        async def call(*given: Any, **named: Any) -> Any:
            self.calls.append((name, given, named))
            if self.error is not None:
                raise self.error
            return message()

        return call


async def test_a_message_is_html_without_previews() -> None:
    """With its buttons in one row; an edit takes them away."""
    api = Api()
    writer = telegram.TelegramWriter(api)  # type: ignore[arg-type]
    content = Content(
        "**Yes?** [1]", {1: "https://a.example/"}, (Button("Yes", "p"), Button("No", "c"))
    )
    place = {"chat": -5, "reply_to": 7, "topic": 3}

    assert await writer.send(place, content) == "7"
    await writer.send({"chat": 11}, Content("x"))
    await writer.edit(place, "7", Content("done"))

    plain = {"parse_mode": "HTML", "link_preview_options": LinkPreviewOptions(is_disabled=True)}
    keys = [[InlineKeyboardButton(text=t, callback_data=d) for t, d in (("Yes", "p"), ("No", "c"))]]
    reply = ReplyParameters(message_id=7, allow_sending_without_reply=True)
    assert api.calls == [
        ("send_message", (-5,), {
            **plain, "text": '<b>Yes?</b> <a href="https://a.example/">[1]</a>',
            "reply_markup": InlineKeyboardMarkup(inline_keyboard=keys),
            "message_thread_id": 3, "reply_parameters": reply,
        }),
        ("send_message", (11,), {**plain, "text": "x", "reply_markup": None,
                                 "message_thread_id": None, "reply_parameters": None}),
        ("edit_message_text", (), {**plain, "text": "done", "reply_markup": None,
                                   "chat_id": -5, "message_id": 7}),
    ]  # fmt: skip
    assert writer.size(Content("a😀", {})) == 3


@pytest.mark.parametrize(
    ("thread", "place"),
    [
        ("11", {"chat": 11, "topic": None}),
        ("-5::11", {"chat": -5, "topic": None}),
        ("-5:3:11", {"chat": -5, "topic": 3}),
    ],
)
def test_a_conversation_has_a_place(thread: str, place: Any) -> None:
    """A chat, and perhaps a topic."""
    assert telegram.TelegramWriter(None).place_of(thread) == place  # type: ignore[arg-type]


def bad(text: str) -> Exception:
    """What Telegram says to a bad request."""
    return exceptions.TelegramBadRequest(GetMe(), text)


@pytest.mark.parametrize(
    ("error", "kind", "told", "wait"),
    [
        (exceptions.TelegramRetryAfter(GetMe(), "x", 9), NotDelivered, "Telegram asks to wait", 9),
        (
            bad("Message to edit not found"),
            MessageGone,
            "Telegram says Message to edit not found",
            0,
        ),
        (bad("message can't be edited"), MessageGone, "Telegram says message can't be edited", 0),
        (bad("chat not found"), Undeliverable, "Telegram says chat not found", 0),
        (bad("y" * 300), Undeliverable, "Telegram says " + "y" * 200, 0),
        (
            exceptions.TelegramForbiddenError(GetMe(), "blocked"),
            Undeliverable,
            "Telegram says blocked",
            0,
        ),
        (exceptions.TelegramNotFound(GetMe(), "none"), Undeliverable, "Telegram says none", 0),
        (
            exceptions.TelegramNetworkError(GetMe(), "secret"),
            NotDelivered,
            "Telegram is out of reach (TelegramNetworkError)",
            0,
        ),
    ],
)
async def test_an_error_says_whether_to_try_again(
    error: Exception, kind: type, told: str, wait: float
) -> None:
    """A message that is gone is sent anew; what will never be taken is not tried again."""
    with pytest.raises(NotDelivered) as raised:
        await telegram.TelegramWriter(Api(error)).send({"chat": 1}, Content("x"))  # type: ignore[arg-type]

    assert type(raised.value) is kind
    assert (str(raised.value), raised.value.retry_after) == (told, wait)


async def test_an_edit_that_changes_nothing_is_done() -> None:
    """Telegram calls it an error."""
    api = Api(bad("Bad Request: message is not modified"))

    await telegram.TelegramWriter(api).edit({"chat": 1}, "7", Content("x"))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (exceptions.TelegramUnauthorizedError(GetMe(), "x"), "Telegram refuses TELEGRAM_BOT_TOKEN"),
        (exceptions.TelegramNotFound(GetMe(), "x"), "Telegram refuses TELEGRAM_BOT_TOKEN"),
        (bad("bad webhook"), "Telegram says bad webhook"),
        (
            exceptions.TelegramNetworkError(GetMe(), "x"),
            "Telegram is out of reach (TelegramNetworkError)",
        ),
    ],
)
async def test_what_keeps_a_bot_from_starting_is_told(
    error: Exception, told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The token, the address of the webhook, or the network."""

    class Opened(Api):
        async def __aenter__(self) -> Api:
            return self

        async def __aexit__(self, *_: object) -> None:
            pass

    monkeypatch.setattr(telegram, "open_api", lambda _: Opened(error))
    with pytest.raises(ChannelFault) as refused:
        await telegram.serve_telegram(Settings())

    assert refused.value.message == told


@pytest.mark.parametrize("token", [None, "x", "12:", ":abc"])
def test_a_token_that_is_none_is_told(token: str | None) -> None:
    """Before anything is sent."""
    with pytest.raises(ConfigError) as refused:
        telegram.open_api(Settings(telegram_bot_token=token))

    missing = "TELEGRAM_BOT_TOKEN is not set"
    assert refused.value.message == (
        missing if token is None else "TELEGRAM_BOT_TOKEN is no token of a bot"
    )
    assert "abc" not in str(refused.value)


async def test_the_api_is_where_the_settings_say() -> None:
    """A slash at the end makes no difference; a call has its time."""
    settings = Settings(telegram_bot_token=TOKEN, telegram_api_base_url="http://t.example/")
    async with telegram.open_api(settings) as api:
        assert api.session.api.api_url(TOKEN, "getMe") == f"http://t.example/bot{TOKEN}/getMe"
        assert api.session.timeout == 15


@pytest.mark.parametrize(
    ("secret", "good"),
    [("a", True), ("A-z_9" * 51 + "x", True), ("x" * 257, False), ("a b", False), (None, False)],
)
async def test_a_webhook_needs_a_secret_that_telegram_takes(secret: str | None, good: bool) -> None:
    """1 to 256 letters, digits, _ or -; then the token is what is missing."""
    settings = Settings(telegram_webhook_secret=secret)
    with pytest.raises(ConfigError) as refused:
        await telegram.serve_telegram(settings, webhook=0)

    assert refused.value.message == (
        "TELEGRAM_BOT_TOKEN is not set"
        if good
        else "a webhook needs TELEGRAM_WEBHOOK_SECRET: 1 to 256 letters, digits, _ or -"
    )


class BotCalls:
    """A bot that remembers what it got."""

    def __init__(self, said: str = "") -> None:
        self.got: list[Any] = []
        self.said = said

    async def greet(self, *values: Any) -> None:
        self.got.append(("greet", *values))

    async def receive(self, *values: Any, **more: Any) -> None:
        self.got.append(("receive", *values, more))

    def press(self, person: str, data: str) -> str:
        self.got.append(("press", person, data))
        return self.said


async def feed(bot: BotCalls, update: dict[str, Any], api: Any, secret: str = SECRET) -> Sent:
    """Send an update by the webhook."""
    dispatcher = telegram.make_dispatcher(bot, api, BOT)  # type: ignore[arg-type]
    handle = telegram.SecretUpdates(dispatcher, api, SECRET)
    headers = {"x-telegram-bot-api-secret-token": secret}
    return await handle(Received(headers, json.dumps(update).encode()))


@pytest.fixture
async def api() -> Any:
    """The Bot API of a token; nothing is sent by it."""
    async with telegram.open_api(Settings(telegram_bot_token=TOKEN)) as made:
        yield made


def update(text: str, **sender: Any) -> dict[str, Any]:
    """An update with a message."""
    made = {"message_id": 7, "date": 1, "chat": PRIVATE, "from": {**ANN, **sender}, "text": text}
    return {"update_id": 41, "message": made}


async def test_an_update_goes_to_the_bot_once(api: Any) -> None:
    """A question with its id, a greeting in the person's language; without the secret nothing."""
    bot = BotCalls()
    done = Sent(200, "{}", "application/json")

    assert await feed(bot, update("why"), api) == done
    assert await feed(bot, update("/start", language_code="ja"), api) == done
    assert await feed(bot, update("/start"), api) == done
    assert await feed(bot, update("why"), api, "wrong") == Sent(401)
    assert await feed(bot, {"update_id": "x"}, api) == Sent(400)
    assert bot.got == [
        ("receive", "11", "11", "why", {"update": "123456789:41", "place": {"chat": 11}}),
        ("greet", "11", {"chat": 11}, "ja"),
        ("greet", "11", {"chat": 11}, ""),
    ]


@pytest.mark.parametrize("said", ["", "closed"])
async def test_a_press_is_answered(said: str, api: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the words for that person; a failure of that changes nothing."""
    calls: list[Any] = []

    async def answer(*given: Any, **named: Any) -> None:
        calls.append((given, named))
        raise exceptions.TelegramNetworkError(GetMe(), "x")

    monkeypatch.setattr(type(api), "answer_callback_query", lambda _, *g, **n: answer(*g, **n))
    bot = BotCalls(said)
    query = {"id": "q1", "from": ANN, "chat_instance": "c", "data": "skip:r:q"}
    done = await feed(bot, {"update_id": 5, "callback_query": query}, api)

    assert done.status == 200
    assert bot.got == [("press", "11", "skip:r:q")]
    assert calls == [(("q1",), {"text": said or None})]
