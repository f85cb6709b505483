"""Content in the form of a schema: what is found, null for the rest, and what each rests on."""

from __future__ import annotations

from typing import Any

import jsonschema
import pytest

from kensaku.answers.evidence import Reference
from kensaku.answers.report.structured import check_filled, fill_by_extract, fit_type
from kensaku.answers.report.write import evidence_of
from kensaku.answers.verify import verify
from kensaku.models import Hit, Passage
from tests.answers.conftest import Model, Web
from tests.answers.report import states

SCHEMA = {
    "type": "object",
    "properties": {
        "daily_food_share": {
            "type": "integer",
            "description": "How much of their weight do sea otters eat each day, in per cent?",
        },
        "sleep": {"type": "string", "description": "How do sea otters sleep?"},
        "facts": {
            "type": "object",
            "properties": {
                "foods": {"type": "array", "items": {"type": "string"},
                          "description": "What food do sea otters eat each day?"},
            },
        },
        "painter": {"type": "string", "description": "Who painted the Mona Lisa in 1503?"},
    },
    "required": ["sleep"],
}  # fmt: skip
TASK = "How do sea otters sleep? What do sea otters eat each day?"


def without_null(value: Any) -> Any:
    """The values that were found."""
    if isinstance(value, dict):
        return {n: without_null(v) for n, v in value.items() if v is not None}
    return value


async def test_a_schema_is_filled_from_the_best_sentences(client: Any) -> None:
    """Each value of its type, with the sentence that it is from; what is missing is null."""
    report = await client().research(TASK, output_schema=SCHEMA)
    sources = {s.n: s for s in report.sources}

    assert report.content["daily_food_share"] == 25
    assert report.content["sleep"] == "Sea otters hold hands while they sleep."
    assert report.content["facts"]["foods"]
    assert report.content["painter"] is None
    assert any("painter" in note for note in report.notes)
    jsonschema.validate(without_null(report.content), SCHEMA)
    for ground in report.basis.values():
        passages = sources[ground["source"]].passages
        assert any(verify(ground["quote"], p.text).found for p in passages)


async def test_a_models_values_need_a_quote_that_holds(client: Any, model: Model) -> None:
    """And the type of the schema; others are null, and said."""
    model.plans("How do sea otters sleep?", "What do sea otters eat each day?")
    model.says(
        "Fill",
        {
            "content": {
                "daily_food_share": "lots",
                "sleep": "Hand in hand",
                "facts": {"foods": ["clams", 7], "more": 1},
                "painter": "Leonardo",
                "extra": 1,
            },
            "basis": {
                "daily_food_share": {"source": 2, "quote": "25 % of their weight"},
                "sleep": {"source": 1, "quote": "hold hands while they sleep"},
                "facts": {"source": 2, "quote": "sea urchins and clams"},
                "painter": {"source": 1, "quote": "Leonardo painted it"},
            },
        },
    )
    report = await client(**model.settings).research(TASK, output_schema=SCHEMA)

    assert report.written_by == "small"
    assert report.content == {
        "daily_food_share": None,
        "sleep": "Hand in hand",
        "facts": {"foods": ["clams"]},
        "painter": None,
    }
    assert any("daily_food_share, painter" in note for note in report.notes)


@pytest.mark.parametrize("reply", ["no", {}, {"content": []}, {"content": {"sleep": "x"}}])
async def test_a_model_without_supported_values_leaves_the_extract(
    reply: Any, client: Any, model: Model, web: Web
) -> None:
    """As for a report."""
    model.plans("How do sea otters sleep?")
    model.says("Fill", reply)
    report = await client(**model.settings).research(TASK, output_schema=SCHEMA)

    assert report.written_by == "extract"
    assert report.content["sleep"] == "Sea otters hold hands while they sleep."


def evidence(*texts: str) -> Any:
    """What was found: a page of each text."""
    hits = [Hit(f"https://{n}.example/", f"P{n}", text) for n, text in enumerate(texts, 1)]
    return evidence_of(
        states.state({"plan": states.plan("q"), "search-1-1": states.found(*hits)}), "estimate"
    )


