"""Statuses, ids and sentences of a refusal; and what is taken out of them."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable
from urllib.parse import quote, quote_plus

import pytest

from kensaku.errors import (
    BadQuery,
    Blocked,
    KeyRefused,
    Outage,
    ProviderError,
    QuotaExhausted,
    RateLimited,
    Timeout,
    Unreadable,
)
from kensaku.providers._classify import (
    body_text,
    error_class_for,
    error_text,
    meaning,
    reason_in,
    redact,
    request_id,
)
from kensaku.transport.reply import Reply

JSON = {"content-type": "application/json"}
PAGE = {"content-type": "text/html; charset=utf-8"}


def said(body: object, status: int = 400, **headers: str) -> Reply:
    return Reply(status, {**JSON, **headers}, json.dumps(body).encode())


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (200, Unreadable), (202, RateLimited), (204, Unreadable), (301, Unreadable),
        (399, Unreadable), (400, BadQuery), (401, KeyRefused), (402, QuotaExhausted),
        (403, KeyRefused), (404, Unreadable), (405, BadQuery), (407, Unreadable), (408, Timeout),
        (410, Unreadable), (422, BadQuery), (425, RateLimited), (429, RateLimited),
        (430, RateLimited), (431, BadQuery), (432, QuotaExhausted), (433, QuotaExhausted),
        (499, BadQuery), (500, Outage),
        (502, Outage), (503, Outage), (504, Outage), (520, Outage), (599, Outage),
    ],
)  # fmt: skip
def test_a_status_means_one_error(status, kind):
    """What is not in the table: 4xx is the query's fault, 5xx an outage, the rest unreadable."""
    assert error_class_for(Reply(status, JSON, b"{}")) is kind


def test_a_page_with_403_is_a_gateway_and_no_word_about_the_key():
    """A page with another status means what the status says."""
    assert error_class_for(Reply(403, PAGE, b"<html>")) is Blocked
    assert error_class_for(Reply(401, PAGE, b"<html>")) is KeyRefused
    assert error_class_for(Reply(503, PAGE, b"<html>")) is Outage


def test_every_error_has_a_sentence_of_its_own():
    """When the upstream gives no reason, we say what its refusal means."""
    kinds = {error_class_for(Reply(s, JSON, b"")) for s in range(100, 600)} | {Blocked}

    said = [meaning(kind, Reply(500, JSON, b"")) for kind in kinds]

    assert all(said)
    assert len(set(said)) == len(kinds) == 8


def test_without_a_key_the_sentence_is_not_about_a_key():
    """A key that nobody has sent cannot be refused; the other errors mean the same."""
    with_key, without = Reply(400, JSON, b""), Reply(400, JSON, b"", keyless=True)

    for kind in (KeyRefused, QuotaExhausted, RateLimited):
        assert "without a key" in meaning(kind, without)
        assert "without a key" not in meaning(kind, with_key)
    for kind in (BadQuery, Blocked, Outage, Timeout, Unreadable):
        assert meaning(kind, without) == meaning(kind, with_key)


@pytest.mark.parametrize(
    "name", ["x-request-id", "request-id", "x-traceid", "x-amzn-requestid", "cf-ray"]
)
def test_the_id_of_a_request_is_in_a_header(name):
    """Cut to what a support form takes."""
    assert request_id(said({}, **{name: "r-" + "1" * 200})) == "r-" + "1" * 98


def test_the_id_of_a_request_may_be_in_the_body():
    """Only as a text; a header goes first."""
    assert request_id(said({"request_id": "b" * 200})) == "b" * 100
    assert request_id(said({"requestId": "b"})) == "b"
    assert request_id(said({"request_id": 7, "requestId": "b"})) == "b"
    assert request_id(said({"request_id": "b"}, **{"cf-ray": "h"})) == "h"
    assert request_id(said({"request_id": "b"}, **{"cf-ray": ""})) == "b"


@pytest.mark.parametrize("body", [b"", b"no JSON", b"[]", b'"text"', b"{}", b"[" * 100_000])
def test_without_an_id_there_is_none(body):
    """Whatever the body is."""
    assert request_id(Reply(500, JSON, body)) is None


@pytest.mark.parametrize("outer", ["error", "detail", "errors", "message", "msg", "userMessage"])
@pytest.mark.parametrize(
    "wrap",
    [
        lambda text: text,
        lambda text: [text],
        lambda text: {"error": text},
        lambda text: {"message": text},
        lambda text: {"detail": text},
        lambda text: {"msg": text},
        lambda text: {"info": text},
        lambda text: [{"message": text}, {"message": "second"}],
        lambda text: {"error": "", "message": text},
    ],
)
def test_the_reason_is_found_wherever_upstreams_put_it(outer: str, wrap: Callable[[str], object]):
    """As text, in an object, in a list; white space is one blank."""
    assert reason_in(said({outer: wrap(" too\n  many ")})) == "too many"


def test_the_reasons_have_an_order():
    """The names that say most come first, outside and inside; a code comes last."""
    outside = ("message", "msg", "userMessage", "error", "detail", "errors")
    for first, second in itertools.pairwise(outside):
        assert error_text({second: "second", first: "first"}) == "first"
        assert error_text({second: "second", first: " "}) == "second"
    inside = ("message", "error", "detail", "msg", "info", "code")
    for first, second in itertools.pairwise(inside):
        assert error_text({"error": {second: "second", first: "first"}}) == "first"
        assert error_text({"error": {second: "second", first: ""}}) == "second"
        assert error_text({"error": {second: "second", first: 7}}) == "second"
    assert error_text({"error": "first", "title": "own"}, ("title",)) == "own"


