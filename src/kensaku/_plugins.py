"""Parts that other packages bring, by entry point. `kensaku.compat` joins in the same way.

    kensaku.providers      name → the class of a provider
    kensaku.dialects       name → a module with `write` and `write_error`
    kensaku.tools          name → makes a tool: (client, *, language, …) → BaseTool
    kensaku.tool_settings  name → reads what else a file of tools says; see `tools/registry.py`
    kensaku.approvals      name → the tiers of tools: (database URL, person) → {tool: tier}

Nothing is loaded before it is used.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from importlib.metadata import EntryPoint


@cache
def plugins(group: str) -> Mapping[str, EntryPoint]:
    """Return the entry points of `kensaku.<group>` by name, sorted; `load()` imports one."""
    from importlib.metadata import entry_points

    found = {point.name: point for point in entry_points(group=f"kensaku.{group}")}
    return {name: found[name] for name in sorted(found)}
