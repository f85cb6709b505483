"""The Telegram channel: private chats, and mentions and replies in groups; polling or webhook.

    update → aiogram → Bot.receive → one message that is edited, HTML, without previews
    button → aiogram → Bot.press

A private chat is one conversation. In a group each person has a conversation of their own.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable
from contextlib import suppress
from hmac import compare_digest
from typing import TYPE_CHECKING, Any

from kensaku.assistant.channels._bot import Bot, open_bot
from kensaku.assistant.channels._markup import shown_in_html, to_html
from kensaku.assistant.channels._message import (
    Content,
    MessageGone,
    NotDelivered,
    Place,
    Undeliverable,
)
from kensaku.assistant.channels._webhook import Received, Sent, serve_webhook
from kensaku.errors import ChannelFault, ConfigError, MissingExtra
from kensaku.foreign_json import decode_json
from kensaku.messages import msg

try:
    from aiogram import Bot as Api
    from aiogram import Dispatcher, exceptions
    from aiogram.client.session.aiohttp import AiohttpSession
    from aiogram.client.telegram import TelegramAPIServer
    from aiogram.types import (
        CallbackQuery,
        InlineKeyboardButton,
        InlineKeyboardMarkup,
        LinkPreviewOptions,
        Message,
        ReplyParameters,
        Update,
        User,
    )
    from aiogram.utils.token import TokenValidationError
    from pydantic import ValidationError
except ImportError:
    raise MissingExtra("aiogram", "telegram") from None

if TYPE_CHECKING:
    from kensaku.config.settings import Settings

MAX_TEXT = 4_000  # UTF-16 units without the markup; Telegram takes 4,096
SECONDS = 15
UPDATES = ["message", "callback_query"]
_SECRET = re.compile(r"[A-Za-z0-9_-]{1,256}")  # what Telegram takes
_COMMAND = re.compile(r"/(\w{1,32})(?:@(\w{1,64}))?(?:\s+|$)")


async def serve_telegram(
    settings: Settings,
    *,
    webhook: int | None = None,
    host: str = "127.0.0.1",
    url: str | None = None,
    ready: Callable[[str], None] = lambda _: None,
) -> None:
    """Answer in Telegram until cancelled. `webhook`: the port for updates, else polling.

    `url`: where Telegram reaches that port; it is registered there. Raises `ConfigError` when the
    token or the secret is missing, and `ChannelFault` when Telegram refuses the token.
    """
    secret = "" if webhook is None else _webhook_secret(settings)
    async with open_api(settings) as api:
        own = await _call_at_start(api.me)
        async with open_bot(settings, "telegram", TelegramWriter(api)) as bot:
            dispatcher = make_dispatcher(bot, api, own)
            if webhook is None:
                await _call_at_start(api.delete_webhook)
                ready("polling")
                await _poll(dispatcher, api)
                return
            if url is not None:
                await _call_at_start(
                    lambda: api.set_webhook(url, secret_token=secret, allowed_updates=UPDATES)
                )
            handle = SecretUpdates(dispatcher, api, secret)
            await serve_webhook(handle, host, webhook, "/{path:.*}", ready)


async def _poll(dispatcher: Dispatcher, api: Api) -> None:
    """Poll until cancelled. aiogram leaves its own task behind when it is cancelled itself."""
    # Updates are handled one by one: what is not stored yet is not confirmed to Telegram.
    polling = asyncio.create_task(
        dispatcher.start_polling(
            api, handle_as_tasks=False, handle_signals=False, close_bot_session=False,
            allowed_updates=UPDATES,
        )
    )  # fmt: skip
    try:
        await asyncio.wait([polling])
    finally:
        if not polling.done():
            with suppress(RuntimeError):  # it has not begun yet
                await dispatcher.stop_polling()
            polling.cancel()
    await _call_at_start(lambda: polling)


def make_dispatcher(bot: Bot, api: Api, own: User) -> Dispatcher:
    """Return the dispatcher whose updates go to `bot`."""
    dispatcher = Dispatcher()

    async def on_message(message: Message, event_update: Update) -> None:
        if (received := read_message(message, own)) is None:
            return
        person, thread, text, place = received
        if not text:
            language = message.from_user.language_code if message.from_user else ""
            await bot.greet(person, place, language or "")
            return
        update = f"{own.id}:{event_update.update_id}"
        await bot.receive(person, thread, text, update=update, place=place)

    async def on_press(query: CallbackQuery) -> None:
        said = bot.press(str(query.from_user.id), query.data or "")
        try:
            await api.answer_callback_query(query.id, text=said or None)
        except exceptions.AiogramError:
            return  # the button spins for a while; the press was taken

    dispatcher.message.register(on_message)
    dispatcher.callback_query.register(on_press)
    return dispatcher


def read_message(message: Message, own: User) -> tuple[str, str, str, dict[str, Any]] | None:
    """Return who says what, in which conversation, and where the reply goes.

    None for bots and channels, and for what is not meant for us. The text is empty when somebody
    only calls the bot.
    """
    sender, text = message.from_user, (message.text or message.caption or "").strip()
    if sender is None or sender.is_bot or message.sender_chat is not None or not text:
        return None
    is_private = message.chat.type == "private"
    replied = message.reply_to_message
    is_reply = replied is not None and replied.from_user is not None
    is_for_us = is_private or (is_reply and replied.from_user.id == own.id)  # type: ignore[union-attr]
    if command := _COMMAND.match(text):
        if command[2] and command[2].casefold() != (own.username or "").casefold():
            return None
        is_for_us = is_for_us or command[1] == "ask" or bool(command[2])
        text = _read_command(command[1], text[command.end() :])
    mention = re.compile(rf"@{re.escape(own.username or ' ')}\b", re.IGNORECASE)
    if not is_for_us and not mention.search(text):
        return None
    text = " ".join(mention.sub(" ", text).split()) if not is_private else text
    place: dict[str, Any] = {"chat": message.chat.id}
    if not is_private:
        place["reply_to"] = message.message_id
    if message.is_topic_message and message.message_thread_id:
        place["topic"] = message.message_thread_id
    topic = place.get("topic", "")
    thread = str(message.chat.id) if is_private else f"{message.chat.id}:{topic}:{sender.id}"
    return str(sender.id), thread, text, place


class TelegramWriter:
    """Writes messages in HTML, without previews of links."""

    limit = MAX_TEXT

    def __init__(self, api: Api) -> None:
        self._api = api

    def place_of(self, thread: str) -> Place:
        """A private chat, or a person in a group and perhaps a topic."""
        chat, _, rest = thread.partition(":")
        topic = rest.partition(":")[0]
        return {"chat": int(chat), "topic": int(topic) if topic else None}

    def size(self, content: Content) -> int:
        """Telegram counts UTF-16 units, and no markup."""
        return len(shown_in_html(content.text).encode("utf-16-le", "replace")) // 2

    async def send(self, place: Place, content: Content) -> str:
        """Send a message to the chat."""
        reply_to = place.get("reply_to")
        sent = await _deliver(
            self._api.send_message(
                place["chat"],
                message_thread_id=place.get("topic"),
                reply_parameters=None
                if reply_to is None
                else ReplyParameters(message_id=reply_to, allow_sending_without_reply=True),
                **_message(content),
            )
        )
        return str(sent.message_id)

    async def edit(self, place: Place, message: str, content: Content) -> None:
        """Replace a message."""
        await _deliver(
            self._api.edit_message_text(
                chat_id=place["chat"], message_id=int(message), **_message(content)
            )
        )


class SecretUpdates:
    """Takes updates that carry the secret of the webhook."""

    def __init__(self, dispatcher: Dispatcher, api: Api, secret: str) -> None:
        self._dispatcher, self._api, self._secret = dispatcher, api, secret.encode()

    async def __call__(self, received: Received) -> Sent:
        """Answer a request. Only what carries the secret reaches the bot."""
        given = received.headers.get("x-telegram-bot-api-secret-token", "")
        if not compare_digest(given.encode("utf-8", "replace"), self._secret):
            return Sent(401)
        try:
            values = decode_json(received.body)
            update = Update.model_validate(values, context={"bot": self._api})
        except (ValueError, ValidationError):
            return Sent(400)
        await self._dispatcher.feed_update(self._api, update)
        return Sent(200, "{}", "application/json")


def _read_command(name: str, rest: str) -> str:
    """Return what a command says, as `/ask …`; "" for `/start` and others without words."""
    return "cancel" if name in ("cancel", "stop") else rest.strip()


def _message(content: Content) -> dict[str, Any]:
    keys = [InlineKeyboardButton(text=b.label, callback_data=b.data) for b in content.buttons]
    return {
        "text": to_html(content.text, content.links),
        "parse_mode": "HTML",
        "link_preview_options": LinkPreviewOptions(is_disabled=True),
        "reply_markup": InlineKeyboardMarkup(inline_keyboard=[keys]) if keys else None,
    }


async def _deliver(call: Awaitable[Any]) -> Any:
    """Await a call of the Bot API. Raises `NotDelivered`."""
    try:
        return await call
    except exceptions.TelegramRetryAfter as error:
        raise NotDelivered("Telegram asks to wait", error.retry_after) from None
    except exceptions.TelegramBadRequest as error:
        said = error.message.casefold()
        if "not modified" in said:
            return None
        gone = "message to edit not found" in said or "can't be edited" in said
        kind = MessageGone if gone else Undeliverable
        raise kind(f"Telegram says {error.message[:200]}") from None
    except (exceptions.TelegramForbiddenError, exceptions.TelegramNotFound) as error:
        raise Undeliverable(f"Telegram says {error.message[:200]}") from None
    except exceptions.AiogramError as error:
        raise NotDelivered(f"Telegram is out of reach ({type(error).__name__})") from None


def open_api(settings: Settings) -> Api:
    """Return the Bot API of a token; `async with` closes it. Raises `ConfigError`."""
    if settings.telegram_bot_token is None:
        raise ConfigError(
            msg("TELEGRAM_BOT_TOKEN is not set"), remedy=msg("docs/assistant-slack-telegram.md")
        )
    server = TelegramAPIServer.from_base(settings.telegram_api_base_url.rstrip("/"))
    session = AiohttpSession(api=server, timeout=SECONDS)
    try:
        return Api(settings.telegram_bot_token.reveal(), session=session)
    except TokenValidationError:
        raise ConfigError(
            msg("TELEGRAM_BOT_TOKEN is no token of a bot"),
            remedy=msg("@BotFather gives one: 123456:ABC…"),
        ) from None


async def _call_at_start(call: Callable[[], Awaitable[Any]]) -> Any:
    """Make a call without which there is nothing to serve. Raises `ChannelFault`."""
    try:
        return await call()
    except (exceptions.TelegramUnauthorizedError, exceptions.TelegramNotFound):
        raise ChannelFault(
            msg("Telegram refuses TELEGRAM_BOT_TOKEN"),
            remedy=msg("ask @BotFather for the current one"),
        ) from None
    except exceptions.TelegramBadRequest as error:
        raise ChannelFault(msg("Telegram says {message}", message=error.message[:200])) from None
    except exceptions.AiogramError as error:
        raise ChannelFault(
            msg("Telegram is out of reach ({name})", name=type(error).__name__),
            remedy=msg("check the network and TELEGRAM_API_BASE_URL"),
        ) from None


def _webhook_secret(settings: Settings) -> str:
    secret = settings.telegram_webhook_secret
    if secret is None or not _SECRET.fullmatch(secret.reveal()):
        raise ConfigError(
            msg("a webhook needs TELEGRAM_WEBHOOK_SECRET: 1 to 256 letters, digits, _ or -"),
            remedy=msg("without it anybody could send updates"),
        )
    return secret.reveal()
