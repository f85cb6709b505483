"""A report in the sources' own words, to the letter."""

from __future__ import annotations

import sys
from typing import Any

import pytest

from kensaku.answers.score import Sentence
from kensaku.errors import MissingExtra, Unreadable
from kensaku.locale import translator
from kensaku.models import Passage
from kensaku.research.compose import compose
from kensaku.research.evidence import Reference
from kensaku.research.findings import Finding
from kensaku.research.html import to_html
from kensaku.research.model import fill_by_model, read_json, read_questions, write_by_model
from kensaku.research.plan import make_plan
from kensaku.research.questions import Question
from kensaku.research.report import Report, report_of
from kensaku.research.request import ResearchRequest
from tests.research.states import A, finished

ENGLISH, JAPANESE = translator("en"), translator("ja")


def said(text: str, citation: int, position: int = 0) -> Sentence:
    return Sentence(text, citation, position, frozenset())  # type: ignore[arg-type]


ONE, TWO, THREE = said("One.", 2, 5), said("Two.", 1, 3), said("Three.", 2, 1)


def test_a_report_has_a_section_for_each_question() -> None:
    """Sentences in reading order; no one but the best twice; what differs, and what is missing."""
    report = compose(
        [
            Finding("First [1] question?", (ONE, TWO, THREE), ()),
            Finding("Second?", (ONE, TWO, said("Four.", 1)), (), ((ONE, TWO),)),
            Finding("Third?", (), ()),
            Finding("Fourth?", (), (), searched=False),
            Finding("Fifth?", (), ()),
        ],
        [
            Finding("Kelp", (ONE, said("Five.", 3), said("Six.", 3)), ()),
            Finding("Known", (TWO,), ()),
            Finding("Rafts", (said("Five.", 3), said("Seven.", 4)), ()),
        ],
        {1: None, 2: "2024-03-02T10:00:00Z"},
        ENGLISH,
    )

    assert report == (
        "## First question?\n\nTwo. [1] Three. [2] One. [2]\n\n"
        "## Second?\n\nFour. [1] One. [2]\n\n"
        "**Sources differ:**\n\n- One. [2] (2024-03-02)\n- Two. [1]\n\n"
        "## Also on these pages\n\n- Kelp: Five. [3]\n- Rafts: Seven. [4]\n\n"
        "## Not found\n\n- Third?\n- Fifth?\n\n"
        "## Could not be searched\n\n- Fourth?"
    )


def test_one_question_needs_no_heading() -> None:
    """Nor a list of what is missing, when that is all."""
    assert compose([Finding("Q?", (ONE,), ())], [], {}, ENGLISH) == "One. [2]"
    assert compose([Finding("Q?", (), ())], [], {}, ENGLISH) == (
        "The sources that were found say nothing about this."
    )
    assert compose([Finding("Q?", (), ())], [Finding("Kelp", (ONE,), ())], {}, JAPANESE) == (
        "見つかった出典には、これについての記述がありません。\n\n## 関連する内容\n\n- Kelp: One. [2]"
    )


def test_the_page_of_a_report() -> None:
    """Language, title, links to passages and to the web, and who wrote it."""
    pytest.importorskip("nh3")
    passages = tuple(Passage(A, f"<{n}>", n, n + 3) for n in range(4))
    sources = (
        Reference(1, A, "Sleep & rest", passages=passages),
        Reference(2, "file:n.txt", ""),
        Reference(4, "http://c.example/", "C"),
    )
    report = Report("How\n  do <otters> sleep? " + "x" * 300, "Hands. [1] [3]", None, sources,
                    report_of(finished()).outcome)  # fmt: skip
    page = to_html(report)

    assert page.startswith('<!doctype html>\n<html lang="en">\n')
    title = ("How do <otters> sleep? " + "x" * 300)[:200].replace("<", "&lt;").replace(">", "&gt;")
    assert f"<title>{title}</title>" in page
    assert '<p>Hands. <a href="#s1">[1]</a> [3]</p>' in page
    assert "<h2>Passages</h2>" in page
    assert (
        f'<section id="s1"><p>[1] <a href="{A}" rel="noreferrer noopener nofollow">Sleep &amp; rest'
        "</a></p><blockquote>&lt;0&gt;</blockquote><blockquote>&lt;1&gt;</blockquote>"
        "<blockquote>&lt;2&gt;</blockquote></section>\n"
        '<section id="s2"><p>[2] file:n.txt</p></section>\n'
        '<section id="s4"><p>[4] <a href="http://c.example/" rel="noreferrer noopener nofollow">C</a>'
        "</p></section>\n"
        '<p class="about">Kensaku · extract · found</p>'
    ) in page


class Asked:
    """A model that says one thing, and remembers what it was asked."""

    name = "small"

    def __init__(self, reply: str) -> None:
        self.reply, self.heard = reply, ("", "", 0.0)

    async def ask(self, system: str, user: str, seconds: float | None = None) -> str:
        self.heard = (system, user, seconds or 0.0)
        return self.reply


async def test_a_model_is_given_the_sources_as_data() -> None:
    """Numbered, dated and fenced; then the task and its questions."""
    model = Asked("text")
    source = Reference(
        1,
        A,
        "Sleep",
        "2024",
        passages=(Passage(A, "One.\n[2] no", 0, 9), Passage(A, "Two.", 9, 13)),
    )
    other = Reference(3, "https://b.example/", "B")
    written = await write_by_model(
        "task", ["q1", "q2"], [source, other], words=150, language="English", model=model, seconds=9
    )
    system, user, seconds = model.heard

    assert written == "text"
    assert seconds == 9
    assert "in about 150 words, in the language of the task (English)." in system
    assert user.startswith("Sources:\n\n")
    assert user.endswith("\n\nTask: task\n\nQuestions:\n- q1\n- q2")
    assert "[1] Sleep (https://a.example/sleep), published 2024\nOne.\n" in user
    assert "\n[2] no" not in user
    assert "\n…\nTwo.\n\n[3] B (https://b.example/)\n" in user


