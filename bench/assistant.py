"""How often is an answer right, by what the assistant does with it?

    python bench/assistant.py [--questions 100] [--sets xquad-en,jaquad-ja]

The cases of `question_sets.py` are asked by `k.ask` without a model and without a person, in the
local index: with all documents ("there"), and with the answer taken away in one of four ways
("away"). For each action: the share of questions that came to it, how many of them got an answer,
and the share of these answers that is right, that is, has the answer text. An answer is hardly ever
right where it was taken away: what counts there is how few are given in silence. "differ" counts
the contradictions that were seen; the documents do not contradict each other. "first words": from
the end of the last search to the first words of the answer, which is what a person waits for.

The model behind the refusal was fitted on questions of most of these sets (`answers.py`, which has
the figures without that).
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import tempfile
import time
from collections.abc import Sequence
from typing import get_args

from kensaku import Document, Kensaku
from kensaku.answers.cited import Action, CitedAnswer
from kensaku.answers.events import Answered, Failed, TextDelta, ToolEnded
from question_sets import MORE_DATA, Asked, QuestionSet, read_all

Answers = list[tuple[Asked, CitedAnswer]]
waits: list[float] = []  # milliseconds from the last search to the first words


async def ask_one(k: Kensaku, question: str, collection: str) -> CitedAnswer:
    """Return the answer to a question; note how long its first words took."""
    searched, speaks = 0.0, False
    async for event in k.ask_events(question, route="local", collection=collection):
        if isinstance(event, ToolEnded):
            searched = time.perf_counter()
        elif isinstance(event, TextDelta) and not speaks:
            speaks = True
            waits.append(1000 * (time.perf_counter() - searched))
        elif isinstance(event, Answered | Failed):
            return event.answer
    raise AssertionError("a run ends with an answer")


async def ask(questions: QuestionSet, count: int) -> tuple[Answers, Answers]:
    """Ask the cases of a set; return those whose answer is there, and those without."""
    there: Answers = []
    away: Answers = []
    with tempfile.TemporaryDirectory() as home:
        async with Kensaku(home=home, cache_enabled=False, state_url="memory:") as k:
            for n, (pages, cases) in enumerate(questions.collections(count)):
                name = f"bench{n}"
                texts = (p for p in pages if p.text.strip())
                await k.index.add(
                    (Document(url=f"doc:{p.id}", title=p.title, text=p.text) for p in texts), name
                )
                for kind, asked in cases:
                    answer = await ask_one(k, asked.text, name)
                    (there if kind == "there" else away).append((asked, answer))
    return there, away


def report(name: str, there: Answers, away: Answers) -> None:
    for action in get_args(Action):
        row = f"{name:10} {action:9}"
        for asked in (there, away):
            these = [(q, a) for q, a in asked if a.confidence.action == action]
            given = [(q, a) for q, a in these if a.text is not None]
            has = sum(q.is_answered_by(a.text) for q, a in given)
            share = f"{has / len(given):.3f}" if given else "–"
            row += f"   {len(these) / len(asked):6.3f} {len(given):6} {share:>6}"
        print(row, flush=True)
    for case, asked in (("there", there), ("away", away)):
        right = sum(q.is_answered_by(a.text) for q, a in asked) / len(asked)
        alone = [a for _, a in asked if a.confidence.action in ("silent", "notify")]
        differ = sum(bool(a.confidence.factors.contradictions) for _, a in asked)
        print(
            f"{name:10} {case}: {len(asked)} asked, {right:.3f} right, "
            f"{len(alone) / len(asked):.3f} answered without asking, {differ} differ"
        )


async def measure(count: int, names: Sequence[str]) -> None:
    print("set        action      there: share  given  right   away: share  given  right")
    for questions in read_all():
        if not names or questions.name in names:
            report(questions.name, *await ask(questions, count))
    slowest = statistics.quantiles(waits, n=100)[98]
    print(f"first words: p50 {statistics.median(waits):.1f} ms, p99 {slowest:.1f} ms (≤ 1,000)")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--questions", type=int, default=100)
    parser.add_argument("--sets", type=lambda text: text.split(","), default=[])
    args = parser.parse_args()
    if not MORE_DATA.is_dir():
        print(f"skipped: there is no {MORE_DATA}; set KENSAKU_MORE_DATA (bench/question_sets.py)")
        return
    asyncio.run(measure(args.questions, args.sets))


if __name__ == "__main__":
    main()
