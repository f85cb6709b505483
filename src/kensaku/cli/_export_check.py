"""Check an export of the index as a whole, before any of it is imported."""

from __future__ import annotations

from pathlib import Path

from kensaku.errors import UsageError
from kensaku.foreign_json import decode_json

_TEXT_FIELDS = ("url", "title", "text", "published", "language", "collection")


def check_export(file: Path) -> int:
    """Return the number of documents. Raises `UsageError` with the number of a damaged line."""
    documents = number = 0
    try:
        with file.open(encoding="utf-8", errors="surrogatepass") as lines:
            for line in lines:
                number += 1
                if line.strip():
                    _check_line(line)
                    documents += 1
    except OSError as error:
        raise UsageError(f"cannot read {file}: {error.strerror}") from None
    except ValueError as error:
        where = f"line {number + isinstance(error, UnicodeDecodeError)} of {file}"
        raise UsageError(
            f"{where} is not a document: the export is damaged, or is none",
            remedy="nothing was imported",
        ) from None
    return documents


def _check_line(line: str) -> None:
    row = decode_json(line)
    if not isinstance(row, dict) or not row.get("url"):
        raise ValueError
    if not all(isinstance(row.get(name, ""), str | None) for name in _TEXT_FIELDS):
        raise ValueError
    if not isinstance(row.get("metadata", {}), dict | None):
        raise ValueError
