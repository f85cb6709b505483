"""Conflicts that sources tell in words of their own: namesakes, and facts that were changed.

    2WikiMultihopQA's passages → beginnings of Wikipedia's articles; who directed, when and where
                                 born, when died, who recorded, which nation and profession
        → two to four bearers of one name: articles of that title, or an article of the same kind
          under the other's name; beside them, articles about others
        → controls: one bearer among others
    RGB's facts → snippets of a web search that have the answer, each by another author
        → one with the right answer, another with a wrong one of the same kind, up to three more
        → controls: two with the right one

Nothing is a copy of anything else. Half of the names and of the facts is held out.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from conflict_cases import Case, kind_of
from question_sets import MORE_DATA, in_half, json_lines

_WORD = r"(?:[A-Z]\.|[A-Z][\w'’-]+)"
_NAME = rf"({_WORD}(?: (?:de|von|van|der|{_WORD})){{0,3}})"
_ARTIST = r"(?:the )?(?:[A-Z][a-z]+ (?:[\w-]+ ){0,3}(?:singer|band|group|musician|artist|duo),? )?"
_DATE = r"(?:\d{1,2} [A-Z][a-z]+ |[A-Z][a-z]+ \d{1,2}, )?"
_LIFE = rf"^[^.(]{{3,40}}\([^)]*?{_DATE}"
_NATION = r"\b(?:is|was) an? (?:\w+ )?([A-Z][a-z]+(?:ese|ian|ish|can|ch|ean|man|ek|ss))\b"
_WORK = re.compile(
    r"\b(actor|actress|footballer|politician|writer|novelist|painter|singer|composer|director|"
    r"lawyer|journalist|poet|architect|screenwriter|producer|cricketer|physician|historian|"
    r"philosopher|wrestler|guitarist|businessman|economist|engineer|bishop|judge|mathematician)\b"
)


class Relation(NamedTuple):
    """What may be asked, and where an article says it; `about`: articles that it fits."""

    questions: Sequence[str]
    about: re.Pattern[str]
    says: re.Pattern[str]
    kind: str


_FILM = re.compile(r"^[^.]*\b(?:is|was) an? [^.]*\bfilm\b")
_PERSON = re.compile(r"^[^.]*(?:\bborn\b|\d{4}\s*[–-]\s*[^.)]*\d{4}\))")
_MUSIC = re.compile(r"^[^.]*\b(?:song|album|single)\b")
RELATIONS = (
    Relation(("Who directed {n}?", "Who is the director of {n}?", "Who directed the film {n}?"),
             _FILM, re.compile(r"directed by " + _NAME), "told name"),
    Relation(("When was {n} released?", "In what year did the film {n} come out?"),
             _FILM, re.compile(r"^[^.]*\b(?:is|was) an? (\d{4})\b"), "told figure"),
    Relation(("When was {n} born?", "In what year was {n} born?", "What is {n}'s year of birth?"),
             _PERSON, re.compile(_LIFE + r"(\d{4})(?:\)|\s*[–-]|,| in )"), "told figure"),
    Relation(("When did {n} die?", "In which year did {n} die?"),
             _PERSON, re.compile(rf"^[^.(]{{3,40}}\([^)]*\d{{4}}[^)]*?[–-]\s*{_DATE}(\d{{4}})\)"),
             "told figure"),
    Relation(("Where was {n} born?", "What is the birthplace of {n}?"),
             _PERSON, re.compile(r"\bborn (?:[^.]{0,25} )?in " + _NAME), "told name"),
    Relation(("Who recorded {n}?", "Who performed {n}?", "Which artist released {n}?"),
             _MUSIC, re.compile(r"^[^.]*\b(?:song|album|single)(?: \w+)? (?:recorded )?by "
                                + _ARTIST + _NAME), "told name"),
    Relation(("What nationality is {n}?", "What was the nationality of {n}?"),
             _PERSON, re.compile(_NATION), "told name"),
    Relation(("What is the occupation of {n}?", "What did {n} do for a living?"),
             _PERSON, _WORK, "told word"),
    # Relations that no rule was written for, nor one case read: all of them are held out.
    Relation(("Who stars in {n}?", "Who played the lead in {n}?"),
             _FILM, re.compile(r"starring " + _NAME), "unseen name"),
    Relation(("Who composed the music for {n}?",),
             _FILM, re.compile(r"(?:music|score)[^.]{0,25} by " + _NAME), "unseen name"),
    Relation(("Who produced {n}?", "Who was the producer of {n}?"),
             _FILM, re.compile(r"produced by " + _NAME), "unseen name"),
    Relation(("Who was the father of {n}?", "Whose child was {n}?"),
             _PERSON, re.compile(r"\b(?:son|daughter) of " + _NAME), "unseen name"),
    Relation(("Who was {n} married to?", "Who was the spouse of {n}?"),
             _PERSON, re.compile(r"\b(?:married(?: to)?|wife of|husband of) " + _NAME),
             "unseen name"),
    Relation(("Which team did {n} play for?", "What club does {n} play for?"),
             _PERSON, re.compile(r"\bplay(?:s|ed|ing)\b[^.]{0,30} for (?:the )?" + _NAME),
             "unseen name"),
    Relation(("Which university did {n} attend?", "Where did {n} study?"),
             _PERSON, re.compile(r"\b(?:studied|graduated|educated)\b[^.]{0,30} (?:at|from) "
                                 r"(?:the )?" + _NAME), "unseen name"),
    Relation(("In which country is {n}?", "Where is {n} located?"),
             re.compile(r"^[^.]*\bis an? (?:\w+ ){0,3}(?:village|town|river|city|district|school|"
                        r"university|company|station|lake|island|mountain)\b"),
             re.compile(r"^[^.]*\bis an? [^.]{0,60}? in (?:the )?" + _NAME), "unseen name"),
    Relation(("When was {n} founded?", "In what year was {n} established?"),
             re.compile(r"^[^.]*\bis an?\b"),
             re.compile(r"\b(?:founded|established|formed)\b[^.]{0,20} in (?:\w+ )?(\d{4})"),
             "unseen figure"),
    Relation(("What genre is the film {n}?", "What kind of film is {n}?"),
             _FILM, re.compile(r"\b(drama|comedy|horror|thriller|western|adventure|musical|crime|"
                               r"war|romance|documentary)\b", re.IGNORECASE), "unseen word"),
)  # fmt: skip


class Article(NamedTuple):
    """A passage, its name without what tells it from others, and what it says."""

    title: str
    name: str
    text: str
    value: str


def told_cases(seed: int = 0) -> Iterator[Case]:
    """Yield namesakes and facts, conflicts and controls."""
    for number, relation in enumerate(RELATIONS):
        yield from _namesakes(relation, number, seed)
    yield from _facts(seed)


def _articles(relation: Relation) -> list[Article]:
    rows = json.loads((MORE_DATA / "2wiki-passages.json").read_text("utf-8"))
    found = []
    for row in rows:
        text = re.sub(r"(?<=\w)\( ?", " (", row["text"]).replace(" )", ")")
        said = relation.says.search(text) if relation.about.search(text) else None
        name = re.sub(r" \([^)]*\)$", "", row["title"])
        if said and name in text and said[1] not in name and name not in said[1]:
            found.append(Article(row["title"], name, text, said[1]))
    return found


EACH = 60  # of a relation


def _namesakes(relation: Relation, number: int, seed: int) -> Iterator[Case]:
    rng = random.Random(f"{seed} {number}")
    articles = _articles(relation)
    rng.shuffle(articles)
    by_name: dict[str, list[Article]] = {}
    for article in articles:
        by_name.setdefault(article.name, []).append(article)
    # Names that have several articles first.
    names = sorted(by_name, key=lambda name: -len({a.value for a in by_name[name]}))[:EACH]
    for at, name in enumerate(names):
        own = by_name[name][:4]
        others = [a for a in rng.sample(articles, 12) if a.name != name and not _share(a, own)]
        bearers = own[:1] if at % 4 == 3 else own
        if at % 4 != 3 and len({b.value for b in bearers}) < 2:
            bearers += [_renamed(others.pop(), name) for _ in range(rng.choice((1, 1, 1, 2)))]
        values = tuple(dict.fromkeys(b.value for b in bearers))
        noise = others[: rng.randint(1, 3)]
        documents = [*bearers, *noise]
        rng.shuffle(documents)
        conflict = len(values) > 1
        yield Case(
            f"{number} {name}",
            rng.choice(relation.questions).format(n=name),
            tuple(d.text for d in documents),
            relation.kind if conflict else f"{relation.kind.split()[0]} control",
            values if conflict else None,
            name,
            in_half(name) and not relation.kind.startswith("unseen"),
            tuple(d.name for d in documents),
        )


def _share(article: Article, own: Sequence[Article]) -> bool:
    """Whether an article has a value of the others, or their name."""
    return any(o.value in article.text or o.name in article.text for o in own)


def _renamed(article: Article, name: str) -> Article:
    text = article.text.replace(article.name, name)
    last, new = article.name.rpartition(" ")[2], name.rpartition(" ")[2]
    if len(last) > 3 and last != article.name:
        text = re.sub(rf"\b{re.escape(last)}\b", new, text)
    return Article(name, name, text, article.value)


def _facts(seed: int) -> Iterator[Case]:
    for row in json_lines(MORE_DATA / "rgb-en-fact.json"):
        rng = random.Random(f"{seed} {row['id']}")
        right, wrong = _first(row["answer"]), _first(row["fakeanswer"])
        has = [n for n, text in enumerate(row["positive"]) if right.lower() in text.lower()]
        changed = [
            n for n, text in enumerate(row["positive_wrong"])
            if wrong.lower() in text.lower() and right.lower() not in text.lower()
        ]  # fmt: skip
        pairs = [(a, b) for a in has for b in changed if a != b]
        noise = [t for t in row["negative"] if wrong.lower() not in t.lower()]
        rest = rng.sample(noise, min(len(noise), rng.randint(1, 3)))
        tuning = in_half(f"rgb {row['id']}")
        if pairs:
            a, b = rng.choice(pairs)
            texts = [row["positive"][a], row["positive_wrong"][b], *rest]
            rng.shuffle(texts)
            kind = "figure" if kind_of(right) == "figure" else "name"
            name = f"rgb {row['id']}"
            yield Case(name, row["query"], tuple(texts), f"fact {kind}", (right, wrong), "", tuning)
        if len(has) > 1:
            texts = [*(row["positive"][n] for n in rng.sample(has, 2)), *rest]
            name = f"rgb {row['id']} control"
            yield Case(name, row["query"], tuple(texts), "fact control", None, "", tuning)


def _first(answer: Any) -> str:
    while isinstance(answer, list):
        answer = answer[0]
    return str(answer)
