"""A thousand forged webhooks for each service: none is accepted, and none costs much."""

from __future__ import annotations

import io
import itertools
import json
import random
import time
from collections.abc import Iterator
from contextlib import suppress

import aiohttp
import pytest

from kensaku import Settings
from kensaku.errors import ConfigError
from tests.answers.conftest import Web

from .conftest import only
from .fake_slack import SIGNING_SECRET, sign
from .fake_telegram import SECRET
from .sides import Side, SlackSide, TelegramSide
from .test_chat import HANDS, SLEEP

Forged = tuple[bytes, dict[str, str]]
HEADER = "X-Telegram-Bot-Api-Secret-Token"
MANY = 1_000


def event(side: SlackSide, number: int = 1) -> bytes:
    """Return what Slack would send."""
    message = {"type": "message", "channel": "D1", "channel_type": "im", "user": side.ann,
               "text": SLEEP, "ts": f"1600000000.{number:06d}"}  # fmt: skip
    return json.dumps(
        {"type": "event_callback", "team_id": "T1", "event": message, "event_id": f"Ev{number}"}
    ).encode()


def forged_for_slack(side: SlackSide) -> Iterator[Forged]:
    """Yield requests that Slack has not signed, or not for this body, or not now."""
    chance = random.Random(12)
    for number in itertools.count(1):
        body = event(side, number)
        now = time.time()
        good = sign(body)
        signature, stamp = good["X-Slack-Signature"], good["X-Slack-Request-Timestamp"]
        only_type = {"Content-Type": "application/json"}
        flipped = signature[:-1] + ("0" if signature[-1] != "0" else "1")
        at = chance.randrange(len(body))
        yield body, only_type
        yield body, only_type | {"X-Slack-Request-Timestamp": stamp}
        yield body, only_type | {"X-Slack-Signature": signature}
        yield body, sign(body, secret=SIGNING_SECRET[:-1])
        yield body, sign(body, secret="")
        yield body, sign(body, at=now - 301 - chance.randrange(10**6))
        yield body, sign(body, at=now + 400 + chance.randrange(10**6))
        yield body, sign(event(side, number + 1))
        yield body[:at] + b" " + body[at:], good
        yield body[:-1], good
        for wrong in (flipped, "", "v0=", signature.upper(), signature[3:], signature + "0",
                      "v1" + signature[2:], "v0=" + "é" * 32, "null", "v0=" + "0" * 64):  # fmt: skip
            yield body, good | {"X-Slack-Signature": wrong}
        for wrong in ("", "0", "-1", "1e9", f"{now:.3f}", "x" * 500, "٣" * 10, "9" * 400):
            yield body, good | {"X-Slack-Request-Timestamp": wrong}
        form = {"Content-Type": "application/x-www-form-urlencoded"}
        yield b"ssl_check=1&payload=" + body, form | {"X-Slack-Signature": flipped,
                                                      "X-Slack-Request-Timestamp": stamp}  # fmt: skip
        yield body[:-1] + b', "ssl_check": "1"}', good
        yield b"\xff\xfe" + body, good
        yield b"[" * 2_000, sign(b"[" * 1_999)


def forged_for_telegram(side: TelegramSide) -> Iterator[Forged]:
    """Yield updates without the secret."""
    chance = random.Random(12)
    for number in itertools.count(1):
        ann = {"id": int(side.ann), "is_bot": False, "first_name": "x"}
        message = {"message_id": number, "date": 1, "chat": {"id": 11, "type": "private"},
                   "from": ann, "text": SLEEP}  # fmt: skip
        update = {"update_id": number, "message": message}
        body = json.dumps(update).encode()
        at = chance.randrange(len(SECRET))
        yield body, {}
        for wrong in ("", SECRET[:-1], SECRET + "0", SECRET.upper(), SECRET[:at] + "é" + SECRET[at:],
                      SECRET[::-1], f"Bearer {SECRET}", "null", "*", "é" * 40, "x" * 4_000):  # fmt: skip
            yield body, {HEADER: wrong}
        yield body, {"Authorization": f"Bearer {SECRET}"}
        yield json.dumps(update | {"secret_token": SECRET}).encode(), {}
        yield b"[" * 5_000, {HEADER: "wrong"}