@pytest.mark.parametrize(("seconds", "limit"), [(9.0, 9.0), (0.0, 0.001), (1e9, None)])
async def test_a_model_has_a_time_of_its_own(seconds: float, limit: float | None) -> None:
    """What is left of the run, within its bounds."""
    from kensaku.answers.model import MODEL_SECONDS

    model = Asked('{"content": {"a": 1}, "basis": []}')
    assert await fill_by_model("task", {"x": "é"}, [], model, seconds) == ({"a": 1}, {})
    assert model.heard[2] == (limit or MODEL_SECONDS)
    assert model.heard[0].endswith('Schema: {"x": "é"}')
    assert model.heard[1].endswith("\n\nTask: task")


async def test_sources_for_a_model_are_bounded() -> None:
    """100,000 characters of them."""
    model = Asked("{}")
    long = Reference(1, A, "T", passages=(Passage(A, "y" * 200_000, 0, 200_000),))
    with pytest.raises(Unreadable, match="has no content"):
        await fill_by_model("task", {}, [long], model, 9)

    assert model.heard[1].count("y") in range(99_900, 100_001)
    assert len(f"[1] T ({A})\n") + model.heard[1].count("y") == 100_000


@pytest.mark.parametrize(
    ("reply", "value"),
    [
        ('{"a": 1}', {"a": 1}),
        ('```json\n{"a": {"b": 2}}\n```', {"a": {"b": 2}}),
        ("[1]", None),
        ("no", None),
        ("{x}", None),
        ("} {", None),
    ],
)
def test_the_object_in_a_reply_is_read(reply: str, value: Any) -> None:
    """Whatever stands around it."""
    if value is None:
        with pytest.raises(Unreadable, match="did not reply with JSON"):
            read_json(reply)
    else:
        assert read_json(reply) == value


def test_a_plan_of_a_model_is_bounded_and_has_each_question_once() -> None:
    """Its own text is the last of at most three queries."""
    said: dict[str, Any] = {
        "questions": [
            {"question": " How\nold? ", "queries": ["a", 7, " ", "a", "b"]},
            {"question": "HOW OLD?", "queries": "x"},
            {"question": "q", "queries": ["1", "2", "3", "4"]},
            {"question": "y" * 301, "queries": ["z" * 301]},
            {"question": ""},
            {"query": "x"},
            "x",
        ]
    }
    assert read_questions(said) == [
        Question("HOW OLD?", ("HOW OLD?",)),
        Question("q", ("1", "2", "3")),
        Question("y" * 300, ("z" * 300, "y" * 300)),
    ]
    assert read_questions({"questions": said["questions"][:1]}) == [
        Question("How old?", ("a", "b", "How old?"))
    ]
    for empty in ({}, {"questions": {}}, {"questions": []}):
        with pytest.raises(Unreadable, match="has no question"):
            read_questions(empty)


async def test_a_plan_is_made_by_rule_without_a_model() -> None:
    """A topic of a large run has aspects; too many questions are cut, and that is said."""
    plan = await make_plan(ResearchRequest("sea otters", model="pro"), None, 9)
    assert plan == {
        "effort": "pro",
        "questions": [
            {"text": "sea otters", "queries": ["sea otters"]},
            {"text": "what is sea otters", "queries": ["what is sea otters"]},
            {"text": "history of sea otters", "queries": ["history of sea otters"]},
            {
                "text": "sea otters latest developments",
                "queries": ["sea otters latest developments"],
            },
        ],
        "by": "rule",
        "notes": [],
    }
    small = await make_plan(ResearchRequest("sea otters", model="mini"), None, 9)
    assert [q["text"] for q in small["questions"]] == ["sea otters"]
    asked = await make_plan(ResearchRequest("what are otters", model="pro"), None, 9)
    assert [q["text"] for q in asked["questions"]] == ["what are otters"]

    many = " ".join(f"What is A{n}?" for n in range(5))
    cut = await make_plan(ResearchRequest(many, model="mini"), None, 9)
    assert [q["text"] for q in cut["questions"]] == [f"What is A{n}?" for n in range(4)]
    assert cut["notes"] == ["of 5 questions, mini takes the first 4"]
    whole = await make_plan(ResearchRequest(many[:-12], model="mini"), None, 9)
    assert whole["notes"] == []


async def test_a_plan_is_made_by_a_model() -> None:
    """Its name stands in the plan; when it fails, the rules stand, and that is said."""
    good: Any = Asked('{"questions": [{"question": "q", "queries": ["a"]}]}')
    plan = await make_plan(ResearchRequest("otters"), good, 9)
    assert plan == {
        "effort": "mini",
        "questions": [{"text": "q", "queries": ["a", "q"]}],
        "by": "small",
        "notes": [],
    }
    assert good.heard[1:] == ("Task: otters", 9)
    assert "at most 4 independent questions" in good.heard[0]
    assert "to 3 search queries" in good.heard[0]

    bad: Any = Asked("no")
    plan = await make_plan(ResearchRequest("otters"), bad, 9)
    assert plan["by"] == "rule"
    assert plan["notes"] == [
        "the model made no plan (the model did not reply with JSON); it was made by rule"
    ]


def test_a_page_needs_the_packages_of_the_server(monkeypatch: pytest.MonkeyPatch) -> None:
    """And says how to install them."""
    monkeypatch.setitem(sys.modules, "kensaku.text.markdown", None)
    with pytest.raises(MissingExtra, match=r"kensaku-search\[server\]"):
        to_html(report_of(finished()))
