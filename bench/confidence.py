"""Does confidence know right from wrong? And where its weights come from.

    python bench/confidence.py          AUC, calibration error, off-topic scores of each set
    python bench/confidence.py --fit    fit on XQuAD and JSQuAD, write models/confidence.json
    python bench/answers.py --fit       fit "answer" there, which weighs confidence, too

The local index is searched with the judged questions of $KENSAKU_DATA (or ../shared/data): as they
are; with the half of the documents taken out that holds the right one ("gone"); and with the half
of the titles taken out, or in another set's documents ("off-topic"). XQuAD and JSQuAD are fitted
on; their own rows in the table are cross-validated (5 folds). SciFact, whose licence allows
measuring alone, is never fitted on.
"""

from __future__ import annotations

import argparse
import asyncio
import gzip
import hashlib
import json
import os
import random
import tempfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from kensaku import Document, Kensaku
from kensaku.models import Hit
from kensaku.models.calibration import SHIPPED, Model, Models, shipped_models
from kensaku.models.confidence import confidence_of, factors_of
from regression import Example, area_under_curve, calibration_error, fit, write_models

DATA = Path(os.environ.get("KENSAKU_DATA") or Path(__file__).parents[2] / "shared" / "data")
LOCAL = ("coverage", "lead", "gap")
WEB = ("best_coverage", "lead", "gap")
# How much each set counts in the fit. Most runs are questions with an answer; a few have none.
MIX = {
    "xquad": 0.6,
    "jsquad": 1.0,
    "xquad gone": 0.1,
    "jsquad gone": 0.1,
    "xquad off": 0.1,
    "jsquad off": 0.2,
}
# The web holds more that is about something else than a collection that was put together.
MIX_WEB = MIX | {"jsquad gone": 0.2, "xquad off": 0.3, "jsquad off": 0.6}
EXAMPLES = 2_000  # that all sets together are worth, beside a penalty of 1
FOLDS = 5
AGREEMENT = 1.0  # by hand: there are no judged runs of several providers to fit it on
FITTED_ON = "JSQuAD (Japanese) and XQuAD (English), searched in the local index"
FITTED_ON_WEB = f"{FITTED_ON}, without its scores; not judged on web results"


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


@dataclass(frozen=True)
class JudgedSet:
    documents: list[Document]
    questions: list[tuple[str, frozenset[str]]]


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
        (q["text"], frozenset(right[q["_id"]]))
        for q in lines(folder / "queries.jsonl")
        if q["_id"] in right
    ]
    return shuffled([document(d) for d in lines(folder / "corpus.jsonl.gz")], asked)


def question_set(name: str) -> JudgedSet:
    folder = DATA / "questions"
    asked = [
        (q["text"], frozenset({f"doc:{q['doc']}"}))
        for q in lines(folder / f"{name}.questions.jsonl")
    ]
    return shuffled([document(d) for d in lines(folder / f"{name}.docs.jsonl")], asked)


def shuffled(documents: list[Document], asked: list[tuple[str, frozenset[str]]]) -> JudgedSet:
    random.Random(0).shuffle(asked)
    return JudgedSet(documents, asked)


def in_half(text: str) -> bool:
    return bool(hashlib.md5(text.encode(), usedforsecurity=False).digest()[0] & 1)


async def search(
    documents: Iterable[Document], asked: Iterable[tuple[str, frozenset[str]]]
) -> list[Run]:
    with tempfile.TemporaryDirectory() as home:
        async with Kensaku(home=home, cache_enabled=False, state_url="memory:") as k:
            await k.index.add(documents)
            runs = []
            for text, right in asked:
                found = await k.search(text[:2000], route="local", max_results=10)
                if found.hits:
                    runs.append(Run(text, found.hits, right))
            return runs


async def without(judged: JudgedSet, key: Callable[[Document], str], count: int) -> list[Run]:
    """Search one half of the documents for what is right in the other alone."""
    half = {d.url for d in judged.documents if in_half(key(d))}
    asked = [q for q in judged.questions if not q[1] & half][:count]
    return await search([d for d in judged.documents if d.url in half], asked)


