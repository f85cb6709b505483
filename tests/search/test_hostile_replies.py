"""A reply of megabytes costs no more than its bounds, and does not hold up the event loop."""

from __future__ import annotations

import threading

import pytest

from kensaku import Hit
from kensaku.search import clean, pipeline
from kensaku.search.clean import MAX_CONTENT, MAX_RAW_CONTENT, MAX_TITLE, clean_hits
from kensaku.testing import faults
from kensaku.text.clean import cut, plain, plain_lines
from tests.growth import growth

RUNS = ["<", "<b ", "</b", "<b", "<!--", "<b>", "&", "&#", "&#1", "&amp", "&amp;", "\x1b[", "\x1b]",
        "\u200d", "\u200b", "\ufe0f", "\r", "\n", "\n ", " ", "\t", "[", "*", "\u3000\n", "<p>",
        "\n\u3000", "<a\n", "\\", "![", "|", "\x1b[0;", "🏴", "\U000e0067", "❤\ufe0f\u200d", "<b>&lt;",
        "می\u200c"]  # fmt: skip


@pytest.mark.parametrize("run", RUNS)
def test_cleaning_takes_time_in_proportion(run: str) -> None:
    """Four times the text takes about four times as long, whatever it repeats."""

    def clean(size: int) -> None:
        text = run * (size // len(run)) + "x"
        plain(text)
        cut(text, size - 1)
        plain_lines(text)
        plain_lines(text, markup=False)

    assert growth(clean, 50_000) < 10


@pytest.mark.parametrize("run", ["<", "<b>&lt;", "\n "])
def test_what_is_beyond_the_bounds_is_never_looked_at(run: str, monkeypatch) -> None:
    """Fields are cut first: what is cleaned of a reply of megabytes is counted."""
    looked_at = 0

    def counting(work):
        def count(text: str, *args, **options) -> str:
            nonlocal looked_at
            looked_at += len(text)
            return work(text, *args, **options)

        return count

    for name in ("plain", "plain_lines", "visible"):
        monkeypatch.setattr(clean, name, counting(getattr(clean, name)))
    long = run * (3_000_000 // len(run))
    hit = Hit("https://a.example/", long, long, author=long, raw_content=long, favicon=long)

    (cleaned,) = clean_hits([hit, Hit("https://b.example/" + long, "B")], 10)

    assert looked_at < 4 * MAX_TITLE + MAX_CONTENT + MAX_RAW_CONTENT + 20_000
    assert len(cleaned.title) <= MAX_TITLE
    assert len(cleaned.content) <= MAX_CONTENT
    assert len(cleaned.raw_content or "") <= MAX_RAW_CONTENT


def test_a_list_without_an_end_is_left() -> None:
    """Also when none of its hits has a link."""
    given = 0

    def endless():
        nonlocal given
        while True:
            given += 1
            yield Hit("javascript:x", "x")

    assert clean_hits(endless(), 10) == []
    assert given <= 41


async def test_a_large_reply_is_cleaned_in_a_thread_and_a_usual_one_is_not(
    make_client, upstream, monkeypatch
) -> None:
    """The event loop is free meanwhile; a usual reply does not pay for a thread."""
    threads = []

    def seen(*args, **options):
        threads.append(threading.current_thread() is threading.main_thread())
        return clean_hits(*args, **options)

    monkeypatch.setattr(pipeline, "clean_hits", seen)
    client = make_client("tavily", cache_enabled=False)
    upstream.answers("tavily", [Hit("https://a.example/", "A", "words " * 500)])
    await client.search("otter")
    upstream.answers("tavily", [Hit("https://a.example/", "A", "<" * 3_000_000)])
    response = await client.search("otter")

    assert threads == [True, False]
    assert len(response.hits[0].content) <= MAX_CONTENT


async def test_the_deadline_holds_while_a_reply_is_cleaned(
    make_client, upstream, monkeypatch, clock
) -> None:
    """At the deadline the search ends; the thread is left to end by itself."""
    release, began = threading.Event(), threading.Event()

    def slow(*args, **options):
        began.set()
        clock.advance(60)
        release.wait(30)
        return clean_hits(*args, **options)

    monkeypatch.setattr(pipeline, "clean_hits", slow)
    upstream.answers("tavily", [Hit("https://a.example/", "A", "<" * 300_000)])
    try:
        response = await make_client("tavily", timeout=30).search("otter", cache=False)
    finally:
        release.set()

    assert began.is_set()
    assert response.outcome == "unavailable"


async def test_a_huge_error_is_cut(make_client, upstream) -> None:
    """An upstream words its refusals as it likes."""
    upstream.fails("tavily", faults.status(400, {"detail": {"error": "<" * 3_000_000}}))

    response = await make_client("tavily").search("otter")

    assert len(str(response.attempts[0].error)) < 500
