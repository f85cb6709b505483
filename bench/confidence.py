"""Does confidence know right from wrong? And where its weights come from.

    python bench/confidence.py          AUC, calibration error, off-topic scores of each set
    python bench/confidence.py --fit    fit on all sets but SciFact and LISA: models/confidence.json
    python bench/answers.py --fit       fit "answer" there, which weighs confidence, too

The local index is searched with the judged questions of $KENSAKU_DATA (or ../shared/data) and the
topics of `topical.py`: as they are; in few of the documents, or in a half that lacks the right
one ("gone"); and in documents about something else ("off"). Every set is measured by a model that
was fitted on the other sets (leave one set out). SciFact and LISA, whose licences allow measuring
alone, are never fitted on.
"""

from __future__ import annotations

import argparse
import asyncio
import gzip
import hashlib
import json
import random
import tempfile
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import topical
from kensaku import Document, Kensaku
from kensaku.models import Hit
from kensaku.models.calibration import SHIPPED, Model, Models, shipped_models
from kensaku.models.confidence import confidence_of, factors_of
from regression import Example, area_under_curve, calibration_error, fit, write_models
from topical import DATA, JudgedSet, Question

LOCAL = ("coverage", "lead", "gap", "strength")
WEB = ("best_coverage", "lead", "gap")
QUESTIONS = ("xquad", "jsquad")
MEASURED_ONLY = ("scifact", "lisa")
# Left out together, and never each other's "off": all are about libraries; ADI and CISI have 35
# queries in common.
SIBLINGS = dict.fromkeys(("adi", "cisi", "lisa"), ("adi", "cisi", "lisa"))
# How much each set counts in the fit, and of a set its searches as they are, gone and off-topic.
SHARES = dict.fromkeys(QUESTIONS, 1.0) | dict.fromkeys(topical.NAMES, 0.4) | {"adi": 0.2}
PARTS = {"": 1.0, " gone": 0.15, " off": 0.15}
# The web holds more that is about something else than a collection that was put together. Topics
# have no part in it: with them, off-topic questions scored 0.39 instead of 0.22 (XQuAD).
SHARES_WEB = {"xquad": 0.6, "jsquad": 1.0}
PARTS_WEB = {"": 1.0, " gone": 0.2, " off": 0.6}
EXAMPLES = 2_000  # that all sets together are worth, beside a penalty of 1
AGREEMENT = 1.0  # by hand: there are no judged runs of several providers to fit it on
FITTED_ON_WEB = (
    "JSQuAD (Japanese) and XQuAD (English), searched in the local index, without its scores; "
    "not judged on web results"
)


@dataclass(frozen=True)
class Run:
    """A search and the documents that are right."""

    text: str
    hits: tuple[Hit, ...]
    right: frozenset[str]

    @property
    def first_is_right(self) -> bool:
        return bool(self.hits) and self.hits[0].url in self.right

    @property
    def one_is_right(self) -> bool:
        return any(hit.url in self.right for hit in self.hits[:5])


Runs = dict[str, list[Run]]


def lines(path: Path) -> list[dict]:
    raw = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    return [json.loads(line) for line in raw.splitlines()]


def document(row: dict) -> Document:
    return Document(url=f"doc:{row['_id']}", title=row["title"], text=row["text"])


def retrieval_set(name: str) -> JudgedSet:
    folder = DATA / "retrieval" / name
    right: dict[str, set[str]] = {}
    for line in (folder / "qrels.tsv").read_text().splitlines()[1:]:
        query, doc, grade = line.split("\t")
        if int(grade) > 0:
            right.setdefault(query, set()).add(f"doc:{doc}")
    asked = [
        Question(q["text"], frozenset(right[q["_id"]]))
        for q in lines(folder / "queries.jsonl")
        if q["_id"] in right
    ]
    return shuffled([document(d) for d in lines(folder / "corpus.jsonl.gz")], asked)


def question_set(name: str) -> JudgedSet:
    folder = DATA / "questions"
    asked = [
        Question(q["text"], frozenset({f"doc:{q['doc']}"}))
        for q in lines(folder / f"{name}.questions.jsonl")
    ]
    return shuffled([document(d) for d in lines(folder / f"{name}.docs.jsonl")], asked)


def shuffled(documents: list[Document], asked: list[Question]) -> JudgedSet:
    random.Random(0).shuffle(asked)
    return JudgedSet(documents, asked)


def digest(text: str) -> int:
    return hashlib.md5(text.encode(), usedforsecurity=False).digest()[0]


async def search(documents: Iterable[Document], asked: Iterable[Question]) -> list[Run]:
    with tempfile.TemporaryDirectory() as home:
        async with Kensaku(home=home, cache_enabled=False, state_url="memory:") as k:
            await k.index.add(documents)
            runs = []
            for question in asked:
                found = await k.search(question.text[:2000], route="local", max_results=10)
                if found.hits:
                    # A document that Cranfield's judges doubted is most often the query's source.
                    right = question.right | question.doubtful
                    runs.append(Run(question.text, found.hits, right))
            return runs


async def without(judged: JudgedSet, key: Callable[[Document], str], count: int) -> list[Run]:
    """Search one half of the documents for what is right in the other alone."""
    half = {d.url for d in judged.documents if digest(key(d)) & 1}
    asked = [q for q in judged.questions if not q.right & half][:count]
    return await search([d for d in judged.documents if d.url in half], asked)


