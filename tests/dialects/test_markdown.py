"""The markdown dialect."""

from __future__ import annotations

from dataclasses import replace

from kensaku.dialects import write

from .examples import FOUND


def test_notes_follow_the_results() -> None:
    """What was cut, filtered or ignored is the last paragraph, in both languages."""
    noted = replace(FOUND, notes=("brave cannot filter by topic; that was not applied",))

    assert (
        write(noted, "markdown").split("\n\n")[-1]
        == "*Note: brave cannot filter by topic; that was not applied*"
    )
    assert "注：brave" in write(noted, "markdown:ja")


def test_only_web_addresses_become_links() -> None:
    """A document of the local index has a title and no link."""
    local = replace(FOUND.hits[0], url="pydoc:json", title="json")

    assert "### 1. json\n" in write(replace(FOUND, hits=(local,)), "markdown")
