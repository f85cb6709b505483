"""Telegram, on loopback: polling."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from ..fake_telegram import open_telegram
from ..sides import TelegramSide
from . import Stage
from ._bots import Bot

NAME = "telegram"


@asynccontextmanager
async def open_channel(stage: Stage) -> AsyncIterator[Bot]:
    """The bot in this process, and a person whom it knows."""
    async with open_telegram() as service:
        side = TelegramSide(dict(stage.env), service, webhook=False)
        await side.start()
        yield Bot(side)
        await side.close()
