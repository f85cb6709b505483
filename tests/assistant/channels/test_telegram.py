"""Telegram: private chats, groups and topics, commands, and what keeps it from starting."""

from __future__ import annotations

from typing import Any

import pytest

from kensaku import Settings
from kensaku.errors import ChannelFault, ConfigError
from kensaku.testing import FakeUpstream, faults
from tests.answers.conftest import Web
from tests.search.support import until

from .conftest import only
from .fake_telegram import OWN, SECRET, TOKEN
from .sides import TelegramSide
from .test_chat import HANDS, SLEEP

ANN = {"from": {"id": 11, "is_bot": False, "first_name": "x"}}
GROUP: dict[str, Any] = {"chat": {"id": -5, "type": "group", "title": "g"}}


@only("telegram-webhook")
async def test_groups_are_answered_when_they_speak_to_the_bot(side: TelegramSide, web: Web) -> None:
    """By a mention, a reply or a command; each person in a conversation of their own."""
    bots = {"id": 99, "is_bot": True, "first_name": "b"}
    ann = {"id": 11, "is_bot": False, "first_name": "x"}
    reply = {"message_id": 1, "date": 1, "from": OWN, **GROUP}
    await side.start()
    await side.say(SLEEP, **GROUP, **{"from": ann})
    await side.say(f"/ask@OtherBot {SLEEP}", **GROUP, **{"from": ann})
    await side.say(f"@KensakuBot {SLEEP}", **GROUP, **{"from": bots})
    await side.say(SLEEP, sender_chat={"id": -7, "type": "channel", "title": "c"})
    assert side.texts == []

    await side.say(f"@kensakubot {SLEEP}", update=41, **GROUP, **{"from": ann})
    await side.until_text(HANDS)
    await side.say("And what do they eat?", **GROUP, **{"from": ann}, reply_to_message=reply)
    await until(lambda: len(web.queries) > 1 and len(side.texts) == 2)
    await side.say("/ask How do sea otters sleep well?", side.ben, **GROUP)
    await side.until_text(HANDS, 2)

    assert web.queries[0] == SLEEP
    assert "otters" in web.queries[1]
    first = side.service.calls_of("sendMessage")[0]
    assert first["reply_parameters"]["message_id"] == 41
    sent = [*side.service.calls_of("sendMessage"), *side.service.calls_of("editMessageText")]
    assert all(call["link_preview_options"] == {"is_disabled": True} for call in sent)
    assert {call["parse_mode"] for call in sent} == {"HTML"}


@only("telegram")
async def test_a_start_is_greeted_in_the_language_of_the_person(side: TelegramSide) -> None:
    """Once a minute; a stranger is not."""
    ann = {"id": 11, "is_bot": False, "first_name": "x", "language_code": "ja"}
    await side.start()
    await side.say("/start", "99")
    await side.say("/start", **{"from": ann})
    await side.say("/start", **{"from": ann})
    await side.say(SLEEP, side.ben)
    await until(lambda: len(side.texts) == 2)

    assert side.texts[0].startswith("質問")


@only("telegram-webhook")
async def test_an_address_is_registered_with_the_secret(side: TelegramSide) -> None:
    """With the kinds of updates that are read."""
    from kensaku.assistant.channels.telegram import serve_telegram

    side.serve = lambda settings, ready: serve_telegram(  # type: ignore[method-assign]
        settings, webhook=0, url="https://bot.example/tg", ready=ready
    )
    await side.start()

    (call,) = side.service.calls_of("setWebhook")
    assert call["url"] == "https://bot.example/tg"
    assert call["secret_token"] == SECRET
    assert call["allowed_updates"] == ["message", "callback_query"]


