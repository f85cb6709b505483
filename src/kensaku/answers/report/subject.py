"""Leave out of a report what is not about the subject of its question. Pure.

    findings → names of the question → sentences of pages that have them
                                     → if the best of them is from a page of that title, of it alone

A page that only mentions the subject fills a paragraph with the page's own. A part whose names no
page has was not answered.
"""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from dataclasses import replace
from typing import TYPE_CHECKING

from kensaku.answers.kinds import is_spaced
from kensaku.answers.weigh import says_more

if TYPE_CHECKING:
    from kensaku.answers.questions import Subquestion
    from kensaku.answers.weigh import Finding

# Not the first word, which has a capital anyway; in Japanese, what is written in katakana.
_NAMES = re.compile(r"(?<!^)(?<![.!?] )\b[A-Z][\w’-]+(?: [A-Z][\w’-]+)*")
_NAMES_UNSPACED = re.compile(r"[\u30a1-\u30f4ー・]{3,}|[A-Z][A-Za-z]{2,}")
_IN_BRACKETS = re.compile(r"[ _]?\([^)]*\)$")


def on_subject(findings: Sequence[Finding], asked: Sequence[Subquestion]) -> list[Finding]:
    """Return the findings with the sentences that are about the subjects of their questions."""
    names = {name.casefold() for question in asked for name in _names(question.text)}
    pairs = zip(findings, asked, strict=True)
    return [_on_subject(finding, question, names) for finding, question in pairs]


def _on_subject(finding: Finding, asked: Subquestion, names: Set[str]) -> Finding:
    query = asked.queries[0].casefold()
    wanted = [name for name in names if _has(query, name)]
    if not wanted or not finding.sentences:
        return finding
    texts = {c.n: " ".join((c.title, *(p.text for p in c.passages))) for c in finding.citations}
    pages = {n for n, text in texts.items() if any(_has(text.casefold(), n) for n in wanted)}
    kept = [s for s in finding.sentences if s.citation in pages]
    titled = {c.n for c in finding.citations if _is_named(c.title, query)}
    if kept and kept[0].citation in titled:
        kept = [s for s in kept if s.citation in titled]
    if not kept or (asked.carried and not says_more(asked.text, kept)):
        return replace(finding, sentences=(), differences=())
    return replace(finding, sentences=tuple(kept))


def _names(text: str) -> list[str]:
    found = (_NAMES if is_spaced(text) else _NAMES_UNSPACED).findall(text)
    return [name for name in found if len(name) > 2]  # "Dr" is nobody's


def _has(text: str, name: str) -> bool:
    """Whether a text has all words of a name: Jack Russell Spring, for Jack Spring."""
    return all(word in text for word in name.split())


def _is_named(title: str, query: str) -> bool:
    """Whether a query has the title of a page, without what tells it from others of that name."""
    bare = _IN_BRACKETS.sub("", title).replace("_", " ").strip().casefold()
    return len(bare) > 1 and bare in query
