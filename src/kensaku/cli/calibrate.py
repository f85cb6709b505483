"""Fit the confidence to your own searches, and print how well it tells right from wrong.

RUNS has one judged search per line: what `kensaku search --json` prints on one line, with
`"right": true` or `"right": false` added. For results of the local index, right means that the
first hit answers; for web results, that one of the first five does. The fit starts from the
weights that come with Kensaku, so that a few runs change little and many decide. It is written to
confidence.json in KENSAKU_HOME and used from then on; delete that file to return to the shipped
weights. Exit status: 0 fitted, 2 wrong usage or too few judged runs.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kensaku.cli._options import add_common_options, load_settings
from kensaku.cli._terminal import print_json, print_result
from kensaku.errors import InvalidQuery

if TYPE_CHECKING:
    from kensaku.models.calibration import Example, Model

USAGE = "[options] RUNS …"
LEAST_OF_EACH = 10  # right runs, and wrong ones: with fewer there is nothing to tell apart
FOLDS = 5


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the files of judged runs."""
    parser.add_argument(
        "runs", nargs="+", type=Path, metavar="RUNS", help="JSON Lines of judged searches"
    )
    parser.add_argument("--dry-run", action="store_true", help="fit and print, but write nothing")
    add_common_options(parser)


async def run(args: argparse.Namespace) -> int:
    """Fit a model for each kind of results that has enough judged runs."""
    from kensaku.models.calibration import shipped_models, write_models

    settings = load_settings(args)
    by_kind = _read(args.runs)
    fitted, rows = dict(shipped_models()), []
    for kind, examples in sorted(by_kind.items()):
        fitted[kind], row = _fit(kind, examples)
        rows.append(row)
    path = settings.home / "confidence.json"
    if not args.dry_run:
        write_models(path, fitted)
    written = None if args.dry_run else str(path)
    if args.json:
        print_json({"written": written, "fits": rows})
    else:
        print_result("\n".join([*map(_format, rows), *([f"written to {path}"] if written else [])]))
    return 0


def _read(paths: Iterable[Path]) -> dict[str, list[Example]]:
    """Read the judged runs, by kind. Raises `InvalidQuery` with file and line."""
    from kensaku.models import Hit
    from kensaku.models.calibration import Example
    from kensaku.models.confidence import factors_of, model_name

    by_kind: dict[str, list[Example]] = {}
    for path in paths:
        try:
            lines = path.read_text("utf-8").splitlines()
        except (OSError, UnicodeDecodeError) as error:
            raise InvalidQuery(f"{path} cannot be read ({type(error).__name__})") from None
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            try:
                run = json.loads(line)
                query, right = run["query"], run["right"]
                hits = [Hit.from_dict(hit) for hit in run["hits"]]
                if not isinstance(right, bool) or not isinstance(query, str):
                    raise TypeError
                factors = factors_of(query, hits).fitted()
            except (ValueError, KeyError, TypeError, AttributeError):
                raise InvalidQuery(
                    f"line {number} of {path} is no judged search",
                    remedy='write what `kensaku search --json` prints, with "right": true or false',
                ) from None
            if hits:
                by_kind.setdefault(model_name(hits), []).append(Example(factors, right))
    enough = {kind: e for kind, e in by_kind.items() if _is_enough(e)}
    if not enough:
        raise InvalidQuery(
            f"there are too few judged runs: at least {LEAST_OF_EACH} right and {LEAST_OF_EACH} "
            "wrong ones are needed, all local or all from the web"
        )
    return enough


def _is_enough(examples: Sequence[Example]) -> bool:
    right = sum(e.right for e in examples)
    return min(right, len(examples) - right) >= LEAST_OF_EACH


def _fit(kind: str, examples: Sequence[Example]) -> tuple[Model, dict[str, Any]]:
    """Fit one kind; say how well the shipped and the new weights do, the new cross-validated."""
    from kensaku.models.calibration import area_under_curve, calibration_error, fit, shipped_models

    shipped = shipped_models()[kind]
    names = tuple(shipped.weights)
    fitted_on = f"{len(examples)} judged runs of yours, starting from: {shipped.fitted_on}"

    def fit_to(some: Sequence[Example]) -> Model:
        return fit(some, names, fitted_on=fitted_on, prior=shipped)

    unseen = [0.0] * len(examples)
    for fold in range(FOLDS):
        model = fit_to([e for n, e in enumerate(examples) if n % FOLDS != fold])
        unseen[fold::FOLDS] = [model.probability(e.factors) for e in examples[fold::FOLDS]]
    before = [shipped.probability(e.factors) for e in examples]
    right = [e.right for e in examples]
    row: dict[str, Any] = {"kind": kind, "runs": len(examples), "right": sum(right)}
    for name, scores in (("shipped", before), ("fitted", unseen)):
        auc, error = area_under_curve(scores, right), calibration_error(scores, right)
        row[name] = {"auc": round(auc, 3), "calibration_error": round(error, 3)}
    return fit_to(examples), row


def _format(row: dict[str, Any]) -> str:
    lines = [f"{row['kind']}: {row['runs']} runs, {row['right']} right"]
    for name in ("shipped", "fitted"):
        found = row[name]
        error = found["calibration_error"]
        lines.append(f"  {name:8} AUC {found['auc']:.3f}, calibration error {error:.3f}")
    return "\n".join(lines)
