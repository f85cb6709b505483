"""The Slack channel: mentions and direct messages, by socket mode or signed HTTP.

    event → Bolt (signature, own messages) → Bot.receive → a reply in the thread
    button → Bolt → Bot.press

A channel's thread is one conversation, and so is a direct message with all its threads.
"""

from __future__ import annotations

import asyncio
import json
import logging
import re
from collections.abc import Callable, Mapping
from html import unescape
from typing import TYPE_CHECKING, Any

from kensaku._logger import get_logger
from kensaku.assistant.channels._bot import Bot, open_bot
from kensaku.assistant.channels._markup import to_mrkdwn
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
from kensaku.transport.sessions import Session, service_session

try:
    from slack_bolt.adapter.socket_mode.aiohttp import AsyncSocketModeHandler
    from slack_bolt.app.async_app import AsyncApp
    from slack_bolt.request.async_request import AsyncBoltRequest
    from slack_sdk.errors import SlackApiError
    from slack_sdk.http_retry.builtin_async_handlers import AsyncRateLimitErrorRetryHandler
    from slack_sdk.signature import SignatureVerifier
    from slack_sdk.web.async_client import AsyncWebClient
except ImportError:
    raise MissingExtra("slack-bolt", "slack") from None

if TYPE_CHECKING:
    from kensaku.config.settings import Settings

log = get_logger("kensaku.assistant.channels.slack")

PATH = "/slack/events"
MAX_TEXT = 2_900  # a section takes 3,000
MAX_CHALLENGE = 500
SECONDS = 15
_GONE = {"message_not_found", "cant_update_message", "edit_window_closed", "message_deleted"}
_NEVER = {
    "channel_not_found", "is_archived", "not_in_channel", "invalid_auth", "account_inactive",
    "token_revoked", "missing_scope", "msg_too_long", "invalid_blocks", "restricted_action",
}  # fmt: skip
_REFERENCE = re.compile(r"<([^<>|]{1,3000})(?:\|([^<>]{0,3000}))?>")
_TIMESTAMP = re.compile(r"[0-9]{1,12}")


async def serve_slack(
    settings: Settings,
    *,
    http: int | None = None,
    host: str = "127.0.0.1",
    ready: Callable[[str], None] = lambda _: None,
) -> None:
    """Answer in Slack until cancelled. `http`: the port for signed requests, else socket mode.

    Raises `ConfigError` when a token is missing, and `ChannelFault` when Slack refuses it.
    """
    token = _needed(settings, "slack_bot_token")
    secret = "" if http is None else _needed(settings, "slack_signing_secret")
    app_token = _needed(settings, "slack_app_token") if http is None else ""
    async with service_session(SECONDS) as session:
        client = make_client(settings.slack_api_base_url, token, session)
        own = await _who_am_i(client)
        async with open_bot(settings, "slack", SlackWriter(client)) as bot:
            app = make_app(bot, client, secret, own)
            if http is not None:
                await serve_webhook(SignedRequests(app, secret), host, http, PATH, ready)
            else:
                await _serve_socket(AsyncSocketModeHandler(app, app_token), ready)


def make_client(base_url: str, token: str, session: Session) -> AsyncWebClient:
    """Return a client of the Web API that waits when Slack asks for it."""
    client = AsyncWebClient(token, base_url.rstrip("/") + "/", session=session, timeout=SECONDS)
    client.retry_handlers.append(AsyncRateLimitErrorRetryHandler(max_retry_count=2))
    return client


async def _serve_socket(handler: AsyncSocketModeHandler, ready: Callable[[str], None]) -> None:
    try:
        await handler.connect_async()  # type: ignore[no-untyped-call]
        ready("socket mode")
        await asyncio.Event().wait()
    finally:
        await handler.close_async()  # type: ignore[no-untyped-call]


