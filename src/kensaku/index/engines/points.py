"""Convert entries and filters to Qdrant Edge's types, and payloads back. Pure.

    Entry → point: id, vectors, {day, part, site, language: numbers, stored: one text}

Edge tries every other type before it stores a value as text: 5 µs for each text, a tenth of all
indexing with one text for each field. So the fields of filters are numbers, and the rest is one
text: a line of JSON, then the passage as it is.
"""

from __future__ import annotations

import functools
import hashlib
import json
from collections.abc import Iterable
from typing import Any

import qdrant_edge as edge

from kensaku.index.engines.base import DENSE, WORDS, Entry, EntryFilter, Payload

_json = json.JSONEncoder(ensure_ascii=False, check_circular=False, separators=(",", ":")).encode


def to_point(entry: Entry) -> edge.Point:
    """Return an entry as the point to upsert."""
    vectors: dict[str, Any] = {}
    if entry.terms:
        vectors[WORDS] = sparse_vector(entry)
    if entry.vector is not None:
        vectors[DENSE] = list(entry.vector)
    return edge.Point(entry.id, vectors, pack_payload(entry.payload))


def pack_payload(payload: Payload) -> Payload:
    """Return a payload as few, cheap values."""
    stored = dict(payload)
    packed: Payload = {name: stored.pop(name) for name in ("day", "part") if name in stored}
    sites = stored.pop("site", None)
    if sites is not None:
        several = isinstance(sites, list)
        packed["site"] = _hash_numbers(sites) if several else _hash_number(sites)
    if "language" in stored:
        packed["language"] = _hash_number(stored["language"])
    text = stored.pop("text", "")
    packed["stored"] = f"{_json(stored)}\n{text}"
    return packed


def unpack_payload(packed: Payload | None) -> Payload:
    """Return the payload that was packed; raise `ValueError` when damage has lost it."""
    if not packed:
        raise ValueError("a passage has lost its text")
    if "stored" not in packed:
        return packed  # of an older format, which `Collections.meta` refuses
    line, _, text = packed["stored"].partition("\n")
    stored: Payload = json.loads(line)
    stored["text"] = text
    return stored | {name: packed[name] for name in ("day", "part") if name in packed}


@functools.lru_cache(maxsize=4_096)
def _hash_number(name: str) -> int:
    """Return a site or a language as a number of 56 bits: collisions do not happen in practice."""
    return int.from_bytes(hashlib.blake2b(name.encode(), digest_size=7).digest(), "big")


def _hash_numbers(names: Iterable[str]) -> list[int]:
    return list(map(_hash_number, names))


def sparse_vector(entry: Entry) -> edge.SparseVector:
    """Return the terms of an entry with their weights."""
    return edge.SparseVector(entry.terms, entry.weights)


def to_edge_filter(condition: EntryFilter) -> edge.Filter | None:
    """Return a condition as Edge's filter; None when it admits everything."""
    if not condition:
        return None
    must: list[Any] = []
    if condition.sites:
        must.append(_site_in(condition.sites))
    if condition.language:
        language = edge.MatchValue(_hash_number(condition.language))
        must.append(edge.FieldCondition("language", match=language))
    if condition.first_day is not None or condition.last_day is not None:
        days = edge.RangeFloat(gte=condition.first_day, lte=condition.last_day)
        must.append(edge.FieldCondition("day", range=days))
    if condition.ids is not None:
        must.append(edge.HasIdCondition(set(condition.ids)))
    excluded: list[Any] = [_site_in(condition.not_sites)] if condition.not_sites else []
    return edge.Filter(must=must or None, must_not=excluded or None)


def _site_in(sites: Iterable[str]) -> edge.FieldCondition:
    return edge.FieldCondition("site", match=edge.MatchAny(_hash_numbers(sites)))
