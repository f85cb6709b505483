"""Slack and Telegram on loopback, by each of their transports."""

from __future__ import annotations

from collections.abc import AsyncIterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from kensaku.testing import FakeUpstream
from tests.answers.conftest import Web

from .fake_slack import open_slack
from .fake_telegram import open_telegram
from .sides import Side, SlackSide, TelegramSide

TRANSPORTS = ("slack", "slack-http", "telegram", "telegram-webhook")


@pytest.fixture
def env(upstream: FakeUpstream, web: Web, machine: Path) -> dict[str, str]:
    """The environment of a bot that searches a small web."""
    return {
        **upstream.environment("tavily"),
        "TAVILY_RATE": "100000/s",
        "WEB_SEARCH_PROVIDER": "tavily",
        "KENSAKU_HOME": str(machine),
        "KENSAKU_STATE_URL": "memory:",
        "KENSAKU_CACHE_URL": "memory:",
        "KENSAKU_FETCH_ALLOW": "127.0.0.1",
        "KENSAKU_FETCH_PORTS": "any",
        "KENSAKU_FETCH_ROBOTS": "never",
    }


@pytest.fixture(params=TRANSPORTS)
async def side(request: Any, env: dict[str, str]) -> AsyncIterator[Side]:
    """A service with its bot, which a test starts."""
    service, _, transport = request.param.partition("-")
    made: Side
    # Before anything is served: it takes seconds, and would hold up what waits meanwhile.
    import_module(f"kensaku.assistant.channels.{service}")
    if service == "slack":
        async with open_slack() as slack:
            made = SlackSide(env, slack, http=bool(transport))
            yield made
            await made.close()
    else:
        async with open_telegram() as telegram:
            made = TelegramSide(env, telegram, webhook=bool(transport))
            yield made
            await made.close()


def only(*transports: str) -> Any:
    """Run a test with some transports alone."""
    return pytest.mark.parametrize("side", transports, indirect=True)
