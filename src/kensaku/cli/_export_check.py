"""Is a file an export of the index? Looked at whole before any of it is added."""

from __future__ import annotations

import json
from pathlib import Path

from kensaku.errors import UsageError

_TEXTS = ("url", "title", "text", "published", "language", "collection")


def check_export(file: Path) -> int:
    """How many documents it holds. Raises `UsageError` that names the line which is damaged."""
    found = number = 0
    try:
        with file.open(encoding="utf-8", errors="surrogatepass") as lines:
            for line in lines:
                number += 1
                if line.strip():
                    _check_line(line)
                    found += 1
    except OSError as error:
        raise UsageError(f"cannot read {file}: {error.strerror}") from None
    except ValueError as error:
        where = f"line {number + isinstance(error, UnicodeDecodeError)} of {file}"
        raise UsageError(
            f"{where} is not a document: the export is damaged, or is none",
            remedy="nothing was imported",
        ) from None
    return found


def _check_line(line: str) -> None:
    row = json.loads(line)
    if not isinstance(row, dict) or not row.get("url"):
        raise ValueError
    if not all(isinstance(row.get(name, ""), str | None) for name in _TEXTS):
        raise ValueError
    if not isinstance(row.get("metadata", {}), dict | None):
        raise ValueError
