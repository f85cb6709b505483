"""What kind of thing a query looks for: on labelled queries, and what stays of the query."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kensaku.search.intent import MAX_CHARS, intent_of, subject
from tests.golden import assert_kept
from tests.search import evidence

# `bench/intent.py` names the sets that were fitted on; the others were not. Each set was scored
# before anything was changed for it: docs/decisions/intent.md has the figures.
QUERIES: dict[str, dict[str, list[str]]] = {
    path.stem: json.loads(path.read_text(encoding="utf-8"))
    for path in sorted(Path(__file__).with_name("intents").glob("*.json"))
}
SPECIAL = ("papers", "code", "errors")
GENERAL = ("encyclopedia", "namesakes")
UNSEEN = ("mixed", "helpline")  # never fitted on, and no rule was made for one of them
FLOORS = {"first": 0.95, "later": 0.95} | dict.fromkeys(UNSEEN, 0.88)
FLOOR, FLOOR_OF_A_LANGUAGE = 0.9, 0.88  # of the other sets; of one language in any set


def labelled(part: str) -> list[tuple[str, str]]:
    return [(label, query) for label, queries in QUERIES[part].items() for query in queries]


@pytest.mark.parametrize("part", QUERIES)
def test_queries_are_understood(part):
    """Papers, code, error messages, news and the rest; half of them Japanese."""
    wrong = [(label, q) for label, q in labelled(part) if intent_of(q) != label]

    floor = FLOORS.get(part, FLOOR)
    assert len(wrong) <= round((1 - floor) * len(labelled(part))), wrong


@pytest.mark.parametrize("part", QUERIES)
@pytest.mark.parametrize("japanese", [False, True])
def test_neither_language_is_second(part, japanese):
    """Who is asked beside the web is right as often in each."""
    mine = [(label, q) for label, q in labelled(part) if q.isascii() is not japanese]
    wrong = [q for label, q in mine if _asked(intent_of(q)) != _asked(label)]

    assert len(mine) >= 24
    assert len(wrong) <= round((1 - FLOOR_OF_A_LANGUAGE) * len(mine)), wrong


def _asked(intent: str) -> str:
    return intent if intent in SPECIAL else "nobody"


def test_the_sets_have_every_kind_in_both_languages():
    """Twelve of each at least, and none of them twice; two sets are of general ones only."""
    assert all(QUERIES[name].keys() == {"general"} for name in GENERAL)
    for part in (p for name, p in QUERIES.items() if name not in GENERAL):
        assert part.keys() == {"papers", "code", "errors", "news", "general"}
        assert all(len(queries) >= 12 for queries in part.values())
        assert all(sum(not q.isascii() for q in queries) >= 4 for queries in part.values())
    everything = [q for part in QUERIES for _, q in labelled(part)]
    assert len(everything) == len(set(everything))


@pytest.mark.parametrize(
    ("query", "rest"),
    [
        ("github repo for a rust terminal ui library", "rust terminal ui library"),
        ("find me research papers about otters", "otters"),
        ("深層強化学習に関する最新の研究論文", "深層強化学習"),
        ("Rustの非同期ランタイムのGitHubリポジトリ", "Rustの非同期ランタイム"),
        ("KeyError: 'id' 対処法", "KeyError: 'id'"),
        ("arxiv", "arxiv"),
        ("論文", "論文"),
        ("arxiv.org/abs/1706.03762", "arxiv.org/abs/1706.03762"),
        ("best ramen", "best ramen"),
    ],
)
def test_words_that_name_the_place_are_not_looked_for(query, rest):
    """GitHub would look for "github" in each description; something always stays."""
    assert subject(query, intent_of(query)) == rest


@pytest.mark.parametrize(
    "text",
    ["", " ", "a_" * 1_000, "a/" * 1_000, "aaa." * 500, "A-" * 1_000, "研究" * 1_000, "x" * 2_000,
     "Error " * 300, " of" * 600, "\u0000", "🦦" * 500, "(" * 2_000, "10.1000/" * 200],
    ids=lambda t: f"{t[:6]!r} {len(t)}",
)  # fmt: skip
def test_any_text_has_an_intent(text):
    """Whoever wrote it: bounded work, and no exception."""
    assert subject(text, intent_of(text)).strip() or not text.strip()


def test_only_the_beginning_counts():
    """A page that somebody pasted is no error message for an error on its tenth line."""
    assert intent_of("otter " * MAX_CHARS + "TypeError: x") == "general"


@pytest.mark.usefixtures("volume")
def test_the_evidence_is_that_which_the_weights_were_fitted_on():
    """A word that is found otherwise makes a weight wrong, and no floor need notice."""
    assert_kept(evidence.describe(), evidence.FILE)
