"""Run the Python blocks of a page one after the other, as a reader pastes them into a session.

    python -m tests.docs_run < blocks.json          a list of sources; a line \x1e after each

A block may use `await` at its top, as in `python -m asyncio`.
"""

from __future__ import annotations

import ast
import asyncio
import inspect
import json
import sys
from types import ModuleType

END = "\x1e"


def main() -> None:
    page = sys.modules["__main__"] = ModuleType("__main__")
    for number, source in enumerate(json.load(sys.stdin), 1):
        flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
        code = compile(source, f"block {number}", "exec", flags=flags, dont_inherit=True)
        result = eval(code, page.__dict__)
        if code.co_flags & inspect.CO_COROUTINE:
            asyncio.run(result)
        print(END, flush=True)


if __name__ == "__main__":
    main()
