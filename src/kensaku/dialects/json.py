"""The whole response for programs: `Response.to_dict()` as JSON."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kensaku.errors import KensakuError
    from kensaku.models import Response

# Control and direction characters: JSON allows them unescaped, and a terminal acts on them.
_CONTROLS = re.compile("[\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]")


def write(response: Response, *, indent: int | None = None) -> str:
    """Write the whole response, on one line unless `indent` is given."""
    return dumps(response.to_dict(), indent=indent)


def write_error(error: KensakuError, *, query: str | None = None) -> str:
    """Write the error as an object."""
    return dumps({"error": error.to_dict()})


def dumps(value: Any, *, indent: int | None = None) -> str:
    """Serialize to JSON: every script stays readable, and control characters are escaped."""
    text = json.dumps(value, ensure_ascii=False, indent=indent, default=str)
    return _CONTROLS.sub(lambda m: f"\\u{ord(m.group()):04x}", text)
