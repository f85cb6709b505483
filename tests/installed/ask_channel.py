"""Start the assistant in a chat service on loopback, write to it, and print what it answers.

python ask_channel.py slack|telegram COMMAND…
"""

from __future__ import annotations

import asyncio
import os
import sys
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from tests.assistant.channels.fake_slack import open_slack  # noqa: E402
from tests.assistant.channels.fake_telegram import open_telegram  # noqa: E402
from tests.assistant.channels.sides import Side, SlackSide, TelegramSide  # noqa: E402
from tests.installed.cases import FOUND, QUERY  # noqa: E402
from tests.search.support import until  # noqa: E402


def make_side(service: Any, channel: str) -> Side:
    env = dict(os.environ)
    if channel == "slack":
        return SlackSide(env, service, http=False)
    return TelegramSide(env, service, webhook=False)


async def main(channel: str, command: list[str]) -> int:
    opened: AbstractAsyncContextManager[Any]
    opened = open_slack() if channel == "slack" else open_telegram()
    async with opened as service:
        side = make_side(service, channel)
        try:
            return await ask(side, command)
        finally:
            await side.close()


async def ask(side: Side, command: list[str]) -> int:
    """Ask once; a command that does not start says why."""
    process = await asyncio.create_subprocess_exec(
        *command, env=side.env, stderr=asyncio.subprocess.PIPE
    )
    assert process.stderr
    greeting = (await process.stderr.readline()).decode()
    print(greeting, end="")
    if not greeting.startswith(f"kensaku {side.channel}: "):
        print((await process.stderr.read()).decode())
        return await process.wait() or 1
    try:
        await side.say(QUERY)
        await until(lambda: side.texts and FOUND in side.links)
        print(side.texts[-1], *side.links, sep="\n")
    finally:
        process.terminate()
        await process.communicate()
    return 0


if __name__ == "__main__":
    sys.exit(asyncio.run(main(sys.argv[1], sys.argv[2:])))
