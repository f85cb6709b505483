"""What both services promise: who may speak, what a press does, what people are told, and when."""

from __future__ import annotations

import asyncio
import json
import logging
from typing import Any

import pytest
from sqlalchemy import select

from kensaku import Settings
from kensaku.database import Database
from kensaku.database.tables import RUNS
from kensaku.testing import FakeUpstream, faults
from tests.answers.conftest import Model, Web
from tests.assistant.conftest import BOTH, PLAN, WHICH, age, eventually, without
from tests.search.support import until

from .conftest import only
from .sides import Side
from .test_chat import HANDS, SLEEP, until_ended

ASK = {"KENSAKU_ASSISTANT_APPROVALS": "web_search=ask"}
CLOSED = "This question is not open any more."
NOT_YOURS = "Only the person who asked can answer this."
either = only("slack-http", "telegram-webhook")


async def open_database(side: Side) -> Database:
    """The database of the bot, as another process sees it."""
    return await Database.open(Settings.load(environ=side.env))


async def states(db: Database) -> list[str]:
    """The states of all runs."""
    async with db.read() as connection:
        return list((await connection.scalars(select(RUNS.c.state))).all())


async def test_a_message_is_confirmed_when_it_is_stored(side: Side, upstream: FakeUpstream) -> None:
    """And not before: the service would not send it again."""
    upstream.heals("tavily")
    upstream.fails("tavily", faults.hang())
    await side.start()
    await side.say(SLEEP, update=7)
    await side.until_confirmed(7)

    db = await open_database(side)
    assert await states(db) == ["running"]
    await db.close()


@either
@pytest.mark.parametrize(("allowed", "answers"), [("*", 1), ("", 0), ("*UANN,*11,UAN,1", 0)])
async def test_everybody_or_nobody_may_speak(
    allowed: str, answers: int, side: Side, web: Web, caplog: pytest.LogCaptureFixture
) -> None:
    """Nobody, unless somebody says so; a star counts by itself alone."""
    caplog.set_level(logging.WARNING, "kensaku.assistant.channels")
    await side.start(**{f"KENSAKU_ALLOW_{side.channel.upper()}": allowed})
    await side.say(SLEEP)
    if answers:
        await side.until_text(HANDS)

    assert (len(side.texts), len(web.queries)) == (answers, answers)
    assert (side.ann in caplog.text) is not bool(answers)


@either
async def test_a_press_counts_for_the_person_who_was_asked_and_once(side: Side, web: Web) -> None:
    """Whatever data a client makes up; whoever presses in vain is told why, alone."""
    await side.start(**ASK)
    await side.say(SLEEP)
    yes = await side.until_asked("Yes")
    _, run, question = yes.split(":")
    for data in (f"explode:{run}:{question}", "", "x" * 900, "proceed"):
        await side.press(data)
    await side.press(yes, "99" if side.channel == "telegram" else "UEVE")
    closed = len(side.told)
    await side.press(f"proceed:{run}:unknown")
    await side.press(f"proceed:unknown:{question}")
    await side.press(yes, side.ben)
    await side.press(f"cancel:{run}:", side.ben)
    assert side.told[closed:] == [CLOSED, CLOSED, NOT_YOURS, NOT_YOURS]
    assert set(side.told[:closed]) <= {CLOSED}
    assert web.queries == []

    side.refuse_everything()  # also the words to Ben, which are a courtesy
    await side.press(yes, side.ben)
    side.accept_everything()
    await side.press(yes)
    await side.until_text(HANDS)
    await side.press(yes)
    assert side.told[-1] == CLOSED
    assert web.queries == [SLEEP]


@either
async def test_what_cannot_be_taken_is_said(side: Side, caplog: pytest.LogCaptureFixture) -> None:
    """Wrong usage in its own words; a database that is away without its own, which are logged."""
    await side.start()
    await side.say("x" * 4_001)
    assert "4,001 characters" in side.texts[-1]

    db = await open_database(side)
    async with without(db, "kensaku_runs"):
        await side.say(SLEEP)
    await db.close()
    assert side.texts[-1] == (
        "This went wrong; nothing is known about the answer. Please ask again."
    )
    assert "a message could not be stored" in caplog.text


# --- what a message shows


