"""The dialects that are Kensaku's own: plain, markdown, compact, json."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from kensaku.dialects import DIALECTS, write, write_error
from kensaku.errors import InvalidQuery, UnknownName, Unreachable
from kensaku.models import Response

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

OWN = ["plain", "markdown", "compact"]
both = pytest.mark.parametrize("language", ["en", "ja"])
own = pytest.mark.parametrize("dialect", OWN)


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
    word = {"en": "local index", "ja": "ローカル索引"}[language]

    assert word in write(local, dialect, language=language)
    assert word not in write(FOUND, dialect, language=language)


def test_notes_follow_the_results() -> None:
    """What was cut, filtered or ignored is said, in plain text and Markdown."""
    noted = replace(FOUND, notes=("brave cannot filter by topic; that was not applied",))

    for dialect in ("plain", "markdown"):
        assert "Note: brave cannot filter by topic" in write(noted, dialect).split("\n\n")[-1]
        assert "注：brave" in write(noted, f"{dialect}:ja")


def test_compact_is_the_shortest() -> None:
    """Small models pay for every token."""
    lengths = {name: len(write(FOUND, name)) for name in (*DIALECTS, "plain:ja")}

    assert min(lengths, key=lambda name: lengths[name]) == "compact"
    assert "\n\n" not in write(FOUND, "compact")


@own
def test_contents_are_bounded(dialect: str) -> None:
    """Each by itself, and 0 is without bound."""
    long = replace(FOUND, hits=tuple(replace(h, content="x" * 5000) for h in FOUND.hits))

    assert len(write(long, dialect)) < 2000
    assert len(write(long, dialect, max_content_length=0)) > 10_000


def test_json_is_the_whole_response() -> None:
    """What `--json` prints, with every script readable."""
    text = write(FOUND, "json")

    assert json.loads(text) == FOUND.to_dict()
    assert text == json.dumps(FOUND.to_dict(), ensure_ascii=False)
    assert "公式" in text


def test_json_on_a_terminal_moves_no_cursor() -> None:
    """C1 controls and bidi overrides are escaped, and mean the same."""
    odd = replace(FOUND, answer="a\x9b31mb\u202ec\x7f")
    text = write(odd, "json")

    assert json.loads(text)["answer"] == odd.answer
    assert text.isprintable()


def test_an_unknown_dialect_names_the_nearest() -> None:
    """One clear sentence, before anything is written."""
    with pytest.raises(UnknownName, match="markdown"):
        write(FOUND, "markdwon")
    with pytest.raises(UnknownName, match="language of a dialect"):
        write(FOUND, "plain:fr")
    with pytest.raises(UnknownName, match="option of the dialect term"):
        write(FOUND, "term:ja")


@pytest.mark.parametrize("dialect", list(DIALECTS))
def test_every_dialect_writes_every_outcome_and_an_error(dialect: str) -> None:
    """Every entry of the table is complete."""
    written = [write(r, dialect) for r in (FOUND, ONLY_ANSWER, EMPTY, UNAVAILABLE)]
    written.append(write_error(InvalidQuery("max_results is 99"), dialect, query="otter"))

    assert all(written)
    assert len(set(written)) == len(written) - (dialect == "strands")  # one sentence for two


def test_a_response_without_attempts_can_be_written() -> None:
    """A route may be empty of all that is configured."""
    nobody = Response(FOUND.query, UNAVAILABLE.outcome)

    assert all(write(nobody, dialect) for dialect in DIALECTS)
