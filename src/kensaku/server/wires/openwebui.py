"""Open WebUI's external services: web search, web loader, document loader."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from urllib.parse import unquote

from kensaku.errors import InvalidQuery
from kensaku.server.wires import _fields as fields
from kensaku.server.wires.base import (
    Asked,
    Endpoint,
    Exchange,
    Extract,
    Found,
    Parse,
    Read,
    Search,
    Wire,
)

MAX_COUNT, MAX_URLS = 50, 20
MAX_FILE = 20 * 2**20
SEARCH: dict[str, Any] = {
    "query": {"type": "string", "minLength": 1, "maxLength": 2_000, "pattern": r"\S"},
    "count": {"type": "integer", "minimum": 1, "maximum": MAX_COUNT},
}
LOAD: dict[str, Any] = {
    "urls": {"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": MAX_URLS}
}


class OpenWebUI(Wire):
    name = "openwebui"
    label = "Open WebUI"
    docs = "https://docs.openwebui.com"
    client = "EXTERNAL_WEB_SEARCH_URL={url}/openwebui/search"

    def endpoints(self) -> Sequence[Endpoint]:
        return [
            Endpoint(
                "POST", "/search", read_search, write_search, "Search", SEARCH, required=("query",)
            ),
            Endpoint(
                "POST", "/load", read_load, write_load, "Read pages", LOAD, required=("urls",)
            ),
            Endpoint(
                "PUT",
                "/process",
                read_process,
                write_process,
                "Read a file",
                sees=("content-type", "x-filename"),
                takes_bytes=True,
                max_body=MAX_FILE,
            ),
        ]

    def error(self, status: int, message: str) -> Any:
        return {"detail": message}


def read_search(asked: Asked) -> Search:
    from kensaku.models import Query

    text = fields.text(asked.body, "query", most=2_000)
    return Search(Query(text, fields.integer(asked.body, "count", 5, 1, MAX_COUNT, clip=True)))


def write_search(call: Search, found: Found, exchange: Exchange) -> list[dict[str, Any]]:
    return [{"link": h.url, "title": h.title, "snippet": h.content} for h in found.hits]


def read_load(asked: Asked) -> Extract:
    urls = fields.texts(asked.body, "urls", MAX_URLS)
    if not urls:
        raise InvalidQuery("urls are missing", remedy=f"give 1 to {MAX_URLS} of them")
    return Extract(urls)


def write_load(call: Extract, read: Read, exchange: Exchange) -> list[dict[str, Any]]:
    return [
        {"page_content": content, "metadata": {"source": page.url, "title": page.title}}
        for page, content in read.pages
    ]


def read_process(asked: Asked) -> Parse:
    if not asked.raw:
        raise InvalidQuery("the body is empty", remedy="send the file as the body")
    name = unquote(asked.headers.get("x-filename", ""))[:200]
    return Parse(asked.raw, asked.headers.get("content-type", ""), name)


def write_process(call: Parse, read: Read, exchange: Exchange) -> dict[str, Any]:
    page, content = read.pages[0]
    return {"page_content": content, "metadata": {"source": call.name, "title": page.title}}
