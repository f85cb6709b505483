"""Tables and pages as people read them: `compare`, `eval`, `usage`, `extract`."""

from __future__ import annotations

from dataclasses import replace

import pytest

from kensaku.cli import compare
from kensaku.cli import eval as evaluation
from kensaku.cli.extract import check_timeout, print_notes, print_pages
from kensaku.compare import Comparison, Overlap, Side
from kensaku.errors import InvalidQuery, Timeout
from kensaku.evaluate import Evaluation, RouteScore
from kensaku.models import Attempt, Hit, Outcome, Page, Query, Response

QUERY = Query("otter")
A, B = Hit("https://a.example/", "A\nhit"), Hit("https://b.example/", "B")


def squeezed(text: str) -> list[str]:
    """Lines, with one blank between columns."""
    return [" ".join(line.split()) for line in text.splitlines()]


def test_a_comparison_is_printed_whole() -> None:
    """The table, what both have, what one alone has, and who could not search."""
    late = Attempt("exa", Outcome.UNAVAILABLE, Timeout("exa", "it took\ntoo long"))
    quiet = Attempt("exa", Outcome.EMPTY)
    sides = (
        Side("tavily", Response(QUERY, Outcome.FOUND, (A, B), elapsed_ms=1234.6), (1, 0)),
        Side("brave", Response(QUERY, Outcome.FOUND, (A,), elapsed_ms=9.4), (1,)),
        Side("exa", Response(QUERY, Outcome.UNAVAILABLE, attempts=(late, quiet, late)), ()),
    )
    pairs = (Overlap("tavily", "brave", 1, 2), Overlap("tavily", "exa", 0, 2))
    text = compare.format_comparison(Comparison("otter", sides, pairs))
    confidence = [f"{side.response.confidence.score:.2f}" for side in sides]

    assert squeezed(text) == [
        "route outcome hits alone ms $ confidence",
        f"tavily found 2 1 1235 0.0000 {confidence[0]}",
        f"brave found 1 0 9 0.0000 {confidence[1]}",
        f"exa unavailable 0 0 0 0.0000 {confidence[2]}",
        "",
        "found by both:",
        "tavily and brave: 1 of 2",
        "tavily and exa: 0 of 2",
        "",
        "only tavily:",
        "B",
        "https://b.example/",
        "",
        "exa could not search: it took too long",
    ]
    assert "\n  tavily and brave" in text
    assert "\n  B\n    https://b.example/" in text


@pytest.mark.parametrize(
    ("text", "routes"),
    [("tavily", ["tavily"]), (" tavily , brave+local ,, ", ["tavily", "brave,local"]), ("", [])],
)
def test_routes_are_separated_by_commas(text: str, routes: list[str]) -> None:
    """+ joins providers to one."""
    assert compare.routes_of(text) == routes


def test_an_evaluation_is_a_table_with_a_choice() -> None:
    """Shares with their errors, dollars for a thousand questions, latencies."""
    score = RouteScore("tavily", 4, 2, 1, 0.02, (10.0, 20.0, 30.0, 1_000.4))
    text = evaluation.format_evaluation(Evaluation((score,), "tavily", "it is the only one"))

    assert squeezed(text) == [
        "route answers ± unavailable $ per 1,000 p50 ms p95 ms",
        f"tavily 50.0% 25.0% 1 5.00 25 {score.p95:.0f}",
        "",
        "take tavily: it is the only one",
    ]


PAGE = Page("https://a.example/\n", "Otters", "They sleep.", "# Otters\n\nThey *sleep*.")


@pytest.mark.parametrize(
    ("pages", "form", "out"),
    [
        ([PAGE], "markdown", "# Otters\nhttps://a.example/\n\nThey *sleep*.\n"),
        ([PAGE], "text", "Otters\nhttps://a.example/\n\nThey sleep.\n"),
        ([replace(PAGE, markdown="")], "markdown", "# Otters\nhttps://a.example/\n\nThey sleep.\n"),
        ([replace(PAGE, title="")], "text", "https://a.example/\n\nThey sleep.\n"),
        ([replace(PAGE, text="Otters\nThey sleep.")], "text", "Otters\nhttps://a.example/\n\nThey sleep.\n"),
        ([replace(PAGE, text="")], "text", "Otters\nhttps://a.example/\n"),
        ([PAGE, PAGE], "text", "Otters\nhttps://a.example/\n\nThey sleep.\n\nOtters\nhttps://a.example/\n\nThey sleep.\n"),
        ([], "text", ""),
    ],
)  # fmt: skip
def test_pages_are_printed(
    pages: list[Page], form: str, out: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Title, address and text; a title is not repeated; a line between two."""
    print_pages(pages, form)

    assert capsys.readouterr() == (out, "")


@pytest.mark.parametrize(
    ("url", "lines"),
    [
        ("https://a.example/", ["note: https://a.example/: scanned"]),
        (
            "http://a.example/",
            [
                "note: http://a.example/: scanned",
                "note: http://a.example/: read over http, where anybody on the way can change it; "
                "prefer https",
            ],
        ),
    ],
)
def test_notes_of_a_page_are_printed(
    url: str, lines: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """Beside the page."""
    print_notes(Page(url, notes=("scanned",)))

    out, err = capsys.readouterr()
    assert (out, err.splitlines()) == ("", lines)


@pytest.mark.parametrize("seconds", [0.001, 1, 3_600])
def test_a_timeout_within_bounds(seconds: float) -> None:
    """Up to an hour."""
    check_timeout(seconds)


@pytest.mark.parametrize("seconds", [-1, 0, 3_600.5])
def test_a_timeout_out_of_bounds(seconds: float) -> None:
    """It says the bounds."""
    said = f"timeout is {seconds:g}; it must be more than 0 and at most 3,600 s"
    with pytest.raises(InvalidQuery, match=said):
        check_timeout(seconds)
