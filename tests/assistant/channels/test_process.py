"""`kensaku slack` and `kensaku telegram` as processes: killed, they go on in the same message."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator

import pytest

from kensaku.testing import FakeUpstream, faults
from tests.answers.conftest import SLEEP as SLEEPING
from tests.answers.conftest import Web
from tests.search.support import until

from . import fake_slack, fake_telegram
from .conftest import only
from .sides import Side
from .test_chat import ASYNC, HANDS, JAPANESE, SLEEP, expire_leases, until_ended, until_remembered

MAIN = "import sys; from kensaku.cli import main; sys.exit(main())"
SECRETS = (
    fake_slack.BOT_TOKEN, fake_slack.APP_TOKEN, fake_slack.SIGNING_SECRET,
    fake_telegram.TOKEN, fake_telegram.SECRET,
)  # fmt: skip
Start = Callable[..., "subprocess.Popen[bytes]"]


@pytest.fixture
def start_bot(processes: None) -> Iterator[Start]:
    """Start the command of a side, and wait until it serves."""
    started: list[subprocess.Popen[bytes]] = []

    def start(side: Side, **values: str) -> subprocess.Popen[bytes]:
        env = {"HOME": os.environ["HOME"], "PATH": os.environ["PATH"], **side.env, **values}
        process = subprocess.Popen(
            [sys.executable, "-c", MAIN, side.channel, *side.words], env=env, stderr=subprocess.PIPE
        )
        started.append(process)
        assert process.stderr is not None
        greeting = process.stderr.readline().decode()
        assert greeting.startswith(f"kensaku {side.channel}: "), greeting
        side.where = greeting.split()[-1]
        return process

    yield start
    for process in started:
        process.kill()
        process.wait()
        if process.stderr is not None:
            process.stderr.close()


@only("slack-http", "telegram")  # each service once, and each kind of transport
async def test_a_process_answers_and_ends_when_it_is_told_to(
    side: Side, web: Web, start_bot: Start
) -> None:
    """In Japanese, with sources; its log has no token, and its end is a good one."""
    url = web.has("非同期", "/p/async", "Pythonの非同期プログラミング", ASYNC)
    process = await asyncio.to_thread(start_bot, side)
    await side.say(JAPANESE)
    await side.until_text("出典")
    assert set(side.links) == {url}
    await side.say("誰か", "99")  # a stranger: there is something in the log
    await until(lambda: True)
    process.send_signal(signal.SIGTERM)
    _, log = await asyncio.to_thread(process.communicate)

    assert process.returncode == 0, log
    assert not any(secret.encode() in log for secret in SECRETS)
    assert b"Traceback" not in log


@only("slack", "telegram")
async def test_a_killed_process_goes_on_in_the_same_message(
    side: Side, web: Web, upstream: FakeUpstream, start_bot: Start
) -> None:
    """kill -9 in the middle of a search: one message, one answer."""
    upstream.heals("tavily")
    upstream.fails("tavily", faults.hang(), times=1)  # of several faults the first applies
    web.has("sleep", "/p/sleep", "How otters sleep", SLEEPING)
    first = await asyncio.to_thread(start_bot, side)
    await side.say(SLEEP)
    await until(lambda: upstream.asked("tavily") and "web_search" in "".join(side.texts))
    await until_remembered(side)  # one that is killed before cannot know what it has sent
    first.kill()
    await asyncio.to_thread(first.wait)
    await expire_leases(side)
    await asyncio.to_thread(start_bot, side)
    await side.until_text(HANDS)

    assert len(side.texts) == 1
    assert side.count("send") == 1


@only("slack")  # what a service refuses waits for it in code of both
async def test_an_answer_is_shown_although_the_process_was_killed_before(
    side: Side, web: Web, start_bot: Start
) -> None:
    """The run had ended, but the service was down."""
    side.refuse_everything()
    first = await asyncio.to_thread(start_bot, side)
    await side.say(SLEEP)
    await until_ended(side)
    first.kill()
    await asyncio.to_thread(first.wait)
    side.accept_everything()
    await expire_leases(side)
    await asyncio.to_thread(start_bot, side)
    await side.until_text(HANDS)

    assert len(side.texts) == 1
    assert web.queries == [SLEEP]
