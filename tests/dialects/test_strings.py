"""What plain, markdown and compact have in common, in both languages."""

from __future__ import annotations

from dataclasses import replace

import pytest

from kensaku.dialects import write
from kensaku.errors import Unreachable

from .examples import (
    EMPTY,
    FOUND,
    NO_KEY,
    OFFLINE,
    ONLY_ANSWER,
    REFUSED,
    UNAVAILABLE,
    unavailable,
)

own = pytest.mark.parametrize("dialect", ["plain", "markdown", "compact"])
both = pytest.mark.parametrize("language", ["en", "ja"])


@own
@both
def test_a_result_is_written_with_title_address_and_content(dialect: str, language: str) -> None:
    """In both languages, with the answer above (S2-04)."""
    text = write(FOUND, dialect, language=language)

    for hit in FOUND.hits:
        assert text.index(hit.title) < text.index(hit.url) < text.index(hit.content)
    assert text.index(FOUND.answer or "") < text.index(FOUND.hits[0].title)
    assert not text.endswith("\n")


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


@own
@both
def test_an_answer_without_results_is_shown(dialect: str, language: str) -> None:
    """(S0-31)"""
    assert (ONLY_ANSWER.answer or "") in write(ONLY_ANSWER, dialect, language=language)


@own
@both
def test_the_local_index_is_named_when_it_answered(dialect: str, language: str) -> None:
    """Results of the local index are not the web's."""
    local = replace(FOUND, hits=tuple(replace(h, provider="local") for h in FOUND.hits))
    word = {"en": "local index", "ja": "ローカルインデックス"}[language]

    assert word in write(local, dialect, language=language)
    assert word not in write(FOUND, dialect, language=language)


@own
def test_contents_are_bounded(dialect: str) -> None:
    """Each by itself, and 0 is without bound."""
    long = replace(FOUND, hits=tuple(replace(h, content="x" * 5000) for h in FOUND.hits))

    assert len(write(long, dialect)) < 2000
    assert len(write(long, dialect, max_content_length=0)) > 10_000
