"""Where sources contradict each other on a question, and where they tell of namesakes. Pure.

scored sentences → those on the question, of two hosts
    → the value that each source gives (`values.py`) → those that differ
    → what each source says its subject is (`bearers.py`) → those that are others
    → sentences in like words (`alike.py`) → those that contradict
    → one sentence for each side, at most `SIDES`
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from kensaku.answers.alike import contradict, is_copy, like_pairs, names_of
from kensaku.answers.asked import Asked
from kensaku.answers.bearers import are_others, bearer_of
from kensaku.answers.score import MARK
from kensaku.answers.slots import apart, is_other_name
from kensaku.answers.values import Value, differ, value_of
from kensaku.text.clean import one_line
from kensaku.text.urls import host_of

if TYPE_CHECKING:
    from kensaku.answers.context import Citation
    from kensaku.answers.score import Sentence

SIDES = 4  # that are shown of one contradiction
LABEL = 80  # characters of a title
ONE_PLACE = 60  # characters in which copies differ
_FUNCTION = re.compile(r"\b(?:a|an|the|and|or|of|in|on|at|to|about)\b|[\u3041-\u309f、。]")
Pages = Mapping[int, Sequence["Sentence"]]


def differences(
    query: str, sentences: Sequence[Sentence], citations: Sequence[Citation]
) -> list[tuple[Sentence, ...]]:
    """Return at most one group of sentences, of as many hosts, that contradict each other."""
    hosts = _hosts(citations)
    asked = Asked.of(query)
    pages: dict[int, list[Sentence]] = {}
    for sentence in sentences:
        pages.setdefault(sentence.citation, []).append(sentence)
    titles = {c.n: c.title for c in citations}
    values = {n: v for n, page in pages.items() if (v := value_of(asked, page, titles[n]))}
    sides = _sides([v.sentence for v in values.values()], hosts, _by_value(values, pages))
    if len(sides) < 2:
        own = {n: str(n) for n in pages}  # an encyclopedia has a page of each bearer
        sides = _sides(_answering(asked, pages, values), own, _by_bearer(asked, pages))
    if len(sides) < 2:
        sides = _like_sides(asked, sentences, hosts)
    return [tuple(sides)] if len(sides) > 1 else []


def differs_in_a_word(
    query: str,
    chosen: Sequence[Sentence],
    sentences: Sequence[Sentence],
    citations: Sequence[Citation],
) -> bool:
    """Whether another host has the best sentence of an answer with other words in one place.

    That may be a synonym, or "bronze" for "copper": too little to call it a contradiction, too much
    to say nothing.
    """
    hosts = _hosts(citations)
    asked = Asked.of(query)
    for one, other in itertools.product(chosen[:1], sentences):
        if hosts[one.citation] == hosts[other.citation] or not is_copy(one, other):
            continue
        if names_of(asked, one.text) != names_of(asked, other.text):
            continue
        parts = [_FUNCTION.sub("", part).strip() for part in apart(one.text, other.text)]
        if all(2 < len(part) <= ONE_PLACE for part in parts) and is_other_name(*parts):
            return True
    return False


def labelled(group: Sequence[Sentence], titles: Mapping[int, str]) -> list[tuple[str, Sentence]]:
    """Return each side with the title of its page before it, where that tells the sides apart.

    "Dark River (2017 film): It was directed by …" A title that its sentence begins with says no
    more.
    """
    named = [one_line(MARK.sub("", titles.get(s.citation, "")))[:LABEL] for s in group]
    apart = len({title.casefold() for title in named} - {""}) == len(group)
    return [
        (f"{title}: " if apart and not s.text.startswith(title) else "", s)
        for title, s in zip(named, group, strict=True)
    ]


def _hosts(citations: Sequence[Citation]) -> dict[int, str]:
    return {c.n: host_of(c.url) or c.url for c in citations}


def _sides(
    sentences: Sequence[Sentence],
    hosts: Mapping[int, str],
    differ: Callable[[Sentence, Sentence], bool],
) -> list[Sentence]:
    """Return sentences of which each differs from all others, the best first."""
    sides: list[Sentence] = []
    for one in sorted(sentences, key=lambda s: -s.score):
        if len(sides) < SIDES and all(
            hosts[one.citation] != hosts[other.citation] and differ(one, other) for other in sides
        ):
            sides.append(one)
    return sides


def _by_value(known: Mapping[int, Value], pages: Pages) -> Callable[[Sentence, Sentence], bool]:
    """Compare sentences by the value that they give, and pages by having the other's."""
    texts = {n: " ".join(s.text for s in page).lower() for n, page in pages.items()}

    def differs(one: Sentence, other: Sentence) -> bool:
        a, b = known[one.citation], known[other.citation]
        agree = a.text.lower() in texts[other.citation] or b.text.lower() in texts[one.citation]
        return not agree and differ(a, b)

    return differs


def _answering(asked: Asked, pages: Pages, values: Mapping[int, Value]) -> list[Sentence]:
    """Return the sentence of each page that gives a value, or else its best, if it may answer."""
    if not asked.is_open:
        return []
    rest = (max(page, key=lambda s: s.score) for n, page in pages.items() if n not in values)
    return [v.sentence for v in values.values()] + [s for s in rest if asked.is_touched_by(s.text)]


def _by_bearer(asked: Asked, pages: Pages) -> Callable[[Sentence, Sentence], bool]:
    """Compare sentences by what their pages are about."""
    bearers = {n: bearer_of(asked, page) for n, page in pages.items()}

    def differs(one: Sentence, other: Sentence) -> bool:
        a, b = bearers[one.citation], bearers[other.citation]
        return a is not None and b is not None and are_others(a, b)

    return differs


def _like_sides(
    asked: Asked, sentences: Sequence[Sentence], hosts: Mapping[int, str]
) -> list[Sentence]:
    """Return sentences in like words that contradict each other."""

    def differs(one: Sentence, other: Sentence) -> bool:
        return hosts[one.citation] != hosts[other.citation] and contradict(asked, one, other)

    for one, other in like_pairs(asked, sentences):
        if differs(one, other):
            rest = [
                s for s in sentences if s is not one and s is not other and s.own >= one.own / 2
            ]
            more = [s for s in rest if is_copy(s, one) and differs(s, one) and differs(s, other)]
            return [one, other, *more[:1]]
    return []
