"""Is a query sent to those who know? And where the weights come from.

    python bench/intent.py          each labelled set, and sets from elsewhere where they are there
    python bench/intent.py --fit    fit on the sets of FITTED, write search/intent/weights.json

The labelled queries are in `tests/search/intents`. A set of FITTED is also scored with weights that
were fitted on the others. Sets from elsewhere ($KENSAKU_DATA, or ../shared/data) have one label:
a title of SciFact is a paper, a question about an encyclopedia is general. They are measured on,
never fitted on.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import get_args

import numpy as np

from kensaku.search.intent.cues import Text
from kensaku.search.intent.evidence import evidence_of
from kensaku.search.intent.model import MAX_CHARS, SHIPPED, Intent, Model, shipped_model
from kensaku.search.intent.shapes import IDENTIFIED

SETS = Path(__file__).parents[1] / "tests" / "search" / "intents"
DATA = Path(os.environ.get("KENSAKU_DATA") or Path(__file__).parents[2] / "shared" / "data")
FITTED = (
    *("later", "agent", "scholar", "pasted", "chat", "terse", "office", "visitor", "expert"),
    *("encyclopedia", "namesakes"),
)
INTENTS: tuple[Intent, ...] = get_args(Intent)
SPECIAL = ("papers", "code", "errors")
PENALTY = 1.0  # on the squares of the weights: chosen on sets that were left out of the fit
LEAN = 0.7  # given to those of SPECIAL: a missed intent costs a source, a wrong one a free request
STEPS, RATE = 4_000, 0.5
# What leaves little doubt, however few of the labelled queries have it. The penalty pulls to these.
PRIOR: Mapping[str, tuple[Intent, float]] = {
    "repository": ("code", 3.0),
    "owner_and_name": ("code", 3.0),
    "identifier": ("code", 2.5),
    "technology": ("code", 2.5),
    "file_name": ("code", 1.5),
    "symbols": ("code", 1.5),
    "option": ("code", 1.0),
    "handling": ("code", 5.0),
    "in_language": ("code", 2.5),
    "technical & programming_any": ("code", 1.0),
    "language & programming_any": ("code", 2.0),
    "open_source & software": ("code", 3.0),
    "exception": ("errors", 5.0),
    "message": ("errors", 4.0),
    "prefix": ("errors", 3.0),
    "technical & trouble": ("errors", 2.0),
    "technical & message": ("errors", 2.0),
    "literature": ("papers", 4.0),
    "papers_at_end": ("papers", 3.0),
    "academic & science": ("papers", 1.5),
    "news": ("news", 3.0),
    "recent & event": ("news", 2.0),
    "daily": ("general", 1.5),
    "device": ("general", 2.0),
    "not_papers": ("general", 3.0),
    "not_papers_ja": ("general", 3.0),
    "not_news": ("general", 3.0),
    "business": ("general", 1.0),
}

Labelled = list[tuple[Intent, str]]


def labelled(name: str) -> Labelled:
    """Read a set."""
    read = json.loads((SETS / f"{name}.json").read_text("utf-8"))
    return [(label, query) for label, queries in read.items() for query in queries]


def fit(examples: Labelled) -> Model:
    """Fit a logistic regression over the evidence of all examples."""
    free = [(label, q) for label, q in examples if not IDENTIFIED.search(q)]
    found = [evidence_of(Text(q[:MAX_CHARS])) for _, q in free]
    names = sorted({name for evidence in found for name in evidence} | PRIOR.keys())
    x = np.array([[*(e.get(n, 0.0) for n in names), 1.0] for e in found])
    y = np.array([[label == intent for intent in INTENTS] for label, _ in free], float)
    centre = np.zeros((x.shape[1], len(INTENTS)))
    for name, (intent, weight) in PRIOR.items():
        centre[names.index(name), INTENTS.index(intent)] = weight
    theta = centre.copy()
    speed = np.zeros_like(theta)
    shrink = np.full((x.shape[1], 1), PENALTY / len(x))
    shrink[-1] = 0.0  # the intercept is free
    for _ in range(STEPS):
        z = x @ theta
        p = np.exp(z - z.max(axis=1, keepdims=True))
        p /= p.sum(axis=1, keepdims=True)
        speed = 0.9 * speed - RATE * (x.T @ (p - y) / len(x) + shrink * (theta - centre))
        theta += speed
    rows = [_row(values) for values in theta]
    intercept = {i: round(v + LEAN * (i in SPECIAL), 2) for i, v in rows[-1].items()}
    return Model(intercept, dict(zip(names, rows[:-1], strict=True)))


def _row(values: np.ndarray) -> dict[Intent, float]:
    return {i: round(float(v), 2) for i, v in zip(INTENTS, values, strict=True)}


def guess(model: Model, query: str) -> Intent:
    """As `intent_of`, with this model."""
    if IDENTIFIED.search(query[:MAX_CHARS]):
        return "papers"
    scores = model.scores(evidence_of(Text(query[:MAX_CHARS])))
    return max(scores, key=scores.__getitem__)


def report(name: str, model: Model, examples: Labelled, *, show: bool) -> None:
    """Print how many are right, and which kinds were taken for which."""
    pairs = [(label, guess(model, q), q) for label, q in examples]
    right = sum(label == got for label, got, _ in pairs)
    sent = sum(_asked(label) == _asked(got) for label, got, _ in pairs)
    wrong = Counter(f"{label} > {got}" for label, got, _ in pairs if label != got)
    print(f"{name:28} {right}/{len(pairs)} right, {sent}/{len(pairs)} sent rightly", dict(wrong))
    if show:
        print(*(f"    {a} > {b}: {q}" for a, b, q in pairs if a != b), sep="\n")


def _asked(intent: str) -> str:
    return intent if intent in SPECIAL else "nobody"


def elsewhere(model: Model) -> None:
    """Print what is made of queries and titles that nobody here wrote."""
    for name, path, field in (
        ("SciFact titles", "retrieval/scifact/corpus.jsonl.gz", "title"),
        ("XQuAD questions", "questions/xquad-en.questions.jsonl", "text"),
        ("JSQuAD questions", "questions/jsquad-ja.questions.jsonl", "text"),
    ):
        if not (DATA / path).exists():
            print(f"{name:28} not here: {path}")
            continue
        texts = [json.loads(row)[field] for row in _rows(DATA / path)]
        counted = Counter(guess(model, text) for text in texts)
        shares = {intent: f"{n / len(texts):.1%}" for intent, n in counted.most_common()}
        print(f"{name:28} {len(texts)}", shares)


def _rows(path: Path) -> Iterable[str]:
    with gzip.open(path, "rt") if path.suffix == ".gz" else path.open() as file:
        yield from file


def write(model: Model, names: Sequence[str]) -> None:
    """Write the weights, one piece of evidence a line."""
    rows = [f"  {json.dumps(name)}: {json.dumps(row)}" for name, row in model.weights.items()]
    fitted_on = "the labelled queries of " + ", ".join(names)
    SHIPPED.write_text(
        f'{{\n "fitted_on": {json.dumps(fitted_on)},\n'
        f' "intercept": {json.dumps(model.intercept)},\n "weights": {{\n'
        + ",\n".join(rows)
        + "\n }\n}\n",
        "utf-8",
    )


def main() -> None:
    """Fit, or measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fit", action="store_true", help="fit, and write the weights")
    parser.add_argument("--show", action="store_true", help="print the queries that are wrong")
    options = parser.parse_args()
    if options.fit:
        write(fit([e for name in FITTED for e in labelled(name)]), FITTED)
        shipped_model.cache_clear()
    for path in sorted(SETS.glob("*.json")):
        name = path.stem
        report(name, shipped_model(), labelled(name), show=options.show and name in FITTED)
        if name in FITTED:
            others = [e for other in FITTED if other != name for e in labelled(other)]
            report(f"  {name}, left out", fit(others), labelled(name), show=options.show)
    elsewhere(shipped_model())


if __name__ == "__main__":
    main()
