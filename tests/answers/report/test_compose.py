"""A report in the sources' own words, to the letter."""

from __future__ import annotations

import sys

import pytest

from kensaku.answers.evidence import Reference
from kensaku.answers.report.compose import compose
from kensaku.answers.report.html import to_html
from kensaku.answers.report.report import Report, report_of
from kensaku.answers.score import Sentence
from kensaku.answers.weigh import Finding
from kensaku.errors import MissingExtra
from kensaku.locale import translator
from kensaku.models import Outcome, Passage
from tests.answers.report.states import A, finished

ENGLISH, JAPANESE = translator("en"), translator("ja")


def said(text: str, citation: int, position: int = 0) -> Sentence:
    return Sentence(text, citation, position, frozenset())  # type: ignore[arg-type]


ONE, TWO, THREE = said("One.", 2, 5), said("Two.", 1, 3), said("Three.", 2, 1)


def test_a_report_has_a_section_for_each_question() -> None:
    """The best source first, its sentences together; what differs, and what is missing."""
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
        "## First question?\n\nThree. [2] One. [2] Two. [1]\n\n"
        "## Second?\n\nOne. [2] Four. [1]\n\n"
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
    """Three passages of a source; a file is no link, nor is a mark without a source."""
    pytest.importorskip("nh3")
    passages = tuple(Passage(A, f"<{n}>", n, n + 3) for n in range(4))
    sources = (Reference(1, A, "Sleep & rest", passages=passages), Reference(2, "file:n.txt", ""))
    report = Report("<otters> " + "x" * 300, "Hands. [1] [3]", None, sources, Outcome.FOUND)
    page = to_html(report)

    assert f"<title>{('&lt;otters&gt; ' + 'x' * 300)[:206]}</title>" in page
    assert '<p>Hands. <a href="#s1">[1]</a> [3]</p>' in page
    assert f'<a href="{A}" rel="noreferrer noopener nofollow">Sleep &amp; rest</a>' in page
    assert page.count("<blockquote>") == 3
    assert "<p>[2] file:n.txt</p>" in page


def test_a_page_needs_the_packages_of_the_server(monkeypatch: pytest.MonkeyPatch) -> None:
    """And says how to install them."""
    monkeypatch.setitem(sys.modules, "kensaku.text.markdown", None)
    with pytest.raises(MissingExtra, match=r"kensaku-search\[server\]"):
        to_html(report_of(finished()))
