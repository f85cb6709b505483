"""What every test may use: a machine of its own, an upstream on loopback, clients that ask it."""

from __future__ import annotations

import asyncio
import gc
import itertools
import logging
import os
import signal
import ssl
import subprocess
import sys
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from _pytest.runner import runtestprotocol
from hypothesis import HealthCheck
from hypothesis import settings as examples

from kensaku import Kensaku, Settings
from kensaku.observe import Observer
from kensaku.store.fallback import FallbackStore
from kensaku.testing import FakeUpstream
from tests import ROOT, shares, tiers
from tests.migrated import copy_migrated
from tests.servers import postgresql_server, valkey_server
from tests.workers import within_this_process

os.environ["LC_ALL"] = "C.UTF-8"  # English, wherever the tests run; a test may ask for more

pytest.register_assert_rewrite("tests.golden")  # its failures show the difference

_OURS = ("KENSAKU_", "WEB_SEARCH_", "TAVILY_")
_ENDINGS = ("_API_KEY", "_BASE_URL", "_PROXY", "_proxy", "_TOKEN", "_SECRET", "_RATE", "_ENABLED")

_numbers = itertools.count()

MakeClient = Callable[..., Kensaku]

# A run that a script started in the background ignores Ctrl-C, and so would what tests start.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_addoption(parser: pytest.Parser) -> None:
    about = "fast: what needs this process alone, and one of each other kind; slow: the others"
    parser.addoption(
        "--by-file",
        action="store_true",
        help="with --dist each: share the files out while they run",
    )
    parser.addoption("--tier", choices=("fast", "slow", "all"), default="all", help=about)


def pytest_configure(config: pytest.Config) -> None:
    """A slow machine is no reason to fail: neither an example's time nor how it was made."""
    shares.join(config)
    examples.register_profile(
        "anywhere", deadline=None, suppress_health_check=[HealthCheck.too_slow]
    )
    examples.load_profile("anywhere")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what the tier does not have."""
    if (tier := config.getoption("--tier")) != "all":
        tiers.choose(config, items, tier)


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Tell the process that started this one what was left out."""
    if (output := getattr(session.config, "workeroutput", None)) is not None:
        output["left_out"] = tiers.left_out(session.config)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Add up what the processes have left out of their shares."""
    so_far = node.config.stash.setdefault(_LEFT_OUT, {})
    for need, count in getattr(node, "workeroutput", {}).get("left_out", {}).items():
        so_far[need] = so_far.get(need, 0) + count


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Say what was skipped, and why: one line for each file and reason; and what was left out."""
    config = terminalreporter.config
    if line := tiers.summary(config.stash.get(_LEFT_OUT, None) or tiers.left_out(config)):
        terminalreporter.write_line(line)
    reasons: Counter[tuple[str, str]] = Counter()
    for report in terminalreporter.stats.get("skipped", ()):
        file, _, reason = report.longrepr
        name = Path(file).relative_to(ROOT) if Path(file).is_relative_to(ROOT) else Path(file)
        reasons[str(name), str(reason).removeprefix("Skipped: ")] += 1
    for (file, reason), count in sorted(reasons.items()):
        terminalreporter.write_line(f"skipped {count} in {file}: {reason}")


def _process_state() -> dict[str, object]:
    """What of this process the next test would find changed."""
    sse = sys.modules.get("sse_starlette.sse")  # ends every stream once a server was signalled
    return {
        "environment": {n: v for n, v in os.environ.items() if n != "PYTEST_CURRENT_TEST"},
        "folder": os.getcwd(),
        "SIGTERM": signal.getsignal(signal.SIGTERM),
        "frozen objects": gc.get_freeze_count(),
        "streams end": sse is not None and sse.AppStatus.should_exit,
    }


def _imported_twice() -> list[str]:
    """Modules of ours that their package knows by another object: patches would miss them."""
    names = [name for name in sys.modules if name.startswith("kensaku.")]
    known = ((name, sys.modules.get(name.rpartition(".")[0])) for name in names)
    own = ((name, vars(package).get(name.rpartition(".")[2])) for name, package in known if package)
    return [n for n, m in own if isinstance(m, ModuleType) and m is not sys.modules[n]]


