"""`kensaku eval`: routes judged by a person's own questions."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from kensaku import client
from kensaku.answers.context import Context
from kensaku.evaluate import RouteScore, choose, holds
from kensaku.models import Outcome
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

    assert [r["answered"] for r in told["routes"]] == [2, 0]
    assert told["chosen"] == "tavily"
    assert "most answers (67%)" in told["why"]


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


@pytest.mark.parametrize("text", ["", "{}", '{"question": "x"}', '{"question": "", "answer": "a"}',
                                  '{"question": "x", "answers": []}', "[1]", "otters"])  # fmt: skip
def test_a_line_that_is_no_question_is_named(cli: Cli, tmp_path: Path, text: str) -> None:
    """With what to write instead."""
    path = tmp_path / "q.jsonl"
    path.write_text(text)

    done = cli("eval", path, "--route", "tavily")

    assert done.status == 2
    assert '{"question": "…", "answer": "…"}' in done.err


def test_an_answer_is_found_whatever_its_dress():
    """Case, width, punctuation and line breaks do not count; parts of words do."""
    assert holds("In ２０２６,\nthe OTTER’s kelp.", ["2026 the otter s kelp"])
    assert holds("ラッコは手をつなぐ。", ["手をつなぐ"])
    assert not holds("otters", ["Shakespeare"])


def test_a_tie_goes_to_the_cheaper_and_then_to_the_faster():
    """Two shares that differ by less than their errors are equal."""
    many = RouteScore("dear", 100, 81, 0, 0.8, (100.0,) * 100)
    cheap = RouteScore("cheap", 100, 80, 0, 0.1, (300.0,) * 100)
    fast = RouteScore("fast", 100, 79, 0, 0.1, (50.0,) * 100)
    poor = RouteScore("poor", 100, 20, 0, 0.0, (1.0,) * 100)

    assert choose([many, cheap, poor]).chosen == "cheap"
    assert "cheaper" in choose([many, cheap, poor]).why
    assert choose([many, cheap, fast, poor]).chosen == "fast"
    assert choose([poor, many]).chosen == "dear"


def test_every_route_is_asked_by_a_client_of_its_own(
    cli: Cli, questions: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the tokens that are allowed and without the cache; all of them are closed."""
    calls: list[Any] = []

    class FakeKensaku:
        def __init__(self, settings: Any, *, cassette: Any) -> None:
            self.name = cassette.path.name
            calls.append(("open", settings.home, self.name))

        async def __aenter__(self) -> FakeKensaku:
            return self

        async def __aexit__(self, *_: object) -> None:
            calls.append(("close", self.name))

        async def context(self, question: str, **options: Any) -> Any:
            calls.append((self.name, question, options))
            return Context("Otters hold hands.", (), 5, Outcome.FOUND)

    monkeypatch.setattr(client, "Kensaku", FakeKensaku)
    tapes = tmp_path / "tapes"
    words = ("--route", "tavily,brave+local", "--max-tokens", "77", "--cassettes", tapes, "--json")
    done = cli("eval", questions, *words)

    assert done.status == 0
    assert [row["route"] for row in done.json["routes"]] == ["tavily", "brave,local"]
    assert calls[:2] == [
        ("open", calls[0][1], "tavily.json"), ("open", calls[0][1], "brave+local.json"),
    ]  # fmt: skip
    assert calls[-2:] == [("close", "brave+local.json"), ("close", "tavily.json")]
    asked = [call for call in calls if isinstance(call[-1], dict)]
    expected = [
        (tape, row["question"], {"max_tokens": 77, "route": route, "cache": False})
        for tape, route in (("tavily.json", "tavily"), ("brave+local.json", "brave,local"))
        for row in QUESTIONS
    ]
    assert len(asked) == len(expected)
    assert all(call in asked for call in expected)
