"""The report as a value, and what changed between two of them."""

from __future__ import annotations

from dataclasses import replace

from kensaku.answers.report.diff import format_diff
from kensaku.models import Hit
from kensaku.research import compare_runs, report_of
from tests.answers.report.states import (
    ATTEMPT,
    FOOD,
    PAGE,
    SLEEP,
    WRITTEN,
    A,
    B,
    C,
    finished,
    found,
    read,
)


def test_a_report_says_what_it_cost_and_what_could_not_be_done() -> None:
    """Each note once; `reports.json` has the rest of its JSON."""
    told = report_of(finished(timeout=100)).to_dict()

    assert (told["cost"], told["elapsed_ms"]) == (0.75, 8625.0)
    assert told["attempts"] == [ATTEMPT] * 3
    assert told["notes"] == ["1 of 3 searches could not be made", "read nothing", "a note"]
    failed, found = told["steps"][1:3]
    assert (failed["query"], failed["outcome"], failed["hits"]) == (FOOD, "unavailable", 0)
    assert (found["query"], found["outcome"], found["hits"]) == (SLEEP, "found", 1)
    assert (told["steps"][3]["pages"], told["steps"][3]["failed"]) == ([A], [C])


def test_times_have_one_place() -> None:
    """Of milliseconds, in the whole and in each step."""
    run = finished(timeout=100)
    shown = report_of(run.record("write", {**WRITTEN, "elapsed": 0.00016})).to_dict()

    assert shown["steps"][-1]["elapsed_ms"] == 0.2
    assert shown["elapsed_ms"] == 8500.2


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
