"""A pytest plugin: run the chosen tests in their order; write down which passed, failed, hung."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from _pytest.runner import runtestprotocol

TWICE = "\n(twice)"
_seconds: dict[str, float] = {}
_passed: set[str] = set()


def pytest_collection_modifyitems(items: list[Any]) -> None:
    """Keep the tests that `MUTANTS_CHOSEN` lists. One that is no longer there is ignored."""
    if chosen := os.environ.get("MUTANTS_CHOSEN"):
        order = {name: n for n, name in enumerate(json.loads(Path(chosen).read_text()))}
        items[:] = sorted((i for i in items if i.nodeid in order), key=lambda i: order[i.nodeid])


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: Any, nextitem: Any) -> bool | None:
    """Trace the test for `MUTANTS_PASSED`. For `MUTANTS_FAILED` run it again when it fails."""
    if "MUTANTS_PASSED" in os.environ:
        _trace(item, nextitem)
        return True
    if "MUTANTS_FAILED" not in os.environ:
        return None
    _write_failed(item.nodeid)  # until it has ended: it may hang, or end the process
    reports = runtestprotocol(item, nextitem=nextitem, log=False)
    if any(report.failed for report in reports):
        item._initrequest()  # new fixtures
        reports = runtestprotocol(item, nextitem=nextitem, log=False)
        if any(report.failed for report in reports):
            _write_failed(item.nodeid + TWICE)
    for report in reports:
        item.ihook.pytest_runtest_logreport(report=report)
    return True


def _trace(item: Any, nextitem: Any) -> None:
    import mutants_tracer

    mutants_tracer.begin(item.nodeid)
    try:
        runtestprotocol(item, nextitem=nextitem)
    finally:
        mutants_tracer.end()


def pytest_runtest_logreport(report: Any) -> None:
    _seconds[report.nodeid] = _seconds.get(report.nodeid, 0.0) + report.duration
    if report.when == "call" and report.passed:
        _passed.add(report.nodeid)
    if report.failed:
        _passed.discard(report.nodeid)


def pytest_collectreport(report: Any) -> None:
    if report.failed:
        _write_failed(report.nodeid + TWICE)  # it would not be imported the next time, either


def _write_failed(name: str) -> None:
    if file := os.environ.get("MUTANTS_FAILED"):
        Path(file).write_text(name, encoding="utf-8")


def pytest_sessionfinish(session: Any) -> None:
    """Write to `MUTANTS_PASSED`, unless this is a worker of pytest-xdist."""
    if (file := os.environ.get("MUTANTS_PASSED")) and not hasattr(session.config, "workerinput"):
        Path(file).write_text(json.dumps({name: _seconds[name] for name in sorted(_passed)}))
