"""Slack: what is read of an event, what a message is sent as, and what its errors mean."""

from __future__ import annotations

import json
import logging
from collections.abc import AsyncIterator
from types import SimpleNamespace
from typing import Any

import aiohttp
import pytest
from slack_sdk.errors import SlackApiError

from kensaku import Settings
from kensaku.assistant.channels import slack
from kensaku.assistant.channels._message import (
    Button,
    Content,
    MessageGone,
    NotDelivered,
    Undeliverable,
)
from kensaku.assistant.channels._webhook import Received, Sent
from kensaku.errors import ChannelFault, ConfigError

from .fake_slack import BOT_TOKEN, SIGNING_SECRET, FakeSlack, open_slack, sign

EVENT = {"type": "message", "user": "U1", "channel": "C1", "text": "hi", "ts": "1.2"}
IN_THREAD = {"channel": "C1", "thread_ts": "1.2"}


@pytest.mark.parametrize(
    ("change", "received"),
    [
        ({}, ("U1", "C1:1.2", "hi", False, IN_THREAD)),
        ({"type": "app_mention"}, ("U1", "C1:1.2", "hi", True, IN_THREAD)),
        (
            {"thread_ts": "1.0"},
            ("U1", "C1:1.0", "hi", False, {"channel": "C1", "thread_ts": "1.0"}),
        ),
        ({"channel_type": "im"}, ("U1", "C1", "hi", True, IN_THREAD)),
        ({"channel": "D1"}, ("U1", "D1", "hi", True, {"channel": "D1", "thread_ts": "1.2"})),
        ({"subtype": "thread_broadcast"}, ("U1", "C1:1.2", "hi", False, IN_THREAD)),
        ({"subtype": "file_share"}, ("U1", "C1:1.2", "hi", False, IN_THREAD)),
        ({"subtype": "channel_join"}, None),
    ],
)
def test_an_event_says_who_speaks_where(change: dict[str, str], received: Any) -> None:
    """A thread of a channel is a conversation, and a direct message with all its threads."""
    assert slack.read_event({**EVENT, **change}, "UBOT") == received


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("<@UBOT> hi", "hi"),
        ("<@U2> hi", "hi"),
        ("<@U2|ann> hi", "ann hi"),
        ("in <#C2|general>", "in general"),
        ("<!here|@here> all", "@here all"),
        ("<https://a.example>", "https://a.example"),
        ("<mailto:a@b.example|a@b>", "mailto:a@b.example"),
        ("1 &lt; 2 &amp;&amp; x", "1 < 2 && x"),
        ("a <> b", "a <> b"),
    ],
)
def test_text_is_read_as_the_person_wrote_it(text: str, read: str) -> None:
    """Without the mention of the bot; other names by their label."""
    received = slack.read_event({**EVENT, "text": text}, "UBOT")

    assert received is not None
    assert received[2] == read


@pytest.mark.parametrize(
    ("body", "challenge"),
    [
        ({"type": "url_verification", "challenge": "x" * 500}, "x" * 500),
        ({"type": "url_verification", "challenge": "x" * 501}, None),
        ({"type": "url_verification", "challenge": 5}, None),
        ({"type": "url_verification"}, None),
        ({"type": "event", "x": "url_verification", "challenge": "y"}, None),
        (["url_verification"], None),
        ({"type": "url_verification", "challenge": "x", "pad": "y" * 4_943}, "x"),  # 5,000 bytes
        ({"type": "url_verification", "challenge": "x", "pad": "y" * 4_944}, None),
    ],
)
async def test_a_challenge_is_repeated_if_it_is_short(body: Any, challenge: str | None) -> None:
    """Of a request that nobody has signed nothing else is answered."""
    raw = json.dumps(body).encode()
    sent = await slack.SignedRequests(None, SIGNING_SECRET)(Received({}, raw))  # type: ignore[arg-type]

    good = Sent(200, json.dumps({"challenge": challenge}), "application/json")
    assert sent == (Sent(401) if challenge is None else good)