async def question_runs(count: int) -> Runs:
    scifact, jsquad, xquad = (
        retrieval_set("scifact"),
        retrieval_set("jsquad"),
        question_set("xquad-en"),
    )
    runs: Runs = {}
    for name, judged in {"scifact": scifact, "jsquad": jsquad, "xquad": xquad}.items():
        runs[name] = await search(judged.documents, judged.questions[:count])
        runs[f"{name} gone"] = await without(judged, lambda d: d.url, count // 4)
    for name, judged in (("jsquad", jsquad), ("xquad", xquad)):
        runs[f"{name} off"] = await without(judged, lambda d: d.title, count // 4)
    asked = [replace(q, right=frozenset()) for q in scifact.questions]
    runs["scifact off"] = await search(xquad.documents, asked)
    return runs


async def topical_runs() -> Runs:
    names = topical.available()
    sets = {name: topical.read(name) for name in names}
    runs: Runs = {}
    for n, (name, judged) in enumerate(sets.items()):
        documents = [d for d in judged.documents if d.text]
        runs[name] = await search(documents, judged.questions)
        # Most topics have many right documents: few of them are there, and it is judged again.
        few = [d for d in documents if digest(d.url) % 8 == 0]
        runs[f"{name} gone"] = await search(few, judged.questions)
        other = next(o for o in names[n + 1 :] + names if o not in SIBLINGS.get(name, (name,)))
        asked = [replace(q, right=frozenset(), doubtful=frozenset()) for q in judged.questions]
        runs[f"{name} off"] = await search([d for d in sets[other].documents if d.text], asked)
    return runs


def without_scores(run: Run) -> Run:
    """The hits as a web provider would list them: a score of its own, and no BM25."""
    return replace(run, hits=tuple(replace(h, explain=None) for h in run.hits))


def examples(runs: Runs, left_out: Sequence[str], *, web: bool) -> list[Example]:
    shares, parts = (SHARES_WEB, PARTS_WEB) if web else (SHARES, PARTS)
    mix = {
        f"{name}{part}": share * size
        for name, share in shares.items()
        for part, size in parts.items()
        if name not in (*left_out, *MEASURED_ONLY) and runs.get(f"{name}{part}")
    }
    made = []
    for name, share in mix.items():
        each = EXAMPLES * share / sum(mix.values()) / len(runs[name])
        for run in map(without_scores, runs[name]) if web else runs[name]:
            right = run.one_is_right if web else run.first_is_right
            made.append(Example(factors_of(run.text, run.hits).fitted(), right, each))
    return made


def fit_models(runs: Runs, left_out: Sequence[str] = ()) -> Models:
    topics = [n.upper() for n in topical.NAMES if n in runs and n not in MEASURED_ONLY]
    fitted_on = f"JSQuAD (Japanese), XQuAD and the topics of {', '.join(topics)} (English)"
    local = fit(examples(runs, left_out, web=False), LOCAL, fitted_on=fitted_on)
    web = fit(examples(runs, left_out, web=True), WEB, fitted_on=FITTED_ON_WEB)
    return {
        "local": local,
        "web": Model({**web.weights, "agreement": AGREEMENT}, web.intercept, web.fitted_on),
    }


def scores(runs: Iterable[Run], models: Models) -> list[float]:
    return [confidence_of(r.text, r.hits, models=models).score for r in runs]


def sampling_error(found: Sequence[float]) -> float:
    """The calibration error that chance alone gives to scores that are exactly right."""
    rng = random.Random(0)
    draws = (calibration_error(found, [rng.random() < s for s in found]) for _ in range(100))
    return sum(draws) / 100


def report(runs: Runs, left_out: dict[str, Models], *, web: bool) -> None:
    print(f"\n{'as web results' if web else 'local index'}; each set by a model of the others")
    print("set       searches  right   AUC   ECE (by chance)   mean score gone, < .45   off, < .45")
    pooled: list[tuple[float, bool]] = []
    areas = []
    for name, models in left_out.items():
        rows = {part: runs.get(f"{name}{part}", []) for part in PARTS}
        if web:
            rows = {part: list(map(without_scores, some)) for part, some in rows.items()}
        found = {part: scores(some, models) for part, some in rows.items()}
        right = [r.one_is_right if web else r.first_is_right for r in rows[""]]
        whole = found[""]
        area = area_under_curve(whole, right)
        if name in topical.NAMES:
            pooled += zip(whole, right, strict=True)
            areas.append(area)
        cells = [
            f"{sum(f) / len(f):8.2f} {sum(s < 0.45 for s in f) / len(f):5.2f}" if f else " " * 14
            for f in (found[" gone"], found[" off"])
        ]
        print(
            f"{name:10} {len(whole):7} {sum(right) / len(right):6.2f} {area:6.3f} "
            f"{calibration_error(whole, right):5.3f} ({sampling_error(whole):.3f})"
            f"{'':10}{cells[0]}{'':8}{cells[1]}"
        )
    if areas:
        together = calibration_error([s for s, _ in pooled], [r for _, r in pooled])
        print(
            f"topics: AUC {sum(areas) / len(areas):.3f} on average, {min(areas):.3f} at least; "
            f"ECE of all together {together:.3f}"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--questions", type=int, default=1_000)
    parser.add_argument("--fit", action="store_true")
    args = parser.parse_args()
    if not (DATA / "questions").is_dir():
        print(f"skipped: there is no {DATA}/questions; set KENSAKU_DATA to the folder of the data")
        return
    if len(topical.available()) < len(topical.NAMES):
        print(f"not all collections of bench/topical.py are in {topical.TOPICAL}")
    runs = asyncio.run(topical_runs()) | asyncio.run(question_runs(args.questions))
    if args.fit:
        models = fit_models(runs)
        write_models(SHIPPED, {**shipped_models(), **models})
        print(models)
    names = [name for name in (*topical.NAMES, "scifact", *QUESTIONS) if name in runs]
    left_out = {name: fit_models(runs, SIBLINGS.get(name, (name,))) for name in names}
    for web in (False, True):
        report(runs, left_out, web=web)


if __name__ == "__main__":
    main()