def make_app(bot: Bot, client: AsyncWebClient, secret: str, own: str) -> AsyncApp:
    """Return the Bolt app whose events go to `bot`. `own` is the bot's user id."""
    # Bolt reads SLACK_BOT_TOKEN by itself, and warns that the client has its own.
    logging.getLogger("slack_bolt.AsyncApp").addFilter(_is_worth_logging)
    # Slack gets its receipt when a message is stored: until then it would send it again.
    app = AsyncApp(
        client=client, signing_secret=secret or "none in socket mode", process_before_response=True
    )

    async def on_message(event: dict[str, Any]) -> None:
        if (received := read_event(event, own)) is None:
            return
        person, thread, text, is_for_us, place = received
        if is_for_us or bot.expects(person, thread):
            update = f"{event['channel']}:{event['ts']}"  # a mention comes as two events
            await bot.receive(person, thread, text, update=update, place=place)

    async def on_press(body: dict[str, Any], ack: Any) -> None:
        await ack()
        person, action = str(body["user"]["id"]), body["actions"][0]
        if said := bot.press(person, str(action.get("value", ""))):
            await _whisper(client, body, person, said)

    app.event("app_mention")(on_message)
    app.event("message")(on_message)
    app.action(re.compile("^kensaku"))(on_press)
    return app


def read_event(
    event: Mapping[str, Any], own: str
) -> tuple[str, str, str, bool, dict[str, Any]] | None:
    """Return who says what, in which thread, whether to us, and where the reply goes.

    None for bots, for edits and deletions, and for what has no text.
    """
    person, channel, ts = (str(event.get(name) or "") for name in ("user", "channel", "ts"))
    text = _plain_text(str(event.get("text") or ""), own)
    is_edit = event.get("subtype") not in (None, "thread_broadcast", "file_share")
    if not (person and channel and ts and text) or is_edit or event.get("bot_id") or person == own:
        return None
    is_direct = event.get("channel_type") == "im" or channel.startswith("D")
    root = str(event.get("thread_ts") or ts)
    thread = channel if is_direct else f"{channel}:{root}"
    is_for_us = is_direct or event.get("type") == "app_mention"
    return person, thread, text, is_for_us, {"channel": channel, "thread_ts": root}


class SlackWriter:
    """Writes messages as sections of mrkdwn, without previews of links."""

    limit = MAX_TEXT

    def __init__(self, client: AsyncWebClient) -> None:
        self._client = client

    def place_of(self, thread: str) -> Place:
        """A thread of a channel, or a direct message."""
        channel, _, root = thread.partition(":")
        return {"channel": channel, "thread_ts": root or None}

    def size(self, content: Content) -> int:
        """Slack counts the markup."""
        return len(to_mrkdwn(content.text, content.links))

    async def send(self, place: Place, content: Content) -> str:
        """Send a message to the thread."""
        sent = await self._call(
            "chat_postMessage",
            channel=place["channel"],
            thread_ts=place.get("thread_ts"),
            unfurl_links=False,
            unfurl_media=False,
            **_message(content),
        )
        return str(sent["ts"])

    async def edit(self, place: Place, message: str, content: Content) -> None:
        """Replace a message."""
        await self._call("chat_update", channel=place["channel"], ts=message, **_message(content))

    async def _call(self, method: str, **values: Any) -> Any:
        try:
            return await getattr(self._client, method)(**values)
        except SlackApiError as error:
            reason = str(error.response.get("error", "unknown"))[:100]
            kind = MessageGone if reason in _GONE else NotDelivered
            kind = Undeliverable if reason in _NEVER else kind
            raise kind(f"Slack says {reason}", _retry_after(error)) from None
        except Exception as error:  # of whatever HTTP client the SDK uses
            raise NotDelivered(f"Slack is out of reach ({type(error).__name__})") from None


