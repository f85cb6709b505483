"""One search, one answer: sentences of the sources, each with its `[n]`.

context → the model's text with checked citations | the best sentences | none → Answer
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from kensaku.answers.check import UNVERIFIED
from kensaku.answers.evidence import Reference
from kensaku.answers.model import open_model, unused_settings
from kensaku.answers.prompts import ANSWER_IN, answer_rules, with_sources
from kensaku.answers.stream import MODEL_SECONDS
from kensaku.answers.weigh import extractive
from kensaku.answers.write import EXTRACT, ask_checked
from kensaku.errors import BudgetExceeded, ProviderError
from kensaku.locale import translator
from kensaku.messages import msg
from kensaku.text.languages import guess_language

if TYPE_CHECKING:
    from kensaku.answers.context import Citation, Context
    from kensaku.answers.evidence import Origin
    from kensaku.client import Kensaku
    from kensaku.models import Attempt, Outcome
    from kensaku.models.confidence import Confidence
    from kensaku.search.budget import Budget

NO_ANSWER = msg("none of the sources answers this")


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer, what it rests on, and how far it can be trusted."""

    text: str | None  # None: nothing in the sources answers, or nobody could search
    citations: tuple[Citation, ...]
    outcome: Outcome
    confidence: Confidence | None = None
    written_by: str = EXTRACT  # or the model's name
    attempts: tuple[Attempt, ...] = ()
    notes: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """The answer, ready for JSON."""
        return {
            "answer": self.text,
            "citations": [c.to_dict() for c in self.citations],
            "outcome": str(self.outcome),
            "confidence": None if self.confidence is None else self.confidence.to_dict(),
            "written_by": self.written_by,
            "attempts": [a.to_dict() for a in self.attempts],
            "notes": list(self.notes),
        }


async def answer(
    query: str, context: Context, client: Kensaku, budget: Budget | None = None
) -> Answer:
    """Answer from a context: by the model, else, or if it fails, by an extract."""
    text, writer = None, EXTRACT
    notes = [*context.notes, *unused_settings(client.settings)]
    model = open_model(client, budget=budget)
    if model is not None and context.citations:
        sources = {c.n: _source(c) for c in context.citations}
        t = translator(guess_language(query))
        rules = answer_rules(t(ANSWER_IN))
        asked = with_sources(sources.values(), f"Question: {query}")
        try:
            _, checked = await ask_checked(
                model, rules, asked, sources, t(UNVERIFIED), MODEL_SECONDS
            )
            text, writer = checked.text, model.name
            notes += checked.notes
        except (ProviderError, BudgetExceeded) as error:
            notes.append(
                msg(
                    "the model did not answer ({message}); this is an extract",
                    message=error.message,
                )
            )
    if text is None:
        score = context.confidence.score if context.confidence else None
        text = await asyncio.to_thread(extractive, query, context.citations, score)
    if text is None and context.citations:
        notes.append(NO_ANSWER)
    return Answer(
        text=text,
        citations=context.citations,
        outcome=context.outcome,
        confidence=context.confidence,
        written_by=writer,
        attempts=context.attempts,
        notes=tuple(notes),
    )


def _source(c: Citation) -> Reference:
    origin: Origin = "web" if c.url.startswith("http") else "collection"
    return Reference(c.n, c.url, c.title, c.published, passages=c.passages, origin=origin)
