"""Write from the sources: by the model, each sentence checked; else the extract.

    ask_checked   rules + sources → model → check → the whole text at once
    write_answer  findings → model → check each sentence as it comes → numbered by use → emit
                           → extract, if there is no model, or none of its citations holds
                           → contradictions side by side

What was emitted is never taken back. A model that breaks off leaves the sentences that hold, and
the extract follows them.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from kensaku.answers.check import MAX_TEXT, UNVERIFIED, Checked, Checker, check_text, clean_quote
from kensaku.answers.cited import Cited
from kensaku.answers.conflicts import labelled
from kensaku.answers.evidence import Numbering
from kensaku.answers.prompts import ANSWER_IN, answer_rules, with_sources
from kensaku.answers.weigh import DIFFER
from kensaku.errors import BudgetExceeded, ProviderError, Unreadable
from kensaku.messages import msg
from kensaku.text.clean import visible
from kensaku.text.escape import escape_line
from kensaku.text.tokens import document_terms

if TYPE_CHECKING:
    from kensaku.answers.ask import AskRun
    from kensaku.answers.evidence import Reference
    from kensaku.answers.model import Asks, Metered
    from kensaku.answers.weigh import Finding
    from kensaku.locale import Translator

Emit = Callable[[str, tuple[Cited, ...]], None]
EXTRACT = "extract"
NOTHING_HOLDS = msg("none of its citations stands in its source")
_SENTENCE = re.compile(r".+?(?:(?:\s?\[\d{1,3}\])+\s*|\n+|\Z)", re.DOTALL)


async def ask_checked(
    model: Asks,
    rules: str,
    asked: str,
    sources: Mapping[int, Reference],
    mark: str,
    seconds: float,
) -> tuple[str, Checked]:
    """Ask a model for a text; return it as it was, and checked.

    Raises a `ProviderError` also when none of its citations holds.
    """
    if seconds <= 0:
        raise ProviderError("llm", msg("no time was left"))
    said = await model.ask(rules, asked, seconds)
    checked = await asyncio.to_thread(check_text, said, sources, mark, rules)
    if not checked.cited:
        raise ProviderError("llm", NOTHING_HOLDS)
    return said, checked


@dataclass(slots=True)
class Draft:
    """A text with its sources, who wrote it, and what the check of its citations did."""

    text: str | None = None
    citations: tuple[Cited, ...] = ()
    written_by: str = EXTRACT
    emitted: bool = False  # its text was emitted while it was written
    broken: str = ""  # why the model did not write to its end
    cut: int = 0
    marked: int = 0
    notes: list[str] = field(default_factory=list)


class AnswerText:
    """The text of an answer while it is written.

    `emit` gets each part, and the sources that it is the first to cite; None: nobody does yet.
    """

    def __init__(self, sources: Mapping[int, Reference], emit: Emit | None) -> None:
        self.text = ""
        self.numbering = Numbering(sources)
        self._emit = emit

    def write(self, part: str) -> None:
        """Add a part; it is final."""
        known = len(self.numbering.cited)
        numbered = self.numbering.apply(part)
        self.text += numbered
        if self._emit is not None:
            new = self.numbering.cited[known:]
            self._emit(numbered, tuple(_cited(source, numbered) for source in new))

    def write_paragraph(self, paragraph: str | None) -> None:
        """Add a paragraph, if there is one."""
        if paragraph:
            self.write(f"\n\n{paragraph}" if self.text else paragraph)


async def write_answer(
    run: AskRun,
    findings: Sequence[Finding],
    sources: Mapping[int, Reference],
    emit: Emit | None = None,
    step: str = "write",
) -> Draft:
    """Return the answer; its text is None when the sources hold none.

    `emit` gets the text of a model while it is written, each part after it was checked. An extract
    is there at once, and left to the caller. `step` is the name of the model's call in the journal.
    """
    draft, text = Draft(), AnswerText(sources, emit)
    if run.model is not None and sources:
        try:
            await _write_by_model(draft, text, run, run.model, sources, step)
        except (ProviderError, BudgetExceeded) as error:
            draft.notes.append(
                msg(
                    "the model did not answer ({message}); this is an extract",
                    message=error.message,
                )
            )
    by_model = bool(text.text)
    if not by_model:  # left to the caller
        text = AnswerText(sources, None)
    if not by_model or draft.broken:
        text.write_paragraph(extract(findings, sources, without=text.text))
    if not text.text:
        return draft
    for finding in findings:
        text.write_paragraph(_side_by_side(finding, sources, run.tools.t))
    draft.text, draft.emitted = text.text, by_model and emit is not None
    if by_model and run.model is not None:
        draft.written_by = run.model.name
    draft.citations = tuple(_cited(source, text.text) for source in text.numbering.cited)
    return draft


def extract(
    findings: Sequence[Finding], sources: Mapping[int, Reference], without: str = ""
) -> str | None:
    """Return the best sentences of each question, word for word; a sentence stands once."""
    shown: set[str] = set()
    parts = []
    for finding in findings:
        chosen = [s for s in finding.sentences if s.text not in shown and s.text not in without]
        shown.update(s.text for s in chosen)
        chosen.sort(key=lambda s: (s.citation, s.position))
        if chosen:
            said = " ".join(f"{_quote(s.text, sources)} [{s.citation}]" for s in chosen)
            parts.append(escape_line(said))
    return "\n\n".join(parts) or None


def deltas(text: str) -> list[str]:
    """Split a text after its citations. All parts joined are the text."""
    return _SENTENCE.findall(text)


class CheckedReply:
    """One reply of a model on its way into an answer.

    Sentences without a citation wait until one with a citation holds: of a reply without any,
    nothing is shown.
    """

    def __init__(self, checker: Checker, write: Callable[[str], None]) -> None:
        self.checker = checker
        self._write_on = write
        self._held = ""
        self._was_read = False

    async def read(self, pieces: AsyncGenerator[str, None]) -> dict[str, str]:
        """Read a reply to its end and return it, ready for JSON, with why it broke off.

        Raises a `ProviderError` when nothing of it can be used.
        """
        self._was_read = True
        said, broken = "", ""
        try:
            async with aclosing(pieces):
                async for piece in pieces:
                    said += piece
                    await self._feed(piece)
                    if len(said) > MAX_TEXT:
                        raise Unreadable(
                            "llm",
                            msg("it wrote more than {max_text:,} characters", max_text=MAX_TEXT),
                        )
            if not visible(said).strip():
                raise Unreadable("llm", msg("the model sent no text"))
        except ProviderError as error:
            if not self.checker.checked.cited:
                raise
            broken = error.message
        return {"text": said[:MAX_TEXT], "broken": broken}

    async def finish(self, said: Mapping[str, str]) -> None:
        """Write the rest of a reply; all of it, if it was read by an earlier process.

        Of one that broke off, the unfinished sentence is left out. Raises a `ProviderError` when
        no citation holds.
        """
        if not self._was_read:
            await self._feed(said["text"])
        if not said["broken"]:
            self._held += await asyncio.to_thread(self.checker.end)
            self._write()
        if not self.checker.checked.cited:
            raise ProviderError("llm", NOTHING_HOLDS)

    async def _feed(self, piece: str) -> None:
        self._held += await asyncio.to_thread(self.checker.feed, piece)
        self._write()

    def _write(self) -> None:
        if self._held and self.checker.checked.cited:
            self._write_on(self._held)
            self._held = ""


async def _write_by_model(
    draft: Draft,
    text: AnswerText,
    run: AskRun,
    model: Metered,
    sources: Mapping[int, Reference],
    step: str,
) -> None:
    """Write the model's text. Raises `ProviderError` or `BudgetExceeded` before anything of it."""
    tools = run.tools
    if tools.seconds_left <= 0:
        raise ProviderError("llm", msg("no time was left"))
    rules = answer_rules(tools.t(ANSWER_IN), tools.left())
    asked = with_sources(sources.values(), f"Question: {run.question}")
    reply = CheckedReply(Checker(sources, tools.t(UNVERIFIED), rules), text.write)

    async def write() -> dict[str, str]:
        return await reply.read(model.stream(rules, asked, tools.seconds_left))

    said = await tools.journal.once(step, write)
    await reply.finish(said)
    checked = reply.checker.checked
    draft.cut, draft.marked = checked.cut, checked.marked
    draft.notes += checked.notes
    draft.broken = said["broken"]
    if draft.broken:
        what = msg("its sentences that hold are kept, and an extract follows")
        draft.notes.append(
            msg("the model broke off ({broken}); {what}", broken=draft.broken, what=what)
        )


def _side_by_side(finding: Finding, sources: Mapping[int, Reference], t: Translator) -> str | None:
    titles = {n: source.title for n, source in sources.items()}
    sides = [
        f"- {_quote(label + s.text, sources)} [{s.citation}]"
        for group in finding.differences
        for label, s in labelled(group, titles)
    ]
    return "\n".join([t(DIFFER), *sides]) if sides else None


def _quote(sentence: str, sources: Mapping[int, Reference]) -> str:
    return clean_quote(sentence, (source.url for source in sources.values()))


def _cited(source: Reference, text: str) -> Cited:
    """Return a source with the passage that has most of the words that the text cites it for."""
    said = "".join(part for part in deltas(text) if f"[{source.n}]" in part)
    wanted = frozenset(document_terms(said).words)

    def shared(passage: str) -> int:
        return len(wanted & frozenset(document_terms(passage).words))

    best = max((p.text for p in source.passages), key=shared, default="")
    return Cited(source.n, source.url, source.title, best, source.origin, source.published)
