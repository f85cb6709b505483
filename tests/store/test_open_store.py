"""The URL of a store."""

from __future__ import annotations

import pytest

from kensaku.errors import ConfigError
from kensaku.store import MemoryStore, SqliteStore, ValkeyStore, open_store


@pytest.mark.parametrize(
    ("url", "kind"),
    [
        ("", SqliteStore),
        ("memory:", MemoryStore),
        ("sqlite:///tmp/x.sqlite", SqliteStore),
        ("redis://h", ValkeyStore),
        ("valkeys://h", ValkeyStore),
    ],
)
def test_a_url_names_the_store(url, kind, tmp_path):
    """Empty is a file in home."""
    assert type(open_store(url, tmp_path, "state")) is kind


def test_an_unknown_url_is_refused_without_repeating_it(tmp_path):
    """It may hold a password."""
    with pytest.raises(ConfigError) as refused:
        open_store("mongodb://user:hunter2@host", tmp_path, "state")

    assert "hunter2" not in str(refused.value)
