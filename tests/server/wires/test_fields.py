"""Fields of a request: what is taken, at the bounds, and the sentence for what is not."""

from __future__ import annotations

from typing import Any

import pytest

from kensaku.errors import InvalidQuery
from kensaku.server.wires import _fields as fields

WHOLE = "x is {}; it must be a whole number from 2 to 9"
NUMBER = "x is {}; it must be a number from 0.5 to 2"
SWITCH = "x is {}; it must be true or false"


def read(kind: str, value: Any, **more: Any) -> Any:
    body = {"x": value}
    if kind == "text":
        return fields.text(body, "x", "default", most=3)
    if kind == "integer":
        return fields.integer(body, "x", 5, 2, 9, **more)
    if kind == "decimal":
        return fields.decimal(body, "x", 1.25, 0.5, 2.0)
    if kind == "choice":
        return fields.choice(body, "x", "red", ("red", "green"))
    if kind == "texts":
        return fields.texts(body, "x", 2)
    return fields.switch(body, "x", True)


@pytest.mark.parametrize(
    ("kind", "value", "taken"),
    [
        ("text", None, "default"), ("text", "", ""), ("text", "abc", "abc"),
        ("integer", None, 5), ("integer", "", 5), ("integer", 2, 2), ("integer", "9", 9), ("integer", 3.0, 3),
        ("decimal", None, 1.25), ("decimal", "", 1.25), ("decimal", 0.5, 0.5), ("decimal", "2", 2.0),
        ("switch", None, True), ("switch", "", True), ("switch", "TRUE", True), ("switch", 1, True),
        ("switch", "1", True), ("switch", False, False), ("switch", "false", False), ("switch", 0, False),
        ("choice", None, "red"), ("choice", "", "red"), ("choice", "green", "green"),
        ("texts", None, ()), ("texts", [], ()), ("texts", "a, ,b,", ("a", "b")), ("texts", ["a", "b,c"], ("a", "b,c")),
        ("texts", ("a",), ("a",)),
    ],
)  # fmt: skip
def test_a_field_is_read(kind, value, taken):
    """`null` is not set, numbers and switches may be text, and bounds belong to what is taken."""
    found = read(kind, value)

    assert (found, type(found)) == (taken, type(taken))


@pytest.mark.parametrize(
    ("kind", "value", "why"),
    [
        ("text", "abcd", "x has 4 characters; at most 3 are taken"),
        ("text", 5, "x is 5; it must be text"),
        ("text", None.__class__, "x is a number out of bounds; it must be text"),
        ("integer", 1, WHOLE.format(1)), ("integer", "10", WHOLE.format("'10'")), ("integer", 2.5, WHOLE.format(2.5)),
        ("integer", True, WHOLE.format(True)), ("integer", [3], WHOLE.format("a list")), ("integer", {}, WHOLE.format("an object")),
        ("integer", "x", WHOLE.format("'x'")), ("integer", "nan", WHOLE.format("'nan'")), ("integer", "inf", WHOLE.format("'inf'")),
        ("integer", 10**15 - 1, WHOLE.format(10**15 - 1)), ("integer", 10**15, WHOLE.format("a number out of bounds")),
        ("integer", 10**400, WHOLE.format("a number out of bounds")), ("integer", -(10**15), WHOLE.format("a number out of bounds")),
        ("decimal", 0.49, NUMBER.format(0.49)), ("decimal", 2.01, NUMBER.format(2.01)), ("decimal", "inf", NUMBER.format("'inf'")),
        ("switch", "yes", SWITCH.format("'yes'")), ("switch", 2, SWITCH.format(2)),
        ("choice", "blue", "x is 'blue'; it must be one of red, green"), ("choice", ["red"], "x is a list; it must be one of red, green"),
        ("choice", "y" * 60, f"x is '{'y' * 60}'; it must be one of red, green"),
        ("choice", "y" * 61, f"x is '{'y' * 60}…'; it must be one of red, green"),
        ("texts", 5, "x is 5; it must be a list of texts"), ("texts", ["a", 5], "x is a list; it must be a list of texts"),
        ("texts", ["a", "b", "c"], "x has 3 entries; at most 2 are taken"),
    ],
)  # fmt: skip
def test_a_field_is_refused_in_a_sentence(kind, value, why):
    """It names the field, the value as far as it is short, and what is taken."""
    with pytest.raises(InvalidQuery) as refused:
        read(kind, value)

    assert str(refused.value) == why


@pytest.mark.parametrize(("value", "taken"), [(1, 2), (2, 2), ("9", 9), (10, 9), (-5, 2)])
def test_a_number_may_be_clipped(value, taken):
    """Some vendors take a number that is too high for the highest."""
    assert read("integer", value, clip=True) == taken
    with pytest.raises(InvalidQuery):
        read("integer", 2.5, clip=True)


def test_without_a_bound_of_its_own_a_text_has_at_most_20_000_characters():
    """A request's body is bounded, and so is each part of it."""
    assert len(fields.text({"x": "a" * 20_000}, "x")) == 20_000
    with pytest.raises(InvalidQuery, match="x has 20,001 characters; at most 20,000 are taken"):
        fields.text({"x": "a" * 20_001}, "x")
    assert fields.text({}, "x") == ""
    assert fields.switch({}, "x") is False
