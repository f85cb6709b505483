"""The end of a run by its parts: outcome, reason, what was spent, and what is emitted."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest

from kensaku import Outcome
from kensaku.assistant import run as module
from kensaku.assistant.actions import Thresholds, assess
from kensaku.assistant.answer import Cited, CitedAnswer, Step, Usage
from kensaku.assistant.events import Answered, Failed, TextDelta
from kensaku.assistant.model import VendorModel
from kensaku.assistant.run import _end, _load, _must_be_confirmed, _outcome, _reason, _usage, _write
from kensaku.assistant.words import phrases_for
from kensaku.assistant.writer import Draft
from kensaku.models import Attempt

HOW = "How do sea otters sleep?"
PHRASES = phrases_for(HOW)
THRESHOLDS = Thresholds(0.9, 0.7, 0.4)
CITED = (Cited(1, "https://a.example/", "A", "Hand in hand."),)


def step(tool: str, outcome: str, elapsed: float = 1.0, **arguments: Any) -> Step:
    """A call that was made."""
    return Step(tool, arguments, outcome, elapsed)


def result(*attempts: Attempt, hits: Any = (), pages: Any = (), cost: float = 0.0) -> Any:
    """What a call gave."""
    return {"attempts": [a.to_dict() for a in attempts], "hits": hits, "pages": pages, "cost": cost}


def tools_of(steps: Any = (), results: Any = (), **more: Any) -> Any:
    """The tools of a run that has made these calls."""
    usual = {"phrases": PHRASES, "notes": [], "model_calls": 0, "tokens": 0, "person": None}
    return SimpleNamespace(steps=list(steps), results=list(results), **{**usual, **more})


FOUND, EMPTY, DOWN = "found", "empty", "unavailable"


@pytest.mark.parametrize(
    ("steps", "results", "outcome"),
    [
        ([], [], "unavailable"),
        ([("web_search", EMPTY)], [result()], "empty"),
        ([("web_search", FOUND)], [result(hits=[1])], "found"),
        ([("web_search", FOUND)], [result(pages=[1])], "found"),
        ([("web_search", DOWN)], [result(pages=[1])], "unavailable"),
        ([("web_search", DOWN), ("web_search", EMPTY)], [result()], "empty"),
        ([("rag_search", EMPTY)], [result()], "empty"),
        ([("rag_search", FOUND)], [result(), result(hits=[1])], "found"),
        ([("rag_search", DOWN)], [], "unavailable"),
        ([("rag_search", FOUND), ("web_search", DOWN)], [result(hits=[1])], "unavailable"),
        ([("rag_search", DOWN), ("web_search", EMPTY)], [result()], "empty"),
        ([("web_extract", FOUND)], [result(pages=[1])], "unavailable"),
    ],
)
def test_collections_do_not_stand_for_a_web_that_was_not_searched(
    steps: list[tuple[str, str]], results: list[Any], outcome: str
) -> None:
    """An answer was found, whatever could not be searched."""
    tools = tools_of([step(*s) for s in steps], results)

    assert _outcome(tools, answered=False) == outcome
    assert _outcome(tools, answered=True) is Outcome.FOUND


@pytest.mark.parametrize(
    ("outcome", "reason"),
    [
        (Outcome.UNAVAILABLE, PHRASES.unavailable),
        (Outcome.EMPTY, PHRASES.empty),
        (Outcome.FOUND, PHRASES.no_answer),
    ],
)
def test_why_there_is_no_answer(outcome: Outcome, reason: str) -> None:
    """Three sentences."""
    assert _reason(tools_of(), outcome) == reason


def test_what_was_spent() -> None:
    """Attempts that were sent, pages that were asked for once, and money."""
    sent, unsent = Attempt("a", Outcome.FOUND), Attempt("b", Outcome.UNAVAILABLE, sent=False)
    tools = tools_of(
        [
            step("web_extract", FOUND, 9.0, urls=["1", "2"]),
            step("web_extract", FOUND, 0.0, urls=["1", "2"]),  # the same call again
            step("web_extract", DOWN, 5.0, urls=["3"]),
            step("web_search", FOUND, 5.0, query="x"),
        ],
        [result(sent, unsent, cost=0.25), result(sent, sent, cost=0.5), result()],
        model_calls=3,
        tokens=70,
    )

    assert _usage(tools) == Usage(3, 3, 3, 70, 0.75)


def run_of(tools: Any, began: float = 0.0) -> Any:
    """A run with these tools."""
    return SimpleNamespace(
        question=HOW, tools=tools, thresholds=THRESHOLDS, began=began, model=None
    )


async def test_an_answer_is_whole_and_emitted_in_parts(clock: Any) -> None:
    """Each note once; how long it took is measured from the beginning."""
    clock.stop()
    emitted: list[Any] = []
    attempt = Attempt("tavily", Outcome.FOUND, hits=1)
    made_step = step("web_search", FOUND, query=HOW)
    tools = tools_of([made_step], [result(attempt)], notes=["a", "b", "a"], emit=emitted.append)
    began = asyncio.get_running_loop().time() - 1.23456
    assessment = assess((), THRESHOLDS)
    text = "Hand in hand. [1] So. [1]"
    draft = Draft(text, CITED, "small", notes=["b", "c"])
    last = _end(run_of(tools, began), (), draft, assessment, "")

    assert last == Answered(
        CitedAnswer(
            question=HOW, text=text, citations=CITED, outcome=Outcome.FOUND,
            confidence=assessment, steps=(made_step,), written_by="small",
            usage=Usage(1, 0, 0, 0, 0.0), elapsed_ms=1234.6,
            doubt=getattr(PHRASES, assessment.action), reason="", notes=("a", "b", "c"),
            attempts=(attempt,),
        )
    )  # fmt: skip
    assert emitted == [TextDelta("Hand in hand. [1] "), TextDelta("So. [1]")]

    emitted.clear()
    draft.emitted = True
    assert isinstance(_end(run_of(tools, began), (), draft, assessment, ""), Answered)
    assert emitted == []


async def test_an_answer_that_is_withheld_says_why_alone() -> None:
    """Neither text nor sources nor doubt; it was found all the same."""
    emitted: list[Any] = []
    tools = tools_of([step("web_search", FOUND)], [result(hits=[1])], emit=emitted.append)
    draft = Draft("Hand in hand. [1]", CITED)
    last = _end(run_of(tools), (), draft, assess((), THRESHOLDS), "Nobody agreed.")

    assert isinstance(last, Failed)
    made = last.answer
    assert (last.message, made.reason) == ("Nobody agreed.", "Nobody agreed.")
    assert (made.text, made.citations, made.doubt, made.outcome) == (None, (), "", Outcome.FOUND)
    assert emitted == []

    nothing = _end(run_of(tools), (), Draft(), assess((), THRESHOLDS), "")
    assert isinstance(nothing, Failed)
    assert nothing.message == PHRASES.no_answer


@pytest.mark.parametrize(
    ("person", "action", "must"),
    [
        (None, "confirm", False),
        ("ann", "silent", False),
        ("ann", "notify", False),
        ("ann", "confirm", True),
        ("ann", "escalate", True),
    ],
)
def test_a_doubtful_answer_is_not_shown_while_it_is_written(
    person: Any, action: str, must: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If there is somebody to ask; a model's text counts as such."""
    asked: list[Any] = []

    def fake(findings: Any, thresholds: Any, **more: Any) -> Any:
        asked.append((findings, thresholds, more))
        return SimpleNamespace(action=action)

    monkeypatch.setattr(module, "assess", fake)
    run = run_of(tools_of(person=person))
    assert _must_be_confirmed(run, ()) is must
    run.model = "a model"
    _must_be_confirmed(run, ())
    assert asked == [((), THRESHOLDS, {"by_model": m}) for m in (False, True)]


