"""Slack and Telegram, by each transport: the same conversation, the same bounds, one reply."""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Callable
from html import unescape
from typing import Any

import pytest
from sqlalchemy import select

from kensaku import Settings
from kensaku.database import Database, runs
from kensaku.database.conversations import Sender
from kensaku.database.tables import RUNS
from kensaku.testing import FakeUpstream, faults
from tests.answers.ask.poison import FACT
from tests.answers.conftest import Model, Web
from tests.answers.obedient import ORDER, QUESTION, Obedient
from tests.assistant.conftest import age
from tests.search.support import until

from .conftest import only
from .sides import Side, SlackSide

SLEEP = "How do sea otters sleep?"
HANDS = "hold hands while they sleep"
JAPANESE = "Pythonの非同期プログラミングについて検索して"
ASYNC = (
    "Pythonの非同期プログラミングは、asyncioライブラリとasync/await構文で書きます。"
    "Pythonの非同期プログラミングでは、イベントループが複数のコルーチンを並行に実行します。"
)


async def test_a_question_in_japanese_is_answered_in_japanese_with_sources(
    side: Side, web: Web
) -> None:
    """The specifications' manual check, in both services."""
    url = web.has("非同期", "/p/async", "Pythonの非同期プログラミング", ASYNC)
    await side.start()
    await side.say(JAPANESE)

    await until(lambda: "出典" in side.texts[-1] if side.texts else False)
    assert "コルーチン" in side.texts[-1] or "asyncio" in side.texts[-1].replace("\u2060", "")
    assert set(side.links) == {url}
    assert len(side.texts) == 1  # edited, not flooded
    assert side.count("send") == 1


async def test_what_a_poisoned_page_wants_is_not_sent(side: Side, web: Web) -> None:
    """A model obeys it: no image, no link but to the page, none of its rules."""
    url = web.has("otters|hands", "/p/evil", "How otters sleep", f"{FACT} {ORDER}")
    model = Obedient()
    async with model.server:
        named = {f"KENSAKU_{n.upper()}": str(v) for n, v in model.settings.items()}
        await side.start(**named)
        await side.say(QUESTION)
        await until(lambda: bool(side.texts) and url in side.links)
        await side.stop()

    assert "hold hands" in side.texts[-1]
    assert set(side.links) == {url}
    assert "javascript:" not in side.texts[-1]
    assert "?d=" not in side.texts[-1]
    assert not any(rules[:100] in unescape(side.texts[-1]) for rules in model.rules)


async def test_the_same_update_ten_times_is_one_reply(side: Side, web: Web) -> None:
    """Also after a restart: services deliver at least once."""
    await side.start()
    for _ in range(10):
        await side.say(SLEEP, update=7)
    await side.until_text(HANDS)
    await side.stop()
    await side.start()
    await side.say(SLEEP, update=7)
    await side.say("What do sea otters eat?", side.ben)  # taken after it
    await side.until_text("urchins")

    assert len(side.texts) == 2
    assert web.queries.count(SLEEP) == 1


async def test_strangers_are_ignored_and_named_once_in_the_log(
    side: Side, caplog: pytest.LogCaptureFixture, web: Web
) -> None:
    """Nobody may speak at first, and the log says which id to add where."""
    caplog.set_level(logging.WARNING, "kensaku.assistant.channels")
    await side.start(**{f"KENSAKU_ALLOW_{side.channel.upper()}": side.ben})
    for _ in range(3):
        await side.say(SLEEP)
    await side.say("What do sea otters eat?", side.ben)
    await side.until_text("urchins")

    assert len(side.texts) == 1
    named = [r.getMessage() for r in caplog.records if side.ann in r.getMessage()]
    assert len(named) == 1
    assert f"KENSAKU_ALLOW_{side.channel.upper()}" in named[0]
    assert SLEEP not in web.queries


async def test_a_run_is_cancelled_by_a_word_or_by_the_button(
    side: Side, upstream: FakeUpstream
) -> None:
    """The message says so, and the run is not taken up again."""
    upstream.heals("tavily")
    upstream.fails("tavily", faults.hang())
    await side.start()
    await side.say(SLEEP)
    stop = await side.until_asked("Stop")
    await until(lambda: upstream.asked("tavily"))
    await side.press(stop)
    await side.until_text("Cancelled")
    await side.say(SLEEP)
    await side.until_asked("Stop")
    await side.say("stop")
    await side.until_text("Cancelled", 1)

    assert len(side.texts) == 2


