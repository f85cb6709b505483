"""The OpenAPI document, written from the wires: `/openapi.json`, and `/docs` for people."""

from __future__ import annotations

import re
from collections.abc import Mapping
from html import escape
from typing import TYPE_CHECKING, Any

from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import BaseRoute, Route

from kensaku import __version__
from kensaku.server.wires import load_wires
from kensaku.server.wires.openai import PARAMETERS as CHAT
from kensaku.server.wires.tavily_research import PARAMETERS as RESEARCH

if TYPE_CHECKING:
    from kensaku.server.wires.base import Endpoint, Wire

_IDS = {"type": "string", "minLength": 1, "maxLength": 200}
_OBJECTS = {"type": "array", "items": {"type": "object"}}
AGENT = {"threadId": _IDS, "runId": _IDS, "messages": _OBJECTS, "resume": _OBJECTS}
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


def routes() -> list[BaseRoute]:
    """The routes of this file."""

    async def openapi(_: Request) -> Response:
        return JSONResponse(document())

    async def docs(_: Request) -> Response:
        csp = "default-src 'none'; style-src 'self'; frame-ancestors 'none'; base-uri 'none'"
        return HTMLResponse(page(document()), headers={"content-security-policy": csp})

    return [Route("/openapi.json", openapi), Route("/docs", docs)]


def document() -> dict[str, Any]:
    """The whole document."""
    paths: dict[str, dict[str, Any]] = {}
    for wire in load_wires():
        for endpoint in wire.endpoints():
            path = _CAPTURED.sub(r"{\1}", f"/{wire.name}{endpoint.path}")
            entry = paths.setdefault(path, {})
            entry.setdefault(endpoint.method.lower(), _operation(wire, endpoint))
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Kensaku",
            "version": __version__,
            "description": "Web search for AI agents, in the words of the service you know.",
        },
        "paths": paths | _research_paths() | _assistant_paths() | _system_paths(),
        "components": {
            "securitySchemes": {"key": {"type": "http", "scheme": "bearer"}},
        },
        "security": [{"key": []}, {}],
    }


def _operation(wire: Wire, endpoint: Endpoint) -> dict[str, Any]:
    captured = _CAPTURED.findall(endpoint.path)
    fields = {n: s for n, s in endpoint.parameters.items() if n not in captured}
    needed = _needed(fields)
    operation: dict[str, Any] = {
        "tags": [wire.label],
        "summary": endpoint.summary,
        "operationId": re.sub(r"\W+", "_", f"{wire.name}{endpoint.path}_{endpoint.method}".lower()),
        "responses": _responses(),
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
    if endpoint.takes_bytes:
        binary = {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}}
        operation["requestBody"] = {"required": True, "content": binary}
    elif endpoint.method == "GET":
        operation["parameters"] += [
            {"name": n, "in": "query", "required": n in needed, "schema": schema}
            for n, schema in fields.items()
        ]
    else:
        operation["requestBody"] = _body(fields, needed)
    return operation


def _needed(fields: Mapping[str, Any]) -> list[str]:
    """The first field of a table is the one that a request cannot do without."""
    return list(fields)[:1]


def _body(fields: Mapping[str, Any], needed: list[str]) -> dict[str, Any]:
    schema = {"type": "object", "properties": dict(fields), "required": needed}
    return {"required": True, "content": {"application/json": {"schema": schema}}}


def _responses() -> dict[str, Any]:
    said = {status: {"description": why} for status, why in _ERRORS.items()}
    return {"200": {"description": "the reply, in the vendor's shape"}} | said


def _research_paths() -> dict[str, Any]:
    tag = {"tags": ["Tavily"]}
    one = {"name": "id", "in": "path", "required": True, "schema": {"type": "string"}}
    missing = {"404": {"description": "there is no such run"}}
    running = {"202": {"description": "it is not finished"}}
    return {
        "/tavily/research": {
            "post": tag
            | {
                "summary": "Write a report",
                "requestBody": _body(RESEARCH, ["input"]),
                "responses": _responses(),
            }
        },
        "/tavily/research/{id}": {
            "get": tag
            | {
                "summary": "Look at a report",
                "parameters": [one],
                "responses": _responses() | running | missing,
            }
        },
        "/tavily/usage": {"get": tag | {"summary": "What was used", "responses": _responses()}},
    }


def _assistant_paths() -> dict[str, Any]:
    tag = {"tags": ["Assistant"], "responses": _responses()}
    return {
        "/v1/chat/completions": {
            "post": tag
            | {
                "summary": "Answer the last message of a conversation, with citations",
                "requestBody": _body(CHAT, ["messages"]),
            }
        },
        "/agent": {
            "post": tag
            | {
                "summary": "Run the assistant; its events in the AG-UI protocol",
                "requestBody": _body(AGENT, ["threadId", "runId", "messages"]),
                "responses": _responses() | {"409": {"description": "no run waits for this"}},
            }
        },
        "/v1/models": {"get": tag | {"summary": "List the models"}},
    }


def _system_paths() -> dict[str, Any]:
    def get(about: str) -> dict[str, Any]:
        return {"get": {"tags": ["Server"], "summary": about, "responses": _responses()}}

    return {"/healthz": get("Is it alive?"), "/readyz": get("Is it ready?")}


def page(whole: Mapping[str, Any]) -> str:
    """The document as a page that needs no script."""
    rows: dict[str, list[str]] = {}
    for path, methods in whole["paths"].items():
        for method, operation in methods.items():
            about = escape(operation["summary"])
            code = f"<code>{method.upper()} {escape(path)}</code>"
            rows.setdefault(operation["tags"][0], []).append(
                f"<li>{code} — {about}{_fields_of(operation)}</li>"
            )
    parts = [f"<h2>{escape(tag)}</h2><ul>{''.join(items)}</ul>" for tag, items in rows.items()]
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Kensaku API</title>'
        '<meta name="viewport" content="width=device-width"></head><body><main><h1>Kensaku API</h1>'
        '<p>The same as <a href="openapi.json">OpenAPI</a>.</p>'
        f"{''.join(parts)}</main></body></html>"
    )


def _fields_of(operation: Mapping[str, Any]) -> str:
    content = operation.get("requestBody", {}).get("content", {}).get("application/json", {})
    fields = {p["name"]: p["schema"] for p in operation.get("parameters", ())}
    fields |= content.get("schema", {}).get("properties", {})
    if not fields:
        return ""
    items = [f"<li><code>{escape(n)}</code> {escape(_told(s))}</li>" for n, s in fields.items()]
    return f"<details><summary>{len(fields)} fields</summary><ul>{''.join(items)}</ul></details>"


def _told(schema: Mapping[str, Any]) -> str:
    if "anyOf" in schema:
        return " or ".join(_told(s) for s in schema["anyOf"])
    if "enum" in schema:
        return ", ".join(map(str, schema["enum"]))
    low, high = schema.get("minimum"), schema.get("maximum")
    bounds = f", {low:g} to {high:g}" if low is not None and high is not None else ""
    return f"{schema.get('type', 'any')}{bounds}"
