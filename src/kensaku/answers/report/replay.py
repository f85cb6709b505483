"""Write the report of a bundle again: the same evidence, no network.

    state of a bundle → its evidence → findings → the extract, or what the model had said → Report

What a model said is in the bundle, and its citations are checked anew.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import inf
from typing import Any

from kensaku.answers.report.report import Report, report_of
from kensaku.answers.report.state import State
from kensaku.answers.report.write import evidence_of, write_report
from kensaku.answers.stream import MODEL_SECONDS
from kensaku.errors import InvalidQuery
from kensaku.messages import msg


@dataclass(frozen=True, slots=True)
class Recorded:
    """A model that says again what it said."""

    name: str
    text: str = field(repr=False)

    async def ask(self, system: str, user: str, seconds: float = MODEL_SECONDS) -> str:
        """Return the recorded reply."""
        return self.text


async def replay_run(state: State, tokenizer: str = "estimate") -> tuple[State, Report]:
    """Write the report anew from what the searches and pages held. Raises `InvalidQuery`."""
    if "write" not in state.results:
        raise InvalidQuery(msg("the bundle is of a run that was not finished"))
    before = state.results["write"]
    evidence = {name: result for name, result in state.results.items() if name != "write"}
    at = State(state.request, evidence)
    found = evidence_of(at, tokenizer)
    scores = before.get("scores", {})
    for query in scores:
        found.set_scores(query, scores[query])
    written = await write_report(at, found, _recorded(before), inf)
    kept = {"scores": scores} if scores else {}
    done = at.record("write", {**written, **kept, "elapsed": before["elapsed"]})
    return done, report_of(done)


def _recorded(before: Mapping[str, Any]) -> Recorded | None:
    said = before.get("said")
    return None if said is None else Recorded(before["written_by"], said)