@pytest.mark.parametrize(
    "body", [b'{"type": "url_verification"', b'"url_verification"' + b"[" * 4000]
)
async def test_a_broken_challenge_is_none(body: bytes) -> None:
    """It is an unsigned request."""
    sent = await slack.SignedRequests(None, SIGNING_SECRET)(Received({}, body))  # type: ignore[arg-type]

    assert sent.status == 401


@pytest.mark.parametrize(
    ("headers", "body", "status"),
    [
        ({}, b"\xff", 400),
        ({"x-slack-signature": "v0=é"}, b"{}", 401),
        ({"x-slack-request-timestamp": "1" * 13}, b"{}", 401),
        ({}, b"{broken", 400),
    ],
)
async def test_what_is_signed_must_be_readable(
    headers: dict[str, str], body: bytes, status: int
) -> None:
    """400 for what is no text or no JSON, 401 for what is not signed."""
    signed = {name.lower(): value for name, value in sign(body).items()}
    handle = slack.SignedRequests(None, SIGNING_SECRET)  # type: ignore[arg-type]

    assert (await handle(Received({**signed, **headers}, body))).status == status


async def test_what_is_signed_is_answered_as_bolt_does() -> None:
    """Status and body; an empty body is none."""
    done: list[Any] = []

    class App:
        async def async_dispatch(self, request: Any) -> Any:
            done.append(request.body)
            return SimpleNamespace(status=202, body="ok" if len(done) == 1 else None)

    body = b'{"type": "event_callback"}'
    headers = {name.lower(): value for name, value in sign(body).items()}
    handle = slack.SignedRequests(App(), SIGNING_SECRET)  # type: ignore[arg-type]

    assert await handle(Received(headers, body)) == Sent(202, "ok", "application/json")
    assert await handle(Received(headers, body)) == Sent(202, "", "application/json")
    assert done == [{"type": "event_callback"}] * 2


# --- writing


@pytest.fixture
async def service() -> AsyncIterator[FakeSlack]:
    """A workspace on loopback."""
    async with open_slack() as made:
        yield made


@pytest.fixture
async def writer(service: FakeSlack) -> AsyncIterator[slack.SlackWriter]:
    """The writer of a bot there."""
    async with aiohttp.ClientSession() as session:
        client = slack.make_client(f"{service.url}/api", BOT_TOKEN, session)  # type: ignore[arg-type]
        yield slack.SlackWriter(client)


def section(text: str) -> dict[str, Any]:
    """The block of a text."""
    return {"type": "section", "text": {"type": "mrkdwn", "text": text, "verbatim": True}}


async def test_a_message_is_a_section_with_its_buttons(
    writer: slack.SlackWriter, service: FakeSlack
) -> None:
    """The text again for notifications; nothing is parsed, nothing unfurled."""
    content = Content(
        "**Yes?** [1]", {1: "https://a.example/"}, (Button("Yes", "p:1"), Button("No", "c:1"))
    )
    sent = await writer.send({"channel": "C1", "thread_ts": "1.2"}, content)
    await writer.edit({"channel": "C1"}, sent, Content("done"))

    text = "*Yes?* <https://a.example/|[1]>"
    buttons = [
        {
            "type": "button",
            "action_id": f"kensaku-{n}",
            "text": {"type": "plain_text", "text": label},
            "value": f"{value}:1",
        }
        for n, (label, value) in enumerate([("Yes", "p"), ("No", "c")])
    ]
    assert service.calls == [
        (
            "chat.postMessage",
            {
                "channel": "C1", "thread_ts": "1.2", "unfurl_links": False, "unfurl_media": False,
                "text": text, "parse": "none", "link_names": False,
                "blocks": [section(text), {"type": "actions", "elements": buttons}],
            },
        ),
        (
            "chat.update",
            {"channel": "C1", "ts": sent, "text": "done", "parse": "none", "link_names": False,
             "blocks": [section("done")]},
        ),
    ]  # fmt: skip
    assert writer.size(content) == len(text)


