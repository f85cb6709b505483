"""One conversation through every channel: the same questions, calls, words and records."""

from __future__ import annotations

import pkgutil
import re
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from kensaku import Hit
from kensaku.database import Database
from kensaku.database.conversations import list_conversations, messages_of
from kensaku.database.people import list_decisions
from kensaku.testing import FakeUpstream
from tests.answers.conftest import Web
from tests.server.conftest import make_server as make_server

from . import parity
from .parity import Stage, Turn

CHANNELS = sorted({m.name for m in pkgutil.iter_modules(parity.__path__)} - {"plain", "_bots"})
QUESTION = "Pythonの非同期プログラミングについて検索して"
TEXT = (
    "Pythonの非同期プログラミングでは、asyncioがコルーチンをイベントループで実行します。"
    "待ち時間に他の処理を進めます。"
)
URL = "https://docs.example/asyncio"
SCRIPT = (QUESTION, "はい", "では、コルーチンは何が実行しますか？", "はい")
SETTINGS: dict[str, Any] = {"assistant_approvals": ("web_search=ask",), "assistant_fetches": 0}


@pytest.fixture
async def stage(make_server: Any, upstream: FakeUpstream, web: Web, machine: Path) -> Stage:
    """A server over a small web, whose searches need consent."""
    web.finds("Python", Hit(URL, "Pythonの非同期プログラミング入門", TEXT, score=0.95))
    server = await make_server(**SETTINGS)
    env = {
        **upstream.environment("tavily", rate="100000/s"),
        "WEB_SEARCH_PROVIDER": "tavily",
        "KENSAKU_HOME": str(machine),
        "KENSAKU_ASSISTANT_APPROVALS": "web_search=ask",
        "KENSAKU_ASSISTANT_FETCHES": "0",
    }
    return Stage(server.client, server.url, server.owner, env)


async def hold(name: str, stage: Stage) -> list[Turn]:
    """Hold the conversation in a channel."""
    driver = import_module(f"{parity.__name__}.{name}")
    async with driver.open_channel(stage) as channel:
        return [await channel.say(text) for text in SCRIPT]


async def stored(name: str, db: Database) -> tuple[Any, Any]:
    """Return what a channel has kept: the messages with their steps, and what was decided."""
    (conversation,) = await list_conversations(db, "", name)
    messages = await messages_of(db, conversation.id)
    said = [(m.role, m.text, _steps(m.answer)) for m in messages]
    async with db.read() as connection:
        from sqlalchemy import select

        from kensaku.database.tables import MESSAGES

        person = await connection.scalar(
            select(MESSAGES.c.person).where(MESSAGES.c.conversation == conversation.id)
        )
    trail = await list_decisions(db, "", name, person or "")
    return said, sorted((d["kind"], d["tool"], d["decision"]) for d in trail)


def _steps(answer: Any) -> list[tuple[str, str]]:
    return [(s["tool"], s["outcome"]) for s in (answer or {}).get("steps", ())]


def _flat(text: str) -> str:
    """A text without white space and marks, which channels show in their own ways."""
    return re.sub(r"\s|\[\d+\]", "", text)


@pytest.mark.parametrize("name", CHANNELS)
async def test_a_channel_shows_what_the_run_did(name: str, stage: Stage) -> None:
    """Consent is asked for, given, and each answer has its words, doubt and sources."""
    wanted, seen = await hold("plain", stage), await hold(name, stage)

    assert [t.asked for t in wanted] == [(("web_search", QUESTION),), (), wanted[2].asked, ()]
    assert [t.asked for t in seen] == [t.asked for t in wanted]
    assert [t.tools for t in seen] in ([t.tools for t in wanted], [None] * len(SCRIPT))
    for plain, shown in zip(wanted, seen, strict=True):
        assert _flat(plain.said.removesuffix(f"\n{URL}")) in _flat(shown.said)
        assert _flat(plain.doubt) in _flat(shown.said)
        assert URL in shown.said or not plain.said
    assert wanted[3].doubt
    db = await Database.open(stage.client.settings)
    channel = import_module(f"{parity.__name__}.{name}").NAME
    if channel:
        assert await stored(channel, db) == await stored("plain", db)
    await db.close()
