"""Train the models that tell main content from the rest: pages with right answers → trees.

    pages → weights of words, kinds of pages → scores of blocks → selection
          → F1, cross-validated over sites → models on all pages

Needs `lightgbm`, `numpy` and `scipy`, which the product does not. Run from the project's root:

    python bench/train_extractor.py [--sets NAME …] [--test NAME …] [--folds N] [--cache FOLDER]
                                    [--write]

The pages are the 1,497 of WCXB's dev split (see `bench/extraction.py`) and the sets of articles of
`bench/extraction_sets.py` that are there; `--sets` names others, and `--test` sets that are
measured but not learned from. The trees over blocks learn from what words and kinds say about
pages of sites that those have not seen. The folds are the same for all, so a page never meets a
model that was trained on its site; the words' weights and kinds that the other folds learn from
may have been, which flatters the figures a little. Kinds are learned from WCXB and from the sets
of articles; the Japanese set does not say them. With `--write` the models are trained on all pages,
with seeds that are fixed; the trees over blocks then learn from the words' weights and kinds of the
folds, so the number of folds is part of the model: 3.

What belongs to an article is what WCXB says: the other sets say otherwise about captions, which
therefore do not teach.
"""

from __future__ import annotations

import argparse
import gc
import json
import multiprocessing
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import lightgbm
import numpy as np
from scipy.sparse import csr_matrix

from extraction import word_f1
from extraction_sets import SETS, is_japanese_news, set_folder
from extractor_cases import Case, feature_names, load_pages, prepare
from extractor_words import PageWords, WordStage
from kensaku.extract.main import model
from kensaku.extract.main.kinds import KINDS
from kensaku.extract.main.select import choose, folds_repeats
from kensaku.extract.main.vocabulary import VOCABULARY_NAMES

KIND_ROUNDS, BLOCK_ROUNDS = 80, 160
PROCESSES = 2
MOST_BLOCKS = 400  # of one page
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
    "learning_rate": 0.1,
    "num_leaves": 31,
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


TESTED = -1  # the fold of pages that no model learns from


def out_of_fold(stage: Stage | WordStage, folds: np.ndarray) -> tuple[list[np.ndarray], Any]:
    """Return the predictions for each page by a model without its fold, and the model of all."""
    predictions: list[np.ndarray] = [np.empty(0)] * len(folds)
    parts = [*range(folds.max() + 1), TESTED]
    everything = None
    # Forked, so that each process has the inputs without a copy.
    _forked.update(stage=stage, folds=folds)
    with multiprocessing.get_context("fork").Pool(PROCESSES) as pool:
        for fold, (found, fitted) in zip(parts, pool.imap(_one_fold, parts), strict=True):
            for i, part in zip(np.flatnonzero(folds == fold), found, strict=True):
                predictions[i] = part
            everything = fitted
            print(f"  fold {fold}", flush=True)
    return predictions, everything


_forked: dict[str, Any] = {}


def _one_fold(fold: int) -> tuple[list[np.ndarray], Any]:
    stage, folds = _forked["stage"], _forked["folds"]
    learned = (folds != TESTED) & (folds != fold)
    fitted = stage.fit([int(i) for i in np.flatnonzero(learned)])
    asked = np.flatnonzero(folds == fold)
    return (stage.predict(asked, fitted) if len(asked) else []), fitted


def kind_stage(cases: list[Case], names: list[str]) -> Stage:
    """The kinds of pages, from their signals."""
    inputs = [np.array([[c.signals.get(n, 0.0) for n in names]], np.float32) for c in cases]

    def fit(pages: list[int]) -> lightgbm.Booster:
        known = [i for i in pages if cases[i].page.kind]
        right = np.array([KINDS.index(cases[i].page.kind) for i in known])
        data = lightgbm.Dataset(np.concatenate([inputs[i] for i in known]), right)
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


def folds_by_site(cases: list[Case], count: int, tested: set[str]) -> np.ndarray:
    sites = sorted({c.site for c in cases})
    np.random.RandomState(0).shuffle(sites)
    fold = {site: i % count for i, site in enumerate(sites)}
    return np.array([TESTED if c.page.source in tested else fold[c.site] for c in cases])


def report(cases: list[Case], shares: list[np.ndarray], kinds: list[np.ndarray]) -> None:
    """Print F1 by set, for WCXB also by kind and over the 360."""
    scores: dict[str, list[float]] = {}
    for case, share, kind in zip(cases, shares, kinds, strict=True):
        page, said = case.page, kind[0].tolist()
        certainty = model.article_certainty(said, [case.first])
        trusted = model.doubt_surroundings(share.tolist(), case.surroundings, certainty)
        chosen = choose(page.blocks, trusted, folds=folds_repeats(said))
        score = word_f1("\n".join(b.text for b in chosen), page.text)
        groups = [page.source]
        if page.source == "wcxb":
            groups += [f"wcxb {page.kind}"] + ["the 360"] * page.balanced
        elif is_japanese_news(page.source, page.text):
            groups.append("Japanese news")
        for group in groups:
            scores.setdefault(group, []).append(score)
    for group, found in sorted(scores.items()):
        print(f"  {group:22} {len(found):5} pages  F1 {np.mean(found):.4f}", flush=True)


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
    parser.add_argument("--sets", nargs="+", help="the sets to learn from; all that are there")
    parser.add_argument("--test", nargs="+", default=[], help="sets to measure alone")
    parser.add_argument("--write", action="store_true", help="train on all pages, write the model")
    parser.add_argument("--folds", type=int, default=3, help="how many parts; 3 if unsaid")
    parser.add_argument("--cache", type=Path, help="where to keep the parsed pages")
    arguments = parser.parse_args()
    here = ["wcxb", *(name for name in SETS if set_folder(name).exists())]
    tested = {name for name in arguments.test if name in here}
    learned = [n for n in arguments.sets or here if n not in tested]
    gc.disable()  # millions of small objects, none of them garbage
    with tempfile.TemporaryDirectory() as folder:
        pages = load_pages(arguments.cache or Path(folder), (*learned, *sorted(tested)))
    cases = [prepare(page) for page in pages]
    print(f"{Counter(p.source for p in pages)}, {sum(len(p.blocks) for p in pages):,} blocks")
    folds = folds_by_site(cases, arguments.folds, tested)
    signals = common_signals(cases)

    words = WordStage(cases)
    said, all_words = out_of_fold(words, folds)
    kinds = kind_stage(cases, signals)
    guessed, all_kinds = out_of_fold(kinds, folds)
    inputs = with_kinds(cases, said, guessed)
    for case in cases:
        case.words, case.rows = PageWords([], csr_matrix((0, 0))), np.empty(0)
    shares, all_blocks = out_of_fold(block_stage(cases, inputs), folds)
    report(cases, shares, guessed)

    if arguments.write:
        names = [*feature_names(), *(f"kind:{k}" for k in KINDS)]
        content = {
            "words": words.weights(all_words),
            "kinds": trees_of(all_kinds, signals),
            "blocks": trees_of(all_blocks, names),
        }
        path = Path(model.__file__).with_name(model.FILE)
        path.write_text(json.dumps(content, separators=(",", ":")) + "\n", encoding="utf-8")
        print(f"{path.name}: {path.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
