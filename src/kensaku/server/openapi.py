"""The OpenAPI document, written from the endpoints: `/openapi.json`, and `/docs` for people."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from kensaku import __version__
from kensaku.server.auth import BASIC, BEARER

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kensaku.server.auth import KeyPlace
    from kensaku.server.wires.base import Endpoint, Wire

_CAPTURED = re.compile(r"\{(\w+)(?::\w+)?\}")
_ERRORS = {
    "400": "a value is out of its bounds",
    "401": "no key, or one that is not known",
    "413": "the body is too large",
    "421": "without keys the server answers to its own machine alone",
    "422": "the page could not be read; or as 400, for clients that know this status alone",
    "429": "too many requests with this key",
    "432": "the quota of the key is used up",
    "503": "nobody could search, or the server is busy",
}


def document(surfaces: Iterable[Wire], root: str = "") -> dict[str, Any]:
    """The whole document. An endpoint without a summary is not in it.

    `root` is the path under which the server is reached.
    """
    paths: dict[str, dict[str, Any]] = {}
    places: dict[str, KeyPlace] = {"key": BEARER, "basic": BASIC}
    for wire in surfaces:
        for endpoint in wire.endpoints():
            if endpoint.summary:
                path = _CAPTURED.sub(r"{\1}", f"{wire.prefixes[0]}{endpoint.path}")
                entry = paths.setdefault(path, {})
                entry.setdefault(endpoint.method.lower(), _operation(wire, endpoint))
        places |= {p.name: p for p in wire.keys if p.kind in ("header", "query")}
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Kensaku",
            "version": __version__,
            "description": "Web search for AI agents, in the words of the service you know.",
        },
        **({"servers": [{"url": root}]} if root else {}),
        "paths": paths,
        "components": {"securitySchemes": {name: place.scheme for name, place in places.items()}},
        "security": [*({name: []} for name in places), {}],
    }


def _operation(wire: Wire, endpoint: Endpoint) -> dict[str, Any]:
    captured = _CAPTURED.findall(endpoint.path)
    fields = {n: s for n, s in endpoint.parameters.items() if n not in captured}
    operation: dict[str, Any] = {
        "tags": [wire.label],
        "summary": endpoint.summary,
        "operationId": _id(f"{wire.name}{endpoint.path}_{endpoint.method}"),
        "responses": _responses(endpoint),
        "parameters": [
            {
                "name": n,
                "in": "path",
                "required": True,
                "schema": {"type": "string", "minLength": 1},
            }
            for n in captured
        ],
    }
    if endpoint.takes_bytes and not fields:
        binary = {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}}
        operation["requestBody"] = {"required": True, "content": binary}
    elif endpoint.method == "GET":
        operation["parameters"] += [
            {"name": n, "in": "query", "required": n in endpoint.required, "schema": schema}
            for n, schema in fields.items()
        ]
    elif fields:
        schema = {"type": "object", "properties": fields, "required": list(endpoint.required)}
        content = {"application/json": {"schema": schema}}
        operation["requestBody"] = {"required": True, "content": content}
    return operation


def _id(name: str) -> str:
    return re.sub(r"\W+", "_", name.lower().lstrip("/"))


def _responses(endpoint: Endpoint) -> dict[str, Any]:
    said = {"200": "the reply, in the vendor's shape", **_ERRORS, **endpoint.statuses}
    return {status: {"description": why} for status, why in said.items()}


@dataclass(frozen=True, slots=True)
class Operation:
    """A path of the server, as people read it."""

    method: str
    path: str
    summary: str
    fields: dict[str, str]  # name → what it takes


def operations(whole: Mapping[str, Any]) -> dict[str, list[Operation]]:
    """Return the operations of the document by the service they belong to."""
    groups: dict[str, list[Operation]] = {}
    for path, methods in whole["paths"].items():
        for method, operation in methods.items():
            told = Operation(method.upper(), path, operation["summary"], _fields_of(operation))
            groups.setdefault(operation["tags"][0], []).append(told)
    return groups


def _fields_of(operation: Mapping[str, Any]) -> dict[str, str]:
    content = operation.get("requestBody", {}).get("content", {}).get("application/json", {})
    fields = {p["name"]: p["schema"] for p in operation.get("parameters", ())}
    fields |= content.get("schema", {}).get("properties", {})
    return {name: _told(schema) for name, schema in fields.items()}


def _told(schema: Mapping[str, Any]) -> str:
    if "anyOf" in schema:
        return " or ".join(_told(s) for s in schema["anyOf"])
    if "enum" in schema:
        return ", ".join(map(str, schema["enum"]))
    low, high = schema.get("minimum"), schema.get("maximum")
    bounds = f", {low:g} to {high:g}" if low is not None and high is not None else ""
    return f"{schema.get('type', 'any')}{bounds}"
