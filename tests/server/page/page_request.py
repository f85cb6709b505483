"""Requests for pages, for tests that call a view itself."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from kensaku.database.keys import ApiKey
from kensaku.locale import translator
from kensaku.server.auth import ANYONE, Principal
from kensaku.server.http import params_of
from kensaku.server.page.request import PageRequest
from kensaku.server.page.viewer import Viewer


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
    scope = {
        "type": "http", "scheme": "http", "root_path": "/root/", "path": "/root/x",
        "query_string": query.encode(), "headers": [], "state": {"request_id": "request-1"},
        "method": "GET", "client": ("127.0.0.1", 1),
    }  # fmt: skip
    return PageRequest(
        state,
        scope,
        {"host": "a.example", **headers},
        params_of(scope),
        Viewer("session", principal),
        translator(language),
        "",
    )
