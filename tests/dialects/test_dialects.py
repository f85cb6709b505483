"""The table of dialects: every one is complete, a wrong name is an error."""

from __future__ import annotations

import pytest

from kensaku.dialects import check_dialect, dialect_names, write, write_error
from kensaku.errors import InvalidQuery, UnknownName
from kensaku.models import Response

from .examples import EMPTY, FOUND, ONLY_ANSWER, UNAVAILABLE, UNCONFIGURED


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("markdwon", "markdown"),
        ("plain:fr", "language of a dialect"),
        ("term:ja", "option of the dialect term"),
        ("", "dialect"),
    ],
)
def test_a_wrong_name_is_named_with_and_without_a_response(name: str, told: str) -> None:
    """The command line checks it before anything is sent."""
    for use in (lambda: write(FOUND, name), lambda: check_dialect(name)):
        with pytest.raises(UnknownName, match=told):
            use()
    check_dialect("plain:ja")


def test_compact_is_the_shortest() -> None:
    """Small models pay for every token."""
    lengths = {name: len(write(FOUND, name)) for name in (*dialect_names(), "plain:ja")}

    assert min(lengths, key=lambda name: lengths[name]) == "compact"


@pytest.mark.parametrize("dialect", dialect_names())
def test_every_dialect_writes_every_outcome_and_an_error(dialect: str) -> None:
    """Every entry of the table is complete."""
    written = [write(r, dialect) for r in (FOUND, ONLY_ANSWER, EMPTY, UNAVAILABLE)]
    written.append(write_error(InvalidQuery("max_results is 99"), dialect, query="otter"))

    assert all(written)
    assert len(set(written)) == len(written) - (dialect == "strands")  # one sentence for two


def test_a_response_without_attempts_can_be_written() -> None:
    """A route may be empty of all that is configured."""
    nobody = Response(FOUND.query, UNAVAILABLE.outcome)

    assert all(write(nobody, dialect) for dialect in dialect_names())


@pytest.mark.parametrize("dialect", ["strands", "tavily", "search_web", "term"])
@pytest.mark.parametrize("response", [UNAVAILABLE, UNCONFIGURED], ids=["outage", "no key"])
def test_the_words_for_nothing_are_never_used_for_nobody(dialect: str, response: Response) -> None:
    """An agent that is told "no results" answers from memory (S0-36, S1-10, S2-38, S4-32)."""
    text = write(response, dialect)

    assert "見つかりませんでした" not in text
    assert "No results" not in text
