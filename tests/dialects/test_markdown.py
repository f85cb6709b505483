"""The markdown dialect."""

from __future__ import annotations

from dataclasses import replace

from kensaku.dialects import write

from .examples import FOUND


def test_only_web_addresses_become_links() -> None:
    """A document of the local index has a title and no link."""
    local = replace(FOUND.hits[0], url="pydoc:json", title="json")

    assert "### 1. json\n" in write(replace(FOUND, hits=(local,)), "markdown")
