"""The plan of a run: what to find out, and which searches may be made for it.

    text → by rule
         → by the model, with the person's words alone; by rule when it fails
         → with what the model has to ask the person first

The plan is made before anything of the web has been read. Later rounds only choose among its
queries, so no page can add a call.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from kensaku.answers.prompts import ASK_PERSON, PLAN, read_json
from kensaku.answers.questions import MAX_CHARS, Subquestion, split_questions
from kensaku.errors import BudgetExceeded, ProviderError, Unreadable
from kensaku.messages import msg
from kensaku.text.clean import one_line
from kensaku.text.escape import flatten
from kensaku.text.links import clean_reply

if TYPE_CHECKING:
    from kensaku.answers.model import Metered
    from kensaku.answers.person import Urgency

QUERIES = 3  # that a question may have: one for each round
MAX_ASKS = 2  # questions to the person
MAX_CHOICES = 6
CHOICE_CHARS = 80
RULE = "rule"


@dataclass(frozen=True, slots=True)
class AskUser:
    """Something that the plan has to know from the person."""

    question: str
    reason: str = ""
    urgency: Urgency = "blocking"
    choices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class QuestionPlan:
    """What to find out, who planned it ("rule", or a model's name), and what to ask first."""

    questions: tuple[Subquestion, ...]
    by: str = RULE
    asks: tuple[AskUser, ...] = ()
    notes: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """The plan, ready for JSON."""
        return {
            "questions": [{"text": q.text, "queries": list(q.queries)} for q in self.questions],
            "by": self.by,
            "asks": [asdict(ask) | {"choices": list(ask.choices)} for ask in self.asks],
            "notes": list(self.notes),
        }

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> QuestionPlan:
        """The plan that `to_dict` wrote."""
        asks = (AskUser(**{**a, "choices": tuple(a["choices"])}) for a in values["asks"])
        questions = read_subquestions(values["questions"])
        return cls(questions, values["by"], tuple(asks), tuple(values["notes"]))


def read_subquestions(values: Sequence[Mapping[str, Any]]) -> tuple[Subquestion, ...]:
    """Return the questions that a plan has as JSON."""
    return tuple(Subquestion(q["text"], tuple(q["queries"])) for q in values)


async def make_plan(
    task: str,
    model: Metered | None,
    *,
    most: int,
    seconds: float,
    by_rule: Sequence[Subquestion] = (),
    may_ask: bool = False,
) -> QuestionPlan:
    """Return the model's plan; when there is none, or it fails, the one by rule, with a note."""
    otherwise = tuple(by_rule or split_questions(task))
    if model is None:
        return QuestionPlan(otherwise)
    try:
        rules = PLAN.format(most=most, queries=QUERIES) + (ASK_PERSON if may_ask else "")
        said = read_json(await model.ask(rules, f"Task: {task}", seconds))
        asks = _asks(said.get("ask_user")) if may_ask else ()
        return QuestionPlan(_questions(said, task), model.name, tuple(asks))
    except (ProviderError, BudgetExceeded) as error:
        note = msg("the model made no plan ({message}); it was made by rule", message=error.message)
        return QuestionPlan(otherwise, notes=(note,))


def _questions(said: Mapping[str, Any], task: str) -> tuple[Subquestion, ...]:
    """Return the questions of a reply, bounded. Raises `Unreadable` when it has none."""
    planned = said.get("questions")
    questions = [_question(q, task) for q in planned] if isinstance(planned, list) else []
    found = {q.text.casefold(): q for q in questions if q is not None}
    if not found:
        raise Unreadable("llm", msg("the model's plan has no question"))
    return tuple(found.values())


def _question(values: Any, task: str) -> Subquestion | None:
    if not isinstance(values, dict) or not isinstance(values.get("question"), str):
        return None
    text = one_line(clean_reply(values["question"], (), [task]))[:MAX_CHARS]
    given = values.get("queries")
    said = [q for q in given if isinstance(q, str)] if isinstance(given, list) else []
    queries = dict.fromkeys(filter(None, (one_line(q)[:MAX_CHARS] for q in [*said, text])))
    return Subquestion(text, tuple(queries)[:QUERIES]) if text else None


def _asks(said: Any) -> list[AskUser]:
    """Return what a model wants to ask, bounded."""
    asked = []
    for values in said[:MAX_ASKS] if isinstance(said, list) else ():
        if not isinstance(values, dict) or not (question := _line(values.get("question"))):
            continue
        given = values.get("choices")
        choices = [_line(c)[:CHOICE_CHARS] for c in given] if isinstance(given, list) else []
        urgency: Urgency = "optional" if values.get("urgency") == "optional" else "blocking"
        chosen = tuple(filter(None, choices))[:MAX_CHOICES]
        asked.append(AskUser(question, _line(values.get("reason")), urgency, chosen))
    return asked


def _line(value: Any) -> str:
    return flatten(clean_reply(value, (), ()))[:MAX_CHARS] if isinstance(value, str) else ""
