"""Rebuild documents from the files of a collection that does not open any more.

payload files → heads and parts → documents whose text has the stored hash
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from kensaku.index.engines.base import Payload
from kensaku.index.engines.payload_files import read_payload_files
from kensaku.index.entries import rebuild_document, revision
from kensaku.models import Document


def salvage_documents(shard: Path) -> Iterator[Document | str]:
    """Yield each whole document once, and the addresses of those that are not whole.

    A document that was deleted, or replaced, may come back in an older version.
    """
    models = {"", *_models(shard)}
    pending: dict[str, _Pieces] = {}  # by revision: equal documents have the same
    whole: dict[str, bool] = {}  # address → was a whole version found?
    for payload in read_payload_files(shard):
        rev, part = str(payload.get("rev")), payload.get("part", 0)
        if part == _RECORD:
            continue
        pieces = pending.setdefault(rev, _Pieces([], {}))
        if part == 0 and "url" in payload:
            whole.setdefault(str(payload["url"]), False)
            pieces.heads.append(payload)
        else:
            pieces.parts[part] = payload
        documents = _documents(pieces, rev, models)
        if documents:
            del pending[rev]
        for document in documents:
            if not whole[document.url]:
                whole[document.url] = True
                yield document
    yield from (url for url, found in whole.items() if not found)


_RECORD = -1  # the part number of the entry that describes the collection


class _Pieces(NamedTuple):
    heads: list[Payload]
    parts: dict[int, Payload]


def _models(shard: Path) -> Iterator[str]:
    """Yield the embedding models that the collection has had: they are part of the hashes."""
    records = (p for p in read_payload_files(shard) if p.get("part") == _RECORD)
    return (str(record.get("model", "")) for record in records)


def _documents(pieces: _Pieces, rev: str, models: set[str]) -> list[Document]:
    """Return the documents of which all parts are there, with the text that was stored."""
    documents = []
    for head in pieces.heads:
        rest = range(1, head.get("parts", 1))
        if len(pieces.parts) < len(rest):
            continue
        try:
            document = rebuild_document([head, *(pieces.parts[n] for n in rest)])
        except (LookupError, TypeError, ValueError):
            continue
        if rev in {revision(document, model) for model in models}:
            documents.append(document)
    return documents
