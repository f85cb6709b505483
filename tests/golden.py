"""Files that tests compare with: `make golden` writes all of them anew.

    make golden                       then read the difference before you commit it
    make golden args=providers        those whose module has this in its name

Each module has a `write()`, which takes what is so now as right. What a difference means stands in
its docstring: models, clients, fitted weights or the disks of people rely on these files.
"""

from __future__ import annotations

import asyncio
import inspect
import json
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

MODULES = (
    "tests.answers.report.reports",
    "tests.dialects.written",
    "tests.extract.golden",
    "tests.index.stored",
    "tests.models.factors",
    "tests.providers.wire",
    "tests.search.evidence",
    "tests.server.operations",
    "tests.server.wires.combinations",
    "tests.server.wires.exchanges",
    "tests.tools.definitions",
)
HINT = "if this change is intended, run `make golden` and review the difference"


def assert_kept(found: Any, file: Path, name: str | None = None) -> None:
    """Compare with a file, or with one entry of it."""
    kept = json.loads(file.read_text(encoding="utf-8"))
    known = kept if name is None else kept.get(name)
    assert found == known, HINT


def main(wanted: str = "") -> None:
    """Write the files of the modules that have `wanted` in their names."""
    for module in MODULES:
        if wanted in module:
            written = import_module(module).write()
            if inspect.isawaitable(written):
                asyncio.run(written)  # type: ignore[arg-type]
            print(module)


if __name__ == "__main__":
    main(*sys.argv[1:2])
