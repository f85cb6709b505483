"""`kensaku serve`: what it listens on, whom it answers, and what it says of itself."""

from __future__ import annotations

import signal
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from kensaku import Hit
from kensaku.testing import FakeUpstream

from .conftest import Cli

Start = Callable[..., "tuple[subprocess.Popen[str], str]"]


@pytest.fixture
def start(processes: None, env: dict[str, str]) -> Iterator[Start]:
    """Start `kensaku serve` on any port; return the process and the address that it names."""
    started: list[subprocess.Popen[str]] = []

    def serve(*words: str) -> tuple[subprocess.Popen[str], str]:
        command = [sys.executable, "-m", "kensaku.cli", "serve", "--port", "0", *words]
        process = subprocess.Popen(command, env=env, stderr=subprocess.PIPE, text=True)
        started.append(process)
        assert process.stderr is not None
        greeting = process.stderr.readline()
        assert greeting.startswith("kensaku serve: http://"), greeting
        return process, greeting.split()[-1]

    yield serve
    for process in started:
        process.kill()
        process.wait()
        if process.stderr is not None:
            process.stderr.close()


def rest_of(process: subprocess.Popen[str]) -> str:
    """What is said until the end."""
    assert process.stderr is not None
    said = process.stderr.read()
    process.wait(120)
    return said


def status(url: str, **headers: str) -> int:
    """The status of a search."""
    asked = urllib.request.Request(
        f"{url}/search", b'{"query": "otter"}', {"Content-Type": "application/json", **headers}
    )
    try:
        with urllib.request.urlopen(asked) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as refused:
        refused.close()
        return refused.code


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1"])
def test_another_machine_is_refused_without_a_key(host: str, cli: Cli) -> None:
    """Wrong usage, before a port is opened, with what to do."""
    done = cli("serve", "--host", host, "--port", "0")

    assert done.status == 2
    assert "kensaku keys create" in done.err


def test_it_serves_as_the_options_say_until_it_is_ended(
    up: FakeUpstream, start: Start, tmp_path: Path
) -> None:
    """A file, a route, a further host name; who may ask is said; SIGTERM ends it."""
    up.answers("tavily", [Hit("https://a.example/", "A", "b")])
    file = tmp_path / "k.toml"
    file.write_text('route = ["brave"]\ntimeout = 7\n')
    words = ["--route", "tavily", "--allow-host", "other.example", "--log-level", "warning"]
    process, url = start("--config", str(file), *words)
    statuses = [status(url, Host=host) for host in ("127.0.0.1", "other.example", "third.example")]
    process.send_signal(signal.SIGTERM)
    said = rest_of(process)

    assert url.startswith("http://127.0.0.1:")
    assert statuses[:2] == [200, 200]
    assert statuses[2] >= 400
    assert up.asked("tavily")
    assert not up.asked("brave")
    assert process.returncode in (0, -signal.SIGTERM)  # handed on once all is closed
    assert "Traceback" not in said
    assert "no key was created yet, so only local searches are accepted" in said


def test_with_a_key_other_machines_may_ask_and_nobody_without_one(
    up: FakeUpstream, start: Start, cli: Cli
) -> None:
    """Also on this machine."""
    key = cli("keys", "create", "ann", "--json").json["key"]
    process, url = start("--host", "0.0.0.0", "--log-level", "warning", "--route", "tavily")
    here = f"http://127.0.0.1:{url.rpartition(':')[2]}"
    statuses = [status(here), status(here, Authorization=f"Bearer {key}")]
    process.send_signal(signal.SIGINT)
    said = rest_of(process)

    assert statuses == [401, 200]
    assert "no key" not in said
    assert key not in said


@pytest.mark.parametrize("setting", ["KENSAKU_STATE_URL", "KENSAKU_CACHE_URL"])
def test_a_store_whose_package_is_missing_is_told_before_it_serves(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, setting: str
) -> None:
    """Not by every search, while the log says nothing."""
    for name in ("valkey", "valkey.asyncio"):
        monkeypatch.setitem(sys.modules, name, None)
    done = cli("serve", "--port", "0", **{setting: "valkey://127.0.0.1:1"})

    assert done.status == 1
    assert "kensaku-search[valkey]" in done.err
