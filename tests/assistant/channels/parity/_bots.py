"""Slack and Telegram: the messages of a bot as people see them."""

from __future__ import annotations

import re

from tests.search.support import until

from ..sides import Side
from . import Turn

YES, SOURCES = "はい", "出典"
_CONSENT = re.compile(r"(\w+) を実行してもよいですか")
_LINK = re.compile(r"<[^<>|]+\|([^<>]*)>")
UNBROKEN = "\u2060"  # keeps a service from making a link of a name


class Bot:
    """A person in a direct conversation with the bot."""

    def __init__(self, side: Side) -> None:
        self._side, self._asks = side, False

    async def say(self, text: str) -> Turn:
        before = 0 if self._asks else len(self._side.texts)
        await self._side.say(text)
        await until(lambda: len(self._side.texts) > before and self._is_settled())
        said = _LINK.sub(r"\1", self._side.texts[-1]).replace(UNBROKEN, "")
        if self._asks:
            lines = said.splitlines()
            at, tool = next(
                (n, m[1]) for n, line in enumerate(lines) if (m := _CONSENT.search(line))
            )
            return Turn(asked=((tool, lines[at - 1]),), tools=None)
        return Turn(tools=None, said=f"{said} {' '.join(self._side.links)}")

    def _is_settled(self) -> bool:
        """Whether the newest message asks something, or has the answer. A reply takes effect."""
        asks, answered = YES in self._side.buttons, SOURCES in self._side.texts[-1]
        if self._asks and asks:
            return False  # it still shows the question that was answered
        self._asks = asks
        return asks or answered
