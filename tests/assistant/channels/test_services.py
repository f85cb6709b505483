"""What only one of the services has: Slack's threads and mentions, Telegram's groups."""

from __future__ import annotations

from typing import Any

import pytest

from kensaku import Settings
from kensaku.assistant.channels.slack import read_event
from kensaku.assistant.channels.telegram import serve_telegram
from kensaku.database import Database, runs
from kensaku.database.conversations import Sender
from tests.research.conftest import Web
from tests.search.support import until

from .conftest import only
from .fake_telegram import OWN
from .sides import Side, SlackSide, TelegramSide
from .test_chat import HANDS, SLEEP, expire_leases

IN_CHANNEL = {"channel": "C1", "channel_type": "channel"}
GROUP = {"chat": {"id": -5, "type": "group", "title": "g"}}


@only("slack")
async def test_a_mention_is_answered_in_its_thread(side: SlackSide, web: Web) -> None:
    """And a follow-up there by its topic. Slack sends each mention as two events."""
    await side.start()
    for kind in ("app_mention", "message"):
        await side.say(f"<@UBOT> {SLEEP}", type=kind, update=5, **IN_CHANNEL)
    await side.until_text(HANDS)
    root = "1600000000.000005"
    await side.say(
        "<@UBOT> And what do they eat?", type="app_mention", thread_ts=root, **IN_CHANNEL
    )
    await until(lambda: len(web.queries) > 1 and len(side.texts) == 2)

    sent = side.service.calls_of("chat.postMessage")
    assert [(m["channel"], m["thread_ts"]) for m in sent] == [("C1", root)] * 2
    assert web.queries[0] == SLEEP
    assert "otters" in web.queries[1]


@only("slack")
async def test_only_words_to_the_bot_are_read_in_a_channel(side: SlackSide, web: Web) -> None:
    """A reply to an open question needs no mention; other talk in the thread is not ours."""
    await side.start(KENSAKU_ASSISTANT_APPROVALS="web_search=ask")
    thread = {**IN_CHANNEL, "thread_ts": "1600000000.000006"}
    await side.say("What do otters eat?", **thread)
    await side.say(f"<@UBOT> {SLEEP}", type="app_mention", update=6, **IN_CHANNEL)
    await side.until_asked("Yes")
    await side.say("yes", side.ben, **thread)
    assert web.queries == []
    await side.say("yes", **thread)
    await side.until_text(HANDS)

    assert len(side.texts) == 1
    assert web.queries == [SLEEP]


@only("slack")
async def test_nothing_that_slack_shows_is_unfurled(side: SlackSide) -> None:
    """No preview, no name looked up, no address in plain text made a link."""
    await side.start()
    await side.say(SLEEP)
    await side.until_text(HANDS)

    (sent,) = side.service.calls_of("chat.postMessage")
    assert (sent["unfurl_links"], sent["unfurl_media"]) == (False, False)
    for call in (sent, *side.service.calls_of("chat.update")):
        assert (call["parse"], call["link_names"]) == ("none", False)
        sections = [b for b in call["blocks"] if b["type"] == "section"]
        assert all(s["text"]["verbatim"] for s in sections)


@pytest.mark.parametrize(
    "event",
    [
        {"bot_id": "B2"}, {"subtype": "bot_message"}, {"subtype": "message_changed"},
        {"subtype": "message_deleted"}, {"user": "UBOT"}, {"user": None}, {"text": " <@UBOT> "},
        {"ts": ""}, {"channel": None},
    ],
)  # fmt: skip
def test_bots_edits_and_empty_messages_are_ignored(event: dict[str, Any]) -> None:
    """Two bots would talk to each other for ever."""
    usual = {"type": "message", "channel": "D1", "user": "U1", "text": "x", "ts": "1.1"}

    assert read_event(usual, "UBOT") is not None
    assert read_event({**usual, **event}, "UBOT") is None


def test_what_a_person_wrote_is_read_back() -> None:
    """Slack escapes it, and marks addresses and names."""
    text = "<@UBOT> is <https://a.example/?x=1&amp;y=2|a.example> &lt;b&gt; for <@U2|ann>?"
    received = read_event({"channel": "D1", "user": "U1", "text": text, "ts": "1.1"}, "UBOT")

    assert received is not None
    assert received[2] == "is https://a.example/?x=1&y=2 <b> for ann?"


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
    side.serve = lambda settings, ready: serve_telegram(  # type: ignore[method-assign]
        settings, webhook=0, url="https://bot.example/tg", ready=ready
    )
    await side.start()

    (call,) = side.service.calls_of("setWebhook")
    assert call["url"] == "https://bot.example/tg"
    assert call["secret_token"] == side.env["TELEGRAM_WEBHOOK_SECRET"]
    assert call["allowed_updates"] == ["message", "callback_query"]


@only("slack", "telegram")
@pytest.mark.parametrize("thread", ["direct", "channel"])
async def test_a_run_is_answered_where_it_was_asked_although_nothing_is_remembered(
    side: Side, thread: str
) -> None:
    """Its process was killed right after it had stored the question."""
    slack = {"direct": "D1", "channel": "C1:1600000000.000001"}
    telegram = {"direct": "11", "channel": f"-5:3:{side.ann}"}
    where = (slack if side.channel == "slack" else telegram)[thread]
    database = await Database.open(Settings.load(environ=side.env))
    sender = Sender(side.channel, side.ann, where)
    await runs.begin(database, "r" * 24, sender, SLEEP, {}, owner="gone")
    await database.close()
    await expire_leases(side)
    await side.start()
    await side.until_text(HANDS)

    (sent,) = (v for name, v in side.service.calls if name in ("chat.postMessage", "sendMessage"))  # type: ignore[attr-defined]
    got = (
        sent.get("channel"),
        sent.get("thread_ts"),
        sent.get("chat_id"),
        sent.get("message_thread_id"),
    )
    assert (
        got
        == {
            "D1": ("D1", None, None, None),
            "C1:1600000000.000001": ("C1", "1600000000.000001", None, None),
            "11": (None, None, "11", None),
            f"-5:3:{side.ann}": (None, None, "-5", "3"),
        }[where]
    )


@only("slack", "telegram")
async def test_a_question_about_a_long_text_fits_into_a_message(side: Side, web: Web) -> None:
    """The services refuse more than they take, and the person would never be asked."""
    await side.start(KENSAKU_ASSISTANT_APPROVALS="web_search=ask")
    await side.say(SLEEP + " & <x> " * 500)
    await side.until_asked("Yes")

    assert "web_search" in side.texts[0]
