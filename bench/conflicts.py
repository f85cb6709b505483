"""Are sources that contradict each other shown side by side? And only those?

    python bench/conflicts.py [--cases 2000] [--half tuning|held] [--set told] | --whole 300

Questions of `questions/` in $KENSAKU_DATA (or ../shared/data) with up to five documents each
(`conflict_cases.py`), and those whose sources have words of their own (`conflict_told.py`, from
$KENSAKU_MORE_DATA), are asked by `k.ask` without a model and without a person, in a collection of
their own. What a reader gets, as shares of the cases:

    shown     sentences side by side, with two of the values at least
    flagged   two other sentences side by side: of a control, a false alarm
    both      an answer that has both values
    doubt     one side, and a doubt about it
    none      no answer
    silence   one side, and no sign of the other; of a control, what is wanted

`--whole`: so many questions of each of `WHOLE`, asked of all pages of their set, each on a host of
its own. Nothing there contradicts but by chance: what is shown side by side is a false alarm.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import tempfile
import time
from collections import defaultdict
from collections.abc import Sequence

from conflict_cases import Case, cases
from conflict_told import told_cases
from kensaku import Document, Kensaku
from kensaku.answers.cited import CitedAnswer
from kensaku.answers.conflicts import differences, differs_in_a_word
from kensaku.answers.context import Citation
from kensaku.answers.score import score_sentences
from kensaku.models import Hit
from question_sets import DATA, MORE_DATA, READERS

SETS = ("xquad-en", "jsquad-ja", "told")
WHOLE = ("squad2", "nq", "xquad-en", "jaquad-ja", "jsquad-ja")
Asked = list[tuple[Case, CitedAnswer]]


async def ask(made: Sequence[Case]) -> Asked:
    with tempfile.TemporaryDirectory() as home:
        async with Kensaku(home=home, cache_enabled=False, state_url="memory:") as k:
            asked = []
            for n, case in enumerate(made):
                name = f"case{n}"
                await k.index.add(documents_of(case), collection=name)
                asked.append((case, await k.ask(case.question, route="local", collection=name)))
                await k.index.drop(name)
            return asked


async def false_alarms(name: str, count: int) -> int:
    """Return how many questions to a whole set show sentences side by side."""
    questions = READERS[name]()
    asked = random.Random(5).sample(list(questions.questions), count)
    alarms = 0
    with tempfile.TemporaryDirectory() as home:
        async with Kensaku(home=home, cache_enabled=False, state_url="memory:") as k:
            await k.index.add(
                Document(url=f"https://site{n}.example/", title=page.title, text=page.text)
                for n, page in enumerate(questions.pages)
            )
            for question in asked:
                answer = await k.ask(question.text, route="local")
                alarms += answer.confidence.factors.contradictions > 0
    return alarms


def documents_of(case: Case) -> list[Document]:
    titles = case.titles or (case.title.replace("_", " "),) * len(case.documents)
    return [
        Document(url=f"https://site{n}.example/page", title=title, text=text)
        for n, (title, text) in enumerate(zip(titles, case.documents, strict=True))
    ]


def outcome(case: Case, answer: CitedAnswer) -> str:
    """Say what a reader gets: shown, flagged, doubt, both, none or silence."""
    text = answer.text or ""
    if answer.confidence.factors.contradictions:
        sides = text.rpartition("\n\n")[2]
        return (
            "shown" if sum(v.lower() in sides.lower() for v in case.values or ()) > 1 else "flagged"
        )
    if not text:
        return "none"
    if answer.confidence.action != "silent":
        return "doubt"
    return "both" if case.values and all(v in text for v in case.values) else "silence"


def cpu(made: Sequence[Case]) -> float:
    """Return the milliseconds of CPU that the comparison takes a question."""
    asked = []
    for case in made:
        sources = [
            Citation.of(n, Hit(d.url, d.title, d.text)) for n, d in enumerate(documents_of(case), 1)
        ]
        asked.append((case.question, score_sentences(case.question, sources).sentences, sources))
    began = time.process_time()
    for question, sentences, sources in asked:
        differences(question, sentences, sources)
        differs_in_a_word(question, sentences, sentences, sources)
    return 1000 * (time.process_time() - began) / len(asked)


def report(name: str, half: str, asked: Asked) -> None:
    rows: dict[str, list[str]] = defaultdict(list)
    for case, answer in asked:
        got = outcome(case, answer)
        rows[case.kind].append(got)
        rows["CONFLICTS" if case.values else "CONTROLS"].append(got)
    print(f"{name}, {half}       cases  shown flagged   both  doubt   none  silence")
    for kind, got in sorted(rows.items()):
        shares = (
            got.count(o) / len(got)
            for o in ("shown", "flagged", "both", "doubt", "none", "silence")
        )
        print(f"  {kind:20} {len(got):5} " + " ".join(f"{s:6.3f}" for s in shares), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--cases", type=int, default=2_000)
    parser.add_argument("--half", choices=["tuning", "held"])
    parser.add_argument("--set", choices=SETS, action="append")
    parser.add_argument("--whole", type=int, metavar="COUNT")
    args = parser.parse_args()
    if not (DATA / "questions").is_dir():
        print(f"skipped: there is no {DATA}/questions; set KENSAKU_DATA to the folder of the data")
        return
    for name in WHOLE if args.whole else ():
        alarms = asyncio.run(false_alarms(name, args.whole))
        print(f"{name:10} {alarms} of {args.whole} show sentences side by side", flush=True)
    told = (MORE_DATA / "2wiki-passages.json").is_file()
    if not told:
        print(f"told: skipped, {MORE_DATA} has no 2wiki-passages.json; set KENSAKU_MORE_DATA")
    for name in () if args.whole else args.set or SETS:
        if name == "told" and not told:
            continue
        for half in [args.half] if args.half else ["tuning", "held"]:
            every = told_cases() if name == "told" else cases(name)
            made = [c for c in every if c.tuning == (half == "tuning")]
            random.Random(0).shuffle(made)
            made = made[: args.cases]
            report(name, half, asyncio.run(ask(made)))
            print(f"  comparing takes {cpu(made[:100]):.2f} ms of CPU a question")


if __name__ == "__main__":
    main()
