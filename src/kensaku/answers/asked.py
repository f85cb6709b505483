"""What a question asks for, as far as sources are compared by it. Pure.

    "Who directed the film Otterton?" → a name, near "directed" or "director", of Otterton

What is said of a thing is hardly ever said in the question's own words: `_RELATIONS` has the usual
others, and for all else the beginnings of the question's words have to do.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from kensaku.answers.claims import Claims, claims_of
from kensaku.answers.kinds import DATE, FIGURE, PERSON, AnswerKind, kind_of, names_in

_ASKS_DATE = re.compile(
    r"\bwhen\b|\b(?:what|which) (?:year|date|day|month)\b|\b(?:year|date) of\b"
    r"|いつ|何[年月日]|年月日|日付"
    r"|[年日](?:は|を.{1,6})?[。？?]*$",
    re.IGNORECASE,
)
_ASKS_NAME = re.compile(r"\b(?:who|whom|whose|where)\b|\bwhich \w+\b|誰|だれ|どこ", re.IGNORECASE)
_YES_OR_NO = re.compile(
    r"^(?:is|are|was|were|do|does|did|has|have|had|can|will)\b(?!.*\b(?:wh\w+|how)\b)"
    r"|^(?!.*(?:何|なに|なん|いつ|いくつ|いくら|どこ|どちら|誰|だれ|なぜ|どの|どう|どれ|どんな)).*か[？?。]*$",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_YEAR = re.compile(r"\d{4}")
_CONTENT = re.compile(r"[^\W\d_]{4,}")
_PLACE = re.compile(
    r"\bwhere\b|\bbirthplace\b|\b(?:what|which) (?:city|town|village|country|state|county|province|"
    r"region|district|continent|island|place)\b|\bplace of\b|\blocation\b",
    re.IGNORECASE,
)
_DEFINITION = re.compile(
    r"\b(?:occupation|profession|job|for a living|known for|genre|(?:kind|type|sort) of)\b",
    re.IGNORECASE,
)
_NATION = re.compile(r"\bnationality\b|\bcitizen", re.IGNORECASE)
# What a question says, and how a source says it.
_RELATIONS = tuple(
    (re.compile(asks, re.IGNORECASE), re.compile(says, re.IGNORECASE))
    for asks, says in (
        (r"\bborn\b|\bbirth", r"\bborn\b|\bbirth\w*"),
        (r"\bdie[ds]?\b|\bdeath\b", r"\bdied\b|\bdeath\b|\bkilled\b"),
        (r"\brecord|\bperform|\bsing|\bs[au]ng\b|\bartist\b|\bband\b",
         r"\brecord\w*|\bperform\w*|\bs[au]ng\b|\b(?:song|album|single|EP)\b.{0,40}?\bby\b"),
        (r"\breleas|\bc[ao]me out\b|\bpremier|\bpublish|\bair(?:ed)?\b",
         r"\breleas\w*|\bpremier\w*|\bpublish\w*|\bair(?:s|ed)\b"),
        (r"\bdirect", r"\bdirect\w*"),
        (r"\bwrote\b|\bwrit|\bauthor",
         r"\bwr(?:itten|iter|ote)\b|\bauthor\w*|\b(?:novel|book|poem|play|story)\b.{0,30}?\bby\b"),
        (r"\bfound(?:ed|er)|\bestablish|\bform(?:ed)?\b|\bcreated?\b",
         r"\bfound\w*|\bestablish\w*|\bform(?:ed|ation)\b|\bcreat\w*"),
        (r"\bbuilt\b|\bconstruct|\bcomplet|\bopen",
         r"\bbuil[td]\w*|\bconstruct\w*|\bcomplet\w*|\bopen\w*"),
        (r"\bw[io]n\b|\bwinner", r"\bw[io]n\w*|\bchampion\w*|\bdefeat\w*|\bbeat\b|\bvictor\w*"),
        (r"\bpopulation\b|\bhow many people\b", r"\bpopulation\b|\binhabitants\b|\bpeople\b"),
        (r"\bstar(?:s|red|ring)?\b|\blead (?:role|actor|actress)|\bplayed the lead\b|\bcast\b",
         r"\bstar(?:s|red|ring)\b|\bfeatur\w*|\blead role\b|\bcast\b"),
        (r"\bcompos|\bmusic (?:for|of)\b|\bscore\b",
         r"\bcompos\w*|\b(?:music|score|soundtrack)\b.{0,30}?\bby\b"),
        (r"\bproduc(?:e[dr]?|tion)\b", r"\bproduce[dr]s?\b"),
        (r"\bmarr|\bspouse\b|\bwife\b|\bhusband\b",
         r"\bmarr(?:ied|iage|ies|y)\b|\bspouse\b|\bwife\b|\bhusband\b|\bwidow\w*"),
        (r"\bfather\b|\bmother\b|\bparents?\b|\bchild of\b|\bwhose child\b",
         r"\b(?:son|daughter|child) of\b|\bfather\b|\bmother\b|\bparents\b|\bborn to\b"),
        (r"\bplay(?:s|ed)? for\b|\bteam\b|\bclub\b",
         r"\bplay(?:s|ed|ing)?\b.{0,40}?\bfor\b|\bteam\b|\bclub\b|\bside\b|\bsigned\b"),
        (r"\bstud(?:y|ied)\b|\battend|\beducat|\balma mater\b|\bgraduat",
         r"\bstudied\b|\battended\b|\beducated\b|\bgraduat\w*|\balumn\w*|\bdegree\b"),
        (r"\blocat|\bsituat", r"\blocat\w*|\bsituated\b|\blies\b|\bin\b"),
    )
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Asked:
    """What a question asks for, as far as two sentences are compared by it."""

    claims: Claims
    text: str  # in lower case
    names: frozenset[str]
    numbers: tuple[str, ...]  # of a thing that it asks about, without years
    years: tuple[str, ...]
    stems: frozenset[str]  # beginnings of its words
    date: bool
    number: bool
    name: bool
    kind: AnswerKind | None
    one_name: bool  # of a person or a place
    verbs: frozenset[str]  # beginnings of its words that are no names
    relation: re.Pattern[str] | None  # the words with which a source says it
    rest: frozenset[str]  # beginnings of its other words, all of which a source has to have
    place: bool
    nation: bool
    definition: bool  # of what it names: a profession, a genre

    @property
    def is_narrow(self) -> bool:
        """Whether it asks for a person, a place, a date or a figure."""
        return self.one_name or self.kind in (DATE, FIGURE)

    @property
    def is_plain(self) -> bool:
        """Whether it asks for something that can be told from other words of a sentence."""
        return self.is_narrow or self.date or self.place or self.nation or self.definition

    @property
    def is_open(self) -> bool:
        """Whether it asks for more than yes or no."""
        return self.number or self.name

    def relates(self, text: str) -> bool:
        """Whether a sentence has a word that relates a value to what the question names."""
        if self.relation is not None and self.relation.search(text):
            return True
        return any(stem in text.lower() for stem in self.rest)

    def is_touched_by(self, text: str) -> bool:
        """Whether a sentence has such a word, or a value that can be seen."""
        return self.relates(text) or (self.kind in (DATE, FIGURE) and bool(_NUMBER.search(text)))

    @classmethod
    def of(cls, query: str) -> Asked:
        """Read a question."""
        claims, kind = claims_of(query), kind_of(query)
        closed = bool(_YES_OR_NO.search(query))
        stems = frozenset(w[:4] for w in _CONTENT.findall(query.lower()))
        names = frozenset(name for name in names_in(query) if not _YEAR.fullmatch(name))
        relation, rest = _relation(query, stems - {name[:4] for name in names})
        date = bool(_ASKS_DATE.search(query)) or kind is DATE or bool(closed and claims.dates)
        return cls(
            claims,
            query.lower(),
            names,
            tuple(n for n in _NUMBER.findall(query) if not _YEAR.fullmatch(n)),
            tuple(n for n in _NUMBER.findall(query) if _YEAR.fullmatch(n)),
            stems,
            date,
            number=kind is not PERSON and not closed,
            name=kind not in (DATE, FIGURE) and not closed,
            kind=kind,
            one_name=bool(_ASKS_NAME.search(query)),
            verbs=stems - {name[:4] for name in names},
            relation=relation,
            rest=rest,
            place=bool(_PLACE.search(query)),
            nation=bool(_NATION.search(query)),
            definition=bool(_DEFINITION.search(query)),
        )


_ASKING = frozenset(
    word[:4]
    for word in "what which when where year many much name time does were this that person city "
    "country county state town place film movie song album single book novel type kind date living "
    "from have occupation profession nationality citizen career work location genre sort whose "
    "team club university school college attend".split()
)
_ANOTHER = re.compile(
    r"\b(?:former|formerly|previous|vice|deputy|acting|interim|sequel|remake)\b", re.IGNORECASE
)
_LIES = re.compile(r"\blocated\b|\bsituated\b|\blies\b|\bheld\b|\btakes? place\b|\bin\b")
_ROLE = re.compile(r"\b(?:is|was|are|were) (?:the )?(?:\w+ )?(\w+) of\b", re.IGNORECASE)


def _relation(query: str, verbs: frozenset[str]) -> tuple[re.Pattern[str] | None, frozenset[str]]:
    """Return the words by which a source relates a value, and the others that it has to have."""
    others = verbs - _ASKING
    for asks, says in _RELATIONS:
        if found := asks.search(query):
            word = query[found.start() :].lower()
            return says, frozenset(v for v in others if not word.startswith(v))
    if role := _ROLE.search(query):
        return re.compile(rf"\b{re.escape(role[1])}\b", re.IGNORECASE), others
    if not others:
        return (_LIES if _PLACE.search(query) else None), others
    return re.compile(
        rf"\b(?:{'|'.join(map(re.escape, sorted(others)))})\w*", re.IGNORECASE
    ), others


def has_name(name: str, text: str) -> bool:
    """Whether a text has a name, and not only one that goes on: Otterton II, Otterton: Home."""
    goes_on = r":\s*(?!\w+ by)\w|\s+(?:part|[ivx]+|\d+)\b"
    return name in text and bool(re.search(rf"{re.escape(name)}(?!{goes_on})", text))


def is_of_another(text: str) -> bool:
    """Whether a sentence may tell of who held a post before, or of a work that came after."""
    return bool(_ANOTHER.search(text))
