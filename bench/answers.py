"""Is the right sentence in the answer? And is "none of the sources answers this" said when so?

    python bench/answers.py [--questions 400]          both halves of each set
    python bench/answers.py --fit [--questions 400]    fit the model "answer" on the tuning halves

The questions of `questions/` in $KENSAKU_DATA (or ../shared/data) are asked by `k.answer` without a
model, in the local index. "right": share of the answers with the answer text, of the questions
whose context holds it. "refused": share of those that got no answer. "gone": the same questions
with the half of the documents taken out that holds the right page, and how many got no answer.
Beside it, the share of right answers when the first three sentences of the first page are taken.

The questions are split by article: all that was chosen or fitted was so on the tuning half, and
the half that was held out says what it is worth.
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
from kensaku.answers.score import score_sentences
from kensaku.answers.sentences import whole_sentences
from kensaku.models.calibration import SHIPPED, Model, shipped_models
from kensaku.text.clean import one_line
from regression import Example, fit, write_models

DATA = Path(os.environ.get("KENSAKU_DATA") or Path(__file__).parents[2] / "shared" / "data")
SETS = ("xquad-en", "jsquad-ja")
EXAMPLES = 500  # that each case of each set is worth, beside a penalty of 1
FITTED_ON = "JSQuAD and XQuAD, half of the articles, with and without the right page"
Asked = list[tuple[dict, Answer]]


def lines(name: str) -> list[dict]:
    path = DATA / "questions" / f"{name}.jsonl"
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def in_half(name: str) -> bool:
    return bool(hashlib.md5(name.encode(), usedforsecurity=False).digest()[0] & 1)


def is_tuning(title: str) -> bool:
    return in_half(f"answers {title}")


async def ask(documents: Iterable[dict], questions: Iterable[dict]) -> list[tuple[dict, Answer]]:
    with tempfile.TemporaryDirectory() as home:
        async with Kensaku(home=home, cache_enabled=False, state_url="memory:") as k:
            await k.index.add(
                Document(url=f"doc:{d['_id']}", title=d["title"], text=d["text"]) for d in documents
            )
            return [(q, await k.answer(q["text"], route="local")) for q in questions]


async def ask_with_and_without(name: str, count: int, *, tuning: bool) -> tuple[Asked, Asked]:
    """Ask the questions of one half, with all documents and without the right one."""
    documents, questions = lines(f"{name}.docs"), lines(f"{name}.questions")
    titles = {d["_id"]: d["title"] for d in documents}
    questions = [q for q in questions if is_tuning(titles[q["doc"]]) == tuning]
    random.Random(0).shuffle(questions)
    asked = await ask(documents, questions[:count])
    half = [d for d in documents if in_half(d["_id"])]
    gone = await ask(half, [q for q in questions if not in_half(q["doc"])][:count])
    return [(q, a) for q, a in asked if holds(sources(a), q)], gone


def holds(text: str | None, question: dict) -> bool:
    return any(one_line(answer) in one_line(text or "") for answer in question["answers"])


def sources(answer: Answer) -> str:
    return "\n".join(p.text for c in answer.citations for p in c.passages)


def first_sentences(answer: Answer) -> str:
    text = answer.citations[0].passages[0].text if answer.citations else ""
    spans = list(whole_sentences(text))[:3]
    return text[: spans[-1][1]] if spans else ""


def factors(question: dict, answer: Answer) -> dict[str, float]:
    confidence = answer.confidence.score if answer.confidence else 0.0
    return score_sentences(question["text"], answer.citations).factors(confidence)


def fit_answer(sets: Iterable[tuple[Asked, Asked]]) -> Model:
    """Fit whether the sources answer; each set and each of its two cases counts alike."""
    made = [
        Example(factors(q, a), right, EXAMPLES / len(asked))
        for able, gone in sets
        for asked, right in ((able, True), (gone, False))
        for q, a in asked
    ]
    return fit(made, tuple(made[0].factors), fitted_on=FITTED_ON)


async def report(count: int) -> None:
    print("set        half         asked    right   refused   first 3 sentences   gone: said so")
    for name in SETS:
        for tuning in (True, False):
            able, gone = await ask_with_and_without(name, count, tuning=tuning)
            right = sum(holds(a.text, q) for q, a in able) / len(able)
            refused = sum(a.text is None for _, a in able) / len(able)
            first = sum(holds(first_sentences(a), q) for q, a in able) / len(able)
            said = sum(a.text is None for _, a in gone) / len(gone)
            half = "tuning" if tuning else "held out"
            print(
                f"{name:10} {half:9} {len(able):8} {right:8.3f} {refused:9.3f} {first:19.3f} "
                f"{said:15.3f}",
                flush=True,
            )


async def refit(count: int) -> None:
    sets = [await ask_with_and_without(name, count, tuning=True) for name in SETS]
    write_models(SHIPPED, {**shipped_models(), "answer": fit_answer(sets)})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--questions", type=int, default=400)
    parser.add_argument("--fit", action="store_true")
    args = parser.parse_args()
    if not (DATA / "questions").is_dir():
        print(f"skipped: there is no {DATA}/questions; set KENSAKU_DATA to the folder of the data")
        return
    asyncio.run((refit if args.fit else report)(args.questions))


if __name__ == "__main__":
    main()
