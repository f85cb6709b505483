"""What a run comes to: the cited answer, how far it can be trusted, and what happens next. Pure.

    findings → AnswerFactors → Assessment(score, level, action)
    silent: answer · notify: answer, say the doubt · confirm: ask first · escalate: ask for help

The score is the calibrated one of the search (`models.confidence`), of the weakest question.
Sentences that may not answer (`support.py`) cap it below `silent`, unless a model wrote.
Contradictions are found by the values that sources give, by amounts, dates and names in the same
place, and by plain denials (`conflicts.py`), not by the meaning of words. One of them caps the
score below `notify`; where copies differ in a word that may mean the same, it is capped below
`silent`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from kensaku.errors import ConfigError
from kensaku.messages import msg
from kensaku.models import Attempt, Outcome

if TYPE_CHECKING:
    from kensaku.answers.evidence import Origin
    from kensaku.answers.weigh import Finding
    from kensaku.config.settings import Settings
    from kensaku.models.confidence import Level

Action = Literal["silent", "notify", "confirm", "escalate"]
UNDER = 0.01  # how far below an action's threshold a doubt caps the score


@dataclass(frozen=True, slots=True)
class Thresholds:
    """The least score for each action; below all of them the run escalates."""

    silent: float = 0.9
    notify: float = 0.7
    confirm: float = 0.4

    def __post_init__(self) -> None:
        if not 0 <= self.confirm <= self.notify <= self.silent <= 1:
            raise ConfigError(
                msg(
                    "assistant.silent is {silent:g}, notify {notify:g}, confirm {confirm:g}; "
                    "each must be in 0..1 and none above the one before it",
                    silent=self.silent,
                    notify=self.notify,
                    confirm=self.confirm,
                )
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
class AnswerFactors:
    """What the score was made of."""

    questions: int
    answered: int
    weakest: float  # the calibrated score of the question that is answered worst
    sources: int
    contradictions: int = 0
    sentences_cut: int = 0  # of a model: no citation of theirs holds
    sentences_marked: int = 0  # of a model: without support
    word_differences: int = 0  # questions on which two sources differ in a word, perhaps harmlessly


@dataclass(frozen=True, slots=True)
class Assessment:
    """A score in 0..1, the level it stands for, and what happens next."""

    score: float
    level: Level
    action: Action
    factors: AnswerFactors

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
    factors = AnswerFactors(
        questions=len(findings),
        answered=sum(answered),
        weakest=round(min(scores, default=0.0), 3),
        sources=len({c.url for f in findings for c in f.citations}),
        contradictions=sum(len(f.differences) for f in findings),
        word_differences=sum(f.unsure for f in findings),
        sentences_cut=cut,
        sentences_marked=marked,
    )
    score = factors.weakest
    doubtful = not by_model and any(f.support < thresholds.silent for f in findings)
    if doubtful or factors.word_differences:
        score = min(score, max(0.0, thresholds.silent - UNDER))
    if factors.contradictions:
        score = min(score, max(0.0, thresholds.notify - UNDER))
    return Assessment(round(score, 3), level_of(score, factors), thresholds.action(score), factors)


def level_of(score: float, factors: AnswerFactors) -> Level:
    """Return the level that a score stands for, by the bounds of a search."""
    if not factors.answered:
        return "none"
    return "high" if score >= 0.7 else "medium" if score >= 0.45 else "low"


@dataclass(frozen=True, slots=True)
class Cited:
    """A source that the answer cites as `[n]`, and the passage that it rests on."""

    n: int
    url: str
    title: str
    passage: str = field(repr=False)
    origin: Origin = "web"
    published: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """The citation, ready for JSON."""
        return {"n": self.n, "url": self.url, "title": self.title, "passage": self.passage}


@dataclass(frozen=True, slots=True)
class Step:
    """One call of a tool. `outcome` is one of a search, or `refused`."""

    tool: str
    arguments: Mapping[str, Any] = field(hash=False)
    outcome: str
    elapsed_ms: float

    def to_dict(self) -> dict[str, Any]:
        """The step, ready for JSON."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Usage:
    """What a run has spent. Tokens are estimated."""

    searches: int = 0
    fetches: int = 0
    model_calls: int = 0
    tokens: int = 0
    money: float = 0.0  # US dollars for searches, as far as prices are known


@dataclass(frozen=True, slots=True)
class CitedAnswer:
    """What a run came to. `text` is None when nothing answers; `reason` then says why."""

    question: str
    text: str | None
    citations: tuple[Cited, ...]
    outcome: Outcome
    confidence: Assessment
    steps: tuple[Step, ...] = ()
    written_by: str = "extract"  # or the model's name
    usage: Usage = Usage()
    elapsed_ms: float = 0.0
    doubt: str = ""  # what the person is told when the score is not high enough for silence
    reason: str = ""
    notes: tuple[str, ...] = ()
    attempts: tuple[Attempt, ...] = field(default=(), repr=False)

    def to_dict(self) -> dict[str, Any]:
        """The form that `kensaku ask --json` prints."""
        return {
            "question": self.question,
            "answer": self.text,
            "citations": [c.to_dict() for c in self.citations],
            "outcome": str(self.outcome),
            "confidence": self.confidence.to_dict(),
            "steps": [s.to_dict() for s in self.steps],
            "written_by": self.written_by,
            "usage": asdict(self.usage),
            "elapsed_ms": self.elapsed_ms,
        }
