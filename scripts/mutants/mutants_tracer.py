"""Write down which functions of the package each test runs, in its own process and in children.

    <copy>/ran/<pid>.test    the test that a process of pytest is running
    <copy>/ran/<pid>.jsonl   [test, ["search/cache.py:Cache.fresh", …], CPU seconds] a line

The environment of the copy imports this module at each start of Python. A child learns from the
files which of its ancestors runs a test. Environment variables would not do: our worker processes
get an allow-list of them. A child may be killed at any time, so it writes each function at once.

Only calls are traced, not lines: workers stay fast enough for the deadlines of the tests.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from contextlib import suppress
from types import CodeType, FrameType

_COPY = os.path.dirname(sys.prefix)
_RAN = os.path.join(_COPY, "ran")
_PACKAGE = os.path.join(_COPY, "src", "kensaku") + os.sep

_test = ""
_is_child = False
_seen: dict[int, CodeType] = {}  # the code objects are kept: an id could be given again
_places: list[str] = []
_began = 0.0


def begin(test: str) -> None:
    """Trace this test until `end` is called."""
    global _test, _began
    _test, _began = test, _cpu_seconds()
    _seen.clear()
    _places.clear()
    with open(f"{_RAN}/{os.getpid()}.test", "w", encoding="utf-8") as file:
        file.write(test)
    _start()


def end() -> None:
    """Write down what the test has run."""
    _write(list(_places), _cpu_seconds() - _began)


def _cpu_seconds() -> float:
    """Of this process and of its children that have ended."""
    return sum(os.times()[:4])


def _start() -> None:
    threading.settrace(_trace)
    sys.settrace(_trace)


def _trace(frame: FrameType, _event: str, _argument: object) -> None:
    """Called at each call of a Python function. Returns no tracer for its lines."""
    code = frame.f_code
    if id(code) in _seen:
        return
    _seen[id(code)] = code
    if code.co_filename.startswith(_PACKAGE):
        place = f"{code.co_filename[len(_PACKAGE) :]}:{code.co_qualname}"
        if _is_child:
            _write([place])
        else:
            _places.append(place)


def _write(places: list[str], seconds: float = 0.0) -> None:
    with suppress(OSError), open(f"{_RAN}/{os.getpid()}.jsonl", "a", encoding="utf-8") as file:
        file.write(json.dumps([_test, places, seconds]) + "\n")


def _test_of_ancestor() -> str:
    pid = os.getppid()
    with suppress(OSError, ValueError):  # another user's process, or no /proc
        while pid > 1:
            with suppress(FileNotFoundError), open(f"{_RAN}/{pid}.test", encoding="utf-8") as file:
                return file.read()
            with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
                pid = int(file.read().rpartition(")")[2].split()[1])
    return ""


if os.path.isdir(_RAN) and (_test := _test_of_ancestor()):
    _is_child = True
    _start()
