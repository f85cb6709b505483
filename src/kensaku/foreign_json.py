"""Decode JSON that others wrote: a reply, a request, a file, the arguments of a model.

    decode_json('{"a": 1}') → {"a": 1}
    decode_json("[" * 1000) → ValueError, as for everything else that cannot be used

Python's parser raises `RecursionError` for what is nested deeply, and so does everything that walks
such a value later, `json.dumps` among them.
"""

from __future__ import annotations

import json
from typing import Any

MAX_DEPTH = 64


def decode_json(text: str | bytes, *, decoder: json.JSONDecoder | None = None) -> Any:
    """Return the value. Raises `ValueError`, also when it is nested more than `MAX_DEPTH` times."""
    try:
        value = decoder.decode(_as_text(text)) if decoder else json.loads(text)
    except RecursionError:
        raise ValueError("nested too deeply") from None
    if is_deep(value):
        raise ValueError("nested too deeply")
    return value


def is_deep(value: Any) -> bool:
    """Tell whether lists and objects are nested more than `MAX_DEPTH` times."""
    level = [value]
    for _ in range(MAX_DEPTH + 1):
        nested = [v for v in level if isinstance(v, dict | list)]
        level = [w for v in nested for w in (v.values() if isinstance(v, dict) else v)]
        if not level:
            return False
    return True


def _as_text(text: str | bytes) -> str:
    return text if isinstance(text, str) else text.decode("utf-8-sig")