@pytest.mark.parametrize(
    ("number", "step_name", "written_by", "by_model"),
    [(1, "write", "extract", False), (2, "write:2", "small", True)],
)
@pytest.mark.parametrize("confirmed_first", [True, False])
async def test_each_writing_is_a_step_of_its_own(
    number: int, step_name: str, written_by: str, by_model: bool, confirmed_first: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    """What has to be confirmed first is not emitted; the check of a model counts."""
    emitted: list[Any] = []
    given: list[Any] = []
    draft = Draft("x", written_by=written_by, cut=2, marked=3)

    async def write_answer(*values: Any) -> Draft:
        given.append(values)
        return draft

    def fake(findings: Any, thresholds: Any, **more: Any) -> Any:
        return findings, thresholds, more

    monkeypatch.setattr(module, "write_answer", write_answer)
    monkeypatch.setattr(module, "assess", fake)
    monkeypatch.setattr(module, "_must_be_confirmed", lambda run, findings: confirmed_first)
    run = run_of(tools_of(emit=emitted.append))
    done, assessment = await _write(run, "evidence", "findings", number)  # type: ignore[arg-type]

    assert done is draft
    more = {"by_model": by_model, "cut": 2, "marked": 3}
    assert assessment == ("findings", THRESHOLDS, more)
    [(question, findings, evidence, model, tools, emit, name)] = given
    assert (question, findings, evidence, model, name) == (
        HOW, "findings", "evidence", None, step_name,
    )  # fmt: skip
    assert tools is run.tools
    assert (emit is None) is confirmed_first
    if emit is not None:
        emit("part")
        assert emitted == [TextDelta("part")]


async def test_only_a_vendors_model_is_loaded_ahead(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is wrong with it is said when it is asked."""
    loaded: list[str] = []

    async def prepare(self: VendorModel) -> None:
        loaded.append(self.name)
        raise ImportError

    monkeypatch.setattr(VendorModel, "prepare", prepare)
    await _load(VendorModel("openai:small"))
    await _load(None)
    await _load(SimpleNamespace(prepare=lambda: loaded.append("other")))  # type: ignore[arg-type]

    assert loaded == ["openai:small"]
