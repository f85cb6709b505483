"""Split an input into questions by rule, in English and Japanese. Pure.

    input → sentences and list items → requests → compound questions apart → topic carried over
    "How do sea otters sleep?", then "And what do they eat?" → "sea otters sleep: And what do …"

"When was the abbey founded and who led it?" is two questions; the second needs the abbey, and so
does "How many people died?" behind a sentence about it. Only the person's own words are carried
over: an answer has words of the web.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

from kensaku.text.clean import one_line
from kensaku.text.languages import STOP_WORDS, guess_language

MAX_CHARS = 300  # of one question
MAX_PARTS = 20  # of one compound question
TOPIC_WORDS = 7
MAX_ADDRESSES = 5
SHORT = 200  # characters: a longer question says what it is about
FEW_WORDS = 2  # that carry meaning
_JAPANESE = re.compile("[\u3041-\u30ff]")
_SENTENCE = re.compile(
    r"(?<=[?？!！。])\s*|[\r\n;；]+\s*"
    r"|(?<=\.)(?<!\b[A-Z]\.)(?<!\b(?:Dr|Mr|Ms|St|Mt|Jr|Sr|No|Lt)\.)(?<!\bMrs\.)\s+(?=[A-Z\"'(])"
)
_BULLET = re.compile(r"^\s*(?:[-*•・‣]|\(?\d{1,2}[.)．）])\s*")
_WH = r"(?:who|whom|whose|what|when|where|why|how|which)"
_WH_JA = r"(?:いつ|どこ|誰|だれ|何|なに|なん|なぜ|どう|どの|どれ|どんな|いくつ|いくら)"
_ASKS = re.compile(
    rf"[?？]|^\W*(?:{_WH}|is|are|was|were|do|does|did|can|could|should|has|have|will|would|find|list|"
    r"explain|describe|compare|summari[sz]e|tell|name|give|show|research|investigate)\b"
    rf"|{_WH_JA}|[かは][。]?$|答え|教えて|調べ|まとめ|比較|説明し|述べ|違い",
    re.IGNORECASE,
)
_AND = re.compile(rf",?\s+(?:and|or|as well as)\s+(?={_WH}\b)|,\s+(?={_WH}\b)", re.IGNORECASE)
_AND_JA = re.compile(
    rf"[、,]\s*(?:そして|また|それから|さらに|および|ならびに)、?|[、,]\s*(?=[^、]*{_WH_JA})"
    r"|(?<=か)(?:そして|また|それから|さらに)、?"
)
# What is always somebody's or something's: a question that names nothing else leaves out whose.
_RELATIONAL = re.compile(
    r"\b(?:people|deaths?|died|victims|survivors|casualties|affected|injured|costs?|price|damages?|"
    r"effects?|consequences|causes?|results?|outcome|population|size|area|length|height|capital|"
    r"founders?|inventors?|authors?|leaders?|members|symptoms|treatments?|risks?|benefits?|"
    r"advantages|disadvantages|criticisms?|origins?|purpose|start(?:ed)?|begin|began|end(?:ed)?)\b"
    r"|^\W*(?:人口|首都|面積|市長|知事|開発者|作者|著者|創設者|創業者|指導者|原因|影響|結果|被害|死者|費用|価格|"
    r"目的|起源|由来|長さ|高さ|大きさ|広さ|症状|治療|利点|欠点|特徴)[はがを]",
    re.IGNORECASE,
)
# Words of a question that say nothing about its subject.
_ASKING = frozenset(
    "many much long often far big old main name named called kind type cause caused causes "
    "affected affect tell give list explain describe compare summarize summarise find research "
    "show".split()
)
_WH_VERB = re.compile(rf"^\W*(?:{_WH}\s+[a-z]+|i\s+[a-z]+)\b", re.IGNORECASE)
_HAS_WH = re.compile(rf"\b{_WH}\b|{_WH_JA}", re.IGNORECASE)
PRONOUN = re.compile(
    r"\b(?:it|its|they|their|them|he|she|his|her|him|this|these|those)\b|それ|その|これ|この|彼",
    re.IGNORECASE,
)
_PERSON = re.compile(r"\b(?:he|she|his|hers?|him)\b", re.IGNORECASE)
_TOPIC_JA = re.compile(r"^\W*(.{2,30}?)(?:について|とは|は|が|の|を)")
_COMPARED = (
    re.compile(r"\bcompare\s+(.{2,80})\s+(?:and|with|to|vs\.?|versus)\s+(.{2,80})", re.IGNORECASE),
    re.compile(r"\bdifferences?\s+between\s+(.{2,80})\s+and\s+(.{2,80})", re.IGNORECASE),
    re.compile(r"^(.{2,80}?)\s+(?:vs\.?|versus)\s+(.{2,80})", re.IGNORECASE),
    re.compile(r"(.{2,30}?)と(.{2,30}?)(?:の違い|を比較|の比較|を比べ)"),
)
_TAIL = re.compile(
    r"\s+(?:in terms of|regarding|with respect to|by|for|on)\s+([^?!]*)[?!.]*\s*$", re.IGNORECASE
)
_OF = re.compile(r"(?:the\s+)?([a-z][a-z -]{1,60}?)\s+(?:of|in)\s+(.+)")  # no part of a name
_OF_JA = re.compile(r"(.+)の([^の]+)")
# What joins the parts of an address or a key separates no words: scrub.py looks for them whole.
_WORD = re.compile(r"[^\W_]+(?:[-'’.@_:/]{1,3}[^\W_]+)*")
_ENDING_JA = re.compile(
    r"(?:を|について|のか)?(?:教えて|調べて|検索して|まとめて|説明して)?(?:ください|下さい|欲しい|ほしい)?"
    r"(?:です|ます|でしょう|でした|ました)?(?:か)?[。？?！!]*$"
)
_ELLIPSIS = re.compile(
    r"^\W*(?:and|but|so|or|also|then|what about|how about|what else|why|why not|more|since when)\b"
    r"|^\W*(?:では|じゃあ?|それ|そこ|そちら|ほか|他に|なぜ|どうして|もっと|また|ちなみに|あと)",
    re.IGNORECASE,
)
_WRITTEN_JA = re.compile("[\u30a1-\u30ff\u4e00-\u9fff]{2}")  # katakana, kanji
_ADDRESS = re.compile(r"https?://[^\s<>\"'“”「」『』（）()、。]+")


@dataclass(frozen=True, slots=True)
class Subquestion:
    """Something to find out, and the searches that may be made for it, in order."""

    text: str
    queries: tuple[str, ...]

    @property
    def carried(self) -> tuple[str, ...]:
        """The words of its subject that were taken over from another question."""
        first = self.queries[0] if self.queries else ""
        return tuple(first.removeprefix(self.text).split()) if first.startswith(self.text) else ()


def split_questions(text: str) -> list[Subquestion]:
    """Return the questions of an input; an input that asks nothing is one topic."""
    parts: dict[str, bool] = {}  # each with whether it asks; an item of a list always does
    for raw in _SENTENCE.split(text):
        part = one_line(_BULLET.sub("", raw))
        if len(part) > 1:
            parts[part] = bool(_BULLET.match(raw) or _ASKS.search(part))
    asked = [part for part, asks in parts.items() if asks] or [one_line(text)]
    opening = next(iter(parts), "")
    topic = topic_of(opening)
    questions: dict[str, Subquestion] = {}
    for part in asked:
        if sides := compared(part):
            # A page may say how two things differ; their attribute stands on a page of each.
            whole = [] if any(" " in s or "の" in s for s in sides) else [part]
            found = [_question(side, "") for side in (*whole, *sides)]
        else:
            first, *others = _split_compound(part)
            found = [_question(first, topic if part != opening and _leaves_out(first) else "")]
            found += [_question(other, topic_of(first) or topic) for other in others]
        for question in found:
            questions.setdefault(question.text.casefold(), question)
    return list(questions.values())


def is_topic(text: str) -> bool:
    """Whether an input names a subject and asks nothing about it."""
    return len(text) <= 80 and "\n" not in text and not _ASKS.search(text)


def compared(text: str) -> list[str]:
    """Return the two sides of a comparison, each with what is compared; [] when none is asked for.

    "Compare the size of Warsaw and Fresno": the size of Warsaw, and that of Fresno.
    """
    tail = _TAIL.search(text)
    for pattern in _COMPARED:
        if match := pattern.search(text[: tail.start()] if tail else text):
            one, two = (side.strip(" ,、?？.。!！") for side in match.groups())
            if tail:
                return [f"{one} {tail[1]}", f"{two} {tail[1]}"]
            with_attribute = _with_attribute_ja if _JAPANESE.search(text) else _with_attribute
            return with_attribute(one, two)
    return []


def _with_attribute(one: str, two: str) -> list[str]:
    if (of := _OF.fullmatch(one)) and not _OF.fullmatch(two):
        return [one, f"{of[1]} of {two}"]
    if (of := _OF.fullmatch(two)) and not _OF.fullmatch(one):
        return [f"{of[1]} of {one}", two]
    return [one, two]


def _with_attribute_ja(one: str, two: str) -> list[str]:
    of = _OF_JA.fullmatch(two)
    if of is None or "の" in one:
        return [one, two]
    return [f"{one}の{of[2]}", two]


def keywords(text: str) -> str:
    """Return the words that carry the meaning, as one types them into a search box."""
    if _JAPANESE.search(text):
        bare = _ENDING_JA.sub("", text)
        return " ".join(re.sub(rf"{_WH_JA}|[、。「」？?]", " ", bare).split())
    stop = STOP_WORDS.get(guess_language(text), STOP_WORDS["en"]) | STOP_WORDS["en"]
    words = [w for w in _WORD.findall(text) if w.lower() not in stop]
    return " ".join(dict.fromkeys(words))


def _split_compound(part: str) -> list[str]:
    """Split "when … and who …"; a piece that has no subject of its own joins the next one."""
    pattern = _AND_JA if _JAPANESE.search(part) else _AND
    pieces, start = [], 0
    for match in islice(pattern.finditer(part), MAX_PARTS):
        before = part[start : match.start()]
        if _HAS_WH.search(before) and len(keywords(before)) > 1:
            pieces.append(before)
            start = match.end()
    return [*pieces, part[start:]]


def _leaves_out(text: str) -> bool:
    """Whether a question behind others leaves out what it is about."""
    if PRONOUN.search(text):
        return True
    return bool(_RELATIONAL.search(text)) and not re.search(r"[^\W\d]*[A-Z]", text.lstrip()[1:])


def _question(text: str, topic: str) -> Subquestion:
    text = text[:MAX_CHARS].strip(" 、,")
    carried = topic.split()
    if _PERSON.search(text):  # of "when was Temüjin elected khan", he is Temüjin
        carried = [w for w in carried if w[0].isupper()] or carried
    missing = [w for w in carried if w.lower() not in text.lower()]
    query = " ".join([text, *missing])[:MAX_CHARS]
    queries = dict.fromkeys(filter(None, (query, keywords(query)[:MAX_CHARS])))
    return Subquestion(text, tuple(queries))


def topic_of(text: str) -> str:
    """Return what a question is about, in a few words."""
    if _JAPANESE.search(text):
        match = _TOPIC_JA.match(text)
        return match[1] if match and not re.search(_WH_JA, match[1]) else ""
    bare = _WH_VERB.sub("", text)  # "who led the abbey": the abbey
    words = [w for w in keywords(bare).split() if w.lower() not in _ASKING]
    names = [w for w in words if w[0].isupper() or w[0].isdigit()]
    if len(words) > TOPIC_WORDS:
        words = (names + [w for w in words if w not in names])[:TOPIC_WORDS]
    return " ".join(words)


def addresses_in(text: str) -> list[str]:
    """Return the addresses that a person wrote."""
    found = (match.rstrip(".,;:!?]") for match in _ADDRESS.findall(text))
    return list(dict.fromkeys(found))[:MAX_ADDRESSES]


def without_addresses(text: str) -> str:
    """Return a text without its addresses; one that is nothing else stays."""
    return _ADDRESS.sub(" ", text).strip() or text


def in_context(question: str, earlier: Sequence[str]) -> str:
    """Return the question with the topic of the last one that names one, if it needs that."""
    if not needs_context(question):
        return question
    for before in reversed(earlier):
        topic = topic_of(before)
        if topic and not needs_context(before):
            return question if topic.casefold() in question.casefold() else f"{topic}: {question}"
    return question


def needs_context(question: str) -> bool:
    """Whether a question leaves out what it is about."""
    if len(question) > SHORT:
        return False
    pronoun = PRONOUN.search(question)
    if pronoun is not None:
        return not _names_something(question[: pronoun.start()]) and not _has_name(question)
    return bool(_ELLIPSIS.match(question)) and not _has_name(question)


def _names_something(before: str) -> bool:
    """Whether words before a pronoun say what it stands for: "How do sea otters raise their …"."""
    if _WRITTEN_JA.search(before):
        return True
    return len(keywords(_ELLIPSIS.sub("", before)).split()) >= FEW_WORDS


def _has_name(question: str) -> bool:
    """Whether a question has a name and more besides, in words of its own."""
    bare = _ELLIPSIS.sub("", PRONOUN.sub(" ", question))
    return len(keywords(bare).split()) > FEW_WORDS and bool(re.search(r"\b[A-Z][a-z]", bare[1:]))
