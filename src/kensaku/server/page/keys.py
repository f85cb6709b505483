"""The view Keys: who may ask this server, and how much. For admins."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kensaku.database.keys import list_keys
from kensaku.server.page import snippets

if TYPE_CHECKING:
    from kensaku.database.keys import ApiKey
    from kensaku.locale import Translator
    from kensaku.server.page.request import PageRequest


async def show(page: PageRequest) -> dict[str, Any]:
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