@only("telegram-webhook")
async def test_what_is_not_for_the_bot_is_not_read(side: TelegramSide, web: Web) -> None:
    """Bots, channels, other bots' commands, and the talk of a group; a photo has a caption."""
    await side.start()
    of_ann = {"message_id": 1, "date": 1, **GROUP, **ANN}
    for text, more in [
        ("/ask@other why", {}), (" ", {}), (SLEEP, {"from": None}),
        ("@KensakuBots why", {**GROUP, **ANN}), ("/help me", {**GROUP, **ANN}),
        ("why", {**GROUP, **ANN, "reply_to_message": of_ann}),
        (SLEEP, {"from": {"id": 11, "is_bot": True, "first_name": "b"}}),
    ]:  # fmt: skip
        await side.say(text, **more)  # type: ignore[arg-type]
    assert (side.texts, web.queries) == ([], [])

    await side.say("", caption=f" {SLEEP} ")
    await side.until_text(HANDS)


@only("telegram-webhook")
async def test_a_topic_is_answered_in_the_topic(side: TelegramSide) -> None:
    """A thread that is no topic is not one."""
    await side.start()
    there = {"chat": {"id": -5, "type": "supergroup", "title": "g"}, "message_thread_id": 3, **ANN}
    await side.say(f"/ask@KENSAKUBOT {SLEEP}", is_topic_message=True, **there)
    await side.until_text(HANDS)
    await side.say(f"/ask  {SLEEP}", **there)
    await side.until_text(HANDS, 1)

    sent = side.service.calls_of("sendMessage")
    assert [call.get("message_thread_id") for call in sent] == ["3", None]
    assert {call["chat_id"] for call in sent} == {"-5"}


@only("telegram-webhook")
@pytest.mark.parametrize("command", ["/stop", "/cancel now"])
async def test_a_command_stops_a_run(
    command: str, side: TelegramSide, upstream: FakeUpstream
) -> None:
    """As a word does."""
    upstream.heals("tavily")
    upstream.fails("tavily", faults.hang())
    await side.start()
    await side.say(f"/ask  {SLEEP} ")
    await until(lambda: upstream.asked("tavily"))
    assert upstream.asked("tavily")[0].json["query"] == SLEEP
    await side.say(command)

    await side.until_text("Cancelled")


# --- starting


@only("telegram")
async def test_polling_takes_an_earlier_webhook_back(side: TelegramSide) -> None:
    """Telegram would give no updates; those that are polled for are those that are read."""
    await side.start()
    await until(lambda: side.service.calls_of("getUpdates"))
    names = [name for name, _ in side.service.calls]

    assert names.index("deleteWebhook") < names.index("getUpdates")
    assert side.service.calls_of("getUpdates")[0]["allowed_updates"] == [
        "message",
        "callback_query",
    ]


@pytest.mark.usefixtures("telegram")
@pytest.mark.parametrize(
    ("settings", "error", "told"),
    [
        ({}, ConfigError, "TELEGRAM_BOT_TOKEN is not set"),
        ({"telegram_bot_token": "12:"}, ConfigError, "TELEGRAM_BOT_TOKEN is no token"),
        (
            {"telegram_bot_token": TOKEN, "telegram_api_base_url": "http://127.0.0.1:9/"},
            ChannelFault, "out of reach",
        ),
    ],
)  # fmt: skip
async def test_what_keeps_a_bot_from_starting_is_told(
    settings: Any, error: type[Exception], told: str
) -> None:
    """The token, or the network; no message quotes the token."""
    from kensaku.assistant.channels.telegram import serve_telegram

    with pytest.raises(error, match=told) as refused:
        await serve_telegram(Settings(**settings))

    assert TOKEN not in str(refused.value)


@pytest.mark.usefixtures("telegram")
@pytest.mark.parametrize(
    ("secret", "missing"),
    [("a", "BOT_TOKEN"), ("A-z_9" * 51 + "x", "BOT_TOKEN"), ("x" * 257, "WEBHOOK_SECRET"),
     ("a b", "WEBHOOK_SECRET"), (None, "WEBHOOK_SECRET")],
)  # fmt: skip
async def test_a_webhook_needs_a_secret_that_telegram_takes(
    secret: str | None, missing: str
) -> None:
    """1 to 256 letters, digits, _ or -; with one, the token is what is missing."""
    from kensaku.assistant.channels.telegram import serve_telegram

    with pytest.raises(ConfigError, match=missing):
        await serve_telegram(Settings(telegram_webhook_secret=secret), webhook=0)
