"""The intent that the evidence speaks for: a logistic regression with its weights in a file.

`bench/intent.py --fit` writes `weights.json` from the labelled queries in `tests/search/intents`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Literal

from kensaku.search.intent.cues import Text
from kensaku.search.intent.evidence import evidence_of
from kensaku.search.intent.shapes import IDENTIFIED

Intent = Literal["papers", "code", "errors", "news", "general"]

MAX_CHARS = 500  # of a query that are looked at: what kind it is shows at its beginning
SHIPPED = Path(__file__).with_name("weights.json")


@dataclass(frozen=True, slots=True)
class Model:
    """For each intent, how much each piece of evidence speaks for it."""

    intercept: Mapping[Intent, float]
    weights: Mapping[str, Mapping[Intent, float]]

    def scores(self, evidence: Mapping[str, float]) -> dict[Intent, float]:
        """Return how much the evidence speaks for each intent."""
        totals = dict(self.intercept)
        for name, value in evidence.items():
            for intent, weight in self.weights.get(name, {}).items():
                totals[intent] += weight * value
        return totals


@cache
def shipped_model() -> Model:
    """Return the model that comes with the library."""
    read = json.loads(SHIPPED.read_text("utf-8"))
    return Model(read["intercept"], read["weights"])


@lru_cache(maxsize=256)  # a cached response is found in less time than this takes
def intent_of(query: str) -> Intent:
    """What kind of thing the query looks for; "general" when nothing gives it away."""
    text = Text(query[:MAX_CHARS])
    if IDENTIFIED.search(text.raw):
        return "papers"  # its number is no evidence but a name
    scores = shipped_model().scores(evidence_of(text))
    return max(scores, key=scores.__getitem__)
