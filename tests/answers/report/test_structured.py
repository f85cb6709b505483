"""Content in the form of a schema: what is found, null for the rest, and what each rests on."""

from __future__ import annotations

from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kensaku.answers.report.structured import fill_by_extract, fit_type
from kensaku.answers.report.write import evidence_of
from kensaku.answers.verify import verify
from kensaku.models import Hit
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
    return [without_null(v) for v in value] if isinstance(value, list) else value


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


@pytest.mark.parametrize(
    "painter",
    [
        {"source": 1, "quote": "Leonardo painted it"},
        {"source": 99, "quote": "hold hands while they sleep"},
        {"source": "1", "quote": "hold hands while they sleep"},
        {"source": 1, "quote": 7},
        "hold hands while they sleep",
        None,
    ],
)
async def test_a_models_values_need_a_quote_that_holds(
    painter: Any, client: Any, model: Model
) -> None:
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
                "painter": painter,
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


SCALARS: dict[str, Any] = {
    "string": str, "integer": int, "number": (int, float), "boolean": bool,
}  # fmt: skip
scalars = st.sampled_from([None, True, 0, 1, -7, 3.0, 3.5, "", "a", "3", "x" * 10_001])
schemas = st.recursive(
    st.sampled_from([{"type": t} for t in SCALARS] + [{}, {"enum": ["a", "b"]}]),
    lambda inner: (
        st.builds(lambda s: {"type": "array", "items": s}, inner)
        | st.builds(lambda s: {"properties": s}, st.dictionaries(st.sampled_from("abc"), inner))
    ),
    max_leaves=4,
)
values = st.recursive(
    scalars, lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from("abcd"), inner)
)


@pytest.mark.parametrize("kind", SCALARS)
@given(scalars | st.lists(scalars))
def test_a_value_of_the_kind_is_taken_and_no_other(kind: str, value: Any) -> None:
    """A whole figure is an integer, too; a text is bounded."""
    found = fit_type({"type": kind}, value)

    fits = isinstance(value, SCALARS[kind]) and isinstance(value, bool) is (kind == "boolean")
    whole = kind == "integer" and value == 3.0
    taken = value[:10_000] if isinstance(value, str) else int(value) if whole else value
    assert found == (taken if fits or whole else None)
    assert type(found) is (type(taken) if fits or whole else type(None))


@given(schemas, values)
def test_whatever_is_said_fits_the_schema_or_is_left_out(schema: Any, value: Any) -> None:
    """Without what the schema does not know; what fits already stays as it is."""
    found = fit_type(schema, value)

    if found is not None:
        jsonschema.validate(without_null(found), {**schema, "additionalProperties": False})
    assert fit_type(schema, found) == found