@pytest.mark.parametrize(
    ("thread", "place"),
    [
        ("D1", {"channel": "D1", "thread_ts": None}),
        ("C1:1.2", {"channel": "C1", "thread_ts": "1.2"}),
    ],
)
def test_a_conversation_has_a_place(thread: str, place: Any) -> None:
    """A thread of a channel, or a direct message."""
    assert slack.SlackWriter(None).place_of(thread) == place  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        ("message_not_found", MessageGone),
        ("cant_update_message", MessageGone),
        ("edit_window_closed", MessageGone),
        ("message_deleted", MessageGone),
        ("channel_not_found", Undeliverable),
        ("is_archived", Undeliverable),
        ("internal_error", NotDelivered),
        ("ratelimited", NotDelivered),
    ],
)
async def test_an_error_says_whether_to_try_again(error: str, kind: type) -> None:
    """A message that is gone is sent anew; what will never be taken is not tried again."""

    class Client:
        async def chat_postMessage(self, **_: Any) -> Any:
            response = SimpleNamespace(
                get=lambda name, other: {"error": error}.get(name, other),
                headers={"Retry-After": "7"},
            )
            raise SlackApiError("no", response)

    with pytest.raises(NotDelivered) as raised:
        await slack.SlackWriter(Client()).send({"channel": "C1"}, Content("x"))  # type: ignore[arg-type]

    assert type(raised.value) is kind
    assert str(raised.value) == f"Slack says {error}"
    assert raised.value.retry_after == 7.0


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [({"Retry-After": "30"}, 30.0), ({}, 0.0), (None, 0.0), ({"Retry-After": "-1"}, 0.0)],
)
async def test_how_long_slack_asks_to_wait(headers: Any, seconds: float) -> None:
    """Nothing is waited for a header that is no number; an error without a name is unknown."""

    class Client:
        async def chat_update(self, **_: Any) -> Any:
            response = SimpleNamespace(get=lambda _, other: other, headers=headers)
            raise SlackApiError("no", response)

    with pytest.raises(NotDelivered, match="Slack says unknown") as raised:
        await slack.SlackWriter(Client()).edit({"channel": "C1"}, "1.1", Content("x"))  # type: ignore[arg-type]

    assert raised.value.retry_after == seconds


async def test_a_service_out_of_reach_may_come_back(writer: slack.SlackWriter) -> None:
    """Whatever the SDK raises."""

    class Client:
        async def chat_postMessage(self, **_: Any) -> Any:
            raise TimeoutError("secret detail")

    with pytest.raises(NotDelivered) as raised:
        await slack.SlackWriter(Client()).send({"channel": "C1"}, Content("x"))  # type: ignore[arg-type]

    assert str(raised.value) == "Slack is out of reach (TimeoutError)"
    assert type(raised.value) is NotDelivered


# --- starting


@pytest.mark.parametrize(
    ("given", "http", "missing"),
    [
        ({}, None, "SLACK_BOT_TOKEN"),
        ({"slack_bot_token": "t"}, None, "SLACK_APP_TOKEN"),
        ({"slack_bot_token": "t"}, 0, "SLACK_SIGNING_SECRET"),
    ],
)
async def test_a_missing_token_is_named(given: Any, http: int | None, missing: str) -> None:
    """Each transport needs its own; the guide says where to get it."""
    with pytest.raises(ConfigError) as refused:
        await slack.serve_slack(Settings(**given), http=http)

    assert refused.value.message == f"{missing} is not set"
    assert refused.value.remedy == "docs/assistant-slack-telegram.md"


@pytest.mark.parametrize(
    ("url", "token", "told"),
    [
        ("{url}/api/", "xoxb-wrong", "Slack refuses SLACK_BOT_TOKEN: invalid_auth"),
        ("http://127.0.0.1:9/", BOT_TOKEN, "Slack is out of reach (ClientConnectorError)"),
    ],
)
async def test_a_token_that_is_refused_and_a_service_that_is_away(
    url: str, token: str, told: str, service: FakeSlack
) -> None:
    """Two messages: one for the token, one for the network."""
    settings = Settings(
        slack_bot_token=token, slack_app_token="a", slack_api_base_url=url.format(url=service.url)
    )
    with pytest.raises(ChannelFault) as refused:
        await slack.serve_slack(settings)

    assert refused.value.message == told
    assert refused.value.remedy


