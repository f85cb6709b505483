"""The first search of a home waits for the local index, however long filling it takes."""

from __future__ import annotations

import asyncio

import pytest

from kensaku.index import Index, pydocs
from kensaku.models import Document, Progress, ProgressEvent
from tests.conftest import Clock

from .conftest import Cli

LONGER = 3_600  # seconds; than any command may take
TEXT = "Request cancellation of an asyncio task. The task is cancelled at its next await."


@pytest.fixture(autouse=True)
def slow_build(monkeypatch: pytest.MonkeyPatch) -> None:
    """The real build, which is tested with the index, takes some seconds of the processor."""

    async def build(
        index: Index, *, progress: Progress | None = None, background: bool = False
    ) -> None:
        assert progress is not None
        progress(ProgressEvent(pydocs.READING, 1, 4))
        Clock().advance(LONGER)
        await asyncio.sleep(1)  # the search ends meanwhile
        await index.add([Document("pydoc:asyncio.Task.cancel", "cancel", TEXT)], "pydocs")

    monkeypatch.setattr(pydocs, "build", build)


@pytest.mark.parametrize("command", ["search", "ask", "answer", "context"])
def test_the_first_search_waits_for_the_starter_collection(cli: Cli, command: str) -> None:
    """Building it takes longer than a search may: never `unavailable` while progress is made."""
    words = ["cancel", "an", "asyncio", "task", "--route", "serper,local"]
    done = cli(command, *words, "--json")

    assert done.status == 0, done.err
    assert done.json["outcome"] == "found"
    assert "pydoc:asyncio.Task.cancel" in done.out
    assert pydocs.READING in done.err
    assert "serper: " in done.err
    assert "local: " not in done.err  # it answered in the end


def test_the_attempts_of_both_searches_are_told(cli: Cli) -> None:
    """The second search, of the finished index, does not replace those of the first."""
    words = ["cancel", "an", "asyncio", "task", "--route", "serper,local"]
    attempts = cli("search", *words, "--json").json["attempts"]

    assert attempts[0]["provider"] == "serper"
    assert attempts[0]["error"] is not None
    assert (attempts[-1]["provider"], attempts[-1]["outcome"]) == ("local", "found")


def test_a_stand_in_that_is_about_something_else_is_not_a_result(cli: Cli) -> None:
    """Also when it was waited for."""
    words = ["price", "of", "asyncio", "tulips", "in", "Holland", "--route", "serper,local"]
    done = cli("search", *words, "--json")

    assert (done.status, done.json["outcome"]) == (1, "unavailable")
