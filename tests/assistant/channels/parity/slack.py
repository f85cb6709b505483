"""Slack, on loopback: socket mode."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from ..fake_slack import open_slack
from ..sides import SlackSide
from . import Stage
from ._bots import Bot

NAME = "slack"


@asynccontextmanager
async def open_channel(stage: Stage) -> AsyncIterator[Bot]:
    """The bot in this process, and a person whom it knows."""
    async with open_slack() as service:
        side = SlackSide(dict(stage.env), service, http=False)
        await side.start()
        yield Bot(side)
        await side.close()