@pytest.mark.parametrize(
    "body", [{}, [], "text", None, {"error": None}, {"error": []}, {"error": {}}, {"error": {"x": 1}},
             {"error": 7}, {"error": {"message": 7}}, {"error": "  "}]
)  # fmt: skip
def test_where_there_is_no_reason_the_text_is_empty(body):
    """Never None, never a crash."""
    assert error_text(body) == ""
    assert reason_in(said(body)) == ""


def test_a_reason_is_cut_and_a_page_has_none():
    """4,000 characters for now; the query, which may be long, is still in it."""
    assert error_text({"error": "x" * 5_000}) == "x" * 4_000
    assert reason_in(Reply(500, PAGE, b'{"error": "x"}')) == ""
    assert reason_in(Reply(500, JSON, b"[" * 100_000)) == ""


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b" Too many requests\n", "Too many requests"),
        (b"x" * 200, "x" * 200),
        (b"x" * 201, ""),
        (("検索の回数が上限に達しました。" * 10).encode(), "検索の回数が上限に達しました。" * 10),
        (b'{"error": "cut of', ""),
        (b'["cut of', ""),
        (b"two\nlines", ""),
        (b"no text \xff", ""),
        (b"", ""),
    ],
)
def test_a_plain_sentence_is_a_reason(body, reason):
    """Marginalia and gateways send one; what is longer, or broken JSON, is no sentence."""
    assert reason_in(Reply(429, {"content-type": "text/plain"}, body)) == reason


# --- redaction


def error(message: str, **more: object) -> ProviderError:
    return KeyRefused("tavily", message, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize("form", [str, lambda s: quote(s, safe=""), quote_plus])
@pytest.mark.parametrize("secret", ["tvly-key/+1 &", "where is my wife?", "妻", "abc", "é"])
def test_key_and_query_are_taken_out_of_everything(secret, form):
    """As they were sent and as they stand in a URL: in message, remedy, id and arguments."""
    text = f"<{form(secret)}> and <{form(secret)}>"

    refusal = error(text, remedy=text, request_id=text)
    refusal.body = text
    redacted = redact(refusal, ("other", secret), secret)

    shown_to_people = (redacted.message, redacted.remedy, redacted.body, redacted.request_id)
    for shown in (*shown_to_people, *redacted.args):
        assert shown == "<…> and <…>"
    assert "tavily: <…> and <…>" in str(redacted)


def test_what_gives_nothing_away_stays():
    """Two Latin letters are in every sentence, and an empty key in all of them."""
    redacted = redact(error("it is a bad query", remedy="is it?"), ("", "i", "is", "a"), "is")

    assert (redacted.message, redacted.remedy) == ("it is a bad query", "is it?")
    assert redacted.request_id is None
    assert redact(error("the bad query"), (), "bad").message == "the … query"
    assert redact(error("is 妻 bad"), (), "妻").message == "is … bad"
    assert redact(error(r"is <say \"ab\"> bad"), (), 'say "ab"').message == "is <…> bad"


def test_it_is_the_same_error_and_has_all_that_it_had():
    """Type, status and wait decide what follows."""
    before = RateLimited("tavily", "no", retry_after=3.0, status=429)

    assert redact(before, ("key-of-mine",)) is before
    assert (before.retry_after, before.status) == (3.0, 429)


def test_a_long_message_is_cut_after_the_secret_is_out():
    """Or half a key would be left at the end."""
    secret = "k" * 40

    assert redact(error("x" * 300), (secret,)).message == "x" * 300
    assert redact(error("x" * 301), (secret,)).message == "x" * 299 + "…"
    assert redact(error("x" * 280 + secret), (secret,)).message == "x" * 280 + "…"


def test_the_frames_behind_it_are_dropped():
    """They hold the request, with the key, and the whole reply."""
    try:
        try:
            raise ValueError("tvly-key")
        except ValueError:
            raise error("no")  # noqa: B904 - so that there is a context
    except ProviderError as raised:
        caught = raised
    assert caught.__traceback__ is not None
    assert caught.__context__ is not None

    redact(caught, ("tvly-key",))

    assert caught.__traceback__ is None
    assert caught.__context__ is None


def test_the_body_of_a_refusal_is_one_line_without_markup():
    """At most 4,000 bytes of it are looked at."""
    assert body_text(Reply(500, PAGE, b"<h1>Out</h1>\n<p>of   order</p>")) == "Out of order"
    assert body_text(Reply(500, JSON, b"x" * 5_000)) == "x" * 4_000
    assert body_text(Reply(500, JSON, b"\xff")) == "\ufffd"


@pytest.mark.parametrize(
    "query", ["100%", "sea/river otters", "otters & seals", 'the "best" otter']
)
@pytest.mark.parametrize(
    "write", [str, quote, lambda q: quote(q, safe=""), quote_plus, lambda q: json.dumps(q)[1:-1]]
)
def test_a_query_is_removed_whole_however_it_was_written(query, write):
    """Of forms that begin alike, too: 100% is the beginning of 100%25."""
    error = redact(BadQuery("brave", f"what is {write(query)}?"), (), query)

    assert error.message == "what is …?"
