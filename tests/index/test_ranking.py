"""Ranking to the digit, over an engine whose scores the test chooses."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

import pytest

from kensaku.errors import IndexFault, InvalidQuery
from kensaku.index.engines.base import EntryFilter, ScoredEntry
from kensaku.index.entries import day_of, entry_id
from kensaku.index.meta import CollectionMeta
from kensaku.index.request import Filters, SearchRequest
from kensaku.index.search import FUZZY_NOTE, search

REQUEST = SearchRequest("otters fish", collections=("docs",), max_results=10)
DENSE = replace(REQUEST, vector=[1.0, 0.0], model="m", mode="dense")
TODAY = day_of(datetime.now(UTC).date()) or 0


def id_of(name: str, part: int = 0) -> str:
    return entry_id(name.encode().hex().rjust(28, "0"), part)


class Engine:
    """One collection: what each list returns, and what was asked for."""

    foreign = None

    def __init__(
        self, words: Mapping[str, float], dense: Mapping[str, float] = {}, **heads: Any
    ) -> None:
        self.words = {id_of(n): s for n, s in words.items()}
        self.dense = {id_of(n): s for n, s in dense.items()}
        self.payloads = {
            id_of(n): {"url": n, "title": "", "text": n, "language": "en", "rev": 1}
            | heads.get(n, {})
            for n in {**words, **dense}
        }
        self.limits: list[tuple[str, int]] = []
        self.conditions: list[EntryFilter] = []

    def search_terms(
        self, _: str, terms: Mapping[int, float], limit: int, condition: EntryFilter
    ) -> list[ScoredEntry]:
        return self._listed("words", self.words, limit, condition)

    def search_vector(
        self, _: str, vector: Sequence[float], limit: int, condition: EntryFilter
    ) -> list[ScoredEntry]:
        return self._listed("dense", self.dense, limit, condition)

    def _listed(
        self, side: str, scores: Mapping[str, float], limit: int, condition: EntryFilter
    ) -> list[ScoredEntry]:
        if limit > 1 or condition.ids:  # else it is asked whether a term is known
            self.limits.append((side, limit))
            self.conditions.append(condition)
        ids = scores if condition.ids is None else [i for i in condition.ids if i in scores]
        return sorted((ScoredEntry(i, scores[i]) for i in ids), key=lambda e: -e.score)[:limit]

    def get(self, _: str, ids: Sequence[str]) -> dict[str, Any]:
        return {i: self.payloads[i] for i in ids if i in self.payloads}


def collections(engine: Engine, **meta: Any) -> Any:
    known = CollectionMeta(
        **{"passages": 9, "documents": 9, "languages": {"en": 9}, "model": "m", "dimensions": 2}
        | meta
    )
    return SimpleNamespace(
        engine=engine,
        meta=lambda _: known,
        names=lambda: ["docs"],
        is_foreign=lambda _: False,
        fault=lambda _: None,
    )


def scores(engine: Engine, request: SearchRequest = REQUEST, **meta: Any) -> dict[str, float]:
    """Title or address → score, best first."""
    found = search(collections(engine, **meta), request)
    return {row["url"]: row["score"] for row in found["rows"]}


def test_a_score_has_four_digits_and_lies_between_nothing_and_one():
    """Whatever an engine counts."""
    assert scores(Engine({"a": 20.0, "b": 10.0})) == {"a": 0.6667, "b": 0.5}
    assert scores(Engine({}, {"a": 1.2, "b": 0.25, "c": -0.5}), DENSE) == {
        "a": 1.0, "b": 0.25, "c": 0.0,
    }  # fmt: skip


def test_age_takes_a_quarter_in_one_half_life_and_half_at_most():
    """A page without a date counts as one half-life old, one of tomorrow as new."""
    days = {"new": TODAY, "tomorrow": TODAY + 1, "old": TODAY - 30, "ancient": TODAY - 30_000}
    engine = Engine(
        dict.fromkeys([*days, "undated"], 10.0), **{n: {"day": d} for n, d in days.items()}
    )

    found = scores(engine, replace(REQUEST, freshness=30.0))

    assert found == {"new": 0.5, "tomorrow": 0.5, "old": 0.375, "undated": 0.375, "ancient": 0.25}
    assert list(found)[-1] == "ancient"


def test_a_title_that_is_in_the_query_lifts_a_fifth_of_what_is_missing():
    """Its words, in any order; small words alone must stand as they are."""
    titles = {"all": "Fish, otters", "more": "Otters of Kyoto", "none": "", "small": "The Who"}
    engine = Engine(
        dict.fromkeys(titles, 10.0), **{n: {"title": title} for n, title in titles.items()}
    )

    assert scores(engine) == {"all": 0.6, "more": 0.5, "none": 0.5, "small": 0.5}
    assert scores(engine, replace(REQUEST, text="are the who otters"))["small"] == 0.6
    assert scores(engine, replace(REQUEST, text="who are the otters"))["small"] == 0.5


@pytest.mark.parametrize(
    ("title", "text", "score"),
    [("東京", "東京で", 0.6), ("東京", "大阪で", 0.5), ("Café noir", "noir café", 0.6)],
)
def test_a_title_without_spaces_is_found_within_the_query(title, text, score):
    """Japanese has no spaces between words; accents are letters."""
    engine = Engine({"a": 10.0}, a={"title": title})

    assert scores(engine, replace(REQUEST, text=text)) == {"a": score}


def test_three_passages_for_each_result_are_looked_at_and_ten_where_lists_are_fused():
    """One document may fill a list."""
    lexical, fused = Engine({"a": 1.0}), Engine({"a": 1.0}, {"a": 1.0})

    scores(lexical)
    scores(fused, replace(DENSE, mode="hybrid", trust=0.5))

    assert lexical.limits == [("words", 35)]
    assert fused.limits[:2] == [("words", 105), ("dense", 105)]


def test_a_full_list_of_too_few_documents_is_looked_at_four_times_deeper():
    """Until there are enough documents, or no more passages."""
    engine = Engine({})
    engine.words = {id_of("a", part): 9.0 for part in range(40)} | {id_of("b"): 1.0}
    head = {"url": "a", "title": "", "text": "a", "language": "en", "rev": 1}
    engine.payloads = dict.fromkeys(engine.words, head) | {id_of("b"): head | {"url": "b"}}

    assert list(scores(engine)) == ["a", "b"]
    assert engine.limits == [("words", 35), ("words", 140)]


def test_passages_of_an_older_revision_are_left_out_and_the_newer_ones_are_not():
    """They are about to be removed."""
    engine = Engine({"a": 2.0, "b": 1.0})
    engine.words[id_of("a", 1)] = 3.0
    engine.payloads[id_of("a", 1)] = engine.payloads[id_of("a")] | {"rev": 0, "text": "old"}

    assert list(scores(engine)) == ["a", "b"]


@pytest.mark.parametrize(
    ("trust", "sides"),
    [(-0.1, {"words"}), (0.0, {"words"}), (0.01, {"words", "dense"}), (0.99, {"words", "dense"}),
     (1.0, {"dense"}), (1.5, {"dense"})],
)  # fmt: skip
def test_trust_says_which_lists_are_asked(trust, sides):
    """None: words alone; all: the vector alone."""
    engine = Engine({"a": 1.0}, {"a": 1.0})

    scores(engine, replace(DENSE, mode=None, trust=trust))

    assert {side for side, _ in engine.limits} == sides


def test_both_lists_are_weighed_by_trust():
    """What only one of them listed is scored by the other; without a vector, words count alone."""
    engine = Engine({"both": 9.0, "words": 10.0}, {"both": 0.9, "dense": 1.0})

    found = scores(engine, replace(DENSE, mode="hybrid", trust=0.5))

    assert found == {"words": 1.0, "both": 0.9, "dense": 0.5}
    assert engine.conditions[2:] == [
        EntryFilter(ids=(id_of("dense"),)),
        EntryFilter(ids=(id_of("words"),)),
    ]


@pytest.mark.parametrize("mode", ["hybrid", "dense"])
@pytest.mark.parametrize("meta", [{"dimensions": 0}, {"model": "other"}, {"model": ""}])
def test_a_collection_without_these_vectors_is_not_searched_by_meaning(mode, meta):
    """Vectors of another model would rank at random. Without a mode, the words are asked."""
    engine = Engine({"a": 10.0}, {"b": 1.0})

    with pytest.raises(IndexFault):
        scores(engine, replace(DENSE, mode=mode), **meta)
    assert scores(engine, replace(DENSE, mode=None, trust=0.5), **meta) == {"a": 0.5}


def test_an_empty_collection_is_not_asked():
    """Nor is a search with no result one for other words."""
    engine = Engine({"a": 1.0})

    assert search(collections(engine, passages=0), REQUEST) == {"rows": [], "notes": []}
    assert engine.limits == []


def test_words_that_nobody_has_are_looked_for_with_another_letter_and_it_is_said():
    """A misspelled query still finds its document."""
    engine = Engine({"a": 1.0})
    asked: list[Mapping[int, float]] = []
    usual = engine.search_terms

    def misspelled(
        name: str, terms: Mapping[int, float], limit: int, condition: EntryFilter
    ) -> list[ScoredEntry]:
        asked.append(terms)
        return usual(name, terms, limit, condition) if len(terms) > 10 else []

    engine.search_terms = misspelled  # type: ignore[method-assign]

    assert search(collections(engine), REQUEST)["notes"] == [FUZZY_NOTE]
    assert len(asked) >= 2


def test_filters_reach_the_engine_as_days_and_sites():
    """Days are counted from 1970."""
    engine = Engine({"a": 1.0})
    filters = Filters(("a.example",), ("b.example",), "1970-01-03", "1970-02", "en")

    scores(engine, replace(REQUEST, filters=filters))

    assert engine.conditions == [EntryFilter(("a.example",), ("b.example",), 2, 31, "en")]


@pytest.mark.parametrize(
    "wrong",
    [
        {"text": " "}, {"text": "x" * 2_001}, {"max_results": 0}, {"max_results": 1_001},
        {"mmr": -0.01}, {"mmr": 1.01}, {"mmr": math.nan},
        {"freshness": -1.0}, {"freshness": math.inf}, {"freshness": math.nan},
    ],
)  # fmt: skip
def test_a_search_beyond_its_bounds_is_refused(wrong):
    """One clear sentence before anything is sent."""
    with pytest.raises(InvalidQuery):
        replace(REQUEST, **wrong)


@pytest.mark.parametrize(
    "right",
    [{"text": "x" * 2_000}, {"max_results": 1}, {"max_results": 1_000}, {"mmr": 0.0}, {"mmr": 1.0},
     {"freshness": 0.0}, {"freshness": 0.5}],
)  # fmt: skip
def test_a_search_at_its_bounds_is_taken(right):
    """To the last of them."""
    assert replace(REQUEST, **right) != REQUEST
