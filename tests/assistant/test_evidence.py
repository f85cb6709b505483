"""What a run has found: numbered once, weighed by the person's words, and where it is from."""

from __future__ import annotations

from typing import Any

import pytest

from kensaku.assistant.evidence import Evidence
from kensaku.models import Hit
from kensaku.research.questions import Question

SLEEP, EAT = "How do sea otters sleep?", "What do sea otters eat?"
HANDS = "Sea otters hold hands while they sleep."
WEIGHT = "Sea otters eat 25 % of their weight each day."
A = Hit("https://a.example/", "Otters", HANDS, provider="tavily", published="2024-03-02")
B = Hit("https://b.example/", "Food", WEIGHT, provider="exa")
OWN = Hit("https://own.example/", "Notes", WEIGHT, provider="local")


def found(*hits: Hit, **more: Any) -> dict[str, Any]:
    """The result of a search."""
    return {"outcome": "found", "hits": [hit.to_dict() for hit in hits], "stored": {},
            "confidence": 0.8, **more}  # fmt: skip


def passage(url: str, start: int, text: str) -> dict[str, Any]:
    """A passage of a page, as JSON."""
    return {"url": url, "text": text, "start": start, "end": start + len(text), "title": "Page"}


def read(url: str, *passages: dict[str, Any], title: str = "Page") -> dict[str, Any]:
    """The result of reading a page."""
    page = {"url": url, "title": title, "published": "2020-01-01", "author": None, "favicon": None,
            "passages": list(passages)}  # fmt: skip
    return {"pages": [page]}


@pytest.fixture
def evidence() -> Evidence:
    """Of two questions."""
    return Evidence([Question(SLEEP, (SLEEP, "x")), Question(EAT, (EAT,))], "estimate")


def sentences(evidence: Evidence, question: int) -> list[tuple[str, int]]:
    """What answers a question, with the numbers of the sources."""
    return [(s.text, s.citation) for s in evidence.finding(question).sentences]


def test_a_source_keeps_its_number_and_answers_its_own_question(evidence: Evidence) -> None:
    """In the order in which sources came; the first title stays."""
    evidence.add(0, found(A))
    evidence.add(1, found(B))
    evidence.add(1, found(Hit(A.url, "Another title", "Other words.")))
    first, second = evidence.finding(0), evidence.finding(1)

    assert (first.question, second.question) == (SLEEP, EAT)
    assert [(c.n, c.url, c.title, c.published) for c in first.citations] == [
        (1, "https://a.example/", "Otters", "2024-03-02")
    ]
    assert sentences(evidence, 0) == [(HANDS, 1)]
    assert sentences(evidence, 1)[0] == (WEIGHT, 2)
    references = evidence.references([second, first])
    assert [(n, r.n, r.url, r.title, r.published) for n, r in references.items()] == [
        (1, 1, "https://a.example/", "Otters", "2024-03-02"),
        (2, 2, "https://b.example/", "Food", None),
    ]
    assert [p.text for p in references[2].passages] == [WEIGHT]


def test_a_passage_that_answers_two_questions_is_listed_once(evidence: Evidence) -> None:
    """However each question scores it; in the order of the page."""
    for question in (0, 1):
        evidence.add(question, found(A))
    later, earlier = passage(A.url, 100, WEIGHT), passage(A.url, 0, HANDS)
    evidence.add_pages(read(A.url, later, earlier))

    findings = [evidence.finding(n) for n in (1, 0)]
    assert len({p.score for f in findings for p in f.citations[0].passages}) > 2
    assert [p.text for p in evidence.references(findings)[1].passages] == [HANDS, WEIGHT]


@pytest.mark.parametrize(
    ("results", "confidence", "searched"),
    [
        ([], None, False),
        ([found(outcome="unavailable", confidence=None)], None, False),
        ([found(outcome="empty", confidence=None)], None, True),
        ([found(outcome="unavailable", confidence=None), found(A)], 0.8, True),
        ([found(A, confidence=0.3), found(confidence=0.6), found(confidence=0.4)], 0.6, True),
        ([found(A, confidence=0.0)], 0.0, True),
    ],
)
def test_the_best_search_says_how_sure_it_is(
    results: list[dict[str, Any]], confidence: float | None, searched: bool, evidence: Evidence
) -> None:
    """Nobody could search is not nothing found; another question is not concerned."""
    for result in results:
        evidence.add(1, result)

    finding, other = evidence.finding(1), evidence.finding(0)
    assert (finding.confidence, finding.searched) == (confidence, searched)
    assert (other.confidence, other.searched, other.citations) == (None, False, ())


