"""Entries and filters as Qdrant Edge takes them, and payloads as they come back. Pure.

    Entry → point: id, vectors, {day, part, site, language: numbers, stored: one text}

Edge tries a value as every other type before it takes it for text: 5 µs for each text, a tenth of
all indexing with one for each field. So it gets what it filters by as numbers, and the rest as one
text: a line of JSON, then the passage as it is.
"""

from __future__ import annotations

import functools
import hashlib
import json
from typing import Any

import qdrant_edge as edge

from kensaku.index.engines.base import DENSE, WORDS, Entry, Payload, Where

_json = json.JSONEncoder(ensure_ascii=False, check_circular=False, separators=(",", ":")).encode


def point(entry: Entry) -> edge.Point:
    """What to upsert for an entry."""
    vectors: dict[str, Any] = {}
    if entry.terms:
        vectors[WORDS] = sparse(entry)
    if entry.vector is not None:
        vectors[DENSE] = list(entry.vector)
    return edge.Point(entry.id, vectors, packed(entry.payload))


def packed(payload: Payload) -> Payload:
    """A payload as few and cheap values."""
    stored = dict(payload)
    out: Payload = {name: stored.pop(name) for name in ("day", "part") if name in stored}
    sites = stored.pop("site", None)
    if sites is not None:
        out["site"] = list(map(_number, sites)) if isinstance(sites, list) else _number(sites)
    if "language" in stored:
        out["language"] = _number(stored["language"])
    text = stored.pop("text", "")
    out["stored"] = f"{_json(stored)}\n{text}"
    return out


def unpacked(given: Payload | None) -> Payload:
    """The payload that was packed. Raises `ValueError` where there is none: files are damaged."""
    if not given:
        raise ValueError("a passage has lost its text")
    if "stored" not in given:
        return given  # of a format that the store will refuse
    line, _, text = given["stored"].partition("\n")
    stored: Payload = json.loads(line)
    stored["text"] = text
    return stored | {name: given[name] for name in ("day", "part") if name in given}


@functools.lru_cache(maxsize=4_096)
def _number(name: str) -> int:
    """A site or a language as a number that no other has, for all that chance can do."""
    return int.from_bytes(hashlib.blake2b(name.encode(), digest_size=7).digest(), "big")


def sparse(entry: Entry) -> edge.SparseVector:
    """The words of an entry with their weights."""
    return edge.SparseVector(entry.terms, entry.weights)


def condition(where: Where) -> edge.Filter | None:
    """What Edge is to look for; None when all will do."""
    if not where:
        return None
    must: list[Any] = []
    if where.sites:
        must.append(
            edge.FieldCondition("site", match=edge.MatchAny(list(map(_number, where.sites))))
        )
    if where.language:
        must.append(edge.FieldCondition("language", match=edge.MatchValue(_number(where.language))))
    if where.first_day is not None or where.last_day is not None:
        days = edge.RangeFloat(gte=where.first_day, lte=where.last_day)
        must.append(edge.FieldCondition("day", range=days))
    if where.ids is not None:
        must.append(edge.HasIdCondition(set(where.ids)))
    no: list[Any] = []
    if where.not_sites:
        no.append(
            edge.FieldCondition("site", match=edge.MatchAny(list(map(_number, where.not_sites))))
        )
    return edge.Filter(must=must or None, must_not=no or None)
