"""Requests for pages, for tests that call a view itself."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from kensaku.database.keys import ApiKey
from kensaku.server.auth import ANYONE, Principal
from kensaku.server.page.request import PageRequest
from kensaku.server.page.viewer import Viewer
from kensaku.server.page.wires import Pages
from kensaku.server.wires.base import Endpoint


def api_key(name: str = "bob", **bounds: Any) -> ApiKey:
    """A key without bounds, unless they are given."""
    values: dict[str, Any] = {
        "id": f"id-{name}", "name": name, "tenant": "", "hint": "ksk_", "rate": None,
        "searches_per_day": None, "money_per_month": None, "admin": False,
        "created": datetime(2026, 1, 1, tzinfo=UTC), "expires": None, "revoked": None,
    }  # fmt: skip
    return ApiKey(**values | bounds)


def page_of(
    state: Any = None,
    query: str = "",
    *,
    principal: Principal = ANYONE,
    language: str = "en",
    **headers: str,
) -> PageRequest:
    """A request at `http://a.example/root?{query}`."""
    sent = {"host": "a.example", "cookie": f"kensaku_language={language}", **headers}
    scope = {
        "type": "http", "scheme": "http", "root_path": "/root/", "path": "/root/x",
        "query_string": query.encode(),
        "headers": [(n.encode(), v.encode()) for n, v in sent.items()], "state": {"request_id": "request-1"},
        "method": "GET", "client": ("127.0.0.1", 1),
    }  # fmt: skip

    async def receive() -> Any:
        return {"type": "http.request", "body": b""}

    page = PageRequest(state, Pages(), Endpoint("GET", "/x"), scope, receive)
    page.viewer, page.principal = Viewer("session", principal), principal
    return page
