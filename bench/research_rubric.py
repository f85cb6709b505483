"""Ten reports over a mixed collection, each judged by a written rubric.

    python bench/research_rubric.py [--show]

The collection holds the documents of both question sets of $KENSAKU_DATA (or ../shared/data),
English and Japanese, 1,399 paragraphs about 107 subjects. A report passes if all three hold:

    cited      every sentence ends with a citation
    answered   every part is answered in its section, or named as not found; a part that the
               collection does not answer must be named
    on topic   no source is about another subject

The questions have several parts: a subject that is named once, comparisons, Japanese compounds,
and four parts that nothing in the collection answers. They were written by us with the documents in
view.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import re
import tempfile
from pathlib import Path
from typing import NamedTuple

from kensaku import Document, Kensaku, Report
from kensaku.text.clean import one_line

DATA = Path(os.environ.get("KENSAKU_DATA") or Path(__file__).parents[2] / "shared" / "data")
SETS = ("xquad-en", "jsquad-ja")
_LISTED = re.compile(r"\n\n## (?:Sources|出典|Also on these pages|関連する内容)")
_SENTENCE = re.compile(r"[^\n]+")


class Task(NamedTuple):
    """An input, what each part must hold (None: nothing answers it), and its subjects."""

    text: str
    parts: tuple[tuple[str, ...] | None, ...]
    subjects: tuple[str, ...]


TASKS = (
    Task("When did Nikola Tesla die, and what was named in his honor?",
         (("1943",), ("magnetic flux density",)), ("Nikola_Tesla",)),
    Task("When did Carl Wilhelm Scheele discover oxygen, and how much does a ton of it cost today?",
         (("1773",), None), ("Oxygen",)),
    Task("Compare the acceptance rate of Harvard University and the University of Oxford",
         (("5.3%",), None), ("Harvard_University",)),
    Task("How much of the Amazon rainforest is in Brazil and how many square kilometres has the "
         "basin?", (("60%",), ("7,000,000",)), ("Amazon_rainforest",)),
    Task("Tell me about the Black Death in Paris. How many people died in 1466? "
         "How often was the plague present in the 16th century?",
         (("Paris",), ("40,000",), ("30 per cent",)), ("Black_Death",)),
    Task("When was the first stock exchange of Warsaw established, where was it located from 1991 "
         "until 2000, and who is the mayor of the city?",
         (("1817",), ("Polish United Workers' Party",), None), ("Warsaw",)),
    Task("When was Temüjin elected khan of the Mongols and whom did he marry?",
         (("1186",), ("Börte",)), ("Genghis_Khan",)),
    Task("リオデジャネイロの東西の長さは何キロですか、そして人口は2000年に何人に達しましたか。",
         (("70km",), ("585万",)), ("リオデジャネイロ",)),
    Task("台南市と下関市の人口を比較してください",
         (("189万",), ("25万", "29万", "30万")), ("台南市", "下関市")),
    Task("Debian 6.0が公開されたのはいつですか？開発者の平均年収はいくらですか？",
         (("2011年2月6日",), None), ("Debian",)),
)  # fmt: skip


def documents() -> list[Document]:
    rows = (
        json.loads(line)
        for name in SETS
        for line in (DATA / "questions" / f"{name}.docs.jsonl").read_text("utf-8").splitlines()
    )
    return [
        Document(url=f"doc:{n}", title=row["title"], text=row["text"]) for n, row in enumerate(rows)
    ]


def judge(task: Task, report: Report) -> list[str]:
    """Return what is wrong with a report."""
    body = _LISTED.split(report.text or "")[0]
    sections = [part for part in re.split(r"(?m)^## ", body) if part.strip()]
    said = [s for part in sections for s in _SENTENCE.findall(part.partition("\n")[2])]
    wrong = [
        f"not cited: {s[:60]}"
        for s in said
        if not s.startswith(("- ", "**")) and not re.search(r"\[\d+\]\W*$", s)
    ]
    flat = one_line(body)
    for number, part in enumerate(task.parts, 1):
        if part is None:
            if not report.missing:
                wrong.append(f"part {number} is not named as missing")
        elif not any(answer in flat for answer in part):
            wrong.append(f"part {number} is not answered")
    silent = len(task.parts) - sum(part is None for part in task.parts)
    if len(report.missing) > len(task.parts) - silent:
        wrong.append(f"answered parts are named as missing: {report.missing}")
    strangers = {s.title for s in report.sources} - set(task.subjects)
    return wrong + [f"off the subject: {title}" for title in sorted(strangers)]


async def main(show: bool) -> None:
    passed = 0
    with tempfile.TemporaryDirectory() as home:
        async with Kensaku(home=home, cache_enabled=False, state_url="memory:") as k:
            await k.index.add(documents())
            for task in TASKS:
                report = await k.research(task.text, route="local")
                wrong = judge(task, report)
                passed += not wrong
                print("ok    " if not wrong else "wrong ", task.text, flush=True)
                print("".join(f"       {reason}\n" for reason in wrong), end="")
                if show:
                    print(report.text, "\n")
    print(f"{passed} of {len(TASKS)} (target 8)")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--show", action="store_true", help="print the reports")
    args = parser.parse_args()
    if (DATA / "questions").is_dir():
        asyncio.run(main(args.show))
    else:
        print(f"skipped: there is no {DATA}/questions; set KENSAKU_DATA to the folder of the data")
