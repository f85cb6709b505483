"""Confidence acts: typed factors → a score → what happens next. Pure.

    findings → Factors → Assessment(score, level, action)
    silent: answer · notify: answer, say the doubt · confirm: ask first · escalate: ask for help

The score is the calibrated one of the search (`models.confidence`), of the weakest question.
Contradictions are found by amounts, dates and plain denials (`research.differences`), not by the
meaning of words. One of them caps the score below `notify`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal

from kensaku.errors import ConfigError

if TYPE_CHECKING:
    from kensaku.config.settings import Settings
    from kensaku.models.confidence import Level
    from kensaku.research.findings import Finding

Action = Literal["silent", "notify", "confirm", "escalate"]
UNDER = 0.01  # how far below `notify` a contradiction caps the score


@dataclass(frozen=True, slots=True)
class Thresholds:
    """The least score for each action; below all of them the run escalates."""

    silent: float = 0.9
    notify: float = 0.7
    confirm: float = 0.4

    def __post_init__(self) -> None:
        if not 0 <= self.confirm <= self.notify <= self.silent <= 1:
            raise ConfigError(
                f"assistant.silent is {self.silent:g}, notify {self.notify:g}, "
                f"confirm {self.confirm:g}; each must be in 0..1 and none above the one before it"
            )

    @classmethod
    def from_settings(cls, settings: Settings) -> Thresholds:
        """Return the thresholds of the settings. Raises `ConfigError`."""
        return cls(settings.assistant_silent, settings.assistant_notify, settings.assistant_confirm)

    def action(self, score: float) -> Action:
        """Return what a score asks for."""
        if score >= self.silent:
            return "silent"
        if score >= self.notify:
            return "notify"
        return "confirm" if score >= self.confirm else "escalate"


@dataclass(frozen=True, slots=True)
class Factors:
    """What the score was made of."""

    questions: int
    answered: int
    weakest: float  # the calibrated score of the question that is answered worst
    sources: int
    contradictions: int = 0
    sentences_cut: int = 0  # of a model: no citation of theirs holds
    sentences_marked: int = 0  # of a model: without support


@dataclass(frozen=True, slots=True)
class Assessment:
    """A score in 0..1, the level it stands for, and what happens next."""

    score: float
    level: Level
    action: Action
    factors: Factors

    def to_dict(self) -> dict[str, Any]:
        """The assessment, ready for JSON."""
        return asdict(self)


def assess(
    findings: Sequence[Finding],
    thresholds: Thresholds,
    *,
    by_model: bool = False,
    cut: int = 0,
    marked: int = 0,
) -> Assessment:
    """Say how far an answer made of these findings can be trusted, and what to do with it.

    `by_model`: citations were checked, so that sources answer also where no sentence of theirs
    does so by itself.
    """
    answered = [bool(f.citations if by_model else f.sentences) for f in findings]
    pairs = zip(findings, answered, strict=True)
    scores = [(f.confidence or 0.0) if has else 0.0 for f, has in pairs]
    factors = Factors(
        questions=len(findings),
        answered=sum(answered),
        weakest=round(min(scores, default=0.0), 3),
        sources=len({c.url for f in findings for c in f.citations}),
        contradictions=sum(len(f.differences) for f in findings),
        sentences_cut=cut,
        sentences_marked=marked,
    )
    score = factors.weakest
    if factors.contradictions:
        score = min(score, max(0.0, thresholds.notify - UNDER))
    return Assessment(round(score, 3), level_of(score, factors), thresholds.action(score), factors)


def level_of(score: float, factors: Factors) -> Level:
    """Return the level that a score stands for, by the bounds of a search."""
    if not factors.answered:
        return "none"
    return "high" if score >= 0.7 else "medium" if score >= 0.45 else "low"