def test_each_type_is_filled_from_a_sentence() -> None:
    """With where it is from; figures of the question itself are no answer."""
    found = evidence(
        "The tower of Pisa is 1,055.5 steps and 56 metres high.",
        "The tower of Pisa is made of marble.",
    )
    schema = {
        "properties": {
            "towerHeight": {
                "type": "integer",
                "description": "how high in metres is the tower of Pisa",
            },
            "steps": {"type": "number", "description": "steps of the tower of Pisa"},
            "made_of": {"type": "string", "description": "tower of Pisa made of marble"},
            "stone": {"enum": ["Granite", "MARBLE"], "description": "tower of Pisa made of"},
            "facts": {"properties": {"all": {"type": "array", "description": "tower of Pisa"}}},
            "open": {"type": "boolean", "description": "tower of Pisa"},
            "zebra": {"type": "string"},
        }
    }
    filled = fill_by_extract(schema, "tower", found)
    high = "The tower of Pisa is 1,055.5 steps and 56 metres high."
    marble = "The tower of Pisa is made of marble."

    assert filled.content == {
        "towerHeight": 56,
        "steps": 1055.5,
        "made_of": marble,
        "stone": "MARBLE",
        "facts": {"all": filled.content["facts"]["all"]},
        "open": None,
        "zebra": None,
    }
    assert sorted(filled.content["facts"]["all"]) == sorted([high, marble])
    assert filled.missing == ["open", "zebra"]
    assert filled.basis["towerHeight"] == {"source": 1, "quote": high}
    assert filled.basis["stone"] == {"source": 2, "quote": marble}
    assert list(filled.basis) == ["towerHeight", "steps", "made_of", "stone", "facts.all"]
    assert {c.n for c in filled.citations} == {1, 2}


def test_a_models_values_are_kept_with_their_ground() -> None:
    """A quote of a source that there is; else they are missing."""
    text = "Sea otters hold hands while they sleep."
    sources = {
        1: Reference(1, "https://a.example/", "A", passages=(Passage("a", text, 0, len(text)),))
    }
    schema = {"properties": {name: {"type": "string"} for name in "abcdefg"}}
    good = {"source": 1, "quote": "hold hands"}
    basis = {
        "a": good,
        "b": {"source": 2, "quote": "hold hands"},
        "c": {"source": "1", "quote": "hold hands"},
        "d": {"source": 1, "quote": 7},
        "e": {"source": 1, "quote": "hold paws"},
        "f": "hold hands",
        "g": good,
    }
    content = {**dict.fromkeys("abcdef", "x"), "g": 7}
    filled = check_filled(schema, {"content": content, "basis": basis}, sources)

    assert filled.content == {"a": "x", **dict.fromkeys("bcdefg")}
    assert filled.basis == {"a": good}
    assert filled.missing == list("bcdefg")
    assert filled.citations == []


@pytest.mark.parametrize(
    ("schema", "value", "fitted"),
    [
        ({"type": "string"}, "x" * 10_001, "x" * 10_000),
        ({"type": "integer"}, 3.0, 3),
        ({"type": "number"}, "3", None),
        ({"type": "number"}, 3, 3),
        ({"type": "number"}, False, None),
        ({"type": "string"}, True, None),
        ({"type": "date"}, "x", None),
        ({"properties": {"a": {}, "b": {"type": "integer"}}}, {"a": "x", "b": "y", "c": 1}, {"a": "x", "b": None}),
        ({"type": "object"}, {"a": 1}, {}),
        ({"type": "object"}, "x", None),
        ({"type": "array", "items": {"type": "integer"}}, [1, "x", 2.0], [1, 2]),
        ({"enum": ["a"]}, "a", "a"),
        ({"enum": ["a"]}, "b", None),
        ({"type": "integer"}, 3.5, None),
        ({"type": "integer"}, True, None),
        ({"type": "boolean"}, True, True),
        ({"type": "boolean"}, 1, None),
        ({"type": "array"}, "a", None),
        ({}, "a", "a"),
    ],
)  # fmt: skip
def test_a_value_fits_or_is_left_out(schema: Any, value: Any, fitted: Any) -> None:
    """Without what the schema does not know, and bounded."""
    found = fit_type(schema, value)
    assert found == fitted
    assert type(found) is type(fitted)
