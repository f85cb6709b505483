"""The limits on one page."""

from __future__ import annotations

import pytest

from kensaku.errors import (
    ConfigError,
)
from kensaku.fetch import FetchLimits


@pytest.mark.parametrize("field", ["connect", "total", "wire", "decoded", "per_host"])
def test_a_bound_of_nothing_is_refused(field):
    """A limit that lets nothing through is a mistake in the settings."""
    with pytest.raises(ConfigError):
        FetchLimits(**{field: 0})