async def test_a_flood_is_bounded_and_complained_about_once(
    side: Side, upstream: FakeUpstream, web: Web
) -> None:
    """A hundred messages of one person; the other one is answered."""
    await side.start()
    await side.say(SLEEP, side.ben)
    await side.until_text(HANDS)
    upstream.heals("tavily")
    upstream.fails("tavily", faults.hang())
    for n in range(100):
        await side.say(f"{SLEEP} {n}")
    await side.say("cancel", side.ben)
    await until(lambda: sum("Too many" in text for text in side.texts) == 1)
    asked = [text for text in side.texts if "Searching" in text]

    assert len(asked) <= 20
    assert sum("Too many" in text for text in side.texts) == 1


@only("slack-http", "telegram-webhook")
async def test_a_long_answer_is_split_within_the_bounds(side: Side, model: Model) -> None:
    """The services refuse more; every part is shown once, in order, with its markup escaped."""
    said = [f"Otter <b>{n}</b> & friends hold hands" for n in range(200)]
    quote = '[1: "Sea otters hold hands while they sleep"]'
    model.says("Answer", " ".join(f"{text} {quote}." for text in said))
    await side.start(**{f"KENSAKU_{name.upper()}": v for name, v in model.settings.items()})
    await side.say(SLEEP)
    await until(lambda: len(side.texts) > 1 and "Sources" in side.texts[-1])

    shown = re.findall(r"Otter\W+b\W+(\d+)", "".join(map(unescape, side.texts)))
    assert [int(n) for n in shown] == list(range(200))


async def test_a_restart_goes_on_in_the_same_message(side: Side, web: Web) -> None:
    """The next process asks what was open, where it was asked."""
    await side.start(KENSAKU_ASSISTANT_APPROVALS="web_search=ask")
    await side.say(SLEEP)
    await side.until_asked("Yes")
    await side.stop()
    await expire_leases(side)
    edits = side.count("edit")
    await side.start(KENSAKU_ASSISTANT_APPROVALS="web_search=ask")
    await until(lambda: side.count("edit") > edits)
    await side.press(await side.until_asked("Yes"))
    await side.until_text(HANDS)

    assert len(side.texts) == 1
    assert side.count("send") == 1
    assert web.queries == [SLEEP]


async def expire_leases(side: Side) -> None:
    """As if the process that had the runs were long gone."""
    database = await Database.open(Settings.load(environ=side.env))
    await age(database, "lease")
    await database.close()


async def test_an_answer_that_was_not_delivered_is_delivered_later(side: Side) -> None:
    """The service was down when the run ended: nothing is lost, nothing comes twice."""
    await side.start()
    side.refuse_everything()
    await side.say(SLEEP)
    await until_ended(side)
    await side.stop()
    side.accept_everything()
    assert side.texts == []
    await expire_leases(side)
    await side.start()
    await side.until_text(HANDS)

    assert len(side.texts) == 1


async def until_ended(side: Side) -> None:
    """Wait for the end of a run in the database."""
    await _until_stored(side, RUNS.c.state, lambda state: state == "done")


async def until_remembered(side: Side) -> None:
    """Wait until the database has which message a run is shown in."""
    await _until_stored(side, RUNS.c.memory, lambda memory: "messages" in (memory or ""))


async def _until_stored(side: Side, column: Any, holds: Callable[[Any], bool]) -> None:
    database = await Database.open(Settings.load(environ=side.env))
    async with asyncio.timeout(60):
        while True:
            async with database.read() as connection:
                if holds(await connection.scalar(select(column))):
                    break
            await asyncio.sleep(0.01)
    await database.close()


@only("slack", "telegram")
async def test_a_message_that_was_deleted_is_sent_again(side: Side) -> None:
    """An edit of nothing is no answer."""
    await side.start(KENSAKU_ASSISTANT_APPROVALS="web_search=ask")
    await side.say(SLEEP)
    yes = await side.until_asked("Yes")
    side.service.messages.clear()  # type: ignore[attr-defined]
    if isinstance(side, SlackSide):
        side.service.messages["0"] = {"channel": "D1", "text": "", "blocks": []}
    await side.press(yes)

    await side.until_text(HANDS)


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
    names = ("channel", "thread_ts", "chat_id", "message_thread_id")
    addresses = {
        "D1": {"channel": "D1"},
        "C1:1600000000.000001": {"channel": "C1", "thread_ts": "1600000000.000001"},
        "11": {"chat_id": "11"},
        f"-5:3:{side.ann}": {"chat_id": "-5", "message_thread_id": "3"},
    }
    assert {name: sent[name] for name in names if sent.get(name)} == addresses[where]


@only("slack", "telegram")
async def test_a_question_about_a_long_text_fits_into_a_message(side: Side, web: Web) -> None:
    """The services refuse more than they take, and the person would never be asked."""
    await side.start(KENSAKU_ASSISTANT_APPROVALS="web_search=ask")
    await side.say(SLEEP + " & <x> " * 500)
    await side.until_asked("Yes")

    assert "web_search" in side.texts[0]
