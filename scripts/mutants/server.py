"""Run pytest again and again in forks of one process that has the libraries loaded already.

    stdin:  one JSON list of pytest's arguments a line; stdout: the pid of the fork, its exit status

A start of Python with pytest and the HTTP library takes seconds on a busy machine, a fork nothing.
A library that the tests of one fork have loaded is loaded here before the next one. Of the project
itself nothing is loaded here: each fork imports the changed source.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable
from contextlib import suppress
from importlib import import_module
from pathlib import Path

LIBRARIES = ("pytest", "aiohttp", "yarl", "lxml.html", "sqlite3", "Stemmer", "qdrant_edge")
MOST_BYTES = 6_000_000_000


def main() -> None:
    loaded = Path(os.environ["MUTANTS_LOADED"])
    _load(LIBRARIES)
    for line in sys.stdin:
        if loaded.exists():
            _load(loaded.read_text().splitlines())
            loaded.unlink()
        pid = os.fork()
        if pid == 0:
            os.setsid()
            _run(json.loads(line))
        print(pid, flush=True)
        _, status = os.waitpid(pid, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)


def _load(names: Iterable[str]) -> None:
    for name in names:
        # Plugins of pytest it wants to load itself, and a test may have made up a module.
        if name not in sys.modules and (name == "pytest" or "pytest" not in name):
            with suppress(Exception):
                import_module(name)


def _run(arguments: list[str]) -> None:
    import resource

    import pytest

    # A change may allocate without end. Data only: a browser reserves a terabyte of addresses.
    resource.setrlimit(resource.RLIMIT_DATA, (MOST_BYTES, MOST_BYTES))
    null = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(null, stream)
    status = 1
    try:
        status = int(pytest.main(arguments))
    finally:
        os._exit(status)


if __name__ == "__main__":
    main()
