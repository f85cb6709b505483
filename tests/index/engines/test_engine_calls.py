"""Every call of an engine, on the embedded one and on Qdrant's client."""

from __future__ import annotations

import pytest

from kensaku.errors import UnknownName, UsageError
from kensaku.index.engines.base import META_ID, Engine, Entry, EntryFilter

pytest.importorskip("qdrant_client")

A, B, C = "a" * 32, "b" * 32, "c" * 32
ENTRIES = [
    Entry(A, {"text": "otters", "site": ["a.example", "example"], "language": "en", "day": 100,
              "n": 1}, [1, 2], [1.0, 0.5], [1.0, 0.0]),
    Entry(B, {"text": "herons", "site": ["b.example", "example"], "language": "de", "day": 200,
              "part": 1}, [1, 3], [0.5, 1.0], [0.6, 0.8]),
    Entry(C, {"text": "bread", "site": "c.example", "language": "en"}, [3], [2.0]),
]  # fmt: skip


@pytest.fixture
def docs(engine: Engine) -> Engine:
    """An engine with one collection of three passages."""
    engine.create("docs", 2)
    engine.write("docs", [*ENTRIES, Entry(META_ID, {"format": 7, "part": -1})])
    return engine


def test_collections_come_and_go(engine):
    """Their names are sorted; those of the others stay."""
    assert engine.collections() == []
    engine.create("b", None)
    engine.create("a", 2)
    assert engine.collections() == ["a", "b"]
    engine.drop("b")
    assert engine.collections() == ["a"]


def test_entries_are_got_by_id(docs):
    """Those that there are, with what was put in."""
    got = docs.get("docs", [A, "d" * 32, C])

    assert set(got) == {A, C}
    assert got[A].items() >= {"text": "otters", "day": 100, "n": 1, "language": "en"}.items()
    assert docs.get("docs", [META_ID], ["format"])[META_ID]["format"] == 7
    assert docs.get("docs", []) == {}
    vectors = docs.get_vectors("docs", [A, B, C])
    assert {id: pytest.approx(v, abs=1e-3) for id, v in vectors.items()} == {
        A: [1.0, 0.0],
        B: [0.6, 0.8],
    }


def test_passages_and_documents_are_counted(docs):
    """What describes the collection is neither; the second part of a document is a passage."""
    for removed in ([], [META_ID]):
        docs.write("docs", [], removed)
        assert docs.count_passages("docs") == 3
        assert docs.count_documents("docs") == 2


def test_entries_are_listed_page_by_page(docs):
    """In the order of their ids, without the one about the collection."""
    first, more = docs.scroll("docs", None, 3)
    assert [id for id, _ in first] == [A, B]
    assert more == C
    last, end = docs.scroll("docs", more, 3)
    assert [(id, payload["text"]) for id, payload in last] == [(C, "bread")]
    assert end is None


def test_terms_are_ranked_by_weight_and_rarity(docs):
    """Best first, so many."""
    both = docs.search_terms("docs", {1: 1.0}, 10, EntryFilter())
    assert [e.id for e in both] == [A, B]
    assert both[0].score == pytest.approx(2 * both[1].score, rel=0.01)
    assert docs.search_terms("docs", {1: 1.0}, 1, EntryFilter()) == both[:1]
    assert docs.search_terms("docs", {9: 1.0}, 10, EntryFilter()) == []
    one, three = docs.search_terms("docs", {1: 1.0, 3: 3.0}, 2, EntryFilter())
    assert (one.id, three.id) == (C, B)


def test_vectors_are_ranked_by_cosine(docs):
    """A passage without one is not found."""
    found = docs.search_vector("docs", [2.0, 0.0], 10, EntryFilter())
    assert [(e.id, pytest.approx(e.score, abs=2e-3)) for e in found] == [(A, 1.0), (B, 0.6)]
    assert [e.id for e in docs.search_vector("docs", [0.0, 1.0], 1, EntryFilter())] == [B]


CONDITIONS = [
    (EntryFilter(), {A, B, C}),
    (EntryFilter(sites=("a.example", "c.example")), {A, C}),
    (EntryFilter(sites=("example",), not_sites=("a.example",)), {B}),
    (EntryFilter(not_sites=("example",)), {C}),
    (EntryFilter(first_day=100), {A, B}),
    (EntryFilter(first_day=101), {B}),
    (EntryFilter(last_day=200), {A, B}),
    (EntryFilter(last_day=199), {A}),
    (EntryFilter(first_day=101, last_day=199), set()),
    (EntryFilter(first_day=0), {A, B}),
    (EntryFilter(last_day=0), set()),
    (EntryFilter(language="en"), {A, C}),
    (EntryFilter(language="en", sites=("example",)), {A}),
    (EntryFilter(ids=(B, C)), {B, C}),
    (EntryFilter(ids=()), set()),
]


def test_a_condition_admits_what_it_says(docs):
    """Each field by itself, and together."""
    for condition, found in CONDITIONS:
        hits = docs.search_terms("docs", {1: 1.0, 2: 1.0, 3: 1.0}, 10, condition)

        assert {hit.id for hit in hits} == found, condition


def test_weights_are_replaced_and_all_else_stays(docs):
    """The payload and the vector."""
    docs.update_weights("docs", [Entry(B, {}, [1], [4.0])])

    assert [e.id for e in docs.search_terms("docs", {1: 1.0}, 10, EntryFilter())] == [B, A]
    assert [e.id for e in docs.search_terms("docs", {3: 1.0}, 10, EntryFilter())] == [C]
    assert docs.get("docs", [B])[B]["text"] == "herons"
    assert list(docs.get_vectors("docs", [B])) == [B]


def test_entries_are_replaced_and_removed(docs):
    """In one call."""
    docs.write("docs", [Entry(A, {"text": "new"}, [5], [1.0])], [C], flush=False)

    assert docs.get("docs", [A, C]) == {A: {"text": "new"}}
    assert docs.search_terms("docs", {1: 1.0, 2: 1.0}, 10, EntryFilter())[0].id == B
    assert docs.get_vectors("docs", [A]) == {}
    assert docs.count_passages("docs") == 2


CALLS = {
    "write": lambda e, name: e.write(name, ENTRIES),
    "remove": lambda e, name: e.write(name, [], [A]),
    "update_weights": lambda e, name: e.update_weights(name, ENTRIES),
    "get": lambda e, name: e.get(name, [A]),
    "search_terms": lambda e, name: e.search_terms(name, {1: 1.0}, 1, EntryFilter()),
    "search_vector": lambda e, name: e.search_vector(name, [1.0, 0.0], 1, EntryFilter()),
    "get_vectors": lambda e, name: e.get_vectors(name, [A]),
    "scroll": lambda e, name: e.scroll(name, None, 1),
    "count_passages": lambda e, name: e.count_passages(name),
    "count_documents": lambda e, name: e.count_documents(name),
}


def test_a_collection_that_is_not_there_is_named_with_those_that_are(engine):
    """Not an empty result."""
    engine.create("docs", 2)

    for name, call in CALLS.items():
        with pytest.raises(UnknownName) as caught:
            call(engine, "dogs")
        assert "dogs" in caught.value.message, name
        assert "docs" in str(caught.value), name


def test_a_name_that_leads_elsewhere_is_refused(engine):
    """Before any file or server sees it."""
    others = {
        "create": lambda e, name: e.create(name, None),
        "optimize": lambda e, name: e.optimize(name),
        "drop": lambda e, name: e.drop(name),
    }
    for call in (CALLS | others).values():
        with pytest.raises(UsageError):
            call(engine, "../docs")
