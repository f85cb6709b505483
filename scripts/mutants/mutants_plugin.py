"""A pytest plugin: run the chosen tests in their order; write down which tests pass."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

_passed: list[str] = []


def pytest_collection_modifyitems(items: list[Any]) -> None:
    """Keep the tests that `MUTANTS_CHOSEN` lists. One that is no longer there is ignored."""
    if chosen := os.environ.get("MUTANTS_CHOSEN"):
        order = {name: n for n, name in enumerate(json.loads(Path(chosen).read_text()))}
        items[:] = sorted((i for i in items if i.nodeid in order), key=lambda i: order[i.nodeid])


def pytest_runtest_logreport(report: Any) -> None:
    if report.when == "call" and report.passed:
        _passed.append(report.nodeid)


def pytest_sessionfinish(session: Any) -> None:
    """Write to `MUTANTS_PASSED`, unless this is a worker of pytest-xdist."""
    if (file := os.environ.get("MUTANTS_PASSED")) and not hasattr(session.config, "workerinput"):
        Path(file).write_text(json.dumps(_passed))
