"""How far a response can be trusted: facts about hits, a score, a level, an advice."""

from __future__ import annotations

import pytest

from kensaku.models import Explain, Hit, LocalMatch, Source
from kensaku.search.confidence import confidence_of, relevance
from kensaku.search.rank import terms

ON_TOPIC = [
    Hit(f"https://{n}.example/", "Otters", "What otters eat", 0.8, sources=(Source("t", n),))
    for n in range(4)
]
OFF_TOPIC = [Hit(f"https://{n}.example/", "Zebra", "Stripes", 0.8) for n in range(4)]


def test_good_hits_of_several_hosts_are_answered_with_citations():
    """All words covered, scores given, four hosts."""
    trust = confidence_of("what do otters eat", ON_TOPIC)

    assert (trust.level, trust.advice) == ("high", "answer, with citations")
    assert trust.factors.coverage == 1
    assert trust.factors.hosts == 4
    assert trust.factors.score_mean == 0.8


def test_hits_about_something_else_are_worth_little():
    """However many, and however the upstream scores them."""
    trust = confidence_of("what do otters eat", OFF_TOPIC)

    assert trust.level == "low"
    assert trust.score < 0.5 * confidence_of("what do otters eat", ON_TOPIC).score


def test_nothing_is_nothing():
    """Say that nothing could be found out."""
    trust = confidence_of("otters", [])

    assert (trust.score, trust.level) == (0, "none")


@pytest.mark.parametrize("worse", [{"stale": True}, {"partial": True}])
def test_old_and_partial_answers_are_trusted_less(worse):
    """And the factors say so."""
    trust = confidence_of("otters", ON_TOPIC, **worse)

    assert trust.score < confidence_of("otters", ON_TOPIC).score
    assert all(getattr(trust.factors, name) for name in worse)


def test_one_host_is_less_than_four():
    """Breadth counts."""
    same = [Hit(f"https://a.example/{n}", "Otters", "otters") for n in range(4)]

    assert confidence_of("otters", same).score < confidence_of("otters", ON_TOPIC).score


def test_agreement_is_that_of_independent_indexes():
    """Two names of one family are one voice."""

    def agreement(*families: str) -> float:
        sources = tuple(Source(f"p{n}", 1, family=f) for n, f in enumerate(families))
        hit = Hit("https://a.example/", "Otters", sources=sources)
        return confidence_of("otters", [hit]).factors.agreement

    assert agreement("", "") == agreement("google", "bing") == 1
    assert agreement("google", "google") == 0


def test_japanese_is_weighed_by_the_same_rules():
    """Pairs of characters are its words."""
    about = [
        Hit(f"https://{n}.example/", "カワウソの生態", "カワウソの生態と分布") for n in range(3)
    ]
    other = [Hit(f"https://{n}.example/", "シマウマ", "縞模様") for n in range(3)]

    assert confidence_of("カワウソの生態", about).level == "high"
    assert confidence_of("カワウソの生態", other).level == "low"


@pytest.mark.parametrize("query", ["the", "?!", "otters", "x" * 2000])
@pytest.mark.parametrize("hits", [ON_TOPIC, OFF_TOPIC, ON_TOPIC[:1], []])
def test_every_score_is_in_0_to_1(query, hits):
    """Whatever is weighed."""
    trust = confidence_of(query, hits)

    assert 0 <= trust.score <= 1
    assert trust.to_dict()["factors"]["count"] == len(hits)


def test_what_ranking_has_counted_is_not_counted_again():
    """The coverage that a ranked hit carries is the one that is weighed."""
    hit = Hit("https://a.example/", "Otters", explain=Explain(0.25))

    assert confidence_of("otters", [hit]).factors.coverage == 0.25
    assert terms("otters") == {"otters"}


def local_hit(score: float, text: str = "Sea otters eat", **match: float) -> Hit:
    return Hit("https://a.example/", "", text, score, explain=Explain(local=LocalMatch(**match)))


@pytest.mark.parametrize(
    ("hit", "expected"),
    [
        (local_hit(0.2, bm25=2.5), 0.76),  # all words: a small collection's score is no verdict
        (local_hit(0.8, bm25=40.0), 0.94),
        (local_hit(0.8, "Tax law", bm25=40.0), 0.0),
        (local_hit(0.5, "Tax law", cosine=0.5), 0.5),  # by meaning: as it is
        (local_hit(0.3, "Otters", bm25=3.0, cosine=0.9), 0.9),  # the stronger side
        (local_hit(0.3, bm25=3.0, cosine=0.1), 0.79),
        (local_hit(1.4, cosine=1.4), 1.0),
        (Hit("https://a.example/", "Sea otters", "they eat", 0.8), 0.9),  # an upstream's score
        (Hit("https://a.example/", "Tax law", "", 0.8), 0.4),
        (Hit("https://a.example/", "Sea otters", "they eat"), 0.85),  # no score
        (Hit("https://a.example/", "Tax law"), 0.0),
    ],
)
def test_relevance_is_on_the_scale_of_a_cosine(hit, expected):
    """Whatever scale the upstream's score is on (S3-12)."""
    assert relevance(terms("sea otters eat"), hit) == pytest.approx(expected, abs=1e-3)


def test_relevance_keeps_the_order_of_a_score_where_the_words_are_the_same():
    """Two documents with all words are still told apart."""
    low, high = (relevance(terms("sea otters"), local_hit(s, bm25=s * 10)) for s in (0.1, 0.7))

    assert low < high
