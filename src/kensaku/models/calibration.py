"""Apply the models behind `confidence`: logistic regressions over a few factors.

A model is a handful of numbers in `confidence.json`. No weight is negative, so that a better factor
never lowers the probability. `bench/confidence.py` and `bench/calibrate.py` fit them.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from kensaku.errors import ConfigError
from kensaku.messages import msg

SHIPPED = Path(__file__).with_name("confidence.json")


@dataclass(frozen=True, slots=True)
class Model:
    """The weights of factors by name, and what they were fitted on."""

    weights: Mapping[str, float]
    intercept: float
    fitted_on: str

    def probability(self, factors: Mapping[str, float]) -> float:
        """Return the probability that these factors speak for."""
        total = self.intercept + sum(w * factors[name] for name, w in self.weights.items())
        return sigmoid(total)


Models = Mapping[str, Model]  # "local" and "web"


@cache
def shipped_models() -> Models:
    """Return the models that come with the library."""
    return read_models(SHIPPED)


def read_models(path: Path) -> Models:
    """Read the models of a file. Raises `ConfigError` for one that holds something else."""
    try:
        read = json.loads(path.read_text("utf-8"))
        models = {name: _model(values) for name, values in read.items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise ConfigError(
            msg(
                "{path} holds no models of confidence ({name})",
                path=path,
                name=type(error).__name__,
            ),
            remedy=msg("delete it to return to the weights that come with Kensaku"),
        ) from None
    return models


def _model(values: Mapping[str, Any]) -> Model:
    weights = {str(n): float(w) for n, w in values["weights"].items()}
    return Model(weights, float(values["intercept"]), str(values["fitted_on"]))


def sigmoid(x: float) -> float:
    """Return the probability of log-odds `x`."""
    grown = math.exp(-abs(x))  # of a positive number it might be too large for a float
    return (grown if x < 0 else 1.0) / (1 + grown)
