"""`kensaku eval`: routes judged by a person's own questions."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kensaku.evaluate import holds
from kensaku.testing import FakeUpstream, faults

from .conftest import Cli
from .examples import HITS

QUESTIONS = [
    {"question": "do sea otters hold hands", "answer": "hold hands"},
    {"question": "do sea otters sleep", "answers": ["nothing of this", "SLEEP"]},
    {"question": "who wrote Hamlet", "answer": "Shakespeare"},
]


@pytest.fixture
def questions(tmp_path: Path) -> Path:
    path = tmp_path / "questions.jsonl"
    path.write_text("\n".join(map(json.dumps, QUESTIONS)) + "\n\n")
    return path


def test_the_route_with_the_answers_is_chosen(up: FakeUpstream, cli: Cli, questions: Path) -> None:
    """Shares, costs and latencies by route, and the reason for the choice."""
    up.answers("tavily", HITS)
    up.answers("brave", [])

    told = cli("eval", questions, "--route", "tavily,brave", "--json").json
    shown = cli("eval", questions, "--route", "tavily,brave").out.splitlines()

    assert [r["answered"] for r in told["routes"]] == [2, 0]
    assert told["chosen"] == "tavily"
    assert "most answers (67%)" in told["why"]
    assert shown[0].split()[:2] == ["route", "answers"]
    assert shown[1].split()[:2] == ["tavily", "66.7%"]
    assert shown[-1] == f"take tavily: {told['why']}"


def test_what_was_recorded_is_played_back(
    up: FakeUpstream, cli: Cli, questions: Path, tmp_path: Path
) -> None:
    """The second run asks nobody, and judges the same."""
    up.answers("tavily", HITS)
    words = ("eval", questions, "--route", "tavily", "--cassettes", tmp_path / "tapes", "--json")
    first = cli(*words).json
    asked = len(up.requests)

    again = cli(*words).json

    assert asked
    assert len(up.requests) == asked
    assert again["routes"][0]["answered"] == first["routes"][0]["answered"] == 2


def test_nobody_could_search_is_status_1(up: FakeUpstream, cli: Cli, questions: Path) -> None:
    """It is not the same as finding no answer."""
    up.fails("*", faults.status(503))

    assert cli("eval", questions, "--route", "tavily").status == 1


def test_an_answer_is_found_whatever_its_dress():
    """Case, width, punctuation and line breaks do not count; parts of words do."""
    assert holds("In ２０２６,\nthe OTTER’s kelp.", ["2026 the otter s kelp"])
    assert holds("ラッコは手をつなぐ。", ["手をつなぐ"])
    assert not holds("otters", ["Shakespeare"])
