"""What a module of this folder declares: a program, the way it is pointed here, its checks.

    PROGRAM = Program("litellm", title="LiteLLM", package="litellm", way="`search_provider` …")

    @PROGRAM.check("search")
    def search(place: Place) -> None:
        ...                                     # raises if it does not work

The module is imported twice: where the tests live, to know what is declared, and by `drive.py`,
which runs the checks: for a Python program with the interpreter of its own environment. So it
imports the program inside its checks, and otherwise the standard library and this folder.
"""

from __future__ import annotations

import json
import os
import pkgutil
import random
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any, Literal
from urllib.request import Request, urlopen

from tests import ROOT

HERE = Path(__file__).parent
ENVIRONMENTS = ROOT / ".venv-programs"
QUERY = "python 3.14 release date"
FACT = "3.14.0 final: Tuesday, 2025-10-07"  # what the first result says, and its page


@dataclass(frozen=True)
class Refusal:
    """A request that the vendor's own service refuses as well."""

    method: str
    path: str  # the end of it, without the query
    status: int
    reason: str


@dataclass(frozen=True)
class Place:
    """Where a check finds everything. All addresses are on loopback."""

    url: str  # of `kensaku serve`, through the tap
    key: str
    site: str  # two pages, those of the search results, and a start page with links to them
    model_url: str  # of the scripted model: "/v1" for OpenAI clients, the bare one for the others
    environment: Path  # what the program was installed into
    home: Path  # an empty folder, which is also HOME and the working directory

    @property
    def host(self) -> str:
        """Host and port of `url`."""
        return self.url.removeprefix("http://")

    @property
    def model(self) -> Model:
        return Model(self.model_url)

    def free_port(self) -> int:
        """Return a port for a server that the check starts, which no client gets by chance."""
        while True:
            try:
                port = random.randrange(20_000, 30_000)  # below those for outgoing connections
                with socket.create_server(("127.0.0.1", port)):
                    return port
            except OSError:
                continue

    def command(self, name: str) -> str:
        """Return the path of a command that the program's packages installed."""
        for folder in ("bin", "node_modules/.bin"):
            if (path := self.environment / folder / name).exists():
                return str(path)
        raise FileNotFoundError(f"{name} is not in {self.environment}")


@dataclass(frozen=True)
class Model:
    """The scripted model, from a check. It forgets its script and its log before each check."""

    url: str

    def script(self, *rules: Mapping[str, Any]) -> None:
        """Reply by the first rule whose `when` stands in the request.

        {"when": "…", "says": "…"}                          a text
        {"when": "…", "calls": [["web_search", {…}]]}       calls of functions
        {…, "times": 1}                                     this often, then it is skipped

        `when` may be left out. If no rule fits, the model calls the tool whose name ends with
        `web_search`, if there is one, and then says `FINAL` and what it was shown.
        """
        self._ask("/script", list(rules))

    @property
    def asked(self) -> list[dict[str, Any]]:
        """The requests to it: `path` and `body`."""
        return list(self._ask("/asked"))

    @property
    def read(self) -> str:
        """All that it was given, as one text."""
        return json.dumps(self.asked, ensure_ascii=False)

    def _ask(self, path: str, body: Any = None) -> Any:
        data = None if body is None else json.dumps(body).encode()
        with urlopen(Request(self.url + path, data), timeout=10) as reply:
            return json.load(reply)


Check = Callable[[Place], Any]  # may be a coroutine function


@dataclass(frozen=True)
class Program:
    """A program, and how it is installed and pointed here.

    pip:       the packages of requirements/programs/NAME.in, pinned in NAME.txt
    npm:       those of tests/programs/NAME/package.json and its package-lock.json
    checkout:  its repository, as a clone in $KENSAKU_PROGRAMS/NAME, beside packages of either kind
    """

    name: str
    title: str
    package: str  # whose version is the program's; of a checkout, "owner/name"
    way: str  # which wire, which setting: a cell of the table in docs/programs.md
    by: Literal["pip", "npm", "checkout"] = "pip"
    gateway: bool = (
        False  # whether the server passes other models than `kensaku` to the scripted one
    )
    settings: Mapping[str, str] = field(default_factory=dict)  # more environment of the server
    refusals: Sequence[Refusal] = ()
    python: str = ""  # the version that it needs, if not that of the tests
    first: Sequence[str] = ()  # packages that pip installs before the pinned ones
    without: Sequence[str] = ()  # packages that are not pinned, with all that only they need
    scripts: bool = False  # whether npm packages may run their install scripts
    timeout: float = 900
    checks: dict[str, Check] = field(default_factory=dict)

    def check(self, name: str) -> Callable[[Check], Check]:
        """Register a check under the words that the page has for it."""

        def add(check: Check) -> Check:
            self.checks[name] = check
            return check

        return add

    @property
    def environment(self) -> Path:
        return ENVIRONMENTS / self.name

    @property
    def is_node(self) -> bool:
        """Whether its packages come from npm."""
        return (HERE / self.name / "package.json").exists()

    @property
    def checkout(self) -> Path | None:
        """The clone, if there is one."""
        folder = os.environ.get("KENSAKU_PROGRAMS")
        path = Path(folder).expanduser() / self.name if folder else None
        return path if path and path.is_dir() else None


def module_of(name: str) -> ModuleType:
    """Return the module of a program, or of a file in this folder."""
    return import_module("tests.programs." + name.replace("-", "_"))


def programs() -> dict[str, Program]:
    """Return all programs that are declared in this folder, by name."""
    names = [m.name for m in pkgutil.iter_modules([str(HERE)]) if not m.name.startswith("test_")]
    found = [m.PROGRAM for m in map(module_of, names) if hasattr(m, "PROGRAM")]
    return {program.name: program for program in sorted(found, key=lambda p: p.title.lower())}


def post(url: str, body: Any, key: str = "none", **headers: str) -> Any:
    """Send JSON to a server that a check has started; return what it says."""
    head = {"Content-Type": "application/json", "Authorization": f"Bearer {key}", **headers}
    with urlopen(Request(url, json.dumps(body).encode(), head), timeout=300) as reply:
        return json.load(reply)


@contextmanager
def started(
    command: Sequence[str], ready: str, env: Mapping[str, str] | None = None, patience: float = 180
) -> Iterator[subprocess.Popen[bytes]]:
    """Run a server until the end of the block, from when `ready` answers."""
    process = subprocess.Popen(
        command, env={**os.environ, **(env or {})}, stdout=sys.stderr, start_new_session=True
    )
    try:
        give_up = time.monotonic() + patience
        while not _answers(ready):
            if process.poll() is not None or time.monotonic() > give_up:
                raise RuntimeError(f"{command[0]} did not start; status {process.poll()}")
            time.sleep(0.2)
        yield process
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGTERM)
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def _answers(url: str) -> bool:
    try:
        urlopen(url, timeout=5).close()
    except OSError:
        return False
    return True
