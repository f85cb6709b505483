"""Slack: mentions and threads, what a person wrote, what is shown, and what keeps it from starting."""

from __future__ import annotations

from typing import Any

import pytest

from kensaku import Settings
from kensaku.errors import ChannelFault, ConfigError
from kensaku.testing import FakeUpstream, faults
from tests.answers.conftest import Web
from tests.search.support import until

from .conftest import only
from .fake_slack import BOT_TOKEN, open_slack, sign
from .sides import SlackSide
from .test_chat import HANDS, SLEEP

IN_CHANNEL = {"channel": "C1", "channel_type": "channel"}


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


@only("slack-http")
async def test_nobody_stops_the_run_of_another(side: SlackSide, upstream: FakeUpstream) -> None:
    """A word in the same thread is that of the person who says it."""
    upstream.heals("tavily")
    upstream.fails("tavily", faults.hang())
    await side.start()
    await side.say(f"<@UBOT> {SLEEP}", type="app_mention", update=6, **IN_CHANNEL)
    await until(lambda: upstream.asked("tavily"))
    thread = {**IN_CHANNEL, "thread_ts": "1600000000.000006"}
    await side.say("<@UBOT> stop", side.ben, type="app_mention", **thread)
    assert not any("Cancelled" in text for text in side.texts)
    await side.say("<@UBOT> Stop!", type="app_mention", **thread)

    await side.until_text("Cancelled", 0)
    assert len(side.texts) == 1


@only("slack-http")
async def test_bots_edits_and_empty_messages_are_ignored(side: SlackSide, web: Web) -> None:
    """Two bots would talk to each other for ever."""
    await side.start()
    events: list[dict[str, Any]] = [
        {"bot_id": "B2"}, {"subtype": "bot_message"}, {"subtype": "message_changed"},
        {"subtype": "message_deleted"}, {"subtype": "channel_join"}, {"user": "UBOT"},
        {"user": None}, {"text": " <@UBOT> "}, {"ts": ""}, {"channel": None},
    ]  # fmt: skip
    for event in events:
        await side.say(**{"text": SLEEP, **event})  # type: ignore[arg-type]
    assert (side.texts, web.queries) == ([], [])

    for subtype in ("thread_broadcast", "file_share"):
        await side.say(SLEEP, subtype=subtype)
    await until(lambda: sum(HANDS in text for text in side.texts) == 2)


@only("slack-http")
async def test_what_a_person_wrote_is_read_as_they_wrote_it(side: SlackSide, web: Web) -> None:
    """Slack escapes it, and marks addresses and names; the mention of the bot is not a part of it."""
    await side.start()
    for number, (text, read) in enumerate([
        ("<@UBOT> how do otters sleep?", "how do otters sleep?"),
        ("<@U2> does <@U3|Ann> sleep?", "does Ann sleep?"),
        ("do they sleep in <#C2|general> <!here|@here>?", "do they sleep in general @here?"),
        ("is 1 &lt; 2 &amp;&amp; sleep &gt; 0?", "is 1 < 2 && sleep > 0?"),
        ("do a <> b sleep?", "do a <> b sleep?"),
    ]):  # fmt: skip
        await side.say(text, type="app_mention", update=100 + number, **IN_CHANNEL)
        await until(lambda: read in web.queries)  # noqa: B023
    await side.say(f"Sleep? <{web.upstream.url}/p/sleep?x=1&amp;y=2|a.example>", update=200)

    await until(lambda: any(r.target == "/p/sleep?x=1&y=2" for r in web.upstream.requests))


@only("slack-http")
async def test_what_is_signed_must_be_readable(side: SlackSide) -> None:
    """What is no text or no JSON is refused; one that nests deep is, too."""
    await side.start()
    for body in (b"\xff", b"{broken", b"[" * 100_000):
        url = side.where + "/slack/events"
        async with side.session.post(url, data=body, headers=sign(body)) as answer:
            assert answer.status == 400


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
    from kensaku.assistant.channels.slack import serve_slack

    with pytest.raises(ConfigError, match=f"^{missing} is not set") as refused:
        await serve_slack(Settings(**given), http=http)

    assert "docs/assistant-slack-telegram.md" in refused.value.remedy


@pytest.mark.parametrize(
    ("url", "token", "told"),
    [
        ("{url}/api/", "xoxb-wrong", "SLACK_BOT_TOKEN: invalid_auth"),
        ("http://127.0.0.1:9/", BOT_TOKEN, "out of reach"),
    ],
)
async def test_a_token_that_is_refused_and_a_service_that_is_away(
    url: str, token: str, told: str
) -> None:
    """Two messages: one for the token, one for the network; neither has the token."""
    from kensaku.assistant.channels.slack import serve_slack

    async with open_slack() as service:
        settings = Settings(
            slack_bot_token=token, slack_app_token="a",
            slack_api_base_url=url.format(url=service.url),
        )  # fmt: skip
        with pytest.raises(ChannelFault, match=told) as refused:
            await serve_slack(settings)

    assert refused.value.remedy
    assert token not in str(refused.value)
