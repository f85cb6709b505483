"""The plan of a run: what to find out, and which searches may be made for it.

    question → simple? → one question by rule
             → else by the model, with the person's words alone; by rule when it fails

The plan is made before anything of the web has been read. Later rounds only choose among its
queries, so no page can add a call.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from kensaku.assistant.model import bounded
from kensaku.errors import BudgetExceeded, ProviderError
from kensaku.research.model import plan_by_model
from kensaku.research.questions import Question, split_questions

if TYPE_CHECKING:
    from kensaku.assistant.model import Model
    from kensaku.assistant.toolbox import Toolbox

MAX_QUESTIONS = 4
SIMPLE_CHARS = 200
MAX_ADDRESSES = 5
_ADDRESS = re.compile(r"https?://[^\s<>\"'“”「」『』（）()、。]+")


def addresses_in(text: str) -> list[str]:
    """Return the addresses that a person wrote."""
    found = (match.rstrip(".,;:!?]") for match in _ADDRESS.findall(text))
    return list(dict.fromkeys(found))[:MAX_ADDRESSES]


async def make_plan(
    question: str, model: Model | None, tools: Toolbox
) -> tuple[list[Question], str]:
    """Return the questions and who planned them; a plan is made once."""
    text = _ADDRESS.sub(" ", question).strip() or question
    questions, by = split_questions(text)[:MAX_QUESTIONS], "rule"
    simple = len(questions) == 1 and len(text) <= SIMPLE_CHARS
    if model is None or simple:
        return questions, by

    async def plan() -> dict[str, Any]:
        task = f"{text}\n\nToday is {today()}. What may be spent: {tools.left()}."
        made = await plan_by_model(task, MAX_QUESTIONS, bounded(model, tools), tools.seconds_left)
        return {"questions": [[q.text, list(q.queries)] for q in made[:MAX_QUESTIONS]]}

    try:
        made = (await tools.journal.once("plan", plan))["questions"]
        return [Question(text, tuple(queries)) for text, queries in made], model.name
    except (ProviderError, BudgetExceeded) as error:
        tools.notes.append(f"the model made no plan ({error.message}); it was made by rule")
    return questions, by


def today() -> str:
    """Return the date, as a model is told."""
    return f"{datetime.now(UTC):%A, %Y-%m-%d}"
