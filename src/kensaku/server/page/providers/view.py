"""Providers: who can be asked, in which order, and how they are doing. Never a key."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from kensaku.providers import provider_class
from kensaku.providers._status import READY, describe
from kensaku.server.page import snippets
from kensaku.server.page.tabs import api

if TYPE_CHECKING:
    from kensaku.locale import Translator
    from kensaku.server.page.request import PageRequest
    from kensaku.server.wires.base import Asked


@dataclass(frozen=True, slots=True)
class ProviderView:
    """A provider, ready to be shown."""

    name: str
    label: str
    turn: int | None
    state: str
    tone: str  # ok, warn, bad or faint
    latency: str
    price: str
    keys: str
    rate: str
    sunset: str
    can_reset: bool
    muted: bool


async def show(page: PageRequest, asked: Asked) -> dict[str, Any]:
    """The values of `providers.html`."""
    rows = await describe_all(page)
    views = [_view(page, row) for row in rows]
    route = sorted((v for v in views if v.turn), key=lambda v: v.turn or 0)
    ready = [v for v in views if not v.turn and not v.muted]
    rest = [v for v in views if not v.turn and v.muted]
    t = page.t
    groups = [
        (t("In the route"), route),
        (t("Ready, not in the route"), ready),
        (t("Not configured"), rest),
    ]
    return {"groups": groups, "use": snippets.for_providers(page)}


async def describe_all(page: PageRequest) -> list[dict[str, Any]]:
    """Every provider with its latencies, ready for JSON: how many keys it has, and none of them."""
    from kensaku.providers import provider_names
    from kensaku.search.route import plan

    client = page.client
    order = plan(client.settings, None, None).names
    rows = []
    for name in provider_names():
        row = await describe(client, name, order)
        seconds = sorted(client.resources.limiter(name).latencies)
        row["keys"] = len(row["keys"])
        row["p50_ms"], row["p95_ms"] = _at(seconds, 0.5), _at(seconds, 0.95)
        if not page.principal.admin:
            del row["base_url"], row["keyless_host"]
        rows.append(row)
    return rows


def _at(seconds: list[float], share: float) -> float | None:
    return round(seconds[int(len(seconds) * share)] * 1000, 1) if seconds else None


def _view(page: PageRequest, row: dict[str, Any]) -> ProviderView:
    t, state = page.t, row["state"]
    missing = state.startswith("needs ") or state in ("switched off", "ended", "no key")
    ready = state == READY
    known = row["p50_ms"] is not None
    return ProviderView(
        name=row["name"],
        label=row["label"],
        turn=row["turn"],
        state=_state(t, state),
        tone="ok" if ready else "faint" if missing else "warn",
        latency=f"{row['p50_ms']:,.0f} / {row['p95_ms']:,.0f} ms" if known else "",
        price=f"{row['price'] * 1000:g}" if row["price"] else "–",
        keys=t("{n} key", "{n} keys", n=row["keys"]) if row["keys"] else t("none needed"),
        rate=row["rate"] or "",
        sunset=row["sunset"] or "",
        can_reset=page.principal.admin and not ready and not missing,
        muted=missing,
    )


def _state(t: Translator, state: str) -> str:
    if state == READY:
        return t("ready")
    needs = state.removeprefix("needs ")
    return t("set {name}", name=needs) if needs != state else t(state)


async def listed(page: PageRequest, asked: Asked) -> dict[str, Any]:
    """List every provider, without its keys."""
    return {"providers": await describe_all(page)}


async def reset(page: PageRequest, asked: Asked) -> dict[str, Any]:
    """End the cooldowns of a provider and close its circuit: somebody has mended the cause."""
    name = asked.path["name"]
    provider_class(name)  # raises `UnknownName`
    limiter = page.client.resources.limiter(name)
    await limiter.reset()
    return {"name": name, "state": limiter.state()}


ENDPOINTS = [
    api("GET", "/api/providers", listed),
    api("POST", "/api/providers/{name}/reset", reset, is_admins=True),
]
