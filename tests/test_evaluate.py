"""Routes judged by questions: the figures, the choice and its reason."""

from __future__ import annotations

import pytest

from kensaku.answers.context import Context
from kensaku.errors import InvalidQuery
from kensaku.evaluate import (
    Evaluation,
    LabelledQuestion,
    RouteScore,
    choose,
    evaluate,
    read_questions,
)
from kensaku.models import Attempt, Outcome, ProgressEvent

GOOD = RouteScore("tavily", 8, 6, 1, 0.0480004, (100.04, 300.0, 200.0))
NONE = RouteScore("brave", 0, 0, 0, 0.0, ())


def test_the_json_of_an_evaluation_is_the_promised_one():
    """Shares and errors to four digits, dollars to six, milliseconds to one."""
    assert Evaluation((GOOD, NONE), "tavily", "it is good").to_dict() == {
        "routes": [
            {
                "route": "tavily",
                "questions": 8,
                "answered": 6,
                "share": 0.75,
                "standard_error": 0.1531,
                "unavailable": 1,
                "cost": 0.048,
                "p50_ms": 200.0,
                "p95_ms": 380.0,
            },
            {
                "route": "brave",
                "questions": 0,
                "answered": 0,
                "share": 0.0,
                "standard_error": 0.0,
                "unavailable": 0,
                "cost": 0.0,
                "p50_ms": 0.0,
                "p95_ms": 0.0,
            },
        ],
        "chosen": "tavily",
        "why": "it is good",
    }


@pytest.mark.parametrize(
    ("latencies", "p50", "p95"),
    [((), 0.0, 0.0), ((7.0,), 7.0, 7.0), ((1.0, 2.0), 1.5, 2.85), (tuple(range(1, 20)), 10, 19)],
)
def test_latencies_are_told_by_their_median_and_by_the_slowest_twentieth(latencies, p50, p95):
    """With one latency it is both; with none both are 0."""
    score = RouteScore("tavily", len(latencies), 0, 0, 0.0, latencies)

    assert (score.p50, score.p95) == (p50, pytest.approx(p95))


async def test_every_route_is_asked_every_question():
    """Answers, outages, cost and latency are counted for each; progress goes over all."""
    replies = {
        ("a", "one?"): Context("It is ONE.", (), 3, Outcome.FOUND, attempts=_paid(0.25, 0.5)),
        ("a", "two?"): Context("nothing", (), 1, Outcome.EMPTY, attempts=_paid(0.125)),
        ("b", "one?"): Context("", (), 0, Outcome.UNAVAILABLE),
        ("b", "two?"): Context("eins, ｔｗｏ.", (), 3, Outcome.FOUND),
    }
    asked, seen = [], []

    async def ask(route, question):
        asked.append((route, question))
        return replies[route, question], float(len(asked))

    questions = [LabelledQuestion("one?", ("one",)), LabelledQuestion("two?", ("zwei", "two"))]
    done = await evaluate(ask, questions, ["a", "b"], progress=seen.append)

    assert asked == list(replies)
    assert done.scores == (
        RouteScore("a", 2, 1, 0, 0.875, (1.0, 2.0)),
        RouteScore("b", 2, 1, 1, 0.0, (3.0, 4.0)),
    )
    assert seen == [
        ProgressEvent("asking a", 1, 4),
        ProgressEvent("asking a", 2, 4),
        ProgressEvent("asking b", 3, 4),
        ProgressEvent("asking b", 4, 4),
    ]
    assert await evaluate(ask, questions, ["a", "b"]) != done  # other latencies, no progress


def _paid(*costs: float) -> tuple[Attempt, ...]:
    return tuple(Attempt("a", Outcome.FOUND, cost=cost) for cost in costs)


def _score(route: str, answered: int, cost: float = 0.0, ms: float = 1.0) -> RouteScore:
    return RouteScore(route, 100, answered, 0, cost, (ms,))


