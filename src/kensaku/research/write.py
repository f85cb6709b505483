"""Write the report: the extract always; over it, the model's text if it holds.

evidence → findings → extract → (model → check) → citations in style → JSON
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from kensaku.errors import ProviderError
from kensaku.locale import translator
from kensaku.models import Outcome
from kensaku.research.check import UNVERIFIED, check_text
from kensaku.research.compose import compose
from kensaku.research.effort import EXTENTS
from kensaku.research.evidence import Evidence, Reference
from kensaku.research.findings import Finding, find_answers, find_subtopics
from kensaku.research.model import ANSWER_IN, fill_by_model, write_by_model
from kensaku.research.questions import keywords
from kensaku.research.references import apply_style, renumber
from kensaku.research.structured import Filled, check_filled, fill_by_extract
from kensaku.text.languages import guess_language

if TYPE_CHECKING:
    from kensaku.answers.model import Asks
    from kensaku.research.state import State

EXTRACT = "extract"


@dataclass(slots=True)
class Draft:
    """A report before its citations are written in a style."""

    findings: Sequence[Finding]
    sources: dict[int, Reference]  # all that may be cited
    text: str
    notes: list[str]
    filled: Filled | None = None
    written_by: str = EXTRACT
    said: str | None = None  # by the model, as it was; for a replay


@dataclass(slots=True)
class _Listening:
    """A model whose reply is kept as it was."""

    model: Asks
    text: str = ""

    @property
    def name(self) -> str:
        return self.model.name

    async def ask(self, system: str, user: str, seconds: float | None = None) -> str:
        self.text = await self.model.ask(system, user, seconds)
        return self.text


async def write_report(
    state: State, tokenizer: str, model: Asks | None, seconds: float
) -> dict[str, Any]:
    """Return the result of the last step, ready for JSON."""
    outcome = outcome_of(state)
    draft = await asyncio.to_thread(write_extract, state, tokenizer)
    if outcome is Outcome.UNAVAILABLE:
        return _result(outcome, None, [], draft)
    if model is not None and draft.sources:
        try:
            if seconds <= 0:
                raise ProviderError("llm", "no time was left")
            await _write_by_model(state, draft, model, seconds)
        except ProviderError as error:
            draft.notes.append(f"the model did not write ({error.message}); this is an extract")
    text, cited = renumber(draft.text, draft.sources)
    if draft.filled is not None:
        cited = _cite_basis(draft.filled, cited, draft.sources)
    text = apply_style(
        text, cited, state.request.citation_format, translator(guess_language(state.request.input))
    )
    return _result(outcome, text, cited, draft)


def outcome_of(state: State) -> Outcome:
    """Say whether anything was found; `unavailable` when nobody could search."""
    results = [result for _, result in state.all_searched()]
    if state.request.files or any(r["hits"] for r in results):
        return Outcome.FOUND
    searched = any(r["outcome"] != Outcome.UNAVAILABLE for r in results)
    return Outcome.EMPTY if searched else Outcome.UNAVAILABLE


def write_extract(state: State, tokenizer: str) -> Draft:
    """Write the report in the sources' own words."""
    request = state.request
    extent, t = EXTENTS[request.output_length], translator(guess_language(request.input))
    evidence = Evidence(state, tokenizer)
    findings = find_answers(state, evidence, extent.sentences)
    subtopics = _find_subtopics(state, evidence, extent.subtopics)
    citations = [c for f in (*findings, *subtopics) for c in f.citations]
    filled = None
    if request.output_schema is not None:
        filled = fill_by_extract(request.output_schema, request.input, evidence)
        citations += filled.citations
    sources = evidence.references(citations)
    dates = {n: source.published for n, source in sources.items()}
    text = compose(findings, subtopics, dates, t)
    notes = _language_note(request.input, findings) + _missing_note(filled)
    return Draft(findings, sources, text, notes, filled)


