"""Does the local index know when a question is not its own?

    python bench/floor.py [--questions 400]

Questions over their own documents, over documents in another language, and over the documentation
of Python: the share whose hits count as being about the question (`search.terms.is_about`). The
documents are those of `questions/` in $KENSAKU_DATA (or ../shared/data).
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import tempfile
from pathlib import Path

from kensaku import Document, Kensaku
from kensaku.index.pydocs import build
from kensaku.text.terms import is_about

DATA = Path(os.environ.get("KENSAKU_DATA") or Path(__file__).parents[2] / "shared" / "data")
SETS = {"english": "xquad-en", "japanese": "jsquad-ja"}


def lines(name: str) -> list[dict]:
    path = DATA / "questions" / f"{name}.jsonl"
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


async def share(k: Kensaku, questions: list[str], collection: str) -> float:
    """The share of questions that the collection takes for its own."""
    own = 0
    for text in questions:
        found = await k.search(text[:400], route="local", collection=collection)
        own += is_about(text, found.hits)
    return own / len(questions)


async def main(count: int) -> None:
    with tempfile.TemporaryDirectory() as home:
        async with Kensaku(home=home, cache_enabled=False, state_url="memory:") as k:
            for collection, name in SETS.items():
                await k.index.add(
                    (
                        Document(url=f"doc:{d['_id']}", title=d["title"], text=d["text"])
                        for d in lines(f"{name}.docs")
                    ),
                    collection=collection,
                )
            await build(k.index)
            print(f"{'questions':12}" + "".join(f"{c:>12}" for c in (*SETS, "pydocs")))
            for language, name in SETS.items():
                questions = [q["text"] for q in lines(f"{name}.questions")]
                questions = random.Random(0).sample(questions, count)
                shares = [await share(k, questions, c) for c in (*SETS, "pydocs")]
                print(f"{language:12}" + "".join(f"{s:>12.3f}" for s in shares), flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--questions", type=int, default=400)
    asyncio.run(main(parser.parse_args().questions))
