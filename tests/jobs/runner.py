"""A process that runs jobs until it is killed: `python -m tests.jobs.runner [workers]`.

Its settings come from the environment. It says when it is ready.
"""

from __future__ import annotations

import asyncio
import sys

from kensaku import Settings
from kensaku.jobs import Jobs
from tests.jobs.conftest import BEAT, DEAD


async def main() -> None:
    workers = int(sys.argv[1]) if len(sys.argv) > 1 else 2
    async with Jobs(Settings.load(), workers=workers, beat=BEAT, dead=DEAD) as jobs:
        await jobs.start()
        print("ready", flush=True)
        await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main())
