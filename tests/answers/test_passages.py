"""The passages of a search's hits: the best for the query first, taking turns between hosts."""

from __future__ import annotations

import pytest

from kensaku.answers.passages import passages_of
from kensaku.models import Explain, Hit, LocalMatch, Passage
from kensaku.search.passages import score_passages


def hit(url: str, content: str = "", raw: str | None = None, start: int | None = None) -> Hit:
    """A result; `start` is where its content begins in a document of the index."""
    local = None if start is None else Explain(local=LocalMatch(start=start))
    return Hit(url=url, title="", content=content, raw_content=raw, explain=local)


def passage(text: str, title: str = "", heading: str = "") -> Passage:
    """A passage of one page."""
    return Passage("https://a.example/", text, 0, len(text), title, heading)


def test_a_passage_is_scored_by_rare_words_and_by_the_rank_of_its_page() -> None:
    """BM25 among the passages, at most 1, and 1 for the first page, a half for the second."""
    found = [
        (0, passage("Rivers are long and rivers are wide.")),
        (0, passage("Otters swim in rivers.")),
        (1, passage("Otters otters otters sleep on the bank of the river and dream of crabs.")),
        (2, passage("Nothing.", title="Otters", heading="Rivers")),
    ]
    scores = [p.score or 0 for p in score_passages("otters in rivers", found)]

    assert sorted(scores, reverse=True) == [scores[n] for n in (1, 2, 0, 3)]
    assert [p.score for p in score_passages("zebra", found)] == [1.0, 1.0, 0.5, 1 / 3]
    assert score_passages("otters", []) == []


def test_hosts_take_turns() -> None:
    """Each further passage of a host counts a tenth less."""
    hits = [
        hit("https://a.example/1", "Otters swim."),
        hit("https://www.a.example/2", "Otters swim."),
        hit("https://b.example/", "Otters swim."),
        hit("https://a.example/3", "Otters swim."),
        hit("urn:x", "Otters swim."),
    ]

    assert [p.url for p in passages_of("otters", hits)] == [hits[n].url for n in (0, 1, 2, 4, 3)]


@pytest.mark.parametrize(
    ("found", "spans"),
    [
        (hit("u", "Otters swim.", raw="The whole page."), [(0, 15, "The whole page.")]),
        (hit("u", "Otters swim."), [(0, 12, "Otters swim."), (40, 46, "Crabs.")]),
        (hit("u", "Otters swim.", start=20), [(20, 32, "Otters swim."), (40, 46, "Crabs.")]),
    ],
)
def test_a_passage_says_where_it_stands_in_its_document(
    found: Hit, spans: list[tuple[int, int, str]]
) -> None:
    """The whole page if there is one, else what the index has of it."""
    stored = {"u": [Passage("u", "Crabs.", 40, 46)]}
    passages = passages_of("otters crabs", [found], stored)

    assert sorted((p.start, p.end, p.text) for p in passages) == spans


def test_a_passage_has_at_most_nine_hundred_characters_or_250_tokens() -> None:
    """Several pages fit into a small budget, in any language."""
    english = passages_of("otter", [hit("u", "The otter swims in the river. " * 200)])
    japanese = passages_of("川", [hit("u", "カワウソは川で泳ぎます。" * 300)])

    assert 800 < max(len(p.text) for p in english) <= 900
    assert 100 < max(len(p.text) for p in japanese) <= 250
