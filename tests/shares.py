"""Share the files of tests out among processes while they run: `--dist each --by-file`.

    folder after folder, the longest first, to whoever has time → then help where files are left

The other ways of pytest-xdist let every process collect every file first, which takes as long as
most tests do. Here a process collects a file when it has claimed it, and keeps to a folder while it
can, for the files of one import the same frameworks. A guess of what takes long is enough.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from hashlib import sha1
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from tests.tiers import NEEDS

_ASKS = re.compile(rf'\b({"|".join(NEEDS)})[",:)]')  # a parameter, or a mark


def join(config: pytest.Config) -> None:
    """Take part in a run whose files are shared out."""
    if config.getoption("--by-file"):
        part = Worker(config) if hasattr(config, "workerinput") else Controller()
        config.pluginmanager.register(part, "shares")


class Claims:
    """What the processes of a run have claimed: an empty file for each, in a folder they share."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(exist_ok=True)
        self._folder = folder

    def take(self, name: str) -> bool:
        """Whether it is ours now: one process gets it."""
        try:
            (self._folder / sha1(name.encode()).hexdigest()).touch(exist_ok=False)
        except FileExistsError:
            return False
        return True


class Worker:
    """A process that collects and runs the files that it claims."""

    def __init__(self, config: pytest.Config) -> None:
        own = Path(config.getoption("basetemp"))  # pytest-xdist has set it, in a folder of the run
        self._claims = Claims(own.parent / "claims")
        self._running = own.with_suffix(".running")
        self._files: list[pytest.File] = []
        self._is_listing = True

    @pytest.hookimpl(tryfirst=True)
    def pytest_make_collect_report(self, collector: pytest.Collector) -> Any:
        """Find all files at first, without importing them, unless a test of one is asked for."""
        asked = any("::" in argument for argument in collector.config.args)
        if not self._is_listing or asked or not isinstance(collector, pytest.File):
            return None
        self._files.append(collector)
        return pytest.CollectReport(collector.nodeid, "passed", None, [])

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Tests that were asked for one by one are claimed one by one."""
        if self._is_listing:
            items[:] = [item for item in items if self._claims.take(item.nodeid)]

    @pytest.hookimpl(wrapper=True)
    def pytest_runtestloop(self, session: pytest.Session) -> Iterator[None]:
        """Run the files that are claimed, once pytest-xdist has nothing else to run."""
        ended = yield
        self._is_listing = False
        plugins = session.config.pluginmanager.get_plugins()
        (sender,) = (p for p in plugins if type(p).__name__ == "WorkerInteractor")
        sender.item_index = 0  # which of `session.items` its reports are about
        count = len(session.items)
        for item, following in pairwise(self._items(session)):
            session.items[:] = [item]
            self._running.write_text(item.nodeid)
            session.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            count += 1
            if session.shouldfail or session.shouldstop:
                break
        session.config.workeroutput["collected"] = count  # type: ignore[attr-defined]
        return ended

    def _items(self, session: pytest.Session) -> Iterator[Any]:
        """The tests of the claimed files, and None behind the last."""
        for file in self._claimed():
            items = list(session.genitems(file))
            hook = session.config.hook.pytest_collection_modifyitems
            hook(session=session, config=session.config, items=items)
            yield from items
        yield None

    def _claimed(self) -> Iterator[pytest.File]:
        """Claim files as they are asked for: those of a folder that nobody has, then any."""
        folders: dict[Path, list[pytest.File]] = {}
        for file in self._files:
            folders.setdefault(file.path.parent, []).append(file)
        sizes = {file: _work(file.path) for file in self._files}
        largest = sorted(folders, key=lambda f: sum(map(sizes.__getitem__, folders[f])))[::-1]
        for is_whole in (True, False):
            for folder in largest:
                if is_whole and not self._claims.take(str(folder)):
                    continue
                for file in sorted(folders[folder], key=sizes.__getitem__)[::-1]:
                    if self._claims.take(str(file.path)):
                        yield file


def _work(path: Path) -> int:
    """Guess how long a file takes, by its length; tests that start processes take ten times that."""
    text = path.read_text(encoding="utf-8")
    return len(text) * (10 if _ASKS.search(text) else 1)


class Controller:
    """The process that started the others, and counts."""

    def __init__(self) -> None:
        self._died: list[str] = []

    def pytest_sessionstart(self, session: pytest.Session) -> None:
        """Remember what the counts are for."""
        self._session = session

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any, error: object | None) -> None:
        """A process that died has failed; one that ended says how many tests it had."""
        self._session.testscollected += getattr(node, "workeroutput", {}).get("collected", 0)
        if error is not None:
            self._session.testsfailed += 1
            base = self._session.config._tmp_path_factory.getbasetemp()  # type: ignore[attr-defined]
            self._died.append((base / f"popen-{node.gateway.id}.running").read_text())

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Name the tests that took their process along."""
        for test in self._died:
            terminalreporter.write_line(f"the process died: {test}", red=True)
