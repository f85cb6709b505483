"""Write the report: the extract always; over it, the model's text if it holds.

evidence → findings → extract → (model → check) → citations in style → JSON
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from kensaku.answers.check import UNVERIFIED
from kensaku.answers.evidence import Evidence, Reference, renumber
from kensaku.answers.plan import read_subquestions
from kensaku.answers.prompts import ANSWER_IN, FILL, REPORT, read_json, with_sources
from kensaku.answers.questions import keywords
from kensaku.answers.report.compose import compose
from kensaku.answers.report.state import EXTENTS
from kensaku.answers.report.structured import Filled, check_filled, fill_by_extract
from kensaku.answers.report.styles import apply_style
from kensaku.answers.report.subject import on_subject
from kensaku.answers.weigh import Finding, best_sentences
from kensaku.answers.write import EXTRACT, ask_checked
from kensaku.errors import BudgetExceeded, ProviderError
from kensaku.locale import translator
from kensaku.messages import msg
from kensaku.models import Outcome
from kensaku.text.clean import one_line
from kensaku.text.languages import guess_language
from kensaku.text.terms import terms

if TYPE_CHECKING:
    from kensaku.answers.model import Asks
    from kensaku.answers.report.state import State

HEADING_CHARS = 60
_BOILERPLATE = re.compile(
    r"references|see also|external links|further reading|contents|notes|bibliography|comments?|"
    r"related|share|menu|navigation|sources|footnotes|sign in|subscribe|cookie|"
    r"脚注|出典|関連項目|外部リンク|参考文献|目次|注釈|関連|コメント|共有",
    re.IGNORECASE,
)


@dataclass(slots=True)
class ReportDraft:
    """A report before its citations are written in a style."""

    findings: Sequence[Finding]
    sources: dict[int, Reference]  # all that may be cited
    text: str
    notes: list[str]
    filled: Filled | None = None
    written_by: str = EXTRACT
    said: str | None = None  # by the model, as it was; for a replay


async def write_report(
    state: State, evidence: Evidence, model: Asks | None, seconds: float
) -> dict[str, Any]:
    """Return the result of the last step, ready for JSON."""
    outcome = outcome_of(state)
    draft = await asyncio.to_thread(write_extract, state, evidence)
    if outcome is Outcome.UNAVAILABLE:
        return _result(outcome, None, [], draft)
    if model is not None and draft.sources:
        try:
            await _write_by_model(state, draft, model, seconds)
        except (ProviderError, BudgetExceeded) as error:
            draft.notes.append(
                msg(
                    "the model did not write ({message}); this is an extract", message=error.message
                )
            )
    text, cited = renumber(draft.text, draft.sources)
    if draft.filled is not None:
        cited = _cite_basis(draft.filled, cited, draft.sources)
    text = apply_style(
        text, cited, state.request.citation_format, translator(guess_language(state.request.input))
    )
    return _result(outcome, text, cited, draft)


def evidence_of(state: State, tokenizer: str) -> Evidence:
    """Return what the finished steps have found."""
    questions = read_subquestions(state.plan["questions"])
    evidence = Evidence(questions, tokenizer, state.request.include_domains)
    for file in state.request.files:
        evidence.add_file(file.url, file.name, file.text)
    for planned, result in state.all_searched():
        evidence.add(planned.question, result, shared=planned.preferred)
    evidence.add_pages({"pages": state.pages().values()})
    return evidence


def outcome_of(state: State) -> Outcome:
    """Say whether anything was found; `unavailable` when nobody could search."""
    results = [result for _, result in state.all_searched()]
    if state.request.files or any(r["hits"] for r in results):
        return Outcome.FOUND
    searched = any(r["outcome"] != Outcome.UNAVAILABLE for r in results)
    return Outcome.EMPTY if searched else Outcome.UNAVAILABLE


def write_extract(state: State, evidence: Evidence) -> ReportDraft:
    """Write the report in the sources' own words."""
    request = state.request
    extent, t = EXTENTS[request.output_length], translator(guess_language(request.input))
    findings = on_subject(evidence.findings(extent.sentences), evidence.questions)
    subtopics = _subtopics(state, evidence, extent.subtopics)
    citations = [c for f in (*findings, *subtopics) for c in f.citations]
    filled = None
    if request.output_schema is not None:
        filled = fill_by_extract(request.output_schema, request.input, evidence)
        citations += filled.citations
    sources = evidence.references(citations)
    dates = {n: source.published for n, source in sources.items()}
    text = compose(findings, subtopics, dates, t)
    notes = _language_note(request.input, findings) + _missing_note(filled)
    return ReportDraft(findings, sources, text, notes, filled)


