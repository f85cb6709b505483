"""Judge routes by a person's own questions: is the answer in the context, for how much, how fast?

questions.jsonl → context by each route → answer in it? → shares, cost, latency → a choice
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median, quantiles
from typing import TYPE_CHECKING, Any

from kensaku.errors import InvalidQuery, system_reason
from kensaku.foreign_json import decode_json
from kensaku.messages import msg
from kensaku.models import Outcome, ProgressEvent

if TYPE_CHECKING:
    from kensaku.answers.context import Context
    from kensaku.models import Progress

MAX_QUESTIONS = 10_000
_SPACE = re.compile(r"[\s\W_]+")


@dataclass(frozen=True, slots=True)
class LabelledQuestion:
    """A question, and texts of which one must be in a good context."""

    text: str
    answers: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RouteScore:
    """How one route did."""

    route: str
    questions: int
    answered: int  # the answer was in the context
    unavailable: int  # nobody could search
    cost: float  # US dollars, in all
    latencies: tuple[float, ...]  # ms

    @property
    def share(self) -> float:
        """The share of questions whose answer was in the context."""
        return self.answered / self.questions if self.questions else 0.0

    @property
    def error(self) -> float:
        """The standard error of that share."""
        n = self.questions
        return math.sqrt(self.share * (1 - self.share) / n) if n else 0.0

    @property
    def p50(self) -> float:
        """The median latency, ms."""
        return median(self.latencies) if self.latencies else 0.0

    @property
    def p95(self) -> float:
        """The latency that one in twenty exceeds, ms."""
        found = self.latencies
        return quantiles(found, n=20)[-1] if len(found) > 1 else self.p50

    def to_dict(self) -> dict[str, Any]:
        """The score, ready for JSON."""
        return {
            "route": self.route,
            "questions": self.questions,
            "answered": self.answered,
            "share": round(self.share, 4),
            "standard_error": round(self.error, 4),
            "unavailable": self.unavailable,
            "cost": round(self.cost, 6),
            "p50_ms": round(self.p50, 1),
            "p95_ms": round(self.p95, 1),
        }


@dataclass(frozen=True, slots=True)
class Evaluation:
    """All routes, and the one to take."""

    scores: tuple[RouteScore, ...]
    chosen: str
    why: str

    def to_dict(self) -> dict[str, Any]:
        """The evaluation, ready for JSON."""
        rows = [s.to_dict() for s in self.scores]
        return {"routes": rows, "chosen": self.chosen, "why": self.why}


async def evaluate(
    ask: Callable[[str, str], Awaitable[tuple[Context, float]]],
    questions: Sequence[LabelledQuestion],
    routes: Sequence[str],
    *,
    progress: Progress | None = None,
) -> Evaluation:
    """Ask every question by every route, one after the other.

    `ask(route, question)` returns the context and the milliseconds that it took.
    """
    scores, done = [], 0
    for route in routes:
        answered = unavailable = 0
        cost, latencies = 0.0, []
        for question in questions:
            context, elapsed = await ask(route, question.text)
            answered += holds(context.text, question.answers)
            unavailable += context.outcome is Outcome.UNAVAILABLE
            cost += sum(a.cost for a in context.attempts)
            latencies.append(elapsed)
            done += 1
            if progress is not None:
                progress(
                    ProgressEvent(
                        msg("asking {route}", route=route), done, len(routes) * len(questions)
                    )
                )
        scores.append(
            RouteScore(route, len(questions), answered, unavailable, cost, tuple(latencies))
        )
    return choose(scores)


def _reason(error: OSError | UnicodeDecodeError) -> str:
    return system_reason(error) if isinstance(error, OSError) else msg("it is not UTF-8 text")


def choose(scores: Sequence[RouteScore]) -> Evaluation:
    """Choose the route with the most answers; of those it does not clearly beat, the cheapest,
    then the fastest."""
    best = max(scores, key=lambda s: s.share)
    near = [s for s in scores if best.share - s.share <= math.hypot(best.error, s.error)]
    chosen = min(near, key=lambda s: (s.cost, s.p50))
    if chosen is best:
        others = [s for s in near if s is not best]
        why = msg("it has the most answers ({share:.0%})", share=best.share)
        if others:
            names = ", ".join(s.route for s in others)
            why = msg(
                "it has the most answers ({share:.0%}), and costs no more than {names}, "
                "not clearly behind",
                share=best.share,
                names=names,
            )
    else:
        why = msg(
            "its {share:.0%} of answers cannot be told from the {best:.0%} of {route} with "
            "{questions} questions, and it is {better}",
            share=chosen.share,
            best=best.share,
            route=best.route,
            questions=best.questions,
            better=msg("cheaper") if chosen.cost < best.cost else msg("faster"),
        )
    return Evaluation(tuple(scores), chosen.route, why)


def holds(text: str, answers: Iterable[str]) -> bool:
    """Whether one of the answers stands in a text; case, width and punctuation do not count."""
    whole = _plain(text)
    return any(_plain(answer).strip() in whole for answer in answers)


def _plain(text: str) -> str:
    return f" {_SPACE.sub(' ', unicodedata.normalize('NFKC', text).casefold()).strip()} "


def read_questions(path: Path) -> list[LabelledQuestion]:
    """Read JSON Lines of `question` and `answer` or `answers`. Raises `InvalidQuery`."""
    try:
        lines = path.read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidQuery(
            msg("{path} cannot be read: {reason}", path=path, reason=_reason(error)),
            remedy=msg("give a file with one question a line: see `kensaku eval --help`"),
        ) from None
    found = [_question(line, n, path) for n, line in enumerate(lines, 1) if line.strip()]
    if not 1 <= len(found) <= MAX_QUESTIONS:
        raise InvalidQuery(
            msg(
                "{path} has {count} questions; 1 to {max_questions:,} are taken",
                path=path,
                count=len(found),
                max_questions=MAX_QUESTIONS,
            ),
            remedy=msg('write one a line: {"question": "…", "answer": "…"}'),
        )
    return found


def _question(line: str, number: int, path: Path) -> LabelledQuestion:
    try:
        row = decode_json(line)
        answers = row.get("answers", row.get("answer"))
        answers = [answers] if isinstance(answers, str) else list(answers)
        text = row["question"]
        if not text.strip() or not answers or not all(_plain(a).strip() for a in answers):
            raise ValueError
    except (ValueError, KeyError, TypeError, AttributeError):
        raise InvalidQuery(
            msg("line {number} of {path} is no question", number=number, path=path),
            remedy=msg('write {"question": "…", "answer": "…"}, or "answers" with a list'),
        ) from None
    return LabelledQuestion(text, tuple(answers))
