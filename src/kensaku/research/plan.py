"""The plan of a run: which questions, and which searches may be made for each.

    input → by the model | by rule → {"effort", "questions": [{"text", "queries"}], "by", "notes"}

The plan is made before anything of the web has been read. Later rounds only choose among its
queries, so no page can add a search.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from kensaku.errors import ProviderError
from kensaku.locale import translator
from kensaku.research.effort import EFFORTS, choose_effort
from kensaku.research.model import plan_by_model
from kensaku.research.questions import Question, is_topic, split_questions
from kensaku.text.languages import guess_language

if TYPE_CHECKING:
    from kensaku.answers.model import ChatModel
    from kensaku.research.request import ResearchRequest


async def make_plan(
    request: ResearchRequest, model: ChatModel | None, seconds: float
) -> dict[str, Any]:
    """Return the plan, ready for JSON. When the model fails, plan by rule and note it."""
    questions, by, notes = split_questions(request.input), "rule", []
    effort = choose_effort(request.model, request.input, len(questions))
    most = EFFORTS[effort].questions
    if is_topic(request.input) and effort == "pro":
        questions += _aspects(request.input)
    if model is not None:
        try:
            questions, by = await plan_by_model(request.input, most, model, seconds), model.name
        except ProviderError as error:
            notes.append(f"the model made no plan ({error.message}); it was made by rule")
    if len(questions) > most:
        notes.append(f"of {len(questions)} questions, {effort} takes the first {most}")
    return {
        "effort": effort,
        "questions": [_to_dict(q) for q in questions[:most]],
        "by": by,
        "notes": notes,
    }


def _aspects(topic: str) -> Sequence[Question]:
    t = translator(guess_language(topic))
    texts = (
        t("what is {topic}", topic=topic),
        t("history of {topic}", topic=topic),
        t("{topic} latest developments", topic=topic),
    )
    return [Question(text, (text,)) for text in texts]


def _to_dict(question: Question) -> dict[str, Any]:
    return {"text": question.text, "queries": list(question.queries)}
