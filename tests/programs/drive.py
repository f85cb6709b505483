"""Run the checks of one program: `python -m tests.programs.drive NAME PLACE REPORT`.

PLACE and REPORT are files of JSON. It runs with the interpreter of a Python program's own
environment, and otherwise with that of the tests.
"""

from __future__ import annotations

import asyncio
import inspect
import json
import logging
import sys
import traceback
from pathlib import Path

from tests.programs.program import Check, Place, module_of


def main(name: str, where: str, out: str) -> None:
    logging.basicConfig(level=logging.WARNING)
    told = json.loads(Path(where).read_text())
    paths = {field: Path(told[field]) for field in ("environment", "home")}
    place = Place(**{**told, **paths})
    results: dict[str, str] = {}
    for words, check in module_of(name).PROGRAM.checks.items():
        place.model.script()
        results[words] = tried(check, place)
        print(f"  {words}: {results[words]}", flush=True)
        Path(out).write_text(json.dumps(results))


def tried(check: Check, place: Place) -> str:
    """Return "ok", or what went wrong in one line."""
    try:
        done = check(place)
        if inspect.iscoroutine(done):
            asyncio.run(done)
    except BaseException as error:  # a program may call sys.exit
        traceback.print_exc()
        return f"{type(error).__name__}: {error}".partition("\n")[0][:300]
    return "ok"


if __name__ == "__main__":
    main(*sys.argv[1:])
