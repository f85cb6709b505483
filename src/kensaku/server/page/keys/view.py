"""Keys: who may ask this server, and how much. List, create, revoke; for admins."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kensaku.database.keys import any_key, create_key, list_keys, revoke_key
from kensaku.errors import InvalidQuery
from kensaku.messages import msg
from kensaku.server.page import snippets
from kensaku.server.page.tabs import api, text_in
from kensaku.server.page.viewer import sign_in_as

if TYPE_CHECKING:
    from kensaku.database.keys import ApiKey
    from kensaku.locale import Translator
    from kensaku.server.page.request import PageRequest
    from kensaku.server.wires.base import Asked


async def show(page: PageRequest, asked: Asked) -> dict[str, Any]:
    """The values of `keys.html`."""
    keys = await list_keys(page.state.database)
    rows = [(key, _state(key), _bounds(page.t, key)) for key in reversed(keys)]
    rows.sort(key=lambda row: row[1] != "live")
    return {"rows": rows, "own": page.principal.key_id, "use": snippets.for_keys(page)}


def _state(key: ApiKey) -> str:
    return "live" if key.is_live() else "revoked" if key.revoked else "expired"


def _bounds(t: Translator, key: ApiKey) -> str:
    said = [key.rate] if key.rate else []
    if key.searches_per_day is not None:
        said.append(t("{n} a day", n=f"{key.searches_per_day:,}"))
    if key.money_per_month is not None:
        said.append(t("${n} a month", n=f"{key.money_per_month:,g}"))
    return " · ".join(said) or t("no bounds")


async def listed(page: PageRequest, asked: Asked) -> dict[str, Any]:
    """List all keys, without their secrets."""
    return {"keys": [key.to_dict() for key in await list_keys(page.state.database)]}


async def create(page: PageRequest, asked: Asked) -> dict[str, Any]:
    """Create a key; its secret is in this reply, and nowhere else.

    The first key is an admin's, and this browser is signed in with it: it would be locked out.
    """
    given, db = asked.fields, page.state.database
    first = not await any_key(db)
    key, secret = await create_key(
        db,
        text_in(asked, "name", 200).strip(),
        tenant=_optional(given.get("tenant"), str) or "",
        rate=_optional(given.get("rate"), str),
        searches_per_day=_optional(given.get("searches_per_day"), int),
        money_per_month=_optional(given.get("money_per_month"), float),
        admin=first or given.get("admin") in (True, "1", "on"),
    )
    page.state.keys.require()
    if first:
        await sign_in_as(page.state, page.viewer, secret)
    return {**key.to_dict(), "key": secret}


async def revoke(page: PageRequest, asked: Asked) -> dict[str, Any]:
    """Revoke a key."""
    return (await revoke_key(page.state.database, asked.path["id"])).to_dict()


def _optional(value: Any, kind: type[Any]) -> Any:
    """A field of the form: empty is none. Raises `InvalidQuery`."""
    if value is None or value == "":
        return None
    try:
        return kind(value)
    except (ValueError, TypeError):
        raise InvalidQuery(msg("{value!r} is no number", value=str(value)[:40])) from None


ENDPOINTS = [
    api("GET", "/api/keys", listed, is_admins=True),
    api("POST", "/api/keys", create, is_admins=True),
    api("DELETE", "/api/keys/{id}", revoke, is_admins=True),
]
