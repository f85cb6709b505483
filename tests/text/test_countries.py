"""Countries by code and by name."""

from __future__ import annotations

import pytest

from kensaku.providers.brave import Brave
from kensaku.providers.tavily import Tavily
from kensaku.text.countries import country_code, names


@pytest.mark.parametrize(
    ("value", "code"),
    [
        ("JP", "jp"),
        ("Japan", "jp"),
        (" united  STATES ", "us"),
        ("日本", "jp"),
        ("hk", "hk"),
        ("Hong Kong", "hk"),
        ("pr", "pr"),
        ("xx", None),
        ("", None),
        ("japanese", None),
    ],
)
def test_a_country_is_known_by_code_and_name(value, code):
    """Models send either."""
    assert country_code(value) == code


def test_every_country_that_an_upstream_knows_can_be_asked_for():
    """Brave and You.com have indexes for Hong Kong, which Tavily has no name for."""
    assert all(country_code(code) == code for code in {*names(), *Brave.countries})
    assert "hk" in Brave.countries
    assert "hk" not in Tavily.countries
