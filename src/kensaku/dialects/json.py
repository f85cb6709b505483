"""Everything, for machines: `Response.to_dict()`."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kensaku.errors import KensakuError
    from kensaku.models import Response

# JSON lets these stand as they are, and a terminal obeys them.
_OBEYED = re.compile("[\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]")


def write(response: Response, *, indent: int | None = None) -> str:
    """The whole response; `indent` for people."""
    return dumps(response.to_dict(), indent=indent)


def error(error: KensakuError, *, query: str | None = None) -> str:
    """The error as an object."""
    return dumps({"error": error.to_dict()})


def dumps(value: Any, *, indent: int | None = None) -> str:
    """JSON in which text of every language is readable, and nothing moves the cursor."""
    text = json.dumps(value, ensure_ascii=False, indent=indent, default=str)
    return _OBEYED.sub(lambda m: f"\\u{ord(m.group()):04x}", text)
