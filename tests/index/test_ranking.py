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
from kensaku.index.entries import day_of, entry_id, text_hash
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


# --- several collections, several passages, variety


class Several:
    """Collections of different engines, as one; some of them may be another application's."""

    def __init__(self, foreign: Any = None, **engines: Any) -> None:
        self.engines, self.engine, self.lost = engines, self, dict[str, IndexFault]()
        self.foreign = foreign
        self.got: list[tuple[str, int]] = []

    def names(self) -> list[str]:
        return list(self.engines)

    def is_foreign(self, name: str) -> bool:
        return name not in self.engines

    def fault(self, name: str) -> IndexFault | None:
        return self.lost.get(name)

    def meta(self, name: str) -> CollectionMeta:
        self._of(name)
        return CollectionMeta(passages=9, documents=9, languages={"en": 9}, model="m", dimensions=2)

    def document(self, name: str, id: str, head: Any) -> Any:
        return SimpleNamespace(text=f"{name}: all of {head['url']}")

    def search_terms(self, name: str, *given: Any) -> list[ScoredEntry]:
        return self._of(name).search_terms(name, *given)

    def term_idf(self, name: str, terms: Sequence[int]) -> dict[int, float]:
        self._of(name)
        return dict.fromkeys(terms, 1.0)

    def search_vector(self, name: str, *given: Any) -> list[ScoredEntry]:
        return self._of(name).search_vector(name, *given)

    def get(self, name: str, ids: Sequence[str]) -> dict[str, Any]:
        self.got.append((name, len(ids)))
        return self._of(name).get(name, ids)

    def get_vectors(self, name: str, ids: Sequence[str]) -> dict[str, Sequence[float]]:
        vectors = getattr(self._of(name), "vectors", {})
        return {i: vectors[i] for i in ids if i in vectors}

    def _of(self, name: str) -> Engine:
        engine = self.engines[name]
        if isinstance(engine, Exception):
            raise engine
        return engine


def found(several: Several, **options: Any) -> tuple[list[tuple[str, str]], list[str]]:
    """Which documents of which collections are found, and the notes."""
    result = search(several, replace(REQUEST, **{"collections": None, **options}))  # type: ignore[arg-type]
    return [(r["collection"], r["url"]) for r in result["rows"]], result["notes"]


def test_collections_are_ranked_together_and_ties_go_by_name():
    """Of a collection, then of a document."""
    several = Several(b=Engine({"y": 10.0, "x": 10.0, "z": 30.0}), a=Engine({"w": 10.0}))

    assert found(several) == ([("b", "z"), ("a", "w"), ("b", "x"), ("b", "y")], [])
    assert found(several, max_results=2)[0] == [("b", "z"), ("a", "w")]
    assert found(several, collections=("a",))[0] == [("a", "w")]


DAMAGED = IndexFault("collection 'bad' is damaged", remedy="save what can be read")


def test_a_collection_that_cannot_be_read_is_left_out_and_said():
    """Unless it was named, or there is no other."""
    several = Several(bad=DAMAGED, good=Engine({"a": 10.0}))
    several.lost["good"] = IndexFault("2 documents are missing", remedy="add them again")

    assert found(several) == (
        [("good", "a")],
        [
            "collection 'bad' is damaged; it was not searched; save what can be read",
            "2 documents are missing; add them again",
        ],
    )
    for options in ({"collections": ("bad", "good")}, {"collections": ("bad",)}):
        with pytest.raises(IndexFault) as caught:
            found(several, **options)
        assert caught.value is DAMAGED
    with pytest.raises(IndexFault) as caught:
        found(Several(bad=DAMAGED))
    assert caught.value is DAMAGED


def test_notes_stand_in_the_order_of_what_they_are_about():
    """What was left out, then that the words are others, then what is lost."""

    class Misspelled(Engine):
        def search_terms(self, name: str, terms: Mapping[int, float], *more: Any) -> Any:
            return super().search_terms(name, terms, *more) if len(terms) > 10 else []

    several = Several(bad=DAMAGED, good=Misspelled({"a": 10.0}))
    several.lost["good"] = IndexFault("lost", remedy="")

    notes = found(several)[1]
    assert [notes[0][:16], *notes[1:]] == ["collection 'bad'", FUZZY_NOTE, "lost; "]


class Foreign:
    """Another application's collections: one row each."""

    def search(self, name: str, request: SearchRequest) -> list[Any]:
        return [{"collection": name, "url": f"{name}/{n}", "score": n / 4} for n in (3, 1)]


