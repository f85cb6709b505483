"""The report as a value, and what changed between two of them."""

from __future__ import annotations

from dataclasses import replace

from kensaku.answers.report.diff import Change, format_diff
from kensaku.models import Hit
from kensaku.research import compare_runs, report_of
from tests.answers.report.states import (
    ATTEMPT,
    FOOD,
    PAGE,
    SLEEP,
    SOURCE,
    WRITTEN,
    A,
    B,
    C,
    finished,
    found,
    read,
)


def test_a_report_is_ready_for_json() -> None:
    """With its steps, its cost and what could not be done, each note once."""
    assert report_of(finished(timeout=100)).to_dict() == {
        "input": "otters",
        "content": WRITTEN["text"],
        "text": WRITTEN["text"],
        "sources": [SOURCE],
        "outcome": "found",
        "answered": [SLEEP],
        "missing": [FOOD],
        "written_by": "extract",
        "confidence": 0.4,
        "basis": {},
        "attempts": [ATTEMPT] * 3,
        "steps": [
            {"step": "plan", "elapsed_ms": 500.0},
            {
                "step": "search-1-2",
                "elapsed_ms": 3000.0,
                "query": FOOD,
                "outcome": "unavailable",
                "hits": 0,
            },
            {
                "step": "search-1-1",
                "elapsed_ms": 1000.0,
                "query": SLEEP,
                "outcome": "found",
                "hits": 1,
            },
            {"step": "read-1", "elapsed_ms": 2000.0, "pages": [A], "failed": [C]},
            {"step": "weigh-1", "elapsed_ms": 250.0},
            {
                "step": "search-2-2",
                "elapsed_ms": 500.0,
                "query": f"{FOOD} 2",
                "outcome": "empty",
                "hits": 0,
            },
            {"step": "read-2", "elapsed_ms": 2000.0, "pages": [], "failed": []},
            {"step": "weigh-2", "elapsed_ms": 250.0},
            {"step": "write", "elapsed_ms": 125.0},
        ],
        "notes": ["1 of 3 searches could not be made", "read nothing", "a note"],
        "cost": 0.75,
        "elapsed_ms": 8625.0,
    }


def test_times_have_one_place() -> None:
    """Of milliseconds, in the whole and in each step."""
    run = finished(timeout=100)
    shown = report_of(run.record("write", {**WRITTEN, "elapsed": 0.00016})).to_dict()

    assert shown["steps"][-1]["elapsed_ms"] == 0.2
    assert shown["elapsed_ms"] == 8500.2


def test_the_content_is_what_was_asked_for() -> None:
    """The values of a schema, or the text."""
    report = report_of(finished())

    assert report.content == report.text
    assert replace(report, structured={}).content == {}


def test_without_failures_there_is_no_note_of_them() -> None:
    """Nor without searches."""
    run = finished()
    results = {**run.results, "search-1-2": found(outcome="empty")}
    assert report_of(replace(run, results=results)).notes == ("read nothing", "a note")


def test_two_runs_differ_in_what_is_told() -> None:
    """Queries, results, pages with another text, answers, and lines of the report."""
    old = finished()
    results = {
        **old.results,
        "search-1-1": found(Hit(B, "B"), Hit(C, "C")),
        "read-1": read({**PAGE, "title": "Other"}, {**PAGE, "url": B}),
        "write": {**WRITTEN, "text": "## Sleep\n\nThey sleep.", "answered": [FOOD]},
    }
    results.pop("search-2-2")
    changed = compare_runs(old, replace(old, results=results))
    report = (
        "--- old\n+++ new\n@@ -1,5 +1,3 @@\n ## Sleep\n \n-Otters hold hands. [1]\n-\n They sleep."
    )

    assert changed.to_dict() == {
        "queries": {"added": (), "removed": (f"{FOOD} 2",)},
        "results": {SLEEP: {"added": (B, C), "removed": (A,)}},
        "pages": {"added": (B,), "removed": ()},
        "changed_pages": (A,),
        "answered": {"added": (FOOD,), "removed": (SLEEP,)},
        "report": report,
    }
    assert format_diff(changed) == (
        f"Queries\n- {FOOD} 2\n\n"
        f"Results of: {SLEEP}\n+ {B}\n+ {C}\n- {A}\n\n"
        f"Pages\n+ {B}\n~ {A}\n\n"
        f"Answered questions\n+ {FOOD}\n- {SLEEP}\n\n"
        f"Report\n{report}"
    )
    assert not compare_runs(old, old)


def test_each_difference_counts() -> None:
    """One of them is enough for two runs to differ."""
    same, change = compare_runs(finished(), finished()), Change((), ("x",))

    assert Change(("x",), ())
    assert change
    for part in ("queries", "pages", "answered"):
        assert replace(same, **{part: change})
    assert replace(same, results={"q": change})
    assert replace(same, changed_pages=("x",))
    assert replace(same, report="x")