async def all_runs(count: int) -> dict[str, list[Run]]:
    scifact, jsquad, xquad = (
        retrieval_set("scifact"),
        retrieval_set("jsquad"),
        question_set("xquad-en"),
    )
    sets = {"scifact": scifact, "jsquad": jsquad, "xquad": xquad}
    runs: dict[str, list[Run]] = {}
    for name, judged in sets.items():
        runs[name] = await search(judged.documents, judged.questions[:count])
        runs[f"{name} gone"] = await without(judged, lambda d: d.url, count // 4)
    for name, judged in (("jsquad", jsquad), ("xquad", xquad)):
        runs[f"{name} off"] = await without(judged, lambda d: d.title, count // 4)
    runs["scifact off"] = await search(xquad.documents, scifact.questions)
    runs["xquad off, in scifact"] = await search(scifact.documents, xquad.questions[:400])
    return runs


def without_scores(run: Run) -> Run:
    """The hits as a web provider would list them: a score of its own, and no BM25."""
    return replace(run, hits=tuple(replace(h, explain=None) for h in run.hits))


def examples(runs: dict[str, list[Run]], *, web: bool) -> list[Example]:
    made, mix = [], MIX_WEB if web else MIX
    for name, share in mix.items():
        each = EXAMPLES * share / sum(mix.values()) / len(runs[name])
        for run in map(without_scores, runs[name]) if web else runs[name]:
            right = run.one_is_right if web else run.first_is_right
            made.append(Example(factors_of(run.text, run.hits).fitted(), right, each))
    return made


def fit_models(runs: dict[str, list[Run]]) -> Models:
    local = fit(examples(runs, web=False), LOCAL, fitted_on=FITTED_ON)
    web = fit(examples(runs, web=True), WEB, fitted_on=FITTED_ON_WEB)
    return {
        "local": local,
        "web": Model({**web.weights, "agreement": AGREEMENT}, web.intercept, web.fitted_on),
    }


def scores(runs: Iterable[Run], models: Models) -> list[float]:
    return [confidence_of(r.text, r.hits, models=models).score for r in runs]


def fold_models(runs: dict[str, list[Run]]) -> list[Models]:
    """The models of each fold, fitted on the other four."""
    folds = []
    for fold in range(FOLDS):
        kept = {n: [r for i, r in enumerate(runs[n]) if i % FOLDS != fold] for n in MIX}
        folds.append(fit_models(kept))
    return folds


def cross_validated(rows: list[Run], folds: list[Models]) -> list[float]:
    """The scores of a set that is fitted on, each by models that have not seen the question."""
    found = [0.0] * len(rows)
    for fold, models in enumerate(folds):
        found[fold::FOLDS] = scores(rows[fold::FOLDS], models)
    return found


def report(runs: dict[str, list[Run]], models: Models, folds: list[Models], *, web: bool) -> None:
    print(f"\n{'as web results' if web else 'local index'}: {models['web' if web else 'local']}")
    print(
        f"{'set':24} {'right':>6} {'AUC':>6} {'ECE':>6} {'mean':>6} {'< 0.3':>6} "
        f"{'AUC with right':>15}"
    )
    right_scores: dict[str, list[float]] = {}
    for name, rows in runs.items():
        seen = list(map(without_scores, rows)) if web else rows
        found = cross_validated(seen, folds) if name in MIX else scores(seen, models)
        right = [r.one_is_right if web else r.first_is_right for r in rows]
        whole = name in ("scifact", "jsquad", "xquad")
        if whole:
            right_scores[name] = [s for s, r in zip(found, right, strict=True) if r]
        good = right_scores[name.split()[0]]
        against = area_under_curve(good + found, [True] * len(good) + [False] * len(found))
        own = (area_under_curve(found, right), calibration_error(found, right))
        cells = [f"{x:6.3f}" if whole else " " * 6 for x in own]
        low = sum(s < 0.3 for s in found) / len(found)
        last = "" if whole else f"{against:15.3f}"
        share = sum(right) / len(right)
        print(
            f"{name:24} {share:6.3f} {cells[0]} {cells[1]} {sum(found) / len(found):6.3f} "
            f"{low:6.2f} {last}"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--questions", type=int, default=2_000)
    parser.add_argument("--fit", action="store_true")
    args = parser.parse_args()
    if not (DATA / "questions").is_dir():
        print(f"skipped: there is no {DATA}/questions; set KENSAKU_DATA to the folder of the data")
        return
    runs = asyncio.run(all_runs(args.questions))
    models = fit_models(runs) if args.fit else shipped_models()
    if args.fit:
        write_models(SHIPPED, {**shipped_models(), **models})
    folds = fold_models(runs)
    for web in (False, True):
        report(runs, models, folds, web=web)


if __name__ == "__main__":
    main()
