"""The compact dialect."""

from __future__ import annotations

from dataclasses import replace

from kensaku.dialects import dialect_names, write

from .examples import FOUND


def test_compact_is_the_shortest() -> None:
    """Small models pay for every token."""
    lengths = {name: len(write(FOUND, name)) for name in (*dialect_names(), "plain:ja")}

    assert min(lengths, key=lambda name: lengths[name]) == "compact"
    assert "\n\n" not in write(FOUND, "compact")


def test_a_result_is_three_lines_with_a_number_to_cite() -> None:
    """Title and day, URL, content; blank lines of an answer are left out."""
    lines = write(replace(FOUND, answer="one\n\ntwo"), "compact").split("\n")

    assert lines[:2] == ["Answer: one", "two"]
    assert lines[2:5] == [
        "[1] Python asyncio documentation (2026-01-20)",
        FOUND.hits[0].url,
        FOUND.hits[0].content,
    ]
    assert lines[5].startswith("[2] ")
