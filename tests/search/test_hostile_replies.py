"""A reply of megabytes costs no more than its bounds, and does not hold up the event loop."""

from __future__ import annotations

import threading

import pytest

from kensaku import Hit
from kensaku.search import pipeline
from kensaku.search.clean import clean_hits
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


def test_what_is_beyond_the_bounds_is_never_looked_at() -> None:
    """Fields are cut first: four times the megabytes take no longer."""

    def clean(size: int) -> None:
        long = "<b>&lt;" * (size // 7)
        clean_hits([Hit("https://a.example/", long, long, author=long, raw_content=long)], 10)

    assert growth(clean, 3_000_000) < 3


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
