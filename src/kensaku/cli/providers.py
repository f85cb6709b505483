"""List providers, their features and status.

The first column is the position in the default route. The status is shared by all processes that
use the same home.
"""

from __future__ import annotations

import argparse
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from kensaku.cli._client import open_client
from kensaku.cli._options import add_common_options, load_settings
from kensaku.cli._terminal import format_table, print_json, print_message, print_result
from kensaku.text.redact import mask_url

if TYPE_CHECKING:
    from kensaku.client import Kensaku

USAGE = "[options] [NAME …]"
READY = "ready"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the names of providers."""
    parser.add_argument("names", nargs="*", metavar="NAME", help="only these providers")
    add_common_options(parser)


async def run(args: argparse.Namespace) -> int:
    """Print the providers."""
    from kensaku.providers import provider_class, provider_names
    from kensaku.search.route import plan

    async with open_client(load_settings(args)) as k:
        order = plan(k.settings, None, None).names
        for name in args.names:
            provider_class(name)
        providers = [await describe(k, name, order) for name in args.names or provider_names()]
    if args.json:
        print_json(providers)
        return 0
    providers.sort(key=lambda p: (p["turn"] is None, p["turn"] or 0))
    rows = [["", "provider", "state", "keys", "$/1000", "results", "characters", "filters"]]
    print_result(format_table(rows + [_row(p) for p in providers]))
    for p in providers:
        if p["sunset"]:
            print_message(f"{p['name']}: the service ends on {p['sunset']}; plan its successor")
    return 0


async def describe(k: Kensaku, name: str, order: tuple[str, ...]) -> dict[str, Any]:
    """Return features, limits and status of one provider, ready for JSON."""
    from kensaku.providers import provider_class

    cls, configured = provider_class(name), k.settings.provider(name)
    return {
        "name": name,
        "label": cls.label or name,
        "turn": order.index(name) + 1 if name in order else None,
        "state": await provider_state(k, name),
        "keys": [key.masked for key in configured.keys],
        "keyless": cls.keyless or cls.key_variable is None,
        "key_variable": cls.key_variable,
        "base_url": mask_url(k._resources.provider(name).base_url) or None,
        "keyless_host": k._resources.provider(name).keyless_host if cls.keyless else None,
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
    """Return `ready`, or why the provider cannot be asked now."""
    from kensaku.providers import provider_class

    cls, configured = provider_class(name), k.settings.provider(name)
    if not configured.enabled:
        return "switched off"
    if cls.sunset and cls.sunset <= datetime.now(UTC).date():
        return "ended"
    for option in cls.needs:
        if not configured.options.get(option):
            return f"needs {cls.options[option]}"
    if cls.key_variable and not cls.keyless and not configured.keys:
        return f"needs {cls.key_variable}"
    if name != "local" and not k._resources.provider(name).base_url:
        return f"needs {name.upper()}_BASE_URL"
    gate = k._resources.limiter(name)
    await gate.sync()  # with the other processes
    return gate.state()


def _row(p: dict[str, Any]) -> list[str]:
    keys = ", ".join(p["keys"]) or ("none needed" if p["keyless"] else "–")
    return [
        str(p["turn"] or ""),
        p["name"],
        p["state"],
        keys,
        f"{p['price'] * 1000:g}" if p["price"] else "–",
        str(p["max_results"]),
        str(p["max_query_chars"]),
        ", ".join(p["filters"]) or "–",
    ]