async def post_all(side: Side, path: str, requests: Iterator[Forged]) -> set[int]:
    """Send so many, and return which statuses came back."""
    statuses = set()
    for body, headers in itertools.islice(requests, MANY):
        async with side.session.post(side.where + path, data=body, headers=headers) as answer:
            statuses.add(answer.status)
    return statuses


@only("slack-http")
async def test_no_forged_event_is_accepted(side: SlackSide, web: Web) -> None:
    """And one that Slack has signed is, once, however often it is played back."""
    await side.start()
    assert await post_all(side, "/slack/events", forged_for_slack(side)) <= {400, 401}
    assert (side.texts, web.queries) == ([], [])

    body = event(side, 10**5)
    headers = sign(body)
    for _ in range(3):
        async with side.session.post(
            side.where + "/slack/events", data=body, headers=headers
        ) as answer:
            assert answer.status == 200
    await side.until_text(HANDS)
    assert web.queries == [SLEEP]


@only("telegram-webhook")
async def test_no_forged_update_is_accepted(side: TelegramSide, web: Web) -> None:
    """Neither by another header, nor in the body or the address."""
    await side.start()
    assert await post_all(side, f"/tg?secret={SECRET}", forged_for_telegram(side)) == {401}
    assert (side.texts, web.queries) == ([], [])

    await side.say(SLEEP)
    await side.until_text(HANDS)


@only("slack-http", "telegram-webhook")
async def test_what_is_no_update_is_refused_and_bounded(side: Side) -> None:
    """Large bodies are not read to their end; nothing but POST is there."""
    await side.start()
    assert side.where.startswith("http://127.0.0.1:")  # unless somebody says otherwise
    url = side.where + ("/slack/events" if isinstance(side, SlackSide) else "/tg")
    for size in (2**20 + 1, 8 * 2**20):
        body = b" " * size
        headers = sign(body) if isinstance(side, SlackSide) else {HEADER: SECRET}
        with suppress(aiohttp.ClientError):  # it hangs up on who goes on sending
            async with side.session.post(url, data=io.BytesIO(body), headers=headers) as answer:
                assert answer.status == 413
    for body in (b"", b"{", b"null", b"[]", b'{"update_id": "x"}', b"\xff"):
        headers = {} if isinstance(side, SlackSide) else {HEADER: SECRET}
        async with side.session.post(url, data=body, headers=headers) as answer:
            assert answer.status in (400, 401)
    async with side.session.get(url) as answer:
        assert answer.status == 405
    async with side.session.post(side.where + "/other") as answer:
        assert answer.status in (401, 404)  # Telegram's address may be any
    assert side.texts == []


@only("slack-http")
async def test_the_address_is_verified_without_a_signature(side: SlackSide) -> None:
    """What Slack asks when the address is set up is repeated, and nothing else happens."""
    await side.start()
    url = side.where + "/slack/events"
    body = {"type": "url_verification", "challenge": "3eZbrw1aB10", "token": "x"}
    async with side.session.post(url, json=body) as answer:
        assert await answer.json() == {"challenge": "3eZbrw1aB10"}
    for wrong in ({**body, "challenge": "x" * 600}, {**body, "challenge": ["x"]}):
        async with side.session.post(url, json=wrong) as answer:
            assert answer.status == 401


@only("slack-http", "telegram-webhook")
@pytest.mark.parametrize("value", ["", "not allowed: ü"])
async def test_a_webhook_does_not_start_without_its_secret(side: Side, value: str) -> None:
    """Nobody runs an open one by accident."""
    name = "SLACK_SIGNING_SECRET" if side.channel == "slack" else "TELEGRAM_WEBHOOK_SECRET"
    if side.channel == "slack" and value:
        pytest.skip("Slack's secrets are Slack's")
    side.env[name] = value

    with pytest.raises(ConfigError, match=name):
        await side.start()


@only("slack", "telegram")
async def test_tokens_are_needed_and_checked(side: Side) -> None:
    """Before anything is served; no message quotes one."""
    name = f"{side.channel.upper()}_BOT_TOKEN"
    for value in ("xoxb-wrong-0123456789", "987654321:wrong-0123456789-abcdefghijklmnop", ""):
        side.env[name] = value
        with pytest.raises(Exception, match=name) as raised:
            await side.serve(Settings.load(environ=side.env), lambda _: None)
        assert "0123456789" not in str(raised.value)
