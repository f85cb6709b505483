"""How often is an answer right, by what the assistant does with it?

    python bench/assistant.py [--questions 250]

The questions of `questions/` in $KENSAKU_DATA (or ../shared/data) are asked by `k.ask` without a
model and without a person, in the local index: once with all documents ("there"), once with the
half of the documents taken out that holds the right page ("gone"). For each action: how many
questions came to it, how many of them got an answer, and the share of these answers that is right,
that is, has the answer text. An answer to a question whose page is gone is hardly ever right: what
counts there is how few are given in silence. "differ" counts the contradictions that were seen;
the documents do not contradict each other. "first words": from the end of the last search to the
first words of the answer, which is what a person waits for.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import statistics
import tempfile
import time
from collections.abc import Iterable
from typing import get_args

from answers import DATA, SETS, holds, in_half, is_tuning, lines
from kensaku import Document, Kensaku
from kensaku.answers.cited import Action, CitedAnswer
from kensaku.answers.events import Answered, Failed, TextDelta, ToolEnded

Asked = list[tuple[dict, CitedAnswer]]
waits: list[float] = []  # milliseconds from the last search to the first words


async def ask_one(k: Kensaku, question: str) -> CitedAnswer:
    """Return the answer to a question; note how long its first words took."""
    searched, speaks = 0.0, False
    async for event in k.ask_events(question, route="local"):
        if isinstance(event, ToolEnded):
            searched = time.perf_counter()
        elif isinstance(event, TextDelta) and not speaks:
            speaks = True
            waits.append(1000 * (time.perf_counter() - searched))
        elif isinstance(event, Answered | Failed):
            return event.answer
    raise AssertionError("a run ends with an answer")


async def ask(documents: Iterable[dict], questions: Iterable[dict]) -> Asked:
    with tempfile.TemporaryDirectory() as home:
        async with Kensaku(home=home, cache_enabled=False, state_url="memory:") as k:
            await k.index.add(
                Document(url=f"doc:{d['_id']}", title=d["title"], text=d["text"]) for d in documents
            )
            return [(q, await ask_one(k, q["text"])) for q in questions]


async def ask_with_and_without(name: str, count: int) -> tuple[Asked, Asked]:
    """Ask questions of the half that nothing was fitted on, with and without the right page."""
    documents, questions = lines(f"{name}.docs"), lines(f"{name}.questions")
    titles = {d["_id"]: d["title"] for d in documents}
    questions = [q for q in questions if not is_tuning(titles[q["doc"]])]
    random.Random(0).shuffle(questions)
    half = [d for d in documents if in_half(d["_id"])]
    gone = [q for q in questions if not in_half(q["doc"])]
    return await ask(documents, questions[:count]), await ask(half, gone[:count])


def report(name: str, there: Asked, gone: Asked) -> None:
    for action in get_args(Action):
        row = f"{name:10} {action:9}"
        for asked in (there, gone):
            these = [(q, a) for q, a in asked if a.confidence.action == action]
            given = [(q, a) for q, a in these if a.text is not None]
            right = sum(holds(a.text, q) for q, a in given)
            share = f"{right / len(given):.3f}" if given else "–"
            row += f"   {len(these) / len(asked):6.3f} {len(given):6} {share:>6}"
        print(row, flush=True)
    for case, asked in (("there", there), ("gone", gone)):
        right = sum(holds(a.text, q) for q, a in asked) / len(asked)
        alone = [a for _, a in asked if a.confidence.action in ("silent", "notify")]
        differ = sum(bool(a.confidence.factors.contradictions) for _, a in asked)
        print(
            f"{name:10} {case}: {len(asked)} asked, {right:.3f} right, "
            f"{len(alone) / len(asked):.3f} answered without asking, {differ} differ"
        )


async def measure(count: int) -> None:
    print("set        action      there: share  given  right   gone: share  given  right")
    for name in SETS:
        report(name, *await ask_with_and_without(name, count))
    slowest = statistics.quantiles(waits, n=100)[98]
    print(f"first words: p50 {statistics.median(waits):.1f} ms, p99 {slowest:.1f} ms (≤ 1,000)")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--questions", type=int, default=250)
    args = parser.parse_args()
    if not (DATA / "questions").is_dir():
        print(f"skipped: there is no {DATA}/questions; set KENSAKU_DATA to the folder of the data")
        return
    asyncio.run(measure(args.questions))


if __name__ == "__main__":
    main()