async def _write_by_model(state: State, draft: Draft, model: Asks, seconds: float) -> None:
    """Replace the text, or the values of the schema, by the model's. Raises `ProviderError`."""
    request, sources = state.request, draft.sources
    if request.output_schema is not None:
        said = _Listening(model)
        content, basis = await fill_by_model(
            request.input, request.output_schema, sources.values(), said, seconds
        )
        filled = await asyncio.to_thread(
            check_filled, request.output_schema, content, basis, sources
        )
        if not filled.basis:
            raise ProviderError("llm", "none of its values is supported by its quote")
        draft.filled, draft.written_by, draft.said = filled, model.name, said.text
        draft.notes[:] = _missing_note(filled)
        return
    t = translator(guess_language(request.input))
    text = await write_by_model(
        request.input,
        state.questions,
        sources.values(),
        words=EXTENTS[request.output_length].words,
        language=t(ANSWER_IN),
        model=model,
        seconds=seconds,
    )
    checked = await asyncio.to_thread(check_text, text, sources, t(UNVERIFIED))
    if not checked.cited:
        raise ProviderError("llm", "none of its citations stands in its source")
    draft.text, draft.written_by, draft.notes = checked.text, model.name, []
    draft.said = text
    if checked.cut:
        draft.notes.append(f"sentences cut, because no citation of theirs holds: {checked.cut}")
    if checked.marked:
        draft.notes.append(f"sentences marked as not verified: {checked.marked}")


def _find_subtopics(state: State, evidence: Evidence, count: int) -> list[Finding]:
    """Answer headings of the pages from these pages alone."""
    from kensaku.answers.answer import best_sentences

    topic = keywords(state.request.input)[:200]
    found = []
    for heading in find_subtopics(state, count):
        query = f"{heading} {topic}"
        citations = evidence.citations(query)
        sentences = best_sentences(query, citations, count=3)
        found.append(Finding(heading, tuple(sentences), citations))
    return found


def _cite_basis(
    filled: Filled, cited: list[Reference], sources: dict[int, Reference]
) -> list[Reference]:
    """Give the sources of values the numbers of the report; add those that it does not cite."""
    from dataclasses import replace

    numbers = {source.url: source.n for source in cited}
    for ground in filled.basis.values():
        source = sources[ground["source"]]
        if source.url not in numbers:
            numbers[source.url] = len(numbers) + 1
            cited = [*cited, replace(source, n=numbers[source.url])]
        ground["source"] = numbers[source.url]
    return cited


def _language_note(text: str, findings: Sequence[Finding]) -> list[str]:
    """Note that an extract quotes another language: it cannot translate."""
    wanted = guess_language(text)
    said = [guess_language(s.text) for f in findings for s in f.sentences]
    others = sorted({code for code in said if code != wanted})
    if not others:
        return []
    return [f"sentences of the sources are quoted in their own language: {', '.join(others)}"]


def _missing_note(filled: Filled | None) -> list[str]:
    if filled is None or not filled.missing:
        return []
    return [f"nothing was found for: {', '.join(filled.missing)}"]


def _result(
    outcome: Outcome, text: str | None, cited: Sequence[Reference], draft: Draft
) -> dict[str, Any]:
    answered = [f for f in draft.findings if f.sentences]
    sure = sum(f.confidence or 0.0 for f in answered) / max(1, len(draft.findings))
    filled = draft.filled if outcome is not Outcome.UNAVAILABLE else None
    return {
        "outcome": str(outcome),
        "text": text,
        "structured": filled and filled.content,
        "basis": filled.basis if filled else {},
        "sources": [source.to_dict() for source in cited],
        "written_by": draft.written_by,
        "said": draft.said,
        "answered": [f.question for f in answered],
        "missing": [f.question for f in draft.findings if not f.sentences],
        "confidence": round(sure, 3) if outcome is Outcome.FOUND else None,
        "notes": draft.notes if outcome is Outcome.FOUND else [],
    }