class Pressed:
    """A bot that says something about every press."""

    def __init__(self, said: str) -> None:
        self.said, self.presses, self.received = said, list[tuple[str, str]](), list[Any]()

    def press(self, person: str, data: str) -> str:
        self.presses.append((person, data))
        return self.said

    def expects(self, person: str, thread: str) -> bool:
        return (person, thread) == ("U1", "C1:1.0")

    async def receive(self, *words: str, **more: Any) -> None:
        self.received.append((*words, more))


async def dispatch(service: FakeSlack, bot: Pressed, body: dict[str, Any]) -> int:
    """Send a signed request to the app of a bot."""
    async with aiohttp.ClientSession() as session:
        client = slack.make_client(f"{service.url}/api/", BOT_TOKEN, session)  # type: ignore[arg-type]
        handle = slack.SignedRequests(
            slack.make_app(bot, client, SIGNING_SECRET, "UBOT"),
            SIGNING_SECRET,  # type: ignore[arg-type]
        )
        raw = json.dumps(body).encode()
        headers = {name.lower(): value for name, value in sign(raw).items()}
        return (await handle(Received(headers, raw))).status


PRESS = {
    "type": "block_actions", "user": {"id": "U1"}, "team": {"id": "T1"}, "api_app_id": "A1",
    "channel": {"id": "C1"}, "message": {"ts": "1.2", "thread_ts": "1.0"},
    "actions": [{"type": "button", "action_id": "kensaku-0", "block_id": "b", "value": "skip:r:q"}],
}  # fmt: skip


@pytest.mark.parametrize("said", ["", "This question is not open any more."])
async def test_a_press_goes_to_the_bot_and_its_words_to_that_person(
    said: str, service: FakeSlack
) -> None:
    """Nobody else sees them; without words nothing is sent."""
    bot = Pressed(said)
    assert await dispatch(service, bot, PRESS) == 200

    assert bot.presses == [("U1", "skip:r:q")]
    whispered = service.calls_of("chat.postEphemeral")
    assert whispered == (
        [{"channel": "C1", "user": "U1", "text": said, "thread_ts": "1.0"}] if said else []
    )


async def test_words_that_cannot_be_whispered_are_left_out(
    service: FakeSlack, caplog: pytest.LogCaptureFixture
) -> None:
    """The press was taken."""
    service.down = True
    caplog.set_level(logging.INFO, "kensaku.assistant.channels.slack")
    assert await dispatch(service, Pressed("closed"), PRESS) == 200

    assert "nobody was told that a button did nothing: SlackApiError" in caplog.text


@pytest.mark.parametrize(
    ("change", "taken"),
    [
        ({"type": "app_mention"}, True),
        ({"type": "message"}, False),
        ({"type": "message", "thread_ts": "1.0"}, True),  # an open question waits there
        ({"type": "message", "thread_ts": "1.0", "user": "U2"}, False),
        ({"type": "message", "channel": "D1", "channel_type": "im"}, True),
        ({"type": "app_mention", "bot_id": "B2"}, False),
    ],
)
async def test_an_event_goes_to_the_bot_if_it_is_for_us(
    change: dict[str, str], taken: bool, service: FakeSlack
) -> None:
    """With the id of the message: a mention comes as two events."""
    event = {**EVENT, **change}
    bot = Pressed("")
    await dispatch(
        service, bot, {"type": "event_callback", "team_id": "T1", "event": event, "event_id": "E"}
    )

    person, thread, text, _, place = slack.read_event({**event, "bot_id": None}, "UBOT") or ()
    more = {"update": f"{event['channel']}:1.2", "place": place}
    assert bot.received == ([(person, thread, text, more)] if taken else [])
