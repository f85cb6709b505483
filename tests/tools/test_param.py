"""One argument: its schema for the model, and what is taken at the bounds."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kensaku.errors import InvalidQuery
from kensaku.locale import translator
from kensaku.tools import Param

ABOUT = {"en": "English.", "ja": "日本語。"}


@pytest.mark.parametrize(
    ("param", "schema"),
    [
        (Param("p", "string", ABOUT, minimum=0, maximum=5),
         {"type": "string", "description": "English.", "minLength": 0, "maxLength": 5}),
        (Param("p", "array", ABOUT, minimum=1, maximum=2),
         {"type": "array", "description": "English.", "items": {"type": "string"}, "minItems": 1,
          "maxItems": 2}),
        (Param("p", "objects", ABOUT, minimum=1, maximum=2, fields=("a", "b")),
         {"type": "array", "description": "English.", "minItems": 1, "maxItems": 2,
          "items": {"type": "object",
                    "properties": {"a": {"type": "string"}, "b": {"type": "string"}}}}),
        (Param("p", "integer", ABOUT, default=0, minimum=0, maximum=9),
         {"type": "integer", "description": "English.", "minimum": 0, "maximum": 9, "default": 0}),
        (Param("p", "number", ABOUT, maximum=0),
         {"type": "number", "description": "English.", "maximum": 0}),
        (Param("p", "boolean", ABOUT, default=False),
         {"type": "boolean", "description": "English.", "default": False}),
        (Param("p", "string", ABOUT, choices=("a", "b")),
         {"type": "string", "description": "English.", "enum": ["a", "b"]}),
    ],
)  # fmt: skip
def test_the_schema_says_what_is_checked(param, schema):
    """A bound of 0 is one, too."""
    assert param.schema("en") == schema
    assert param.schema("ja") == {**schema, "description": "日本語。"}
    assert param.schema("fr") == schema


@pytest.mark.parametrize(
    ("kind", "value", "read"),
    [
        ("integer", " 5 ", 5),
        ("integer", 5.0, 5),
        ("number", 1, 1),
        ("string", " " + "o" * 9 + " ", " " + "o" * 9 + " "),
        ("array", "o", ["o"]),
        ("array", ("o",) * 9, ["o"] * 9),
        ("objects", ({},) * 9, [{}] * 9),
        ("boolean", True, True),
        ("boolean", "true", True),
        ("boolean", "false", False),
    ],
)
def test_what_models_send_is_read(kind, value, read):
    """Spaces around a text do not count; they stay."""
    found = Param("p", kind, ABOUT, minimum=1, maximum=9).check(value)

    assert (found, type(found)) == (read, type(read))


MADE = {"integer": int, "number": float, "string": "o".__mul__, "array": ["o"].__mul__,
        "objects": [{}].__mul__}  # fmt: skip


@given(kind=st.sampled_from(sorted(MADE)), size=st.integers(0, 12))
def test_both_bounds_are_allowed_and_what_is_beyond_is_said(kind, size):
    """Of a number, and of a length."""
    param, value = Param("p", kind, ABOUT, minimum=1, maximum=9), MADE[kind](size)
    if 1 <= size <= 9:
        assert param.check(value) == value
        return
    with pytest.raises(InvalidQuery, match=rf"p is {size}(\.0)?; it must be 1 to 9"):
        param.check(value)


@pytest.mark.parametrize(
    ("kind", "value", "sentence"),
    [
        ("integer", "-5", "p is -5; it must be 1 to 9"),
        ("integer", "1" * 20, f"p must be a whole number, not '{'1' * 20}'"),
        ("integer", 1.5, "p must be a whole number, not 1.5"),
        ("integer", True, "p must be a whole number, not True"),
        ("number", True, "p must be a number, not True"),
        ("number", "1", "p must be a number, not '1'"),
        ("string", "  ", "the length of p is 0; it must be 1 to 9"),
        ("string", ["o"], "p must be a text, not ['o']"),
        ("array", ["o", 1], "p must be a list of texts, not ['o', 1]"),
        ("array", {"o": 1}, "p must be a list of texts, not {'o': 1}"),
        ("objects", [{}, "o"], "p must be a list of objects, not [{}, 'o']"),
        ("objects", {}, "p must be a list of objects, not {}"),
        ("boolean", "yes", "p must be true or false, not 'yes'"),
        ("boolean", 1, "p must be true or false, not 1"),
    ],
)
def test_what_is_wrong_is_one_sentence_with_value_and_bound(kind, value, sentence):
    """The model can correct itself."""
    with pytest.raises(InvalidQuery) as refused:
        Param("p", kind, ABOUT, minimum=1, maximum=9).check(value)

    assert str(refused.value) == sentence


@pytest.mark.parametrize(
    ("bounds", "value", "sentence"),
    [
        ({"minimum": 2}, "o", "the length of p is 1; it must be at least 2"),
        ({"maximum": 2}, "ooo", "the length of p is 3; it must be at most 2"),
        ({"choices": ("a", "b")}, "c", "p is 'c'; it must be one of a, b"),
    ],
)
def test_one_bound_is_said_alone(bounds, value, sentence):
    """At least, at most, or one of several."""
    param = Param("p", "string", ABOUT, **bounds)

    with pytest.raises(InvalidQuery) as refused:
        param.check(value)

    assert str(refused.value) == sentence
    assert param.check(right := "a" if "choices" in bounds else "oo") == right


@pytest.mark.parametrize(
    ("param", "value", "sentence"),
    [
        (Param("query", "string", ABOUT, minimum=1), " ", "query の長さは 0 です。1 以上にしてください"),
        (Param("urls", "array", ABOUT, maximum=2), ["a"] * 3, "urls の長さは 3 です。2 以下にしてください"),
        (Param("n", "integer", ABOUT, minimum=1, maximum=9), 10, "nは 10 です。1 から 9 の間にしてください"),
    ],
)  # fmt: skip
def test_a_bound_is_told_in_japanese_as_well(param, value, sentence):
    """The whole sentence, with its values."""
    with pytest.raises(InvalidQuery) as refused:
        param.check(value)

    assert translator("ja")(refused.value.message) == sentence