def test_a_page_that_was_read_counts_over_its_snippet(evidence: Evidence) -> None:
    """The score is at least the search's; its title and date stay."""
    evidence.add(0, found(A, confidence=0.2))
    evidence.add(1, found(B, confidence=0.999))
    evidence.add_pages(read(A.url, passage(A.url, 40, "Sea otters sleep on their backs.")))
    evidence.add_pages(read(B.url, passage(B.url, 0, WEIGHT)))
    finding = evidence.finding(0)

    assert [(c.title, c.published, [p.text for p in c.passages]) for c in finding.citations] == [
        ("Otters", "2024-03-02", ["Sea otters sleep on their backs."])
    ]
    assert (finding.confidence or 0.0) > 0.5
    assert evidence.finding(1).confidence == 0.999


def test_a_page_of_the_person_is_for_every_question(evidence: Evidence) -> None:
    """It stands first and counts as searched; a page of a result is for its question alone."""
    evidence.add(0, found(A))
    evidence.add_pages(read("https://own.example/", passage("https://own.example/", 0, WEIGHT)))
    assert not evidence.finding(1).citations
    evidence.add_pages(
        read("https://own.example/", passage("https://own.example/", 0, WEIGHT)), shared=True
    )

    second = evidence.finding(1)
    assert [(c.n, c.url, c.title) for c in second.citations] == [
        (2, "https://own.example/", "Page")
    ]
    assert [p.text for p in second.citations[0].passages] == [WEIGHT]  # read twice, listed once
    assert second.searched
    assert (second.confidence or 0.0) > 0.5
    assert "https://own.example/" in {c.url for c in evidence.finding(0).citations}


def test_stored_passages_of_a_collection_are_cited(evidence: Evidence) -> None:
    """Instead of the snippet, from every search that found them."""
    url = OWN.url
    evidence.add(1, found(OWN, stored={url: [passage(url, 0, WEIGHT)]}))
    evidence.add(1, found(OWN, stored={url: [passage(url, 90, "Urchins are eaten, too.")]}))

    [citation] = evidence.finding(1).citations
    assert [p.start for p in citation.passages] == [0, 90]


def test_the_persons_words_weigh_too(evidence: Evidence) -> None:
    """Words that the question has not find their sentence."""
    evidence.add(0, found(Hit("https://z.example/", "Zoo", "Rafts drift along in brown kelp.")))
    assert sentences(evidence, 0) == []
    evidence.add_words("rafts drift brown kelp")

    assert sentences(evidence, 0) == [("Rafts drift along in brown kelp.", 1)]


def test_where_a_source_is_from_and_what_can_still_be_read(evidence: Evidence) -> None:
    """Only pages of the web, not of a collection, in the order of the search."""
    file = Hit("file:x.txt", "File", "x", provider="tavily")
    other = Hit("https://c.example/", "C", "c", provider="tavily")
    evidence.add(0, found(OWN, file, A, B, other))
    evidence.add_pages(read(B.url))

    assert [evidence.origin(hit.url) for hit in (OWN, A, B)] == ["collection", "web", "page"]
    assert evidence.unread(0, 3) == ["https://a.example/", "https://c.example/"]
    assert evidence.unread(0, 1) == ["https://a.example/"]
    assert evidence.unread(1, 3) == []


@pytest.mark.parametrize(
    ("query", "pairs"), [(EAT, 1), ("What do the sea otters of Yokohama zoo cost to insure?", 0)]
)
def test_sources_that_differ_are_paired_where_they_answer(query: str, pairs: int) -> None:
    """Two figures of two hosts; beside the point they are nothing to say."""
    evidence = Evidence([Question(query, (query,))], "estimate")
    other = Hit("https://z.example/", "Zoo", WEIGHT.replace("25", "40"))
    evidence.add(0, found(B, other, confidence=0.8 if pairs else 0.0))
    finding = evidence.finding(0)

    assert bool(finding.sentences) == bool(pairs)
    assert [(a.citation, b.citation) for a, b in finding.differences] == [(1, 2)] * pairs
