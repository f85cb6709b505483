"""Jobs that run here or in other processes, kinds of jobs, and a site that counts its visitors."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import pytest
from sqlalchemy import update

from kensaku import Settings
from kensaku.database import Database
from kensaku.database.tables import RUNS
from kensaku.jobs import Jobs, kinds
from tests import ROOT
from tests.fetch.web import Web, whole

BEAT, DEAD = 0.3, 4.0  # seconds: shorter than in earnest, longer than a busy machine's pauses
PAGES = 60


class Site(Web):
    """A site of 60 pages, each of which links to three others."""

    def __init__(self) -> None:
        super().__init__({"/robots.txt": (404, {}, b"")})
        self._open, self._full = asyncio.Event(), asyncio.Event()
        self._room = 0
        self.release()
        self.pages |= {"/": self._page} | {f"/p{n}": self._page for n in range(1, PAGES)}

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/"

    def fetched(self) -> Counter[str]:
        """How often each page was sent."""
        return Counter(r.path for r in self.seen if r.path != "/robots.txt")

    def hold_after(self, pages: int) -> None:
        """Send so many pages more; let the next requests wait."""
        self._room = pages
        self._open.clear()
        self._full.clear()

    async def is_holding(self) -> None:
        """Wait until a request has to wait; what takes longer than two minutes hangs."""
        async with asyncio.timeout(120):
            await self._full.wait()

    def release(self) -> None:
        """Send every page."""
        self._open.set()

    async def _page(self, writer, request) -> None:
        self._room -= 1
        if self._room < 0 and not self._open.is_set():
            self._full.set()
            await self._open.wait()
        n = int(request.path.strip("/p") or 0)
        links = "".join(f'<a href="/p{n * 3 + i}">x</a>' for i in (1, 2, 3) if n * 3 + i < PAGES)
        text = f"<p>The text of page number {n}, which is about otters and word{n}.</p>"
        writer.write(whole(200, {}, f"<title>page {n}</title>{text}{links}".encode()))


@pytest.fixture
async def site():
    async with Site() as site:
        yield site


async def expire_leases(settings: Settings) -> None:
    """Let the time pass after which the jobs of a dead process may be taken over."""
    database = await Database.open(settings)
    async with database.write() as connection:
        await connection.execute(update(RUNS).values(lease=datetime(2020, 1, 1, tzinfo=UTC)))
    await database.close()


@pytest.fixture
def settings(machine) -> Settings:
    """Pages come from loopback, and are fetched as often as they are asked for."""
    return Settings.load(environ={}, **_options(machine))


def _options(home: Path) -> dict[str, object]:
    return {
        "home": home,
        "fetch_allow": ("127.0.0.1",),
        "fetch_ports": ("any",),
        "fetch_per_host": 8,
        "cache_enabled": False,
        "state_url": "memory:",
    }


@pytest.fixture
async def jobs(settings):
    """The jobs of this machine's file; nothing runs them before `start`."""
    async with Jobs(settings) as jobs:
        yield jobs


@pytest.fixture
async def running(jobs):
    """Jobs that this process runs."""
    await jobs.start()
    return jobs


Work = Callable[[Any, Mapping[str, Any]], Awaitable[Any]]


@pytest.fixture
def add_kind(monkeypatch) -> Callable[..., None]:
    """`add_kind("errands", run)`: a kind of job that takes any arguments."""

    def add(name: str, run: Work, run_part: Work | None = None) -> None:
        module: Any = ModuleType(name)
        module.check = lambda arguments, *, operator=False: dict(arguments)
        module.run, module.run_part = run, run_part
        monkeypatch.setitem(sys.modules, name, module)
        monkeypatch.setitem(kinds.KINDS, name, name)

    return add


@pytest.fixture
def run_process(processes: None, machine) -> Iterator[Callable[..., Runner]]:
    """Start a process that runs jobs, and wait until it does."""
    started: list[subprocess.Popen[bytes]] = []

    def start(database: str = "", workers: int = 2, env: dict[str, str] | None = None) -> Runner:
        values = {"fetch_allow": "127.0.0.1", "fetch_ports": "any", "fetch_per_host": "8"}
        values |= {"cache": "false", "state_url": "memory:", "database_url": database}
        ours = {f"KENSAKU_{name.upper()}": value for name, value in values.items() if value}
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.jobs.runner", str(workers)],
            cwd=ROOT,
            env={**os.environ, **ours, **(env or {}), "KENSAKU_HOME": str(machine)},
            stdout=subprocess.PIPE,
        )
        started.append(process)
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        return Runner(process)

    yield start
    for process in started:
        Runner(process).kill()


class Runner(NamedTuple):
    """A process that runs jobs."""

    process: subprocess.Popen[bytes]

    def kill(self) -> None:
        """End it with no chance to say goodbye."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        if self.process.stdout is not None:
            self.process.stdout.close()
