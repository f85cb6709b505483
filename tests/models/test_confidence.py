"""How far a response can be trusted: facts about hits, a score, a level, an advice."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kensaku.index.fuse import match_strength
from kensaku.models import Explain, Hit, LocalMatch, Source
from kensaku.models.calibration import Model, shipped_models
from kensaku.models.confidence import confidence_of, relevance
from kensaku.text.terms import terms

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
    assert trust.score < 0.3


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


def test_agreement_is_that_of_independent_indexes():
    """Two names of one family are one voice."""

    def agreement(*families: str) -> float:
        sources = tuple(Source(f"p{n}", 1, family=f) for n, f in enumerate(families))
        hit = Hit("https://a.example/", "Otters", sources=sources)
        return confidence_of("otters", [hit]).factors.agreement

    assert agreement("", "") == agreement("google", "bing") == 1
    assert agreement("google", "google") == 0


def test_agreement_raises_the_score():
    """Two independent indexes that list a page know more than one."""
    voices = (Source("a", 1, family="google"), Source("b", 1, family="bing"))
    alone, agreed = (
        confidence_of("sea otters", [Hit("https://a.example/", "Otters", sources=s)]).score
        for s in (voices[:1], voices)
    )

    assert alone < agreed


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


def found_by_words(*matches: tuple[str, float]) -> list[Hit]:
    """Hits of the local index: texts and their BM25 scores."""
    return [
        Hit(f"doc:{n}", "", text, bm25 / (bm25 + 10), explain=Explain(local=by_words(bm25)))
        for n, (text, bm25) in enumerate(matches)
    ]


def by_words(bm25: float) -> LocalMatch:
    """A match in a hundred passages for a query of five terms."""
    return LocalMatch(bm25=bm25, strength=match_strength(bm25, 5, 100))


QUESTION = "which sea otters hold hands while asleep"
WORDS = sorted(terms(QUESTION))


# Texts with some of the question's words, the best score first.
MATCHES = st.lists(
    st.tuples(st.lists(st.sampled_from(WORDS), unique=True).map(" ".join), st.floats(1, 30)),
    min_size=1,
    max_size=7,
).map(lambda matches: sorted(matches, key=lambda match: -match[1]))


@given(MATCHES)
def test_a_better_first_hit_never_lowers_the_score(matches: list[tuple[str, float]]) -> None:
    """A word more, a higher score of the first, a lower one of the second: monotone."""
    (text, bm25), *rest = matches
    before = confidence_of(QUESTION, found_by_words((text, bm25), *rest)).score

    for word in WORDS:
        more = confidence_of(QUESTION, found_by_words((f"{text} {word}", bm25), *rest)).score
        assert more >= before
    higher = confidence_of(QUESTION, found_by_words((text, bm25 * 1.5), *rest)).score
    assert higher >= before
    if rest:
        second = (rest[0][0], rest[0][1] * 0.5)
        lower = confidence_of(QUESTION, found_by_words((text, bm25), second, *rest[1:])).score
        assert lower >= before


@pytest.mark.parametrize("passages", [1, 8, 30, 300_000])
def test_a_match_is_worth_the_same_in_a_small_collection_and_in_a_large_one(passages: int) -> None:
    """BM25 scores grow with the collection: in three documents even the best are small."""
    highest_idf = math.log(1 + (passages - 0.5) / 1.5)
    local = LocalMatch(bm25=1.0, strength=match_strength(3 * highest_idf, 4, passages))
    hit = Hit("doc:1", "", QUESTION, 0.5, explain=Explain(local=local))

    assert confidence_of(QUESTION, [hit]).level == "high"


def test_a_low_score_says_little_where_all_passages_are_about_the_same_thing() -> None:
    """In eight snippets about one question its words are everywhere, and their IDF is small."""
    few, many = (match_strength(0.5, 6, passages) for passages in (8, 8_000))

    assert few > 0.8
    assert many < 0.1


def test_a_weak_match_of_all_that_is_listed_is_not_trusted() -> None:
    """Topics: many documents have the same common words, and none of them has much more."""
    weak = found_by_words(*[("sea hold", 3.0 - n / 10) for n in range(5)])
    strong = found_by_words(*[("sea hold", 30.0 - n) for n in range(5)])

    assert confidence_of(QUESTION, weak).level == "low"
    assert confidence_of(QUESTION, strong).score > confidence_of(QUESTION, weak).score + 0.3


def test_no_weight_is_negative() -> None:
    """So that no factor that speaks for the hits lowers the score."""
    for model in shipped_models().values():
        assert all(weight >= 0 for weight in model.weights.values())


def test_it_says_what_it_was_fitted_on() -> None:
    """The weights for web results were fitted on questions to the local index."""
    local = confidence_of(QUESTION, found_by_words(("sea otters", 5.0)))
    web = confidence_of("what do otters eat", ON_TOPIC)
    both = confidence_of(QUESTION, [*found_by_words(("sea otters", 5.0)), *ON_TOPIC])

    assert "JSQuAD" in local.fitted_on
    assert "not judged on web results" in web.fitted_on
    assert both.fitted_on == web.fitted_on
    assert web.to_dict()["fitted_on"] == web.fitted_on


def test_one_right_page_among_others_is_trusted() -> None:
    """The others need not be about it; a mean over all would punish the one that is."""
    right = (QUESTION, 25.0)
    others = [("zebras have stripes", 4.0)] * 4

    assert confidence_of(QUESTION, found_by_words(right, *others)).level == "high"
    assert confidence_of(QUESTION, found_by_words(*others)).score < 0.3


def test_a_match_by_meaning_needs_no_words() -> None:
    """The cosine stands in for the words that another wording lacks."""

    def trust(cosine: float) -> float:
        local = LocalMatch(bm25=0.5, cosine=cosine)
        hit = Hit("doc:1", "", "Enhydra lutris", 0.5, explain=Explain(local=local))
        return confidence_of(QUESTION, [hit]).score

    assert trust(0.9) > trust(0.1)


def local_hit(score: float, text: str = "Sea otters eat", **match: float) -> Hit:
    return Hit("https://a.example/", "", text, score, explain=Explain(local=LocalMatch(**match)))


@pytest.mark.parametrize(
    ("hit", "expected"),
    [
        (local_hit(0.2, bm25=2.5), 0.76),  # all words: a small collection's score is no verdict
        (local_hit(0.8, "Tax law", bm25=40.0), 0.0),
        (local_hit(0.5, "Tax law", cosine=0.5), 0.5),  # by meaning: as it is
        (local_hit(0.3, "Otters", bm25=3.0, cosine=0.9), 0.9),  # the stronger side
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


# The sums of which a logistic regression makes exactly these probabilities.
SUMS = {0.7: 0.8472978603872034, 0.5: 0.0, 0.9: 2.1972245773362196}


@pytest.mark.parametrize(
    ("probability", "worse", "score", "level"),
    [
        (0.7, {}, 0.7, "high"),
        (0.5, {}, 0.5, "medium"),
        (0.5, {"partial": True}, 0.45, "medium"),
        (0.5, {"stale": True}, 0.4, "low"),
        (0.9, {"stale": True}, 0.72, "high"),
        (0.9, {"stale": True, "partial": True}, 0.648, "medium"),
    ],
)
def test_levels_begin_at_70_and_45_percent(probability, worse, score, level):
    """An old response is worth four fifths, a partial one nine tenths."""
    models = dict.fromkeys(("web", "local"), Model({}, SUMS[probability], "here"))

    trust = confidence_of("otters", ON_TOPIC, models=models, **worse)

    assert (trust.score, trust.level, trust.fitted_on) == (score, level, "here")
    assert (
        trust.advice
        == {
            "high": "answer, with citations",
            "medium": "answer, and say what is uncertain",
            "low": "search again in other words, or ask the person",
        }[level]
    )
    none = confidence_of("otters", [], models=models, **worse)
    assert (none.score, none.level, none.advice) == (
        0.0, "none", "say that nothing could be found out",
    )  # fmt: skip
