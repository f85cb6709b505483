"""A real upstream in a thread, and `kensaku` as a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from kensaku.models import Document
from kensaku.testing import FakeUpstream

Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def up() -> Iterator[FakeUpstream]:
    """Every provider, on a loopback port, beside the test."""
    with FakeUpstream.in_thread() as upstream:
        yield upstream


@pytest.fixture
def env(up: FakeUpstream, machine: Path) -> dict[str, str]:
    """An environment in which every address is the upstream's, and Tavily has a key."""
    addresses = up.environment(keys=False)
    del addresses["SEARXNG_BASE_URL"]  # an instance of one's own is asked before the others
    return {
        **os.environ,
        **addresses,
        "TAVILY_API_KEY": "tvly-0123456789-secret",
        "KENSAKU_HOME": str(machine),
        "PYTHONWARNINGS": "error",
    }


@pytest.fixture
def run(env: dict[str, str]) -> Run:
    """`run("search", "otter", NAME="value")`: a variable that is None is not set."""

    def call(
        *words: str, stdin: str = "", **variables: str | None
    ) -> subprocess.CompletedProcess[str]:
        here = {n: v for n, v in {**env, **variables}.items() if v is not None}
        done = subprocess.run(
            [sys.executable, "-m", "kensaku.cli", *words],
            env=here,
            input=stdin,
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=60,
        )
        assert "Traceback" not in done.stderr, done.stderr
        return done

    return call


@pytest.fixture
def library(machine: Path) -> Path:
    """A local index with one document in it."""
    import asyncio

    from kensaku.index import Index

    async def fill() -> None:
        async with Index(machine / "index") as index:
            text = "Sea otters hold hands while they sleep."
            await index.add([Document(url="https://local.example/", title="Otters", text=text)])

    asyncio.run(fill())
    return machine
