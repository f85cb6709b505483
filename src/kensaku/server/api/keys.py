"""API keys: list, create, revoke. For admins."""

from __future__ import annotations

from typing import Any

from kensaku.database.keys import any_key, create_key, list_keys, revoke_key
from kensaku.errors import InvalidQuery
from kensaku.server.api.base import Call, Endpoint
from kensaku.server.page.viewer import sign_in_as


async def listed(call: Call) -> dict[str, Any]:
    """All keys, without their secrets."""
    return {"keys": [key.to_dict() for key in await list_keys(call.state.database)]}


async def create(call: Call) -> dict[str, Any]:
    """Create a key; its secret is in this reply, and nowhere else.

    The first key is an admin's, and this browser is signed in with it: it would be locked out.
    """
    given, db = call.fields, call.state.database
    first = not await any_key(db)
    key, secret = await create_key(
        db,
        call.text("name", 200).strip(),
        tenant=_optional(given.get("tenant"), str) or "",
        rate=_optional(given.get("rate"), str),
        searches_per_day=_optional(given.get("searches_per_day"), int),
        money_per_month=_optional(given.get("money_per_month"), float),
        admin=first or given.get("admin") in (True, "1", "on"),
    )
    call.state.keys.require()
    if first:
        await sign_in_as(call.state, call.page.viewer, secret)
    return {**key.to_dict(), "key": secret}


async def revoke(call: Call) -> dict[str, Any]:
    """Revoke a key."""
    key = await revoke_key(call.state.database, call.path["id"])
    return key.to_dict()


def _optional(value: Any, kind: type[Any]) -> Any:
    """A field of the form: empty is none. Raises `InvalidQuery`."""
    if value is None or value == "":
        return None
    try:
        return kind(value)
    except (ValueError, TypeError):
        raise InvalidQuery(f"{str(value)[:40]!r} is no number") from None


ENDPOINTS = [
    Endpoint("GET", "/api/keys", listed, admin=True),
    Endpoint("POST", "/api/keys", create, admin=True),
    Endpoint("DELETE", "/api/keys/{id}", revoke, admin=True),
]
