"""How far a response can be trusted: facts about hits, a score, a level, an advice."""

from __future__ import annotations

import pytest

from kensaku import Hit
from kensaku.models import Source
from kensaku.search.confidence import weigh
from kensaku.search.rank import terms

ON_TOPIC = [
    Hit(f"https://{n}.example/", "Otters", "What otters eat", 0.8, sources=(Source("t", n),))
    for n in range(4)
]
OFF_TOPIC = [Hit(f"https://{n}.example/", "Zebra", "Stripes", 0.8) for n in range(4)]


def test_good_hits_of_several_hosts_are_answered_with_citations():
    """All words covered, scores given, four hosts."""
    trust = weigh("what do otters eat", ON_TOPIC)

    assert (trust.level, trust.advice) == ("high", "answer, with citations")
    assert trust.factors.coverage == 1
    assert trust.factors.hosts == 4
    assert trust.factors.score_mean == 0.8


def test_hits_about_something_else_are_worth_little():
    """However many, and however the upstream scores them."""
    trust = weigh("what do otters eat", OFF_TOPIC)

    assert trust.level == "low"
    assert trust.score < 0.5 * weigh("what do otters eat", ON_TOPIC).score


def test_nothing_is_nothing():
    """Say that nothing could be found out."""
    trust = weigh("otters", [])

    assert (trust.score, trust.level) == (0, "none")


@pytest.mark.parametrize("worse", [{"stale": True}, {"partial": True}])
def test_old_and_partial_answers_are_trusted_less(worse):
    """And the factors say so."""
    trust = weigh("otters", ON_TOPIC, **worse)

    assert trust.score < weigh("otters", ON_TOPIC).score
    assert all(getattr(trust.factors, name) for name in worse)


def test_one_host_is_less_than_four():
    """Breadth counts."""
    same = [Hit(f"https://a.example/{n}", "Otters", "otters") for n in range(4)]

    assert weigh("otters", same).score < weigh("otters", ON_TOPIC).score


def test_agreement_is_that_of_independent_indexes():
    """Two names of one family are one voice."""
    both = [
        Hit("https://a.example/", "Otters", sources=(Source("serper", 1), Source("serpapi", 1)))
    ]

    assert weigh("otters", both).factors.agreement == 1
    assert weigh("otters", both, {"serper": "g", "serpapi": "g"}).factors.agreement == 0


def test_japanese_is_weighed_by_the_same_rules():
    """Pairs of characters are its words."""
    about = [
        Hit(f"https://{n}.example/", "カワウソの生態", "カワウソの生態と分布") for n in range(3)
    ]
    other = [Hit(f"https://{n}.example/", "シマウマ", "縞模様") for n in range(3)]

    assert weigh("カワウソの生態", about).level == "high"
    assert weigh("カワウソの生態", other).level == "low"


@pytest.mark.parametrize("query", ["the", "?!", "otters", "x" * 2000])
@pytest.mark.parametrize("hits", [ON_TOPIC, OFF_TOPIC, ON_TOPIC[:1], []])
def test_every_score_is_in_0_to_1(query, hits):
    """Whatever is weighed."""
    trust = weigh(query, hits)

    assert 0 <= trust.score <= 1
    assert trust.to_dict()["factors"]["count"] == len(hits)


def test_what_ranking_has_counted_is_not_counted_again():
    """The coverage that a ranked hit carries is the one that is weighed."""
    hit = Hit("https://a.example/", "Otters", explain={"coverage": 0.25})

    assert weigh("otters", [hit]).factors.coverage == 0.25
    assert terms("otters") == {"otters"}
