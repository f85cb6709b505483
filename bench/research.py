"""Does a report on several questions hold the expected answers, each with its source?

    python bench/research.py [--inputs 60] [--questions 4]

The questions of `questions/` in $KENSAKU_DATA (or ../shared/data) are asked several at a time by
`k.research` without a model, in the local index. "held": share of the expected answers in the
report. "cited": share that stands in a sentence whose `[n]` is the right document. "sections": the
share that stands in the section of its own question. "missing": questions that the report says it
found nothing for. Beside it, "asked alone": the share that `k.answer` holds, one question a call.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import re
import tempfile
from pathlib import Path

from kensaku import Document, Kensaku, Report
from kensaku.text.clean import one_line

DATA = Path(os.environ.get("KENSAKU_DATA") or Path(__file__).parents[2] / "shared" / "data")
SETS = ("xquad-en", "jsquad-ja")
LISTED = re.compile(r"\n\n## (?:Sources|出典|Not found|見つからなかったこと|Also on|関連する内容)")
CITED = re.compile(r"(.+?) \[(\d+)\](?: |\n|$)", re.DOTALL)


def lines(name: str) -> list[dict]:
    path = DATA / "questions" / f"{name}.jsonl"
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def holds(text: str | None, question: dict) -> bool:
    return any(one_line(answer) in one_line(text or "") for answer in question["answers"])


def is_cited(report: Report, text: str, question: dict) -> bool:
    right = {s.n for s in report.sources if s.url == f"doc:{question['doc']}"}
    return any(holds(said, question) and int(n) in right for said, n in CITED.findall(text))


def section_of(text: str, question: dict) -> str:
    head = f"## {one_line(question['text'])}"
    parts = re.split(r"(?m)^(?=## )", text)
    return next((p for p in parts if p.startswith(head)), "")


async def score(name: str, inputs: int, size: int) -> None:
    questions = lines(f"{name}.questions")
    random.Random(0).shuffle(questions)
    groups = [questions[at * size : (at + 1) * size] for at in range(inputs)]
    held = cited = own = missing = alone = 0
    with tempfile.TemporaryDirectory() as home:
        async with Kensaku(home=home, cache_enabled=False, state_url="memory:") as k:
            await k.index.add(
                Document(url=f"doc:{d['_id']}", title=d["title"], text=d["text"])
                for d in lines(f"{name}.docs")
            )
            for group in groups:
                task = "\n".join(f"- {q['text']}" for q in group)
                report = await k.research(task, route="local")
                text = LISTED.split(report.text or "")[0]
                missing += len(report.missing)
                for question in group:
                    held += holds(text, question)
                    cited += is_cited(report, text, question)
                    own += holds(section_of(text, question), question)
                    answer = await k.answer(question["text"], route="local")
                    alone += holds(answer.text, question)
    count = sum(map(len, groups))
    shares = (n / count for n in (held, cited, own, missing, alone))
    print(f"{name:10} {count:9} " + " ".join(f"{share:9.3f}" for share in shares), flush=True)


async def main(inputs: int, size: int) -> None:
    print("set        questions      held     cited  sections   missing  asked alone")
    for name in SETS:
        await score(name, inputs, size)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--inputs", type=int, default=60)
    parser.add_argument("--questions", type=int, default=4)
    args = parser.parse_args()
    if (DATA / "questions").is_dir():
        asyncio.run(main(args.inputs, args.questions))
    else:
        print(f"skipped: there is no {DATA}/questions; set KENSAKU_DATA to the folder of the data")
