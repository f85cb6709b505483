"""Databases that are migrated once in each test process, and copied for each test.

Migrating takes longer than most tests do.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

# A module that is not loaded yet is left alone: most tests need no database.
_MODULES = ("kensaku.database.engine",)
_migrated: dict[str, bytes] = {}


def copy_migrated(patch: pytest.MonkeyPatch) -> None:
    """Let every new SQLite file begin as a copy of a migrated one."""
    for name in _MODULES:
        if module := sys.modules.get(name):
            patch.setattr(module, "migrate", _copying(name, module.migrate))


def _copying(name: str, migrate: Callable[[Any], None]) -> Callable[[Any], None]:
    def copy_or_migrate(url: Any) -> None:
        kind, _, path = str(url).partition("://")
        file = Path(path.removeprefix("/"))
        if not kind.startswith("sqlite") or (file.exists() and file.stat().st_size):
            migrate(url)
        elif name in _migrated:
            file.write_bytes(_migrated[name])
        else:
            migrate(url)
            _migrated[name] = file.read_bytes()

    return copy_or_migrate
