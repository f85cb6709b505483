"""What each wire reads and answers: `make golden` writes it.

Read the difference before you commit it: it is what the clients of these vendors see.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import AsyncIterator, Iterator, Mapping
from datetime import date
from pathlib import Path
from typing import Any

from kensaku.errors import InvalidQuery, KensakuError
from kensaku.models import Hit, Page, Source
from kensaku.server.wires.base import Asked, Call, Endpoint, Exchange, Found, Listed, Read, Text
from tests.server.wires.performed import KINDS, WIRES, performed

FILE = Path(__file__).with_name("exchanges.json")
NEEDED = {"query": "otters", "q": "otters", "url": "https://a.example/", "input": "otters"}
# By name, where the schema does not say enough.
VALUES: dict[str, list[Any]] = {
    "country": ["jp", "Japan"],
    "gl": ["jp"],
    "hl": ["ja"],
    "language": ["ja", "all"],
    "search_lang": ["ja"],
    "freshness": ["pd", "py", "2026-01-01to2026-02-01"],
    "tbs": ["qdr:d", "qdr:y", "cdr:1,cd_min:1/2/2026,cd_max:2/3/2026"],
    "categories": ["news", "general"],
    "search_language_filter": [["ja"], ["ja", "en"]],
    "userLocation": ["JP"],
    "search_domain_filter": [["a.example", "b.example"], ["-a.example"]],
    "url": ["https://b.example/x"],
    "urls": [["https://a.example/", "https://b.example/"]],
}
HITS = [
    Hit(
        "https://a.example/otter?x=1&y=2", "Otters & seals <b>", "They swim. カワウソは泳ぐ。",
        score=0.9, published="2026-11-02", provider="fake", raw_content="# Otters\n\nThey swim.",
        sources=(Source("fake", 1),),
    ),
    Hit("https://b.example/", "No date, no score", "Plain.", provider="fake"),
]  # fmt: skip
PAGES = [
    Page(
        "https://a.example/", "Otters", "They swim.", "# Otters\n\nThey swim.",
        published="2026-11-02", author="Ada", language="en", images=("https://a.example/o.png",),
        links=("https://a.example/b",), favicon="https://a.example/f.ico",
    ),
    Page("https://b.example/", "", "Plain.", "Plain."),
]  # fmt: skip
FOUND = Found(
    HITS,
    answer="They swim.",
    images=[("https://a.example/o.png", "an otter")],
    page_images={"https://b.example/": ["https://b.example/p.png"]},
    cost=0.008,
    cached=True,
)
DOCUMENT = {
    "page": {
        "url": "https://a.example/", "title": "A", "language": "en", "published": "2026-11-02",
        "author": "Ada", "favicon": None, "canonical_url": None, "content_type": "text/html",
        "status": 200,
    },
    "markdown": "# First",
    "json": {"a": 1},
}  # fmt: skip
RESULTS: dict[str, Any] = {
    "search": FOUND,
    "extract": Read([(page, page.text) for page in PAGES], [("https://c.example/", "gone")], "https://a.example"),
    "scrape": DOCUMENT,
    "crawl": Read([(page, page.text) for page in PAGES], [("https://c.example/", "gone")], "https://a.example"),
    "map": Listed("https://a.example", ["https://a.example/", "https://a.example/b"]),
}  # fmt: skip
NOTHING: dict[str, Any] = {
    "search": Found([]),
    "extract": Read([], [("https://c.example/", "gone")]),
    "scrape": DOCUMENT,
    "crawl": Read([]),
    "map": Listed("https://a.example", []),
}


def describe(name: str) -> dict[str, Any]:
    """Return, for each endpoint, what each parameter changes in the call, and the replies.

    Of an endpoint that is the same as an earlier one, the name of that one.
    """
    told: dict[str, Any] = {}
    for endpoint in performed(WIRES[name]):
        if endpoint.parameters and not endpoint.takes_bytes:
            about = _describe(endpoint)
            same = next((path for path, known in told.items() if known == about), None)
            told[f"{endpoint.method} {endpoint.path}"] = about if same is None else f"as {same}"
    return told


def _describe(endpoint: Endpoint) -> dict[str, Any]:
    plain = _read(endpoint, {})
    rest = {n: s for n, s in endpoint.parameters.items() if n not in ("query", "q", "input")}
    pairs = [(n, value) for n, schema in rest.items() for value in _values(n, schema)]
    changed = {f"{n}={_shown(v)}": _difference(plain, _read(endpoint, {n: v})) for n, v in pairs}
    every = {n: v for n, v in reversed(pairs) if not isinstance(_read(endpoint, {n: v}), str)}
    replies = {"plain": _reply(endpoint, {}, RESULTS), "nothing": _reply(endpoint, {}, NOTHING)}
    for n, v in every.items():
        reply = _reply(endpoint, {n: v}, RESULTS)
        if reply != replies["plain"]:
            replies[f"{n}={_shown(v)}"] = reply
    return {"call": as_dict(plain), "changed": changed, "replies": replies}


def _values(name: str, schema: Mapping[str, Any]) -> Iterator[Any]:
    if name in VALUES:
        yield from VALUES[name]
    elif "anyOf" in schema:
        for one in schema["anyOf"]:
            yield from _values(name, one)
    elif "enum" in schema:
        yield from schema["enum"]
    elif schema.get("type") == "boolean":
        yield from (True, False)
    elif schema.get("type") in ("integer", "number"):
        yield from (schema.get("minimum", 1), schema.get("minimum", 1) + 2)
    elif schema.get("type") == "array":
        yield ["a.example", "b.example"]
    elif schema.get("type") == "object":
        yield {"text": True, "highlights": True, "summary": True, "livecrawl": "always"}
    elif schema.get("format") == "date" or "date" in name.lower():
        yield from ("2026-01-31", "01/31/2026")
    else:
        yield "otters"


def asked_of(endpoint: Endpoint, values: Mapping[str, Any]) -> Asked:
    """A request with these values, and with what the endpoint needs besides."""
    needed = {n: v for n, v in NEEDED.items() if n in endpoint.parameters}
    if "urls" in endpoint.parameters:
        needed["urls"] = ["https://a.example/"]  # type: ignore[assignment]
    if "json" in endpoint.parameters.get("format", {}).get("enum", ()):
        needed["format"] = "json"
    body = {**needed, **values}
    path = {
        n: str(body.pop(n)) for n in ("q", "url", "tool") if f"{{{n}" in endpoint.path and n in body
    }
    if endpoint.method == "GET":
        params = {n: str(v).lower() if isinstance(v, bool) else str(v) for n, v in body.items()}
        return Asked(params=params, path=path)
    return Asked(body=body, path=path)


def _read(endpoint: Endpoint, values: Mapping[str, Any]) -> Call | str:
    try:
        return endpoint.read(asked_of(endpoint, values))
    except InvalidQuery as error:
        return f"refused: {error}"


def _reply(endpoint: Endpoint, values: Mapping[str, Any], results: Mapping[str, Any]) -> Any:
    asked = asked_of(endpoint, values)
    exchange = Exchange(asked, "request-1", 0.123)
    try:
        call = endpoint.read(asked)
        reply = endpoint.write(call, results[KINDS[type(call)]], exchange)
    except KensakuError as error:
        return f"refused: {error}"
    if isinstance(reply, AsyncIterator):
        return "a stream"
    if isinstance(reply, Text):
        return dataclasses.asdict(reply)
    return json.loads(json.dumps(reply))


def as_dict(call: Call | str) -> Any:
    """A call as JSON has it, or why there is none."""
    if isinstance(call, str):
        return call
    values = dataclasses.asdict(call)
    return json.loads(json.dumps(values, default=_plain))


def _plain(value: Any) -> Any:
    return value.isoformat() if isinstance(value, date) else repr(value)


def _difference(plain: Call | str, other: Call | str) -> Any:
    """What of a call a parameter has changed."""
    before, after = as_dict(plain), as_dict(other)
    if not isinstance(before, dict) or not isinstance(after, dict):
        return after
    return {
        n: {k: w for k, w in v.items() if w != before[n].get(k)} if isinstance(v, dict) else v
        for n, v in after.items()
        if v != before.get(n)
    }


def _shown(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def write() -> None:
    """Take what is read and answered now as right."""
    known = {name: describe(name) for name in WIRES}
    FILE.write_text(json.dumps(known, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
