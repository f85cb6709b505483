"""What a client sent and what it read, as data."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any, get_args

from kensaku.testing import ReceivedRequest, Sample

READINGS = Path(__file__).parent / "readings"
KEY = "sdk-test-key-4c1d"

TYPES = {str: "text", bool: "boolean", int: "number", float: "number", type(None): "null"}


@dataclass(frozen=True)
class Row:
    """One result as a client hands it on."""

    url: str
    title: str | None
    content: str | None


def choices(annotation: Any) -> list[str]:
    """Return the texts that a type allows: of a `Literal`, of an `Enum`, of an optional one."""
    if isinstance(annotation, type) and issubclass(annotation, Enum):
        return [member.value for member in annotation]
    found = [text for part in get_args(annotation) for text in choices(part)]
    return [annotation] if isinstance(annotation, str) else found


def replies(sample: Sample) -> list[Sample]:
    """Return all the replies of a sample."""
    return [sample, *sample.also]


def fingerprint(reply: Sample) -> str:
    """Return what changes when the reply changes."""
    whole = json.dumps(reply.body, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(whole.encode()).hexdigest()[:16]


def sent(requests: Iterable[tuple[str, Mapping[str, Any], Any]]) -> dict[str, dict[str, str]]:
    """Group requests, each an endpoint, its parameters and its JSON.

    "POST /v1/search" → the name of each member → the types of its values
    """
    found: dict[str, dict[str, set[str]]] = {}
    for endpoint, params, body in requests:
        members = found.setdefault(endpoint, {})
        for name, kind in (*_params(params), *_leaves("", body)):
            members.setdefault(name, set()).add(kind)
    return {
        endpoint: {name: "|".join(sorted(kinds)) for name, kinds in sorted(members.items())}
        for endpoint, members in sorted(found.items())
    }


def key_places(request: ReceivedRequest) -> list[str]:
    """Return where the key travels: "header x-api-key", "param api_key"."""
    headers = [f"header {n.lower()}" for n, v in request.headers.items() if KEY in v]
    return headers + [f"param {n}" for n, v in request.params.items() if KEY in v]


def _params(params: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    yield from (
        (name, "number" if str(value).isdigit() else "text") for name, value in params.items()
    )


def _leaves(name: str, value: Any) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict):
        for key, member in value.items():
            yield from _leaves(f"{name}.{key}" if name else key, member)
    elif isinstance(value, list):
        for member in value:
            yield from _leaves(f"{name}[]", member)
    elif name:
        yield name, TYPES[type(value)]
