"""Write findings as Markdown: sentences of the sources with `[n]`, what is missing. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING

from kensaku.answers.check import clean_quote
from kensaku.answers.conflicts import labelled
from kensaku.answers.score import MARK
from kensaku.answers.weigh import DIFFER
from kensaku.text.escape import escape_line, flatten
from kensaku.text.links import disarm_links

if TYPE_CHECKING:
    from kensaku.answers.score import Sentence
    from kensaku.answers.weigh import Finding
    from kensaku.locale import Translator


def compose(
    findings: Sequence[Finding],
    subtopics: Sequence[Finding],
    dates: Mapping[int, str | None],
    t: Translator,
) -> str:
    """Return the report without its list of sources. `dates` are those of the sources."""
    parts: list[str] = []
    shown: set[str] = set()
    urls = frozenset(c.url for f in (*findings, *subtopics) for c in f.citations)
    for finding in findings:
        if not finding.sentences:
            continue
        if len(findings) > 1:
            parts.append(f"## {_title(finding.question)}")
        parts.append(_paragraph(finding.sentences, shown, urls))
        titles = {c.n: c.title for c in finding.citations}
        parts += [_difference(group, titles, dates, urls, t) for group in finding.differences]
    if not parts:
        parts.append(t("The sources that were found say nothing about this."))
    parts += _subtopics(subtopics, shown, urls, t)
    missing = [f for f in findings if not f.sentences]
    for heading, group in (
        (t("Not found"), [f for f in missing if f.searched]),
        (t("Could not be searched"), [f for f in missing if not f.searched]),
    ):
        if group and len(findings) > 1:
            listed = "\n".join(f"- {_title(f.question)}" for f in group)
            parts.append(f"## {heading}\n\n{listed}")
    return "\n\n".join(parts)


def _subtopics(
    subtopics: Sequence[Finding], shown: set[str], urls: AbstractSet[str], t: Translator
) -> list[str]:
    lines = []
    for finding in subtopics:
        new = [s for s in finding.sentences if s.text not in shown]
        if new:
            shown.add(new[0].text)
            cited = f"{clean_quote(new[0].text, urls)} [{new[0].citation}]"
            lines.append(f"- {_title(finding.question)}: {cited}")
    return [f"## {t('Also on these pages')}\n\n" + "\n".join(lines)] if lines else []


def _paragraph(sentences: Sequence[Sentence], shown: set[str], urls: AbstractSet[str]) -> str:
    """Return the best sentence, and the others unless shown before.

    Those of a source stand together, as they follow each other there; the best source is first.
    """
    chosen = [s for n, s in enumerate(sentences) if not n or s.text not in shown]
    shown.update(s.text for s in chosen)
    sources = list(dict.fromkeys(s.citation for s in sentences))
    chosen.sort(key=lambda s: (sources.index(s.citation), s.position))
    said = (f"{clean_quote(s.text, urls)} [{s.citation}]" for s in chosen)
    return escape_line(" ".join(said))


def _difference(
    group: Sequence[Sentence],
    titles: Mapping[int, str],
    dates: Mapping[int, str | None],
    urls: AbstractSet[str],
    t: Translator,
) -> str:
    sides = []
    for label, sentence in labelled(group, titles):
        date = dates.get(sentence.citation)
        day = f" ({flatten(date)[:10]})" if date else ""
        sides.append(f"- {clean_quote(label + sentence.text, urls)} [{sentence.citation}]{day}")
    return "\n".join([f"**{t(DIFFER)}**", "", *sides])


def _title(text: str) -> str:
    """A question, or a heading of a page, without a link."""
    return flatten(disarm_links(MARK.sub("", text), (), [text]))
