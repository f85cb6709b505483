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
LOCAL = Attempt("local", Outcome.FOUND, hits=2)
EXA = "exa: too many requests"
BRAVE = "brave: not asked: no time was left"
NOTE = "note: it is old"
INSTEAD = "The local index answered, not the web."


@pytest.mark.parametrize(
    ("outcome", "dialect", "attempts", "lines"),
    [
        (Outcome.FOUND, "", [REFUSED, NOT_ASKED, LOCAL], [EXA, BRAVE, NOTE, INSTEAD]),
        (Outcome.FOUND, "plain", [REFUSED, LOCAL], [EXA]),
        (Outcome.FOUND, "markdown:ja", [REFUSED, LOCAL], [EXA]),
        (Outcome.FOUND, "compact", [REFUSED, LOCAL], [EXA, NOTE]),
        (Outcome.FOUND, "json", [REFUSED, LOCAL], [EXA, NOTE, INSTEAD]),
        (Outcome.FOUND, "json", [LOCAL, Attempt("exa", Outcome.FOUND)], [NOTE]),
        (Outcome.UNAVAILABLE, "plain", [REFUSED], [NOTE]),
        (Outcome.UNAVAILABLE, "compact", [REFUSED], [NOTE]),
        (Outcome.UNAVAILABLE, "json", [REFUSED], [EXA, NOTE]),
        (Outcome.UNAVAILABLE, "json", [LOCAL], [NOTE]),
    ],
)
def test_what_the_output_has_said_is_not_repeated(capsys, outcome, dialect, attempts, lines):
    """A form for people has reasons, notes and the local index in it; one for machines has not."""
    print_notices(outcome, attempts, ["it is old"], dialect=dialect)

    out, err = capsys.readouterr()
    assert (out, err.splitlines()) == ("", lines)


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


async def test_the_notice_is_printed_once_for_a_home(tmp_path, capsys):
    """A file remembers it; when the first is asked, or when one of them was."""
    settings = Settings.load(environ={"KENSAKU_HOME": str(tmp_path / "new"), "TAVILY_API_KEY": "k"})
    async with Kensaku(settings) as k:
        notice = KeylessNotice(k, ["tavily", "wikipedia"])
        notice.print_before()
        notice.print_after([Attempt("wikipedia", Outcome.FOUND, sent=False)])
        assert capsys.readouterr().err == ""

    async with Kensaku(Settings.load(environ={"KENSAKU_HOME": str(tmp_path / "new")})) as k:
        notice, again = KeylessNotice(k, None), KeylessNotice(k, None)
        notice.print_after([Attempt("brave", Outcome.FOUND, sent=True)])
        assert capsys.readouterr().err == ""
        again.print_after([Attempt("wikipedia", Outcome.FOUND, sent=True)])
        said = capsys.readouterr().err
        marker = tmp_path / "new" / "keyless-notice"
        hosts = marker.read_text()
        assert said == (
            f"Without a key, queries go to services that need none: {hosts.strip()}. They see the"
            " query. KENSAKU_KEYLESS=0 turns this off. (This is said once.)\n"
        )
        assert hosts.endswith("\n")
        assert marker.parent.stat().st_mode & 0o777 == 0o700
        again.print_before()
        KeylessNotice(k, None).print_before()
        assert capsys.readouterr().err == ""
