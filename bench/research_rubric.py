"""Ten reports over a mixed collection, each judged by a written rubric.

    python bench/research_rubric.py [--set other|third] [--show]

The collection holds the documents of both question sets of $KENSAKU_DATA (or ../shared/data),
English and Japanese, 1,399 paragraphs about 107 subjects. `--set other`, `third`: ten others each,
over the beginnings of 6,119 English articles (`2wiki-passages.json`) and 1,143 Japanese paragraphs
(JaQuAD), both of $KENSAKU_MORE_DATA. A report passes if all three hold:

    cited      every sentence ends with a citation
    answered   every part is answered in its section, or named as not found; a part that the
               collection does not answer must be named
    on topic   no source is about another subject
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import tempfile

from kensaku import Document, Kensaku, Report
from kensaku.text.clean import one_line
from question_sets import DATA, MORE_DATA, READERS
from research_tasks import HOUSE, OTHER, THIRD, Task

SETS = ("xquad-en", "jsquad-ja")
TASKS = {"house": HOUSE, "other": OTHER, "third": THIRD}
_LISTED = re.compile(r"\n\n## (?:Sources|出典|Also on these pages|関連する内容)")
_SENTENCE = re.compile(r"[^\n]+")


def documents() -> list[Document]:
    rows = (
        json.loads(line)
        for name in SETS
        for line in (DATA / "questions" / f"{name}.docs.jsonl").read_text("utf-8").splitlines()
    )
    return [
        Document(url=f"doc:{n}", title=row["title"], text=row["text"]) for n, row in enumerate(rows)
    ]


def other_documents() -> list[Document]:
    rows = json.loads((MORE_DATA / "2wiki-passages.json").read_text("utf-8"))
    pages = [(row["title"], row["text"]) for row in rows]
    pages += [(page.title, page.text) for page in READERS["jaquad-ja"]().pages]
    return [Document(url=f"doc:{n}", title=t, text=text) for n, (t, text) in enumerate(pages)]


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


async def main(name: str, show: bool) -> None:
    passed = 0
    found = documents() if name == "house" else other_documents()
    tasks = TASKS[name]
    with tempfile.TemporaryDirectory() as home:
        async with Kensaku(home=home, cache_enabled=False, state_url="memory:") as k:
            await k.index.add(found)
            for task in tasks:
                report = await k.research(task.text, route="local")
                wrong = judge(task, report)
                passed += not wrong
                print("ok    " if not wrong else "wrong ", task.text, flush=True)
                print("".join(f"       {reason}\n" for reason in wrong), end="")
                if show:
                    print(report.text, "\n")
    print(f"{passed} of {len(tasks)} (target 8)")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--set", choices=TASKS, default="house")
    parser.add_argument("--show", action="store_true", help="print the reports")
    args = parser.parse_args()
    if (DATA / "questions").is_dir():
        asyncio.run(main(args.set, args.show))
    else:
        print(f"skipped: there is no {DATA}/questions; set KENSAKU_DATA to the folder of the data")
