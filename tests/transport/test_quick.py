"""A frozen value that is quick to make is like any other."""

from __future__ import annotations

import copy
import inspect
import pickle
from dataclasses import FrozenInstanceError, dataclass, field, replace

import pytest

from kensaku._quick import quick


@dataclass(frozen=True, slots=True)
class Plain:
    a: int
    b: str = "b"
    c: list[int] = field(default_factory=list)


@quick
@dataclass(frozen=True, slots=True)
class Quick:
    a: int
    b: str = "b"
    c: list[int] = field(default_factory=list)


class Below(Quick):
    pass


@pytest.mark.parametrize("values", [((1,), {}), ((1, "x"), {}), ((), {"c": [2], "a": 1})])
def test_it_holds_what_the_standard_one_holds(values):
    """By place, by name, and by default; a list of its own for each."""
    places, names = values
    made = Quick(*places, **names)

    assert repr(made) == repr(Plain(*places, **names)).replace("Plain", "Quick")
    assert type(made) is Quick
    assert Quick(1).c is not Quick(1).c


def test_it_is_closed():
    """It goes between threads and caches."""
    made = Quick(1)

    for change in (lambda: setattr(made, "a", 2), lambda: delattr(made, "a")):
        with pytest.raises(FrozenInstanceError):
            change()
    with pytest.raises((AttributeError, TypeError)):
        made.d = 1
    assert made == Quick(1)


def test_it_is_copied_replaced_and_pickled():
    """As caches and workers do."""
    made = Quick(1, "x", [3])

    assert copy.deepcopy(made) == pickle.loads(pickle.dumps(made)) == made
    assert replace(made, b="y") == Quick(1, "y", [3])


def test_its_signature_is_the_standard_one():
    """Editors and the reference show it; a wrong call is told in the same words."""
    assert inspect.signature(Quick) == inspect.signature(Plain)
    with pytest.raises(TypeError, match="required positional argument: 'a'"):
        Quick()


def test_a_class_below_it_works():
    """Somebody else's hit may know more than ours."""
    assert type(Below(1)) is Below
    assert Below(1).b == "b"