_STATE = pytest.StashKey[dict[str, object]]()
_LEFT_OUT = pytest.StashKey[dict[str, int]]()
_starts = tiers.ProcessStarts()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
    """Send one report of a test to the process that started this one, and not six messages.

    Those of a fixture that worked say nothing, and to send and read them takes longer than many
    tests do.
    """
    if not hasattr(item.config, "workerinput"):
        return None
    for report in runtestprotocol(item, log=False, nextitem=nextitem):
        if report.when == "call" or not report.passed:
            item.ihook.pytest_runtest_logreport(report=report)
    return True


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> Iterator[None]:
    """Note in which state a test finds the process."""
    item.stash[_STATE] = _process_state()
    _starts.watch(item)
    yield


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> Iterator[None]:
    """Fail the test that leaves the process otherwise, and not one of those that come after it."""
    started = _starts.end() if nextitem is None else []  # what the whole run used ends now
    yield
    started, before, after = started + _starts.end(), item.stash[_STATE], _process_state()
    changed = {name: after[name] for name in before if before[name] != after[name]}
    if nextitem is None or nextitem.path != item.path:  # at the end of a file: it takes a while
        changed |= {"modules imported twice": twice} if (twice := _imported_twice()) else {}
    assert not changed, f"the test has left changed: {changed}"
    assert not started, f"the test has to ask for the fixture `processes`: it starts {started}"


# What a test asks for that needs more than this process: `make test` leaves it out (tests/tiers.py).


@pytest.fixture(scope="session")
def processes() -> None:
    """The test starts processes."""


@pytest.fixture(scope="session")
def killed() -> None:
    """The test starts processes and kills them."""


@pytest.fixture(scope="session")
def documentation() -> None:
    """The test runs what the documentation shows."""


@pytest.fixture(scope="session")
def tmux() -> None:
    """The test types into a real terminal."""


@pytest.fixture(scope="session")
def telegram() -> None:
    """The test imports aiogram, which takes five seconds."""


@pytest.fixture(scope="session")
def browser() -> None:
    """The test opens pages in a real browser."""


@pytest.fixture(scope="session")
def volume() -> None:
    """The test takes a whole set of pages or questions, or a crowd of clients."""


@pytest.fixture(scope="session")
def workers() -> None:
    """The test is about the processes that parse pages, or that hold an index."""


@pytest.fixture(autouse=True)
def machine(request: pytest.FixtureRequest) -> Iterator[Path]:
    """An empty home, no keys and no workers: no test sees, or touches, the machine it runs on.

    It is one fixture, for each takes longer than many tests do.
    """
    if "tmp_path" in request.fixturenames:
        user = request.getfixturevalue("tmp_path")
    else:
        user = _base(request) / f"home-{next(_numbers)}"
        user.mkdir()
    with pytest.MonkeyPatch.context() as patch, _root_logger():
        for name in list(os.environ):
            if name.startswith(_OURS) or name.endswith(_ENDINGS):
                patch.delenv(name)
        patch.setenv("HOME", str(user))
        patch.setenv("KENSAKU_HOME", str(user / "kensaku-home"))
        # A store on a busy machine is slow, and not broken: half a second proves nothing here.
        patch.setattr(FallbackStore, "PATIENCE", 60.0)
        if engine := sys.modules.get("kensaku.database.engine"):  # nor do 15 of a database
            patch.setattr(engine, "OPERATION_SECONDS", 300.0)
        copy_migrated(patch)
        if tiers.has_workers(request.node):
            yield user / "kensaku-home"
            return
        # Clients read all certificates that they trust, which takes longer than most tests do.
        patch.setenv("SSL_CERT_FILE", str(ROOT / "tests" / "nobody.pem"))
        with within_this_process(patch):
            yield user / "kensaku-home"


def _base(request: pytest.FixtureRequest) -> Path:
    factory: pytest.TempPathFactory = request.getfixturevalue("tmp_path_factory")
    return factory.getbasetemp()


@contextmanager
def _root_logger() -> Iterator[None]:
    """What a server writes its log with ends with the test that started it."""
    root = logging.getLogger()
    level = root.level
    yield
    root.setLevel(level)
    if logs := sys.modules.get("kensaku.server.logs"):
        for handler in [h for h in root.handlers if isinstance(h.formatter, logs.JsonFormatter)]:
            root.removeHandler(handler)


@pytest.fixture
async def upstream() -> AsyncIterator[FakeUpstream]:
    """Every provider, on a loopback port."""
    async with FakeUpstream() as up:
        yield up