class SignedRequests:
    """Verifies requests before anything reads them. Bolt would parse them first."""

    def __init__(self, app: AsyncApp, secret: str) -> None:
        self._app, self._verifier = app, SignatureVerifier(secret)

    async def __call__(self, received: Received) -> Sent:
        """Answer a request. Only what Slack has signed reaches the bot."""
        try:
            body = received.body.decode()
        except UnicodeDecodeError:
            return Sent(400)
        if (challenge := _challenge(body)) is not None:
            return Sent(200, json.dumps({"challenge": challenge}), "application/json")
        if not self._is_signed(body, received.headers):
            return Sent(401)
        try:
            request = AsyncBoltRequest(body=body, headers=dict(received.headers))
        except (ValueError, RecursionError):
            return Sent(400)
        done = await self._app.async_dispatch(request)
        return Sent(done.status, done.body or "", "application/json")

    def _is_signed(self, body: str, headers: Mapping[str, str]) -> bool:
        signature = headers.get("x-slack-signature", "")
        stamp = headers.get("x-slack-request-timestamp", "")
        # The SDK raises an error for what is no number, and for letters outside ASCII.
        if not signature.isascii() or not _TIMESTAMP.fullmatch(stamp):
            return False
        return self._verifier.is_valid(body, stamp, signature)


def _challenge(body: str) -> str | None:
    """Return what Slack asks to have repeated when the address is set up. It does nothing else."""
    if '"url_verification"' not in body or len(body) > 10 * MAX_CHALLENGE:
        return None
    try:
        values = decode_json(body)
    except ValueError:
        return None
    if not isinstance(values, dict) or values.get("type") != "url_verification":
        return None
    challenge = values.get("challenge")
    is_short = isinstance(challenge, str) and len(challenge) <= MAX_CHALLENGE
    return challenge if is_short else None


def _message(content: Content) -> dict[str, Any]:
    text = to_mrkdwn(content.text, content.links)
    # verbatim: Slack turns no address and no name in plain text into a link.
    section = {"type": "section", "text": {"type": "mrkdwn", "text": text, "verbatim": True}}
    blocks: list[dict[str, Any]] = [section]
    if content.buttons:
        elements = [
            {
                "type": "button",
                "action_id": f"kensaku-{n}",
                "text": {"type": "plain_text", "text": button.label},
                "value": button.data,
            }
            for n, button in enumerate(content.buttons)
        ]
        blocks.append({"type": "actions", "elements": elements})
    return {"text": text, "blocks": blocks, "parse": "none", "link_names": False}


def _plain_text(text: str, own: str) -> str:
    """Return what a person wrote: without the mention of the bot, addresses as they are."""

    def read(match: re.Match[str]) -> str:
        target, label = match[1], match[2] or ""
        if target[0] in "@#!":
            return "" if target == f"@{own}" else label
        return target

    return unescape(_REFERENCE.sub(read, text)).strip()


def _retry_after(error: SlackApiError) -> float:
    headers = getattr(error.response, "headers", None) or {}
    value = str(headers.get("Retry-After", "0"))
    return float(value) if value.isdigit() else 0.0


async def _whisper(client: AsyncWebClient, body: Mapping[str, Any], person: str, text: str) -> None:
    """Tell one person something that the others do not see."""
    channel = str(body.get("channel", {}).get("id", ""))
    thread = body.get("message", {}).get("thread_ts")
    try:
        await client.chat_postEphemeral(channel=channel, user=person, text=text, thread_ts=thread)
    except Exception as error:  # it is a courtesy
        log.info("nobody was told that a button did nothing: %s", type(error).__name__)


async def _who_am_i(client: AsyncWebClient) -> str:
    try:
        return str((await client.auth_test())["user_id"])
    except SlackApiError as error:
        reason = str(error.response.get("error", "unknown"))[:100]
        raise ChannelFault(
            msg("Slack refuses SLACK_BOT_TOKEN: {reason}", reason=reason),
            remedy=msg("check the token and its scopes"),
        ) from None
    except Exception as error:  # of whatever HTTP client the SDK uses
        raise ChannelFault(
            msg("Slack is out of reach ({name})", name=type(error).__name__),
            remedy=msg("check the network and SLACK_API_BASE_URL"),
        ) from None


def _is_worth_logging(record: logging.LogRecord) -> bool:
    return "`token` will be unused" not in record.getMessage()


def _needed(settings: Settings, name: str) -> str:
    value = getattr(settings, name)
    if value is None:
        raise ConfigError(
            msg("{name} is not set", name=name.upper()),
            remedy=msg("docs/assistant-slack-telegram.md"),
        )
    return str(value.reveal())
