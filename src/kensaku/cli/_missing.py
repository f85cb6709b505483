"""The error of a missing package: one line that installs all that the command needs here."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import suppress
from importlib.util import find_spec
from typing import Any

from kensaku.config.settings import Settings
from kensaku.errors import KensakuError, MissingExtra
from kensaku.store import is_valkey

# Extras of commands that open what the settings name: a database, a store, an index.
_OPENING = frozenset(
    {
        *("bulk", "chat", "database", "mcp", "server", "slack", "telegram"),
        *("postgres", "qdrant", "valkey"),
    }
)


def missing_extra(command: str, error: ImportError, config: Any = None) -> MissingExtra:
    """Return the error with the extra that brings all of the command.

    `config` is the settings file that the command was given, if any.
    """
    extra = getattr(sys.modules.get(f"kensaku.cli.{command}"), "EXTRA", "standard")
    what = error.what if isinstance(error, MissingExtra) else str(error.name)
    if isinstance(error, MissingExtra) and error.extra != "database":
        extra = error.extra
    if extra not in _OPENING:
        return error if isinstance(error, MissingExtra) else MissingExtra(what, extra)
    return MissingExtra(what, ",".join(_with_clients(extra, config)))


def _with_clients(extra: str, config: Any) -> Sequence[str]:
    """Add the clients of the servers that the settings name, where they are missing."""
    wanted: dict[str, tuple[str, bool]] = {}
    with suppress(KensakuError):
        settings = Settings.load(config)
        wanted = {
            "postgres": ("psycopg", settings.database_url.startswith("postgres")),
            "valkey": ("valkey", any(map(is_valkey, (settings.state_url, settings.cache_url)))),
            "qdrant": ("qdrant_client", bool(settings.index_url)),
        }
    more = [name for name, (module, used) in wanted.items() if used and find_spec(module) is None]
    # `postgres` brings all of `database`.
    first = [] if extra in more or (extra == "database" and "postgres" in more) else [extra]
    return [*first, *more]
