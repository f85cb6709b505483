"""What plain, markdown and compact have in common, in both languages."""

from __future__ import annotations

import pytest

from kensaku.dialects import write
from kensaku.errors import Unreachable

from .examples import (
    EMPTY,
    NO_KEY,
    OFFLINE,
    REFUSED,
    UNAVAILABLE,
    unavailable,
)

own = pytest.mark.parametrize("dialect", ["plain", "markdown", "compact"])
both = pytest.mark.parametrize("language", ["en", "ja"])


@own
@both
def test_nobody_could_search_is_not_nothing(dialect: str, language: str) -> None:
    """It says so, why, provider by provider, and what to do next (S2-05, S2-06)."""
    text = write(UNAVAILABLE, dialect, language=language)
    nothing = write(EMPTY, dialect, language=language)

    assert text != nothing
    assert not set(filter(None, text.split("\n"))) & set(nothing.split("\n"))
    assert "tavily" in text
    assert "brave" in text
    assert "401" in text
    assert "TAVILY_API_KEY" in text
    assert "12" in text  # seconds to wait


@own
@pytest.mark.parametrize("errors", [(NO_KEY,), (OFFLINE,), (REFUSED, OFFLINE), ()])
def test_japanese_is_japanese_throughout(dialect: str, errors: tuple[Unreachable, ...]) -> None:
    """No English sentence is left in it, only names."""
    text = write(unavailable(*errors), dialect, language="ja")
    known = ("tavily", "wikipedia", "TAVILY_API_KEY", "Python async programming", "HTTP", "API")
    for name in known:
        text = text.replace(name, "")

    assert not any(c.isascii() and c.isalpha() for c in text)
