"""How much a run may do: questions, rounds and pages by the name of the effort, and lengths."""

from __future__ import annotations

from dataclasses import dataclass

LONG_INPUT = 400  # characters of an input for which `auto` takes the larger effort


@dataclass(frozen=True, slots=True)
class Effort:
    """Bounds of one run."""

    questions: int
    rounds: int  # of searches; later ones only for questions without an answer
    pages: int  # that are fetched in all
    results: int  # hits of each search


@dataclass(frozen=True, slots=True)
class Extent:
    """Bounds of one report."""

    sentences: int  # of an extract, for each question
    subtopics: int  # headings of the pages that get a section of their own
    words: int  # that a model is asked for


EFFORTS = {
    "mini": Effort(questions=4, rounds=2, pages=6, results=8),
    "pro": Effort(questions=10, rounds=3, pages=20, results=12),
}
EXTENTS = {
    "short": Extent(sentences=2, subtopics=0, words=150),
    "standard": Extent(sentences=3, subtopics=3, words=500),
    "long": Extent(sentences=5, subtopics=6, words=1_200),
}


def choose_effort(model: str, text: str, questions: int) -> str:
    """Return `mini` or `pro`; `auto` chooses by how many questions the input holds."""
    if model != "auto":
        return model
    large = questions > EFFORTS["mini"].questions or len(text) > LONG_INPUT
    return "pro" if large else "mini"