def test_collections_of_other_applications_are_searched_when_they_are_named():
    """With ours, by score."""
    several = Several(Foreign(), own=Engine({"a": 10.0}))
    several.lost["own"] = IndexFault("lost", remedy="x")
    theirs = [("x", "x/3"), ("x", "x/1")]

    assert found(several) == ([("own", "a")], ["lost; x"])
    assert found(several, collections=("x",)) == (theirs, [])
    assert found(several, collections=("own", "x")) == (
        [("x", "x/3"), ("own", "a"), ("x", "x/1")],
        ["lost; x"],
    )
    assert found(several, collections=("x", "y"), max_results=3)[0] == [
        ("x", "x/3"), ("y", "y/3"), ("x", "x/1"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("options", "loaded"), [({}, 7), ({"mmr": 0.5}, 6), ({"freshness": 9.0}, 6)]
)
def test_a_little_more_is_loaded_than_is_returned(options, loaded):
    """Five documents for their titles; three times as many where dates or likeness decide."""
    several = Several(docs=Engine({f"d{n}": 20.0 - n for n in range(20)}))

    rows, _ = found(several, max_results=2, **options)

    assert rows == [("docs", "d0"), ("docs", "d1")]
    assert several.got == [("docs", loaded)]


def test_a_title_may_lift_a_document_over_one_before_it():
    """Of those that are loaded."""
    names = {f"d{n}": 20.0 - n for n in range(9)}
    several = Several(docs=Engine(names, d6={"title": "Otters"}, d7={"title": "Otters"}))

    assert found(several, max_results=2)[0] == [("docs", "d6"), ("docs", "d0")]


def parts(**heads: Any) -> Engine:
    """One document of three passages, and another."""
    engine = Engine({"a": 3.0, "b": 1.0}, a={"parts": 3}, **heads)
    for part, score in ((1, 5.0), (2, 4.0)):
        engine.words[id_of("a", part)] = score
        engine.payloads[id_of("a", part)] = {
            "text": f"part {part}", "language": "ja", "rev": 1, "start": 10 * part,
            "heading": f"H{part}",
        }  # fmt: skip
    return engine


def test_a_document_is_one_row_with_its_best_passage_unless_passages_are_asked_for():
    """The head says what belongs to the document, the passage what is its own."""
    head = {"title": "T", "day": 1, "metadata": "{}"}
    several = Several(docs=parts())
    several.engines["docs"].payloads[id_of("a")] |= head

    one, two = search(several, replace(REQUEST, include_document=True))["rows"]
    every = search(several, replace(REQUEST, by_passage=True))["rows"]

    assert one == {
        "url": "a", "title": "T", "published": "1970-01-02", "language": "ja", "metadata": "{}",
        "text": "part 1", "start": 10, "end": 16, "heading": "H1", "score": 0.3333,
        "collection": "docs", "bm25": 5.0, "cosine": None, "strength": 1.406, "highlights": [],
        "revision": 1, "copies": [], "document": "docs: all of a",
    }  # fmt: skip
    assert two == {
        "url": "b", "title": "", "published": None, "language": "en", "metadata": None,
        "text": "b", "start": 0, "end": 1, "heading": "", "score": 0.0909,
        "collection": "docs", "bm25": 1.0, "cosine": None, "strength": 0.9433, "highlights": [],
        "revision": text_hash("b"), "copies": [], "document": "docs: all of b",
    }  # fmt: skip
    assert [(r["url"], r["start"], r["document"]) for r in every] == [
        ("a", 10, None), ("a", 20, None), ("a", 0, None), ("b", 0, None),
    ]  # fmt: skip
    assert len(search(several, replace(REQUEST, by_passage=True, max_results=2))["rows"]) == 2


def test_a_passage_of_an_older_revision_makes_room_for_the_next_of_its_document():
    """Or for the next document."""
    engine = parts()
    engine.payloads[id_of("a", 1)]["rev"] = 0
    several = Several(docs=engine)

    rows = search(several, replace(REQUEST, max_results=1))["rows"]
    assert [(r["url"], r["start"]) for r in rows] == [("a", 20)]
    del engine.payloads[id_of("a", 2)], engine.words[id_of("a")]
    engine.payloads[id_of("a")]["rev"] = 2
    assert found(several) == ([("docs", "b")], [])


@pytest.mark.parametrize(
    ("mmr", "vectors", "order"),
    [
        (1.0, {}, "abc"),
        (0.5, {}, "acb"),  # b has the words of a
        (0.5, {"a": [1.0, 0.0], "b": [0.0, 1.0], "c": [1.0, 0.0]}, "abc"),  # c means the same
        (0.5, {"a": [1.0, 0.0], "c": [1.0, 0.0]}, "abc"),
        (0.5, {"a": [1.0, 0.0], "c": [1.0, 0.0, 0.0]}, "acb"),  # of another size: by words
    ],
)
def test_variety_is_of_meaning_where_there_are_vectors_and_of_words_elsewhere(mmr, vectors, order):
    """Of the best and what is unlike it."""
    heads = {
        "a": {"text": "otters swim far"},
        "b": {"text": "otters swim away"},
        "c": {"text": "bread"},
    }
    engine = Engine({"a": 10.0, "b": 9.9, "c": 9.0}, **heads)
    engine.vectors = {id_of(n): v for n, v in vectors.items()}  # type: ignore[attr-defined]

    rows, _ = found(Several(docs=engine), mmr=mmr)
    assert [url for _, url in rows] == list(order)
    assert len(found(Several(docs=engine), mmr=mmr, max_results=1)[0]) == 1