@pytest.mark.parametrize(
    ("scores", "chosen", "why"),
    [
        ([_score("a", 90), _score("b", 10)], "a", "it has the most answers (90%)"),
        (
            [_score("a", 90), _score("b", 89, 1.0)],
            "a",
            "it has the most answers (90%), and costs no more than b, "
            "not clearly behind",
        ),
        (
            [_score("a", 90), _score("b", 89, 1.0), _score("c", 88, 1.0)],
            "a",
            "it has the most answers (90%), and costs no more than b, c, "
            "not clearly behind",
        ),
        (
            [_score("a", 90, 1.0), _score("b", 89, 0.5)],
            "b",
            "its 89% of answers cannot be told from the 90% of a with 100 questions, "
            "and it is cheaper",
        ),
        (
            [_score("a", 90, 1.0, 5.0), _score("b", 89, 1.0, 4.0)],
            "b",
            "its 89% of answers cannot be told from the 90% of a with 100 questions, "
            "and it is faster",
        ),
        # Equal in all: the error of both is 0, and so is what lies between them.
        (
            [_score("a", 100), _score("b", 100)],
            "a",
            "it has the most answers (100%), and costs no more than b, "
            "not clearly behind",
        ),
        # Behind by 8 of 100, where the error of both together is 5: clearly.
        (
            [_score("a", 90, 1.0), _score("b", 82)],
            "a",
            "it has the most answers (90%)",
        ),
    ],
)  # fmt: skip
def test_the_choice_gives_its_reason(scores, chosen, why):
    """The most answers; of those that cannot be told from it, the cheapest, then the fastest."""
    done = choose(scores)

    assert (done.chosen, done.why) == (chosen, why)
    assert done.scores == tuple(scores)


def test_questions_are_read_from_lines_of_json(tmp_path):
    """One answer or several; empty lines do not count."""
    path = tmp_path / "questions.jsonl"
    path.write_text(
        '{"question": "one?", "answer": "1"}\n\n{"question": "two?", "answers": ["2", "zwei"]}\n'
    )

    assert read_questions(path) == [
        LabelledQuestion("one?", ("1",)),
        LabelledQuestion("two?", ("2", "zwei")),
    ]


@pytest.mark.parametrize(
    "line",
    [
        "no JSON",
        "[]",
        '{"answer": "1"}',
        '{"question": "one?"}',
        '{"question": " ", "answer": "1"}',
        '{"question": 1, "answer": "1"}',
        '{"question": "one?", "answers": []}',
        '{"question": "one?", "answers": ["1", " . "]}',
        '{"question": "one?", "answers": 1}',
    ],
)
def test_a_line_that_is_no_question_is_named(tmp_path, line):
    """By its number in the file, empty lines counted."""
    path = tmp_path / "questions.jsonl"
    path.write_text('{"question": "one?", "answer": "1"}\n\n' + line)

    with pytest.raises(InvalidQuery, match=r"line 3 of .* is no question"):
        read_questions(path)


def test_one_to_ten_thousand_questions_are_taken(tmp_path):
    """An empty file is no evaluation that went badly."""
    path = tmp_path / "questions.jsonl"
    line = '{"question": "one?", "answer": "1"}\n'

    path.write_text(line * 10_000)
    assert len(read_questions(path)) == 10_000
    for content, count in [("\n", "0"), (line * 10_001, "10001")]:
        path.write_text(content)
        with pytest.raises(InvalidQuery, match=f"has {count} questions; 1 to 10,000 are taken"):
            read_questions(path)


@pytest.mark.parametrize("content", [None, b"\xff\xfe"])
def test_a_file_that_cannot_be_read_is_named(tmp_path, content):
    """Missing, or no UTF-8."""
    path = tmp_path / "questions.jsonl"
    if content is not None:
        path.write_bytes(content)

    with pytest.raises(InvalidQuery, match=r"questions.jsonl cannot be read"):
        read_questions(path)
