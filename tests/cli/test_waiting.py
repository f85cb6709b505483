"""The sign of life of a search: late, short, and gone at the end."""

from __future__ import annotations

import asyncio
import io
from collections.abc import Awaitable, Callable

import pytest

from kensaku.cli._waiting import waiting
from kensaku.models import Attempt, Outcome
from kensaku.search.listen import Asked, PartialHits, Said, listener

ERASE = "\r\x1b[K"
Pass = Callable[[float], Awaitable[None]]


class TerminalText(io.StringIO):
    """A terminal that keeps what is written."""

    def isatty(self) -> bool:
        return True


@pytest.fixture
async def let_pass(monkeypatch: pytest.MonkeyPatch) -> Pass:
    """`await let_pass(0.5)`: so much time passes, and no other."""
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    now = 1_000.0
    asyncio.get_running_loop().time = lambda: now  # type: ignore[method-assign]

    async def let_pass(seconds: float) -> None:
        nonlocal now
        now += seconds
        for _ in range(5):
            await asyncio.sleep(0)

    return let_pass


def tell(event: Asked | Said | PartialHits) -> None:
    callback = listener.get()
    assert callback is not None
    callback(event)


def frame(text: str) -> str:
    return f"{ERASE}\x1b[2m{text}\x1b[0m"


async def test_who_is_asked_is_shown_after_a_while(let_pass: Pass) -> None:
    """A new frame every tenth of a second; who has answered is left out; all is erased."""
    out = TerminalText()
    async with waiting(out):
        tell(Asked("tavily", 0))
        tell(Asked("brave", 0))
        await let_pass(0)
        await let_pass(0.39)
        assert out.getvalue() == ""
        await let_pass(0.02)
        shown = frame("⠋ tavily, brave 0 s")
        assert out.getvalue() == shown
        await let_pass(0.09)
        assert out.getvalue() == shown
        tell(PartialHits("tavily", []))
        tell(Said(Attempt("tavily", Outcome.FOUND), 0))
        tell(Said(Attempt("exa", Outcome.FOUND), 0))  # was never asked
        await let_pass(0.02)
        shown += frame("⠙ brave 1 s")
        assert out.getvalue() == shown
        tell(Said(Attempt("brave", Outcome.FOUND), 0))
        await let_pass(10)
        shown += frame("⠹ … 11 s")
        assert out.getvalue() == shown
        for name in ("a" * 20, "b" * 20):
            tell(Asked(name, 0))
        await let_pass(1)
        shown += frame(f"⠸ {'a' * 20}, {'b' * 12}")
        assert out.getvalue() == shown
        for _ in range(7):
            await let_pass(0.11)
        shown = out.getvalue()
        assert shown.count("⠋") == 2  # the frames begin again

    assert out.getvalue() == shown + ERASE
    assert listener.get() is None


async def test_a_quick_answer_needs_no_sign(let_pass: Pass) -> None:
    """Nothing is drawn, nor erased."""
    out = TerminalText()
    async with waiting(out):
        await let_pass(0.3)

    assert out.getvalue() == ""


async def test_a_pipe_gets_no_sign(let_pass: Pass) -> None:
    """However long it takes."""
    out = io.StringIO()
    async with waiting(out):
        assert listener.get() is None
        await let_pass(0)
        await let_pass(10)

    assert out.getvalue() == ""