@pytest.fixture
async def make_client(upstream: FakeUpstream, machine: Path) -> AsyncIterator[MakeClient]:
    """`make_client("tavily", "brave", mode="all")` → a client whose route they are.

    State is in memory and rates are out of the way, unless the settings say otherwise;
    `env` adds environment variables, `at` is another upstream.
    """
    clients: list[Kensaku] = []

    def make(
        *route: str,
        env: dict[str, str] | None = None,
        at: FakeUpstream = upstream,
        observers: Iterable[Observer] = (),
        **settings: Any,
    ) -> Kensaku:
        names = [n for n in route if n != "local"]
        fast = {f"{n.upper()}_RATE": "100000/s" for n in names}
        environ = at.environment(*names) if names else {}
        usual = {"route": route or ("tavily",), "state_url": "memory:", "cache_url": "memory:"}
        loaded = Settings.load(
            environ={"KENSAKU_HOME": str(machine), **environ, **fast, **(env or {})},
            **{**usual, **settings},
        )
        clients.append(Kensaku(loaded, observers=observers))
        return clients[-1]

    yield make
    for client in clients:
        await client.close()


# A loop runs what is due before now and the resolution of its clock. If that is so small that the
# sum is rounded to now, what is due at the moment where a clock was stopped never runs. A clock gets
# older as it is put forward, so it is not enough to look at its age when it is stopped.
RESOLUTION = 1e-6  # fine enough for every wait, and not lost on a clock of thirty years


class Clock:
    """The clock of the running event loop, which a test may put forward."""

    def __init__(self) -> None:
        self._loop = loop = asyncio.get_running_loop()
        self._ahead, self._real = 0.0, loop.time
        loop._clock_resolution = RESOLUTION  # type: ignore[attr-defined]
        loop.time = lambda: self._real() + self._ahead  # type: ignore[method-assign]

    def stop(self) -> None:
        """From now on only `advance` lets time pass, however long the machine takes."""
        now = self._real()
        self._real = lambda: now

    def advance(self, seconds: float) -> None:
        """Let so much time pass: what is due by then happens next. Any thread may call it."""
        self._ahead += seconds
        self._loop.call_soon_threadsafe(lambda: None)  # it may sleep until what was due before


@pytest.fixture
async def clock() -> Clock:
    """Deadlines without waiting: no test needs a short timeout, or a quiet machine."""
    return Clock()


@pytest.fixture(scope="session")
def valkey(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The URL of a real Valkey that lives as long as the tests do."""
    with valkey_server(tmp_path_factory.mktemp("valkey")) as url:
        yield url


@pytest.fixture(scope="session")
def postgres() -> Iterator[Any]:
    """A real PostgreSQL that lives as long as the tests do."""
    with postgresql_server() as server:
        yield server


@pytest.fixture
def postgresql(postgres: Any) -> Iterator[str]:
    """The URL of a database of its own."""
    import psycopg

    name = f"t{next(_numbers)}"
    with psycopg.connect(postgres.get_uri(), autocommit=True) as connection:
        connection.execute(f'CREATE DATABASE "{name}"')
        yield postgres.get_uri(database=name)
        # With every database that is left, the server takes longer to stop.
        connection.execute(f'DROP DATABASE IF EXISTS "{name}-copy" WITH (FORCE)')
        connection.execute(f'DROP DATABASE "{name}" WITH (FORCE)')


@pytest.fixture
def certificate(tmp_path: Path) -> tuple[Path, Path]:
    """A certificate for 127.0.0.1 that it has signed itself, and its key."""
    certificate, key = tmp_path / "cert.pem", tmp_path / "key.pem"
    subprocess.run(
        [
            *("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"),
            *("-keyout", key, "-out", certificate, "-subj", "/CN=127.0.0.1"),
        ],
        check=True,
        capture_output=True,
    )
    return certificate, key


@pytest.fixture
async def bad_tls(certificate: tuple[Path, Path]) -> AsyncIterator[tuple[str, list[bytes]]]:
    """The URL of a server with a certificate that nobody trusts, and what it has received."""
    received: list[bytes] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        received.append(await reader.read(1000))
        writer.close()

    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*certificate)
    server = await asyncio.start_server(serve, "127.0.0.1", 0, ssl=context)
    yield f"https://127.0.0.1:{server.sockets[0].getsockname()[1]}", received
    server.close()
    await server.wait_closed()
