"""Who can be asked, what each can do, and how it is right now, in all processes together.

The number says when the usual route asks it.
"""

from __future__ import annotations

import argparse
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from kensaku.cli import _terminal as terminal
from kensaku.cli._options import add_common, settings_of

if TYPE_CHECKING:
    from kensaku.client import Kensaku

USAGE = "[options] [NAME …]"
READY = "ready"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Which providers."""
    parser.add_argument("names", nargs="*", metavar="NAME", help="only these")
    add_common(parser)


async def run(args: argparse.Namespace) -> int:
    """Print the providers."""
    from kensaku.client import Kensaku
    from kensaku.providers import provider_class, provider_names
    from kensaku.search.route import plan

    async with Kensaku(settings_of(args)) as k:
        order = plan(k.settings, None, None).names
        for name in args.names:
            provider_class(name)
        found = [await describe(k, name, order) for name in args.names or provider_names()]
    if args.json:
        terminal.show_json(found)
        return 0
    found.sort(key=lambda p: (p["turn"] is None, p["turn"] or 0))
    rows = [["", "provider", "state", "keys", "$/1000", "results", "characters", "filters"]]
    terminal.show(terminal.table(rows + [_row(p) for p in found]))
    for p in found:
        if p["sunset"]:
            terminal.tell(f"{p['name']}: the service ends on {p['sunset']}; plan its successor")
    return 0


async def describe(k: Kensaku, name: str, order: tuple[str, ...]) -> dict[str, Any]:
    """All there is to say about one provider."""
    from kensaku.providers import provider_class

    cls, has = provider_class(name), k.settings.provider(name)
    return {
        "name": name,
        "label": cls.label or name,
        "turn": order.index(name) + 1 if name in order else None,
        "state": await state_of(k, name),
        "keys": [key.masked for key in has.keys],
        "keyless": cls.keyless or cls.key_variable is None,
        "key_variable": cls.key_variable,
        "base_url": k.provider(name).base_url or None,
        "filters": sorted(cls.filters),
        "max_results": cls.max_results,
        "max_query_chars": cls.max_query_chars,
        "price": cls.price,
        "rate": has.rate or cls.rate,
        "sunset": cls.sunset.isoformat() if cls.sunset else None,
        "docs": cls.docs or None,
    }


async def state_of(k: Kensaku, name: str) -> str:
    """For people: ready, or what is in the way."""
    from kensaku.providers import provider_class

    cls, has = provider_class(name), k.settings.provider(name)
    if not has.enabled:
        return "switched off"
    if cls.sunset and cls.sunset <= datetime.now(UTC).date():
        return "ended"
    for option in cls.needs:
        if not has.options.get(option):
            return f"needs {cls.options[option]}"
    if cls.key_variable and not cls.keyless and not has.keys:
        return f"needs {cls.key_variable}"
    if name != "local" and not k.provider(name).base_url:
        return f"needs {name.upper()}_BASE_URL"
    gate = k.gate(name)
    await gate.sync()  # what other processes know
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
