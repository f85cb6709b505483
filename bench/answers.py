"""Is the right sentence in the answer? And is "none of the sources answers this" said when so?

    python bench/answers.py [--questions 400]

The questions of `questions/` in $KENSAKU_DATA (or ../shared/data) are asked by `k.answer` without a
model, in the local index. "right": share of the answers with the answer text, of the questions
whose context holds it. "refused": share of those that got no answer. "gone": the same questions
with the half of the documents taken out that holds the right page, and how many got no answer.
Beside it, the share of right answers when the first three sentences of the first page are taken.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import json
import os
import random
import tempfile
from collections.abc import Iterable
from pathlib import Path

from kensaku import Answer, Document, Kensaku
from kensaku.answers.sentences import whole_sentences
from kensaku.text.clean import one_line

DATA = Path(os.environ.get("KENSAKU_DATA") or Path(__file__).parents[2] / "shared" / "data")
SETS = ("xquad-en", "jsquad-ja")


def lines(name: str) -> list[dict]:
    path = DATA / "questions" / f"{name}.jsonl"
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def in_half(name: str) -> bool:
    return bool(hashlib.md5(name.encode(), usedforsecurity=False).digest()[0] & 1)


async def ask(documents: Iterable[dict], questions: Iterable[dict]) -> list[tuple[dict, Answer]]:
    with tempfile.TemporaryDirectory() as home:
        async with Kensaku(home=home, cache_enabled=False, state_url="memory:") as k:
            await k.index.add(
                Document(url=f"doc:{d['_id']}", title=d["title"], text=d["text"]) for d in documents
            )
            return [(q, await k.answer(q["text"], route="local")) for q in questions]


def holds(text: str | None, question: dict) -> bool:
    return any(one_line(answer) in one_line(text or "") for answer in question["answers"])


def first_sentences(answer: Answer) -> str:
    text = answer.citations[0].passages[0].text if answer.citations else ""
    spans = list(whole_sentences(text))[:3]
    return text[: spans[-1][1]] if spans else ""


async def main(count: int) -> None:
    print("set          asked    right   refused   first 3 sentences   gone: said so")
    for name in SETS:
        documents, questions = lines(f"{name}.docs"), lines(f"{name}.questions")
        random.Random(0).shuffle(questions)
        asked = await ask(documents, questions[:count])
        able = [(q, a) for q, a in asked if holds(sources(a), q)]
        right = sum(holds(a.text, q) for q, a in able) / len(able)
        refused = sum(a.text is None for _, a in able) / len(able)
        first = sum(holds(first_sentences(a), q) for q, a in able) / len(able)
        half = [d for d in documents if in_half(d["_id"])]
        without = [q for q in questions if not in_half(q["doc"])][:count]
        gone = await ask(half, without)
        said = sum(a.text is None for _, a in gone) / len(gone)
        print(
            f"{name:10} {len(able):7} {right:8.3f} {refused:9.3f} {first:19.3f} {said:15.3f}",
            flush=True,
        )


def sources(answer: Answer) -> str:
    return "\n".join(p.text for c in answer.citations for p in c.passages)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--questions", type=int, default=400)
    if (DATA / "questions").is_dir():
        asyncio.run(main(parser.parse_args().questions))
    else:
        print(f"skipped: there is no {DATA}/questions; set KENSAKU_DATA to the folder of the data")