async def _write_by_model(state: State, draft: ReportDraft, model: Asks, seconds: float) -> None:
    """Replace the text, or the values of the schema, by the model's. Raises `ProviderError`."""
    request, sources = state.request, draft.sources
    if request.output_schema is not None:
        await _fill_by_model(request.output_schema, state, draft, model, seconds)
        return
    t, extent = translator(guess_language(request.input)), EXTENTS[request.output_length]
    listed = "\n".join(f"- {question}" for question in state.questions)
    rules = REPORT.format(words=extent.words, language=t(ANSWER_IN))
    asked = with_sources(sources.values(), f"Task: {request.input}", f"Questions:\n{listed}")
    said, checked = await ask_checked(model, rules, asked, sources, t(UNVERIFIED), seconds)
    draft.text, draft.written_by, draft.said = checked.text, model.name, said
    draft.notes = checked.notes


async def _fill_by_model(
    schema: Mapping[str, Any], state: State, draft: ReportDraft, model: Asks, seconds: float
) -> None:
    sources = draft.sources
    if seconds <= 0:
        raise ProviderError("llm", msg("no time was left"))
    rules = FILL.format(schema=json.dumps(schema, ensure_ascii=False))
    asked = with_sources(sources.values(), f"Task: {state.request.input}")
    said = await model.ask(rules, asked, seconds)
    values = read_json(said)
    filled = await asyncio.to_thread(check_filled, schema, values, sources)
    if not filled.basis:
        raise ProviderError("llm", msg("none of its values is supported by its quote"))
    draft.filled, draft.written_by, draft.said = filled, model.name, said
    draft.notes = _missing_note(filled)


def _subtopics(state: State, evidence: Evidence, count: int) -> list[Finding]:
    """Answer headings of the pages from these pages alone."""
    topic = keywords(state.request.input)[:200]
    found = []
    for heading in find_subtopics(state, count):
        query = f"{heading} {topic}"
        citations = evidence.citations(query)
        sentences = best_sentences(query, citations, count=3)
        found.append(Finding(heading, tuple(sentences), citations))
    return found


def find_subtopics(state: State, count: int) -> list[str]:
    """Return headings of the pages that were read, those of several pages first.

    They become sections made of these pages; nothing is searched for them.
    """
    about = set(terms(state.request.input))
    seen: dict[str, list[str]] = {}
    for page in state.pages().values():
        for heading in dict.fromkeys(one_line(h) for h in page["headings"]):
            short = 2 <= len(heading) <= HEADING_CHARS
            if not short or _BOILERPLATE.search(heading) or set(terms(heading)) >= about:
                continue
            seen.setdefault(heading.casefold(), []).append(heading)
    ranked = sorted(seen.values(), key=lambda same: -len(same))
    return [same[0] for same in ranked[:count]]


def _cite_basis(
    filled: Filled, cited: list[Reference], sources: dict[int, Reference]
) -> list[Reference]:
    """Give the sources of values the numbers of the report; add those that it does not cite."""
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
    codes = ", ".join(others)
    return [msg("sentences of the sources are quoted in their own language: {codes}", codes=codes)]


def _missing_note(filled: Filled | None) -> list[str]:
    if filled is None or not filled.missing:
        return []
    return [msg("nothing was found for: {names}", names=", ".join(filled.missing))]


def _result(
    outcome: Outcome, text: str | None, cited: Sequence[Reference], draft: ReportDraft
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
