"""The events of a run, each as a whole: what a wire sends and a page shows."""

from __future__ import annotations

from typing import Any

from kensaku.models import Hit
from kensaku.research import State, events_of, pending, report_of
from tests.answers.report.states import (
    ATTEMPT,
    FOOD,
    SLEEP,
    WHO,
    WRITTEN,
    A,
    B,
    C,
    finished,
    found,
    plan,
    read,
    state,
    weighed,
)


def told(run: State) -> list[dict[str, Any]]:
    """The events, ready for JSON, without the report at the end."""
    events = [event.to_dict() for event in events_of(run)]
    assert events[-1].pop("report") == report_of(run).to_dict()
    return events


def test_a_large_run_tells_of_its_subtopics() -> None:
    """One that is searched for again ends after the last round."""
    events = told(finished())
    named = [(e["type"], *(e[n] for n in ("id", "parent", "outcome") if n in e)) for e in events]
    second, first = "subtopic-2", "subtopic-1"
    ended = [(e["question"], e["answered"]) for e in events if e["type"] == "SubtopicEnded"]

    assert named == [
        ("Planned",),
        ("SubtopicStarted", second),
        ("SearchStarted", "search-1-2", second),
        ("SearchEnded", "search-1-2", second, "unavailable"),
        ("SubtopicStarted", first),
        ("SearchStarted", "search-1-1", first),
        ("SearchEnded", "search-1-1", first, "found"),
        ("Reading",),
        ("PagesRead",),
        ("SubtopicEnded", first),
        ("Weighed",),
        ("SearchStarted", "search-2-2", second),
        ("SearchEnded", "search-2-2", second, "empty"),
        ("SubtopicEnded", second),
        ("Weighed",),
        ("Writing",),
        *[("TextDelta",)] * 3,
        ("SourcesFound",),
        ("Completed",),
    ]
    assert ended == [(SLEEP, True), (FOOD, False)]
    search = events[6]
    assert (search["query"], search["attempts"]) == (SLEEP, [ATTEMPT])
    assert [s["url"] for s in search["sources"]] == [A]
    assert (events[8]["urls"], events[8]["failed"]) == ([A], [C])


def test_a_small_run_has_no_subtopics() -> None:
    """And no search has a parent."""
    events = told(finished("mini"))
    assert {e["type"] for e in events} & {"SubtopicStarted", "SubtopicEnded"} == set()
    assert {e["parent"] for e in events if "parent" in e} == {None}
    one = {"plan": plan(SLEEP, effort="pro"), "search-1-1": found(), "write": WRITTEN}
    assert {e["parent"] for e in told(state(one)) if "parent" in e} == {None}


def test_the_last_round_ends_every_subtopic() -> None:
    """Though its question has a query left."""
    results: dict[str, Any] = {"plan": plan(SLEEP, FOOD, effort="pro", rounds=3)}
    for n in (1, 2, 3):
        results |= {f"search-{n}-1": found(), f"search-{n}-2": found()}
        results |= {f"read-{n}": read(), f"weigh-{n}": weighed(0, 1)}
    results["write"] = WRITTEN
    ended = [e for e in told(state(results)) if e["type"] == "SubtopicEnded"]

    assert ended == [
        {"type": "SubtopicEnded", "id": "subtopic-1", "question": SLEEP, "answered": False},
        {"type": "SubtopicEnded", "id": "subtopic-2", "question": FOOD, "answered": False},
    ]


def test_a_preferred_search_is_no_subtopic_of_its_own() -> None:
    """It belongs to the first question."""
    results = {"plan": finished().plan, "search-1-0": found(), **finished().results}
    events = told(state(results, include_domains=["a.example"]))
    begun = [e["id"] for e in events if e["type"] == "SubtopicStarted"]
    ended = [e["id"] for e in events if e["type"] == "SubtopicEnded"]

    assert sorted(begun) == sorted(ended) == ["subtopic-1", "subtopic-2"]


def test_values_of_a_schema_are_not_sent_as_text() -> None:
    """Only the sources, and the report that holds them."""
    run = finished().record("write", {**WRITTEN, "structured": {"a": 1}})
    kinds = [type(e).__name__ for e in events_of(run)]

    assert kinds[-3:] == ["Writing", "SourcesFound", "Completed"]


def test_nothing_to_read_is_not_told() -> None:
    """A round without pages has no event of its own."""
    results = {"plan": plan(SLEEP), "search-1-1": found(), "read-1": read(), "weigh-1": weighed()}
    kinds = [type(e).__name__ for e in events_of(state(results))]

    assert kinds == ["Planned", "SearchStarted", "SearchEnded", "Weighed"]


def test_the_steps_come_one_after_the_other() -> None:
    """Searches side by side, then pages, then answers; later rounds for what is open."""
    run = state({})
    done = {
        "plan": plan(SLEEP, FOOD, WHO),
        "search-1-1": found(Hit(B, "B")),
        "search-1-2": found(),
        "search-1-3": found(),
        "read-1": read(),
        "weigh-1": weighed(0, 2),
        "search-2-1": found(),
        "search-2-3": found(),
        "read-2": read(),
        "weigh-2": weighed(0),
        "write": WRITTEN,
    }
    steps = []
    while names := pending(run):
        steps.append(names)
        for name in names:
            run = run.record(name, done[name])

    assert steps == [
        ["plan"],
        ["search-1-1", "search-1-2", "search-1-3"],
        ["read-1"],
        ["weigh-1"],
        ["search-2-1", "search-2-3"],
        ["read-2"],
        ["weigh-2"],
        ["write"],
    ]
    assert run.last_round == 2
    assert [s.name for s, _ in run.all_searched()] == [n for n in done if n.startswith("search")]


def test_a_round_needs_a_query_of_its_own() -> None:
    """A question with one query is not searched for again."""
    run = state({"plan": plan(SLEEP, rounds=1), "search-1-1": found(), "read-1": read()})

    assert pending(run.record("weigh-1", weighed(0))) == ["write"]


def test_only_work_is_taken_off_the_timeout() -> None:
    """Searches side by side count as the longest of them."""
    assert finished(timeout=20).seconds_left == 20 - (0.5 + 3 + 2 + 0.25 + 0.5 + 2 + 0.25 + 0.125)
    assert state({}, timeout=20).seconds_left == 20
    assert state({"plan": plan(SLEEP)}, timeout=20).last_round == 0