@either
async def test_a_question_of_the_plan_is_shown_with_its_options(
    side: Side, model: Model, web: Web
) -> None:
    """By number; a button for each choice that needs no words."""
    model.says("Plan", {**PLAN, "ask_user": [WHICH]})
    environ = {f"KENSAKU_{name.upper()}": value for name, value in model.settings.items()}
    await side.start(**environ)
    await side.say(BOTH)
    await side.until_asked("Skip")

    lines = [line for line in side.texts[-1].splitlines() if line]
    assert "Which otters?" in lines[0]
    assert lines[1:3] == ["1. sea", "2. river"]
    assert "there are several" in lines
    assert list(side.buttons) == ["Skip", "Cancel"]
    await side.say("2")
    await until(lambda: len(model.asked("Plan")) == 2)
    assert "river" in str(model.asked("Plan")[1])


@either
async def test_a_status_is_short_and_edited_once_a_second(
    side: Side, model: Model, web: Web
) -> None:
    """Six calls at most; however many there are, the services are not flooded."""
    searches = [{"question": f"What of zzyzx {n}?", "queries": [f"zzyzx {n}", f"zz {n}"]}
                for n in range(4)]  # fmt: skip
    model.says("Plan", {"questions": searches})
    environ = {f"KENSAKU_{name.upper()}": value for name, value in model.settings.items()}
    await side.start(**environ, KENSAKU_ASSISTANT_APPROVALS="web_extract=never")
    loop = asyncio.get_running_loop()
    began = loop.time()
    await side.say(BOTH)
    skip = await side.until_asked("Skip")  # nothing answers: can the person help?
    assert side.count("edit") <= loop.time() - began + 1
    await side.press(skip)
    await until(lambda: side.buttons == {})

    assert len(web.queries) > 6
    assert side.texts[-1].count("•") == 0
    shown = [str(values.get("text")) for _, values in side.service.calls]  # type: ignore[attr-defined]
    assert max(text.count("•") for text in shown) <= 6


# --- services that do not take it


@either
async def test_a_service_that_is_busy_is_asked_again(side: Side) -> None:
    """After the second that it wants; the answer is shown in one message."""
    await side.start()
    side.refuse("busy", 2, seconds=1)
    await side.say(SLEEP)
    await side.until_text(HANDS)

    assert len(side.texts) == 1


@either
async def test_a_chat_that_is_gone_is_not_tried_again(side: Side) -> None:
    """Neither by this process nor by the next."""
    await side.start()
    side.refuse("gone", 9)
    await side.say(SLEEP)
    await until_ended(side)
    db = await open_database(side)

    async def delivered() -> bool:
        async with db.read() as connection:
            memory = await connection.scalar(select(RUNS.c.memory))
        return bool(json.loads(memory or "{}").get("delivered"))

    await eventually(delivered)
    await side.stop()
    side.service.refusals.clear()  # type: ignore[attr-defined]
    tried = side.count("send")
    await side.start()
    await side.say("x" * 4_001, side.ben)  # taken after whatever was left

    assert side.count("send") == tried + 1
    assert len(side.texts) == 1
    await db.close()


@either
async def test_a_run_that_was_cancelled_unseen_is_told_later(
    side: Side, upstream: FakeUpstream
) -> None:
    """The service was down; the next process says so, in the language of the question."""
    upstream.heals("tavily")
    upstream.fails("tavily", faults.hang())
    await side.start()
    side.refuse_everything()
    await side.say("ラッコはどうやって眠りますか？")
    await until(lambda: upstream.asked("tavily"))
    await side.say("中止")
    db = await open_database(side)

    async def ended() -> bool:
        return await states(db) == ["cancelled"]

    await eventually(ended)
    await side.stop()
    side.accept_everything()
    await age(db, "lease")
    await db.close()
    await side.start()

    await side.until_text("取り消しました。")


@either
async def test_a_database_that_was_away_is_looked_at_again(
    side: Side, clock: Any, caplog: pytest.LogCaptureFixture
) -> None:
    """What a killed process left behind is gone on with then."""
    await side.start(**ASK)
    await side.say(SLEEP)
    await side.until_asked("Yes")
    await side.stop()
    side.service.messages.clear()  # type: ignore[attr-defined]
    db = await open_database(side)
    async with without(db, "kensaku_runs"):
        await side.start(**ASK)
        await until(lambda: "unfinished runs were not looked for" in caplog.text)
    await age(db, "lease")
    await db.close()
    clock.advance(5)

    assert await side.until_asked("Yes")
    await asyncio.sleep(0)
