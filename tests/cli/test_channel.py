"""`kensaku slack` and `kensaku telegram`: what reaches the channel."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

import pytest

from kensaku import Settings
from kensaku.assistant.channels import slack, telegram

from .conftest import Cli


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What the channels were started with; each says at once that it is ready, and ends."""
    calls: list[Any] = []

    def serve(name: str) -> Any:
        async def started(
            settings: Settings, *, ready: Callable[[str], None], **options: Any
        ) -> None:
            calls.append((settings.home, options, logging.getLogger().level))
            ready(f"{name} listens")

        return started

    monkeypatch.setattr(slack, "serve_slack", serve("slack"))
    monkeypatch.setattr(telegram, "serve_telegram", serve("telegram"))
    return calls


@pytest.mark.parametrize(
    ("line", "options", "level"),
    [
        ("slack", {"http": None, "host": "127.0.0.1"}, "WARNING"),
        ("slack --http 3000 --host ::1 --log-level info", {"http": 3000, "host": "::1"}, "INFO"),
        ("telegram", {"webhook": None, "host": "127.0.0.1", "url": None}, "WARNING"),
        (
            "telegram --webhook 3000 --host ::1 --url https://a.example/ --log-level debug",
            {"webhook": 3000, "host": "::1", "url": "https://a.example/"},
            "DEBUG",
        ),
    ],
)
def test_a_channel_gets_its_options(
    line: str, options: dict[str, Any], level: str, served: list[Any], cli: Cli, machine: Any
) -> None:
    """With the settings and the log of the command; it says where it listens."""
    done = cli(*line.split())

    name = line.split()[0]
    assert (done.status, done.out) == (0, "")
    assert done.err.splitlines()[-1] == f"kensaku {name}: {name} listens"
    assert served == [(machine, options, getattr(logging, level))]
