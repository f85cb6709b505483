"""A program that adds, updates and deletes until it is killed; it writes down what was confirmed.

Run as `python killed_writer.py <index> <journal> <seed>`. The journal has a line for each
operation before it starts (`?`) and after it was acknowledged (`!`).
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import sys

from kensaku.index import Index
from kensaku.models import Document


def text_of(number: int, version: int, size: int) -> str:
    return f"document{number} version{version}. " + f"Filler sentence number {number}. " * size


async def main(path: str, journal: str, seed: int) -> None:
    chance = random.Random(seed)
    log = os.open(journal, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)

    def note(mark: str, changes: dict[str, str | None]) -> None:
        os.write(log, f"{mark}{json.dumps(changes)}\n".encode())

    version = seed * 100_000
    async with Index(path, idle_timeout=0) as index:
        while True:
            version += 1
            numbers = chance.sample(range(400), chance.randint(1, 40))
            if chance.random() < 0.15:
                changes: dict[str, str | None] = {f"https://e.org/{n}": None for n in numbers}
                note("?", changes)
                if "default" in await index.collections():
                    await index.delete(changes)
            else:
                sizes = (1, 3, 200)
                changes = {
                    f"https://e.org/{n}": text_of(n, version, chance.choice(sizes)) for n in numbers
                }
                note("?", changes)
                await index.add([Document(u, "", t) for u, t in changes.items() if t])
            note("!", changes)
            if chance.random() < 0.2:
                await index.optimize()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2], int(sys.argv[3])))
