"""Train the models that tell main content from the rest: pages with right answers → trees.

    pages → weights of words, kinds of pages → scores of blocks → selection
          → F1, cross-validated over sites → models on all pages

Needs `lightgbm`, `numpy` and `scipy`, which the product does not. Run from the project's root:

    python bench/train_extractor.py [--folds N] [--cache FOLDER] [--write]

The pages are the 1,497 of WCXB's dev split (see `bench/extraction.py`). The trees over blocks learn
from what words and kinds say about pages of sites that those have not seen. The folds are the same
for all, so a page never meets a model that was trained on its site; the words' weights and kinds
that the other folds learn from may have been, which flatters the figures a little. With `--write`
the models are trained on all pages, with seeds that are fixed; the trees over blocks then learn
from the words' weights and kinds of the folds, so the number of folds is part of the model: 3.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import lightgbm
import numpy as np

from extraction import mean_by_kind, word_f1
from extractor_cases import Case, feature_names, load_cases
from extractor_words import WordStage
from kensaku.extract.main import model
from kensaku.extract.main.kinds import KINDS
from kensaku.extract.main.select import choose
from kensaku.extract.main.vocabulary import VOCABULARY_NAMES

KIND_ROUNDS, BLOCK_ROUNDS = 80, 120
PROCESSES = 2
MOST_BLOCKS = 600  # of one page
RAREST = 6  # a signal of fewer pages says nothing about others
COMMON: dict[str, Any] = {
    "lambda_l2": 5.0,
    "num_threads": 1,  # two folds run at a time
    "seed": 1,
    "deterministic": True,
    "force_row_wise": True,
    "verbose": -1,
}
KIND_PARAMETERS = COMMON | {
    "objective": "multiclass",
    "num_class": len(KINDS),
    "learning_rate": 0.1,
    "num_leaves": 7,
    "min_data_in_leaf": 8,
    "feature_fraction": 0.2,
    "lambda_l2": 1.0,
    "max_bin": 31,
}
BLOCK_PARAMETERS = COMMON | {
    "objective": "cross_entropy",
    "learning_rate": 0.12,
    "num_leaves": 24,
    "min_data_in_leaf": 120,
    "extra_trees": True,
    "feature_fraction": 0.4,
    "bagging_fraction": 0.8,
    "bagging_freq": 1,
    "max_bin": 63,
}
Fit = Callable[[list[int]], lightgbm.Booster]


class Stage:
    """One model over inputs: trained on all, and asked about pages it has not seen."""

    def __init__(self, inputs: list[np.ndarray], fit: Fit) -> None:
        self._inputs, self.fit = inputs, fit

    def predict(self, pages: np.ndarray, booster: lightgbm.Booster) -> list[np.ndarray]:
        found = booster.predict(np.concatenate([self._inputs[i] for i in pages]), num_threads=1)
        ends = np.cumsum([len(self._inputs[i]) for i in pages])
        return np.split(found, ends[:-1])


def out_of_fold(stage: Stage | WordStage, folds: np.ndarray) -> list[np.ndarray]:
    """Return the predictions for each page by a model without its fold."""
    predictions: list[np.ndarray] = [np.empty(0)] * len(folds)
    # Forked, so that each process has the inputs without a copy.
    _forked.update(stage=stage, folds=folds)
    with multiprocessing.get_context("fork").Pool(PROCESSES) as pool:
        for fold, parts in enumerate(pool.imap(_one_fold, range(folds.max() + 1))):
            for i, part in zip(np.flatnonzero(folds == fold), parts, strict=True):
                predictions[i] = part
            print(f"  fold {fold}", flush=True)
    return predictions


_forked: dict[str, Any] = {}


def _one_fold(fold: int) -> list[np.ndarray]:
    stage, folds = _forked["stage"], _forked["folds"]
    booster = stage.fit([int(i) for i in np.flatnonzero(folds != fold)])
    return stage.predict(np.flatnonzero(folds == fold), booster)


def kind_stage(cases: list[Case], names: list[str]) -> Stage:
    """The kinds of pages, from their signals."""
    inputs = [np.array([[c.signals.get(n, 0.0) for n in names]], np.float32) for c in cases]
    right = np.array([KINDS.index(c.kind) for c in cases])

    def fit(pages: list[int]) -> lightgbm.Booster:
        data = lightgbm.Dataset(np.concatenate([inputs[i] for i in pages]), right[pages])
        return lightgbm.train(KIND_PARAMETERS, data, KIND_ROUNDS)

    return Stage(inputs, fit)


def block_stage(cases: list[Case], inputs: list[np.ndarray]) -> Stage:
    """The share of each block that is main content."""
    sampled = [_sample(len(x)) for x in inputs]

    def fit(pages: list[int]) -> lightgbm.Booster:
        data = lightgbm.Dataset(
            np.concatenate([inputs[i][sampled[i]] for i in pages]),
            np.concatenate([cases[i].labels[sampled[i]] for i in pages]),
            weight=np.concatenate(
                [cases[i].weights[sampled[i]] * len(inputs[i]) / len(sampled[i]) for i in pages]
            ),
        )
        return lightgbm.train(BLOCK_PARAMETERS, data, BLOCK_ROUNDS)

    return Stage(inputs, fit)


def _sample(count: int) -> np.ndarray:
    """Positions of the blocks to learn from: of a large page, some stand for all."""
    if count <= MOST_BLOCKS:
        return np.arange(count)
    return np.sort(np.random.RandomState(count).choice(count, MOST_BLOCKS, replace=False))


def common_signals(cases: list[Case]) -> list[str]:
    """The signals that enough pages have, in a fixed order."""
    pages = Counter(name for c in cases for name in c.signals)
    return sorted(name for name, count in pages.items() if count >= RAREST)


def with_kinds(
    cases: list[Case], words: list[np.ndarray], kinds: list[np.ndarray]
) -> list[np.ndarray]:
    """The features of each block, with what its words say and the kinds of its page."""
    start = feature_names().index(VOCABULARY_NAMES[0])
    inputs = []
    for case, sums, kind in zip(cases, words, kinds, strict=True):
        rows = np.hstack([case.rows, np.repeat(kind.astype(np.float32), len(case.rows), axis=0)])
        rows[:, start : start + len(VOCABULARY_NAMES)] = sums
        inputs.append(rows)
    return inputs


def folds_by_site(cases: list[Case], count: int) -> np.ndarray:
    sites = sorted({c.site for c in cases})
    np.random.RandomState(0).shuffle(sites)
    fold = {site: i % count for i, site in enumerate(sites)}
    return np.array([fold[c.site] for c in cases])


def report(cases: list[Case], shares: list[np.ndarray]) -> None:
    """Print F1 by kind, over all pages and over the 360."""
    scores = []
    for case, share in zip(cases, shares, strict=True):
        chosen = choose(case.blocks, share.tolist())
        scores.append((case.kind, word_f1("\n".join(b.text for b in chosen), case.text)))
    balanced = [s for s, c in zip(scores, cases, strict=True) if c.balanced]
    print(f"all pages: {mean_by_kind(scores)}")
    print(f"the 360: {mean_by_kind(balanced)}", flush=True)


def trees_of(booster: lightgbm.Booster, names: list[str]) -> dict[str, Any]:
    """The model as our own JSON: only the numbers that its trees look at."""
    used: dict[int, int] = {}
    trees = [_tree(t["tree_structure"], used) for t in booster.dump_model()["tree_info"]]
    return {"features": [names[i] for i in used], "trees": trees}


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
    parser.add_argument("--folds", type=int, default=3, help="how many parts; 3 if unsaid")
    parser.add_argument("--cache", type=Path, help="where to keep the prepared pages")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        cases = load_cases(arguments.cache or Path(folder))
    print(f"{len(cases)} pages, {sum(len(c.blocks) for c in cases):,} blocks", flush=True)
    folds = folds_by_site(cases, arguments.folds)
    signals, everything = common_signals(cases), list(range(len(cases)))

    words = WordStage(cases)
    said = out_of_fold(words, folds)
    kinds = kind_stage(cases, signals)
    guessed = out_of_fold(kinds, folds)
    right = [KINDS[int(k.argmax())] == c.kind for k, c in zip(guessed, cases, strict=True)]
    print(f"kinds: {np.mean(right):.3f} right", flush=True)

    inputs = with_kinds(cases, said, guessed)
    blocks = block_stage(cases, inputs)
    report(cases, out_of_fold(blocks, folds))

    if arguments.write:
        names = [*feature_names(), *(f"kind:{k}" for k in KINDS)]
        content = {
            "words": words.weights(words.fit(everything)),
            "kinds": trees_of(kinds.fit(everything), signals),
            "blocks": trees_of(blocks.fit(everything), names),
        }
        path = Path(model.__file__).with_name(model.FILE)
        path.write_text(json.dumps(content, separators=(",", ":")) + "\n", encoding="utf-8")
        print(f"{path.name}: {path.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
