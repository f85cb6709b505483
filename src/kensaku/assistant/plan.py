"""The plan of a run: what to find out, and which searches may be made for it.

    question → simple? → one question by rule
             → else by the model, with the person's words alone; by rule when it fails
             → with what the model has to ask the person first

The plan is made before anything of the web has been read. Later rounds only choose among its
queries, so no page can add a call.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from kensaku.assistant.model import bounded
from kensaku.errors import BudgetExceeded, ProviderError
from kensaku.research.model import ask_for_plan, read_questions
from kensaku.research.questions import MAX_CHARS, Question, split_questions
from kensaku.text.clean import one_line
from kensaku.text.escape import flatten

if TYPE_CHECKING:
    from kensaku.assistant.approval import Urgency
    from kensaku.assistant.model import Model
    from kensaku.assistant.toolbox import Toolbox

MAX_QUESTIONS = 4
SIMPLE_CHARS = 200
MAX_ADDRESSES = 5
MAX_ASKS = 2  # questions to the person
MAX_CHOICES = 6
CHOICE_CHARS = 80
_ASK = (
    " Only if the task cannot be understood without the person, and no search can tell, add "
    '"ask_user": [{"question": "…", "reason": "…", "urgency": "blocking" or "optional", '
    '"choices": ["…"]}], at most 2, in the language of the task. Ask for no secret.'
)
_ADDRESS = re.compile(r"https?://[^\s<>\"'“”「」『』（）()、。]+")


@dataclass(frozen=True, slots=True)
class AskUser:
    """Something that the plan has to know from the person."""

    question: str
    reason: str = ""
    urgency: Urgency = "blocking"
    choices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Plan:
    """What to find out, who planned it ("rule", or a model's name), and what to ask first."""

    questions: tuple[Question, ...]
    by: str
    asks: tuple[AskUser, ...] = ()


def addresses_in(text: str) -> list[str]:
    """Return the addresses that a person wrote."""
    found = (match.rstrip(".,;:!?]") for match in _ADDRESS.findall(text))
    return list(dict.fromkeys(found))[:MAX_ADDRESSES]


async def make_plan(
    question: str, model: Model | None, tools: Toolbox, *, again: bool = False
) -> Plan:
    """Return the plan; it is made once. `again`: the person has answered its questions."""
    text = _ADDRESS.sub(" ", question).strip() or question
    by_rule = Plan(tuple(split_questions(text)[:MAX_QUESTIONS]), "rule")
    simple = len(by_rule.questions) == 1 and len(text) <= SIMPLE_CHARS
    if model is None or (simple and not again):
        return by_rule
    may_ask = tools.person is not None and not again

    async def plan() -> dict[str, Any]:
        task = f"{text}\n\nToday is {today()}. What may be spent: {tools.left()}."
        said = await ask_for_plan(
            task, MAX_QUESTIONS, bounded(model, tools), tools.seconds_left, _ASK if may_ask else ""
        )
        made = read_questions(said)[:MAX_QUESTIONS]
        asks = _asks(said.get("ask_user")) if may_ask else []
        return {"questions": [[q.text, list(q.queries)] for q in made], "asks": asks}

    try:
        made = await tools.journal.once("plan:2" if again else "plan", plan)
    except (ProviderError, BudgetExceeded) as error:
        tools.notes.append(f"the model made no plan ({error.message}); it was made by rule")
        return by_rule
    questions = tuple(Question(text, tuple(queries)) for text, queries in made["questions"])
    asks = tuple(AskUser(q, why, how, tuple(of)) for q, why, how, of in made["asks"])
    return Plan(questions, model.name, asks)


def _asks(said: Any) -> list[list[Any]]:
    """Return what a model wants to ask, bounded: question, reason, urgency, choices."""
    asked = []
    for values in said[:MAX_ASKS] if isinstance(said, list) else ():
        if not isinstance(values, dict) or not _line(values.get("question")):
            continue
        given = values.get("choices")
        choices = [_line(c)[:CHOICE_CHARS] for c in given] if isinstance(given, list) else []
        urgency = "optional" if values.get("urgency") == "optional" else "blocking"
        asked.append(
            [_line(values["question"]), _line(values.get("reason")), urgency,
             list(filter(None, choices))[:MAX_CHOICES]]
        )  # fmt: skip
    return asked


def _line(value: Any) -> str:
    return flatten(one_line(value))[:MAX_CHARS] if isinstance(value, str) else ""


def today() -> str:
    """Return the date, as a model is told."""
    return f"{datetime.now(UTC):%A, %Y-%m-%d}"
