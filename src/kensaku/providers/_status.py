"""The current status of a provider: features, limits, cooldowns."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from kensaku.messages import msg
from kensaku.providers import provider_class
from kensaku.text.redact import mask_url

if TYPE_CHECKING:
    from kensaku.client import Kensaku

READY = "ready"


async def describe(k: Kensaku, name: str, order: tuple[str, ...]) -> dict[str, Any]:
    """Return features, limits and status of one provider, ready for JSON."""
    cls, configured = provider_class(name), k.settings.provider(name)
    return {
        "name": name,
        "label": cls.label or name,
        "turn": order.index(name) + 1 if name in order else None,
        "state": await provider_state(k, name),
        "keys": [key.masked for key in configured.keys],
        "keyless": cls.keyless or cls.key_variable is None,
        "key_variable": cls.key_variable,
        "base_url": mask_url(k.resources.provider(name).base_url) or None,
        "keyless_host": k.resources.provider(name).keyless_host if cls.keyless else None,
        "filters": sorted(cls.filters),
        "max_results": cls.max_results,
        "max_query_chars": cls.max_query_chars,
        "price": cls.price,
        "price_source": cls.price_source or None,
        "rate": configured.rate or cls.rate,
        "sunset": cls.sunset.isoformat() if cls.sunset else None,
        "docs": cls.docs or None,
    }


async def provider_state(k: Kensaku, name: str) -> str:
    """Return `ready`, or why the provider is not available."""
    cls, configured = provider_class(name), k.settings.provider(name)
    if not configured.enabled:
        return msg("switched off")
    if cls.sunset and cls.sunset <= datetime.now(UTC).date():
        return msg("ended")
    for option in cls.needs:
        if not configured.options.get(option):
            return msg("needs {name}", name=cls.options[option])
    if cls.key_variable and not cls.keyless and not configured.keys:
        return msg("needs {name}", name=cls.key_variable)
    provider = k.resources.provider(name)
    if provider.needs_address and not provider.base_url:
        return msg("needs {name}", name=f"{name.upper()}_BASE_URL")
    gate = k.resources.limiter(name)
    await gate.sync()  # with the other processes
    return gate.state()
