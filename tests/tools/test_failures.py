"""Failures as the model reads them: our sentences as ours, the words of others in a fence."""

from __future__ import annotations

import pytest

from kensaku import errors
from kensaku.models import Attempt, Outcome
from kensaku.tools._failures import (
    describe,
    describe_attempts,
    describe_failed_pages,
    quote,
    quote_attempts,
)


@pytest.mark.parametrize(
    ("error", "english", "said"),
    [
        # Of an upstream: its class, its status and our remedy; its words are quoted.
        (errors.KeyRefused("p", "go\naway", status=401, remedy="check\nKEY"),
         "it does not take this key (HTTP 401); check KEY", "go away"),
        (errors.PageUnavailable("gone", status=404),
         "the server did not give the page (HTTP 404)", "gone"),
        (errors.AddressRefused("10.0.0.1"),
         "the address may not be fetched, or nothing answers there", "10.0.0.1"),
        (errors.IndexFault("locked"), "the local index cannot do this now", "locked"),
        # Ours: the sentence itself, and nothing to quote.
        (errors.Outage("p", "no reply"), "no reply", ""),
        (errors.Timeout("p", "too slow", remedy="wait"), "too slow; wait", ""),
        (errors.NotConfigured("p", "it has no key", remedy="set KEY"), "it has no key; set KEY",
         ""),
        (errors.InvalidQuery("too long"), "too long", ""),
        (errors.BudgetExceeded("spent"), "spent", ""),
    ],
    ids=lambda v: type(v).__name__ if isinstance(v, Exception) else "",
)  # fmt: skip
def test_the_cause_is_in_our_words_and_theirs_are_quoted(error, english, said):
    """A message may repeat what a server wrote."""
    assert describe(error) == english
    assert quote(error) == said


ATTEMPTS = [
    Attempt("tavily", Outcome.UNAVAILABLE, errors.KeyRefused("tavily", "go away", status=401)),
    Attempt("tavily", Outcome.UNAVAILABLE, errors.KeyRefused("tavily", "go away", status=401)),
    Attempt("brave", Outcome.UNAVAILABLE, errors.NotConfigured("brave", "it has no key")),
    Attempt("exa", Outcome.FOUND, hits=3),
    Attempt("local", Outcome.EMPTY),
]


def test_each_failure_is_one_line_and_equal_ones_are_one():
    """Two keys that are refused alike are said once."""
    assert describe_attempts(ATTEMPTS) == [
        "- tavily: it does not take this key (HTTP 401)",
        "- brave: it has no key",
    ]
    assert describe_attempts(ATTEMPTS[:1], "ja") == [
        "- tavily：API キーが受け付けられませんでした（HTTP 401）"
    ]
    assert quote_attempts(ATTEMPTS) == "tavily: go away"
    other = Attempt("exa", Outcome.UNAVAILABLE, errors.Unreadable("exa", "<html>"))
    assert quote_attempts([*ATTEMPTS, other]) == "tavily: go away\nexa: <html>"


@pytest.mark.parametrize(
    ("language", "counts"),
    [
        ("en", "2 of the pages could not be had: the server did not give the page (HTTP 404)\n"
               "1 of the pages could not be had: the site asks not to be read"),
        ("ja", "取得できなかったページ 2 件：ページを取得できませんでした（HTTP 404）\n"
               "取得できなかったページ 1 件：サイトが自動取得を許可していません"),
    ],
)  # fmt: skip
def test_pages_that_failed_are_counted_by_reason_and_listed_in_a_fence(language, counts):
    """An address is somebody else's text."""
    gone = errors.PageUnavailable("gone\n", status=404)
    failed = [("http://a\n/", gone), ("http://b/", errors.NotAllowed("no")), ("http://c/", gone)]

    text = describe_failed_pages(failed, lambda text, origin: f"<{origin}: {text}>", language)

    assert text == (
        f"{counts}\n<failures: could not be had: http://a /: gone\n"
        "could not be had: http://b/: no\ncould not be had: http://c/: gone>"
    )
    assert describe_failed_pages([], lambda *_: "never", language) == ""
