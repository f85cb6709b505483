"""The json dialect."""

from __future__ import annotations

import json
from dataclasses import replace

from kensaku.dialects import write

from .examples import FOUND


def test_json_is_the_whole_response() -> None:
    """What `--json` prints, with every script readable."""
    text = write(FOUND, "json")

    assert json.loads(text) == FOUND.to_dict()
    assert text == json.dumps(FOUND.to_dict(), ensure_ascii=False)
    assert "公式" in text


def test_json_on_a_terminal_moves_no_cursor() -> None:
    """C1 controls and bidi overrides are escaped, and mean the same."""
    odd = replace(FOUND, answer="a\x9b31mb\u202ec\x7f")
    text = write(odd, "json")

    assert json.loads(text)["answer"] == odd.answer
    assert text.isprintable()
