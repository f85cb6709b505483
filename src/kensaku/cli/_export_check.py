"""Check an export of the index as a whole, before any of it is imported."""

from __future__ import annotations

from pathlib import Path

from kensaku.errors import UsageError, system_reason
from kensaku.foreign_json import decode_json
from kensaku.messages import msg

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
        raise UsageError(
            msg("cannot read {file}: {reason}", file=file, reason=system_reason(error))
        ) from None
    except ValueError as error:
        where = f"line {number + isinstance(error, UnicodeDecodeError)} of {file}"
        raise UsageError(
            msg("{where} is not a document: the export is damaged, or is none", where=where),
            remedy=msg("nothing was imported"),
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
