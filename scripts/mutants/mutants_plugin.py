"""A pytest plugin: run the chosen tests in their order; write down which passed, failed, hung."""

from __future__ import annotations

import faulthandler
import json
import os
import re
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from _pytest.runner import runtestprotocol

TWICE = "\n(twice)"
_seconds: dict[str, float] = {}
_passed: set[str] = set()


@cache
def _chosen() -> dict[str, int] | None:
    """The tests that `MUTANTS_CHOSEN` lists, with their numbers; None: all are run."""
    file = os.environ.get("MUTANTS_CHOSEN")
    return {name: n for n, name in enumerate(json.loads(Path(file).read_text()))} if file else None


@cache
def _chosen_functions() -> set[tuple[str, str]]:
    """File and name of their functions."""
    parts = (re.split(r"::|\[", name) for name in _chosen() or ())
    return {(file, part) for file, *rest in parts for part in rest}


@pytest.hookimpl(tryfirst=True)
def pytest_pycollect_makeitem(collector: Any, name: str, obj: object) -> list[Any] | None:
    """Make no tests of a function that is not chosen: some have a thousand parameters."""
    if _chosen() is None or not name.startswith("test") or isinstance(obj, type):
        return None  # pytest goes on
    file = collector.nodeid.partition("::")[0]
    return None if (file, name) in _chosen_functions() else []


def pytest_collection_modifyitems(items: list[Any]) -> None:
    """Keep the chosen tests. One that is no longer there is ignored."""
    if (order := _chosen()) is not None:
        items[:] = sorted((i for i in items if i.nodeid in order), key=lambda i: order[i.nodeid])


class _Tracing:
    """Trace each test, whichever plugin runs it: the tests have one that does."""

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: Any) -> Iterator[None]:
        import mutants_tracer

        mutants_tracer.begin(item.nodeid)
        try:
            return (yield)
        finally:
            mutants_tracer.end()


def pytest_configure(config: Any) -> None:
    """Trace for `MUTANTS_PASSED`."""
    if "MUTANTS_PASSED" in os.environ:
        config.pluginmanager.register(_Tracing())


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: Any, nextitem: Any) -> bool | None:
    """For `MUTANTS_FAILED` run a test again when it fails."""
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


@pytest.hookimpl(trylast=True)
def pytest_exception_interact(node: Any) -> None:
    """Go on watching a test that has failed: it may hang when it is taken down, or run again."""
    if "MUTANTS_FAILED" in os.environ and isinstance(node, pytest.Item):
        seconds = float(node.config.getini("faulthandler_timeout"))
        faulthandler.dump_traceback_later(seconds, exit=True, file=sys.__stderr__)


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
    if file := os.environ.get("MUTANTS_LOADED"):
        Path(file).write_text("\n".join(_libraries()))
    if (file := os.environ.get("MUTANTS_PASSED")) and not hasattr(session.config, "workerinput"):
        Path(file).write_text(json.dumps({name: _seconds[name] for name in sorted(_passed)}))


def _libraries() -> list[str]:
    """The modules of libraries that are loaded, in the order of their loading."""
    files = {name: getattr(module, "__file__", None) for name, module in sys.modules.items()}
    return [name for name, file in files.items() if file and "site-packages" in file]
