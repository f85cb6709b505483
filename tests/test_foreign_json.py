"""JSON that others wrote: however deep it is, it is a value or a `ValueError`."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from kensaku import Kensaku, Settings
from kensaku.cli._export_check import check_export
from kensaku.errors import KensakuError
from kensaku.evaluate import read_questions
from kensaku.foreign_json import MAX_DEPTH, decode_json
from kensaku.mcp.install import client_named, install
from kensaku.server.http import decode_body
from kensaku.tools.web_search import WebSearchTool

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)
openings = st.sampled_from(["[", '{"a":', '[0, {"b": [', '[[],[{"a":[]},'])


@given(values)
def test_what_is_json_comes_back(value):
    """As text, and as bytes."""
    text = json.dumps(value)

    assert decode_json(text) == decode_json(text.encode()) == value


@given(openings, st.integers(0, 20_000))
@example("[", 995)  # as deep as Python's parser goes, and `json.dumps` behind it does not
def test_no_depth_ends_in_a_recursion(opening, times):
    """Brackets without an end, and the same with their ends."""
    closing = "".join("]" if c == "[" else "}" for c in reversed(opening) if c in "[{")
    with pytest.raises(ValueError):
        decode_json(opening * (times + 1))

    whole = opening * times + "0" + "".join(closing) * times
    try:
        value = decode_json(whole)
    except ValueError:
        return
    assert json.dumps(value)


@pytest.mark.parametrize(("levels", "fits"), [(MAX_DEPTH, True), (MAX_DEPTH + 1, False)])
def test_the_bound_is_64_levels(levels, fits):
    """On Python of any version, and wherever in the program it is called."""
    text = "[" * levels + "0" + "]" * levels
    if fits:
        assert json.dumps(decode_json(text)) == text
    else:
        with pytest.raises(ValueError, match="deeply"):
            decode_json(text)


@pytest.mark.parametrize("levels", [100, 900, 100_000])
@pytest.mark.parametrize(
    ("name", "read"),
    [
        ("export.jsonl", check_export),
        ("questions.jsonl", read_questions),
        ("mcp.json", lambda path: install(client_named("cursor"), ["kensaku", "mcp"], path)),
        ("config.json", Settings.load),
        ("body.json", lambda path: decode_body(path.read_bytes(), "application/json")),
        ("arguments.json", lambda path: WebSearchTool(Kensaku()).check(path.read_text())),
    ],
)
def test_a_deep_file_is_refused_in_a_sentence(
    name: str, read: Callable[[Path], object], levels: int, tmp_path: Path
) -> None:
    """Exports, questions, settings of another program, requests, a model's arguments."""
    file = tmp_path / name
    deep = '{"a":' * levels + "0" + "}" * levels
    file.write_text(f'{{"url": "u:1", "metadata": {deep}}}\n')

    with pytest.raises(KensakuError) as refused:
        read(file)

    assert "\n" not in str(refused.value)
