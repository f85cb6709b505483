"""The notice about keyless services names the hosts that really see the queries."""

from __future__ import annotations

import pytest

from kensaku import Kensaku, Query, Settings
from kensaku.cli._notices import (
    KeylessNotice,
    print_notices,
)
from kensaku.errors import CalledOff, NoNetwork, NotAsked, RateLimited
from kensaku.models import Attempt, Outcome


async def test_the_notice_names_the_hosts_that_are_asked(tmp_path, capsys):
    """You.com's keyless host is not its base URL, and Wikipedia's follows the language."""
    async with Kensaku(Settings.load(environ={"KENSAKU_HOME": str(tmp_path)})) as k:
        KeylessNotice(k, None).print_before()

    words = capsys.readouterr().err
    assert "api.you.com" in words
    assert "*.wikipedia.org" in words
    assert "ydc-index.io" not in words


@pytest.mark.parametrize(
    ("query", "said"),
    [(Query("papers on otters"), True), (Query("otters"), False), (None, True)],
)
async def test_who_has_a_key_is_told_of_the_specialists_before_they_are_asked(
    tmp_path, capsys, query, said
):
    """They see the query as soon as the web does; without a query at hand, they may."""
    environ = {"KENSAKU_HOME": str(tmp_path), "TAVILY_API_KEY": "k", "GITHUB_TOKEN": "k"}
    async with Kensaku(Settings.load(environ=environ)) as k:
        KeylessNotice(k, None, query).print_before()

    words = capsys.readouterr().err
    assert ("export.arxiv.org" in words) is said
    assert "api.github.com" not in words


def test_who_was_called_off_is_no_failure(capsys):
    """Another was quicker; `--explain` has the attempt."""
    attempts = [
        Attempt("tavily", Outcome.FOUND, hits=1),
        Attempt("arxiv", Outcome.UNAVAILABLE, CalledOff("arxiv", "it was called off after 0.3 s")),
        Attempt("crossref", Outcome.UNAVAILABLE, RateLimited("crossref", "too many requests")),
    ]

    print_notices(Outcome.FOUND, attempts, [])

    assert "arxiv" not in (words := capsys.readouterr().err)
    assert "crossref: too many requests" in words


REFUSED = Attempt("exa", Outcome.UNAVAILABLE, RateLimited("exa", "too many requests"), sent=True)
NOT_ASKED = Attempt("brave", Outcome.UNAVAILABLE, NotAsked("brave", "no time was left"), sent=False)


def test_equal_reasons_share_a_line_and_a_sent_request_counts_most(capsys):
    """One that answered at last has not failed; no network is no choice of ours."""
    offline = NoNetwork("you", "there is no network")
    attempts = [
        NOT_ASKED,
        Attempt("brave", Outcome.UNAVAILABLE, RateLimited("brave", "too many requests"), sent=True),
        Attempt("brave", Outcome.UNAVAILABLE, NotAsked("brave", "cooling down"), sent=False),
        REFUSED,
        Attempt("tavily", Outcome.UNAVAILABLE, RateLimited("tavily", "x"), sent=True),
        Attempt("tavily", Outcome.EMPTY),
        Attempt("you", Outcome.UNAVAILABLE, offline, sent=False),
    ]
    print_notices(Outcome.EMPTY, attempts, [])

    assert capsys.readouterr().err.splitlines() == [
        "brave, exa: too many requests",
        "you: there is no network; connect this machine, or ask the local index",
    ]
