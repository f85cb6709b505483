"""Fit the confidence to your own searches, and print how well it tells right from wrong.

    python bench/calibrate.py runs.jsonl …              fit, and write confidence.json
    python bench/calibrate.py --dry-run runs.jsonl …    fit and print, but write nothing

Each line of a file is one judged search: what `kensaku search --json` prints on one line, with
`"right": true` or `"right": false` added. For results of the local index, right means that the
first hit answers; for web results, that one of the first five does. The fit starts from the
weights that come with Kensaku, so that a few runs change little and many decide. It is written to
confidence.json in KENSAKU_HOME, and every client that starts afterwards uses it.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from kensaku.config.settings import Settings
from kensaku.models import Hit
from kensaku.models.calibration import Model, shipped_models
from kensaku.models.confidence import factors_of, model_name
from regression import Example, area_under_curve, calibration_error, fit, write_models

LEAST_OF_EACH = 10  # right runs, and wrong ones: with fewer there is nothing to tell apart
FOLDS = 5


def read_runs(paths: Iterable[Path]) -> dict[str, list[Example]]:
    """Read the judged runs of each kind, "local" or "web", that has enough of them."""
    by_kind: dict[str, list[Example]] = {}
    for path in paths:
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
            if not line.strip():
                continue
            try:
                run = json.loads(line)
                hits = [Hit.from_dict(hit) for hit in run["hits"]]
                factors = factors_of(run["query"], hits).fitted()
                if not isinstance(right := run["right"], bool):
                    raise TypeError
            except (ValueError, KeyError, TypeError, AttributeError):
                sys.exit(
                    f"line {number} of {path} is no judged search; write what `kensaku search "
                    '--json` prints, with "right": true or false'
                )
            if hits:
                by_kind.setdefault(model_name(hits), []).append(Example(factors, right))
    return {kind: runs for kind, runs in by_kind.items() if is_enough(runs)}


def is_enough(runs: Sequence[Example]) -> bool:
    right = sum(run.right for run in runs)
    return min(right, len(runs) - right) >= LEAST_OF_EACH


def fit_to(runs: Sequence[Example], shipped: Model, total: int) -> Model:
    fitted_on = f"{total} judged runs of yours, starting from: {shipped.fitted_on}"
    return fit(runs, tuple(shipped.weights), fitted_on=fitted_on, prior=shipped)


def report(kind: str, runs: Sequence[Example], shipped: Model) -> None:
    """Print how well the shipped weights do, and the fitted ones on runs that they did not see."""
    unseen = [0.0] * len(runs)
    for fold in range(FOLDS):
        seen = [run for n, run in enumerate(runs) if n % FOLDS != fold]
        model = fit_to(seen, shipped, len(runs))
        unseen[fold::FOLDS] = [model.probability(run.factors) for run in runs[fold::FOLDS]]
    before = [shipped.probability(run.factors) for run in runs]
    right = [run.right for run in runs]
    print(f"{kind}: {len(runs)} runs, {sum(right)} right")
    for name, scores in (("shipped", before), ("fitted", unseen)):
        auc, error = area_under_curve(scores, right), calibration_error(scores, right)
        print(f"  {name:8} AUC {auc:.3f}, calibration error {error:.3f}")


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("runs", nargs="+", type=Path, help="JSON Lines of judged searches")
    parser.add_argument("--dry-run", action="store_true", help="fit and print, but write nothing")
    args = parser.parse_args(arguments)
    models = dict(shipped_models())
    by_kind = read_runs(args.runs)
    if not by_kind:
        sys.exit(
            f"there are too few judged runs: at least {LEAST_OF_EACH} right and {LEAST_OF_EACH} "
            "wrong ones are needed, all local or all from the web"
        )
    for kind, runs in sorted(by_kind.items()):
        report(kind, runs, models[kind])
        models[kind] = fit_to(runs, models[kind], len(runs))
    if not args.dry_run:
        path = Settings.load().home / "confidence.json"
        write_models(path, models)
        print(f"written to {path}")


if __name__ == "__main__":
    main()
