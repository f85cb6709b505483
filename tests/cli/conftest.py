"""An upstream in a thread; `kensaku` in this process (`cli`, `terminal`) or in its own (`run`)."""

from __future__ import annotations

import io
import json
import os
import pty
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from kensaku.cli import main
from kensaku.models import Document
from kensaku.testing import FakeUpstream

from .examples import OTTERS, page

Run = Callable[..., "subprocess.CompletedProcess[str]"]


@dataclass(frozen=True)
class CliResult:
    """Exit status and output of a command."""

    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


Cli = Callable[..., CliResult]
Spawn = Callable[..., "subprocess.Popen[str]"]


@pytest.fixture
def up() -> Iterator[FakeUpstream]:
    """Every provider on a loopback port, served by a thread."""
    with FakeUpstream.in_thread() as upstream:
        yield upstream


@pytest.fixture
def env(up: FakeUpstream, machine: Path) -> dict[str, str]:
    """An environment in which every address is the upstream's, and Tavily has a key."""
    addresses = up.environment(keys=False)
    del addresses["SEARXNG_BASE_URL"]  # an instance of one's own comes first in the route
    return {
        **os.environ,
        **addresses,
        "TAVILY_API_KEY": "tvly-0123456789-secret",
        "KENSAKU_HOME": str(machine),
        "PYTHONWARNINGS": "error",
    }


@pytest.fixture
def run(processes: None, env: dict[str, str]) -> Run:
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
            timeout=300,
        )
        assert "Traceback" not in done.stderr, done.stderr
        return done

    return call


@pytest.fixture
def cli(
    env: dict[str, str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Cli:
    """`cli("search", "otter", NAME="value")`: in this process, so no interpreter has to start.

    Providers and pages are the upstream's; a variable that is None is not set.
    """
    env |= {"KENSAKU_FETCH_ALLOW": "127.0.0.1", "KENSAKU_FETCH_PORTS": "any"}
    for name, value in env.items():
        monkeypatch.setenv(name, value)

    def call(*words: str | Path, stdin: str | None = None, **variables: str | None) -> CliResult:
        with monkeypatch.context() as patch:
            for name, value in variables.items():
                patch.delenv(name, raising=False)
                if value is not None:
                    patch.setenv(name, value)
            if stdin is not None:
                patch.setattr(sys, "stdin", io.StringIO(stdin))
            try:
                status = main([str(word) for word in words])
            except SystemExit as refused:  # argparse
                status = int(str(refused.code))
        out, err = capsys.readouterr()
        assert "Traceback" not in err
        return CliResult(status, out, err)

    return call


@pytest.fixture
def spawn(processes: None, cli: Cli) -> Iterator[Callable[..., subprocess.Popen[str]]]:
    """`spawn("crawl", url)`: a command that the test goes on beside, and may kill."""
    spawned: list[subprocess.Popen[str]] = []

    def start(*words: str | Path) -> subprocess.Popen[str]:
        command = [sys.executable, "-m", "kensaku.cli", *map(str, words)]
        pipe = subprocess.PIPE
        process = subprocess.Popen(
            command, env=dict(os.environ), stdout=pipe, stderr=pipe, text=True
        )
        spawned.append(process)
        return process

    yield start
    for process in spawned:
        process.kill()
        process.wait()
        for stream in (process.stdout, process.stderr):
            if stream is not None:
                stream.close()


def until_asked(process: subprocess.Popen[str], up: FakeUpstream, target: str) -> None:
    """Wait until a command has asked for an address."""
    while not [seen for seen in up.requests if seen.target == target]:
        assert process.poll() is None
        time.sleep(0.05)


@pytest.fixture
def terminal(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> Cli:
    """`terminal("ask", "otter", stdin="y\\n")`: as `cli`, for a person who types into a terminal."""
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    monkeypatch.delenv("NO_COLOR", raising=False)

    def call(*words: str | Path, stdin: str = "", **variables: str | None) -> CliResult:
        ours, theirs = pty.openpty()
        ended = threading.Event()

        def type_and_leave() -> None:
            os.write(ours, stdin.encode())
            while not ended.wait(0.2):
                os.write(ours, b"\x04")  # Ctrl-D, also after what was typed ahead was thrown away

        typing = threading.Thread(target=type_and_leave)
        with os.fdopen(theirs, encoding="utf-8") as keyboard, monkeypatch.context() as patch:
            patch.setattr(sys, "stdin", keyboard)
            for stream in (sys.stdout, sys.stderr):
                patch.setattr(stream, "isatty", lambda: True)
            typing.start()
            try:
                return cli(*words, **variables)
            finally:
                ended.set()
                typing.join()
                os.close(ours)

    return call


@pytest.fixture
def site(up: FakeUpstream) -> str:
    """The URL of a site with three pages and an external link."""
    up.serves("/site/a", page("Alpha", f"About kelp. {OTTERS}", "/site/b"))
    up.serves("/site/b", page("Beta", f"About clams. {OTTERS}"))
    external = "http://elsewhere.invalid/"
    return up.serves("/site/", page("Root", OTTERS, "/site/a", "/site/b", external))


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    """A folder with three texts, and everything that is skipped."""
    folder = tmp_path / "my notes"
    (folder / "deep" / ".git").mkdir(parents=True)
    (folder / "otters.md").write_text("# Otters\n\nSea otters hold hands while they sleep.\n")
    (folder / "deep" / "ラッコ.txt").write_text("ラッコ\n\n眠るときに手をつなぎます。\n")
    (folder / "deep" / "swim.py").write_text("#!/usr/bin/env python\n# <b>a</b> <p> <i>\nswim()\n")
    (folder / "deep" / ".git" / "config").write_text("hidden")
    (folder / ".secret").write_text("hidden")
    (folder / "photo.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(100))
    (folder / "blob").write_bytes(bytes(range(256)) * 4)
    (folder / "nothing.txt").touch()
    (folder / "out").symlink_to("/etc/hostname")
    os.mkfifo(folder / "pipe")
    return folder


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
