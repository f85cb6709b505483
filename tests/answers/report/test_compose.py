"""A report in the sources' own words."""

from __future__ import annotations

from kensaku.answers.report.compose import compose
from kensaku.answers.score import Sentence
from kensaku.answers.weigh import Finding
from kensaku.locale import translator


def test_sentences_of_a_source_stand_together_the_best_source_first() -> None:
    """In the order of their page; what was shown before only where it is the best."""
    said = [("One.", 2, 5), ("Two.", 1, 3), ("Three.", 2, 1)]  # text, source, place; best first
    sentences = tuple(Sentence(text, n, place, frozenset()) for text, n, place in said)

    findings = [Finding("A?", sentences, ()), Finding("B?", sentences[:2], ())]
    report = compose(findings, [], {}, translator("en"))

    assert report == "## A?\n\nThree. [2] One. [2] Two. [1]\n\n## B?\n\nOne. [2]"
