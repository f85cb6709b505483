"""Numbers as people read them."""

from __future__ import annotations

import pytest

from kensaku.server.page.numbers import capital, milliseconds, money, number


@pytest.mark.parametrize(
    ("dollars", "shown"),
    [
        (0.0, "$0"), (0.008, "$0.008"), (0.0004, "$0.0004"), (0.5, "$0.50"), (1.0, "$1"),
        (1.05, "$1.05"), (1.5, "$1.50"), (20, "$20"), (20.005, "$20.005"), (12345.6, "$12,345.60"),
    ],
)  # fmt: skip
def test_money_never_ends_with_a_dot(dollars, shown):
    """Whole dollars have no cents; cents are two digits; parts of a cent go as far as they count."""
    assert money(dollars) == shown


def test_money_is_rounded_to_its_places():
    """A sum of many searches is shown in cents."""
    assert (money(3.14159, 2), money(3.001, 2), money(0.996, 2)) == ("$3.14", "$3", "$1")


def test_numbers_have_separators_and_messages_a_capital():
    """Also an empty one is none to fall over."""
    assert (number(1234567), milliseconds(1234.6)) == ("1,234,567", "1,235 ms")
    assert (capital("check the key"), capital("")) == ("Check the key", "")
