"""Train the model that tells main content from the rest: pages with right answers → trees.

    pages → blocks, numbers, labels → cross-validation over sites → one model on all pages

Needs `lightgbm` and `numpy`, which the product does not. Run from the project's root:

    python bench/train_extractor.py [--folds N] [--write]

Without `--write` only the cross-validated F1 is printed: pages of a site are never in both the
training and the test part of a fold. Fewer folds train on fewer pages: two on half of them.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter, defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import lightgbm
import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent))
from extraction import Sample, load_samples, mean_by_kind, word_f1, words
from kensaku.extract.html.metadata import read_metadata
from kensaku.extract.html.page import visible_blocks
from kensaku.extract.html.tree import parse_html
from kensaku.extract.main import features, model
from kensaku.extract.main.blocks import Block
from kensaku.extract.main.select import best_selection, drop_repeats

ROUNDS = 110
MOST_WORDS = 60  # a block's weight grows with its words up to here
PARAMETERS: dict[str, Any] = {
    "objective": "cross_entropy",
    "learning_rate": 0.13,
    "num_leaves": 16,
    "min_data_in_leaf": 200,
    "extra_trees": True,
    "feature_fraction": 0.4,
    "bagging_fraction": 0.8,
    "bagging_freq": 1,
    "lambda_l2": 5.0,
    "max_bin": 63,
    "num_threads": 1,
    "seed": 1,
    "deterministic": True,
    "verbose": -1,
}
GRAM = 4


@dataclass
class Case:
    """One page, ready for training."""

    sample: Sample
    blocks: list[Block]
    rows: np.ndarray
    labels: np.ndarray
    weights: np.ndarray

    @property
    def site(self) -> str:
        return urlsplit(self.sample.url).netloc.removeprefix("www.")


def prepare(sample: Sample) -> Case:
    """The blocks of a page with their numbers, labels and weights."""
    root = parse_html(sample.html)
    meta = read_metadata(root, sample.url)
    blocks, _ = visible_blocks(root, meta)
    facts = features.PageFacts(meta.title)
    rows = np.array([expand(r) for r in features.rows(blocks, facts)], dtype=np.float32)
    sizes = np.array([min(b.size, MOST_WORDS) + 1 for b in blocks])
    return Case(
        sample,
        blocks,
        rows.reshape(len(blocks), len(feature_names())),
        label(blocks, sample.text),
        sizes / max(sizes.sum(), 1) * 10,
    )


def feature_names() -> list[str]:
    """Return the name of each number and each bit, in the order of `expand`."""
    bits = (f"{field}:{bit}" for field, names in features.BIT_FIELDS for bit in names)
    return [*features.NUMBERS, *bits]


def expand(row: list[float]) -> list[float]:
    """Turn the bits of a row into one number each, as training wants them."""
    count = len(features.NUMBERS)
    return row[:count] + [
        float(int(value) >> n & 1)
        for value, (_, names) in zip(row[count:], features.BIT_FIELDS, strict=True)
        for n in range(len(names))
    ]


def label(blocks: list[Block], answer: str) -> np.ndarray:
    """For each block the share of its words that stands in the right answer.

    Long blocks count by their runs of four words. Short ones must be a line or a cell of the
    answer; when the page says them more often, those near long right blocks are meant.
    """
    lines: Counter[tuple[str, ...]] = Counter()
    for line in answer.split("\n"):
        lines.update({tuple(words(part)) for part in {line, *line.split("|")}} - {()})
    tokens = words(answer)
    grams = {n: {tuple(tokens[i : i + n]) for i in range(len(tokens) - n + 1)} for n in range(1, 5)}
    said = [tuple(words(b.text)) for b in blocks]
    labels = np.array([_covered(t, grams[GRAM]) for t in said])
    near = np.array([len(t) if len(t) >= 8 else 0 for t in said]) * labels
    places: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for i, text in enumerate(said):
        if text:
            places[text].append(i)
    for text, found in places.items():
        times, value = lines.get(text, 0), 1.0
        if len(text) >= GRAM:
            times = max(times, 1)
        elif not times and text in grams[len(text)]:
            times, value = 1, 0.7 if len(text) > 1 else 0.3
        ranked = sorted(found, key=lambda i: -near[max(0, i - 8) : i + 9].sum())
        for rank, i in enumerate(ranked):
            if rank >= times:
                labels[i] = 0.0
            elif len(text) < GRAM:
                labels[i] = value
    return labels


def _covered(text: tuple[str, ...], grams: set[tuple[str, ...]]) -> float:
    covered = np.zeros(len(text))
    for i in range(len(text) - GRAM + 1):
        if text[i : i + GRAM] in grams:
            covered[i : i + GRAM] = 1
    return float(covered.mean()) if len(text) >= GRAM else 0.0


def fit(cases: list[Case]) -> lightgbm.Booster:
    """Train on these pages."""
    data = lightgbm.Dataset(
        np.concatenate([c.rows for c in cases]),
        np.concatenate([c.labels for c in cases]),
        weight=np.concatenate([c.weights for c in cases]),
    )
    return lightgbm.train(PARAMETERS, data, ROUNDS)


def selected(case: Case, booster: lightgbm.Booster) -> str:
    """The text that the product would give with this model."""
    if not case.blocks:
        return ""
    shares = booster.predict(case.rows).tolist()
    taken = best_selection(shares, [b.size for b in case.blocks])
    chosen = [b for b, take in zip(case.blocks, taken, strict=True) if take]
    return "\n".join(b.text for b in drop_repeats(chosen))


def cross_validate(cases: list[Case], folds: int) -> list[tuple[str, float]]:
    """The kind and the F1 of each page, by a model that has not seen its site."""
    sites = sorted({c.site for c in cases})
    np.random.RandomState(0).shuffle(sites)
    fold = {site: i % folds for i, site in enumerate(sites)}
    scores = []
    for number in range(folds):
        booster = fit([c for c in cases if fold[c.site] != number and c.blocks])
        unseen = [c for c in cases if fold[c.site] == number]
        scores += [(c.sample.kind, word_f1(selected(c, booster), c.sample.text)) for c in unseen]
    return scores


def write(booster: lightgbm.Booster, path: Path) -> None:
    """The model as our own JSON: only the numbers that its trees look at."""
    dump = booster.dump_model()
    used: dict[int, int] = {}
    trees = [_tree(t["tree_structure"], used) for t in dump["tree_info"]]
    names = feature_names()
    content = {"features": [names[i] for i in used], "trees": trees}
    path.write_text(json.dumps(content, separators=(",", ":")) + "\n", encoding="utf-8")
    print(f"{path}: {len(trees)} trees, {len(used)} features, {path.stat().st_size:,} bytes")


def _tree(node: dict[str, Any], used: dict[int, int]) -> Any:
    if "leaf_value" in node:
        return round(node["leaf_value"], 4)
    column = used.setdefault(node["split_feature"], len(used))
    bound = float(f"{node['threshold']:.6g}")
    return [column, bound, _tree(node["left_child"], used), _tree(node["right_child"], used)]


def main() -> None:
    """Cross-validate, and train on everything when asked to."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--write", action="store_true", help="train on all pages, write the model")
    parser.add_argument("--folds", type=int, default=5, help="how many parts; 5 if unsaid")
    arguments = parser.parse_args()
    cases = [prepare(s) for s in load_samples() if s.text]
    print(f"{len(cases)} pages, {sum(len(c.blocks) for c in cases):,} blocks")
    print("cross-validated F1:", mean_by_kind(cross_validate(cases, arguments.folds)))
    if arguments.write:
        booster = fit([c for c in cases if c.blocks])
        write(booster, Path(features.__file__).with_name(model.FILE))


if __name__ == "__main__":
    main()
