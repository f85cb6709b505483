"""A service and a tool for each provider; the text of a real database."""

from __future__ import annotations

import subprocess
from collections import Counter

import pytest

from kensaku.compat import chat_server


@pytest.fixture(params=["duckduckgo", "tavily"])
def provider(request) -> str:
    return request.param


@pytest.fixture
def service(provider, make_client) -> chat_server.WebSearchService:
    return chat_server.WebSearchService(client=make_client(provider))


@pytest.fixture
def tool(make_client):
    def made(provider: str = "duckduckgo", **options) -> chat_server.SearchWebTool:
        return chat_server.SearchWebTool(user_id="u-7", client=make_client(provider), **options)

    return made


@pytest.fixture
def dump(processes: None, postgres):
    """What is in a database: every object of the catalogue, every row."""

    def lines(url: str) -> Counter[str]:
        ran = subprocess.run(
            [postgres.bin_path / "pg_dump", "--column-inserts", url],
            capture_output=True, text=True, check=True,
        )  # fmt: skip
        kept = (line.rstrip(",") for line in ran.stdout.splitlines())
        return Counter(line for line in kept if line and not line.startswith(("--", "\\")))

    return lines
