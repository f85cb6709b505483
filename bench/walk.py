"""How far one has to read to follow a search: calls, files and switches between files.

    python bench/walk.py

A warm client asks Tavily, which is down twice, and then Brave, which answers, over loopback. Every
call of a function of ours is counted; a switch is a call into another file. The fake upstream runs
in a thread of its own and is not counted.
"""

from __future__ import annotations

import asyncio
import sys
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FrameType
from typing import Any

import kensaku
from kensaku import Kensaku, Settings
from kensaku.testing import FakeUpstream, faults

SOURCE = str(Path(kensaku.__file__).parent)


class Walk:
    """Counts the calls of our own functions in this thread."""

    def __init__(self) -> None:
        self.calls = self.switches = 0
        self.files: Counter[str] = Counter()
        self._at = ""

    def __call__(self, frame: FrameType, event: str, _: Any) -> None:
        file = frame.f_code.co_filename
        if event != "call" or not file.startswith(SOURCE) or "/testing/" in file:
            return
        self.calls += 1
        self.files[file.removeprefix(SOURCE + "/")] += 1
        self.switches += file != self._at
        self._at = file


def source_lines() -> str:
    files = list(Path(SOURCE).rglob("*.py"))
    return f"{sum(len(p.read_text().splitlines()) for p in files)} in {len(files)} files"


async def main() -> None:
    with FakeUpstream.in_thread() as up, TemporaryDirectory() as home:
        environ = {"KENSAKU_HOME": home, **up.environment("tavily", "brave")}
        rates = {"TAVILY_RATE": "1000/s", "BRAVE_RATE": "1000/s"}
        settings = Settings.load(environ=environ | rates, route="tavily,brave", cache_enabled=False)
        async with Kensaku(settings) as k:
            await k.search("otters", route="brave")
            await k.search("otters", route="tavily")
            up.fails("tavily", faults.status(503))
            walk = Walk()
            sys.setprofile(walk)
            response = await k.search("otters")
            sys.setprofile(None)
    print(f"{[(a.provider, str(a.outcome)) for a in response.attempts]}")
    print(f"calls     {walk.calls}")
    print(f"files     {len(walk.files)}")
    print(f"switches  {walk.switches}")
    print(f"lines of src: {source_lines()}")
    if "-v" in sys.argv:
        for file, calls in walk.files.most_common():
            print(f"{calls:5}  {file}")


asyncio.run(main())
