"""Questions whose sources contradict each other, and questions whose sources only seem to.

    XQuAD, JSQuAD → a question, its paragraph, its answer
        → up to five documents on hosts of their own: the paragraph, a telling of it with another
          figure or name in place of the answer, copies in another order, other paragraphs
        → controls: nothing changed, the same said otherwise, another year, another thing
    templates → two bearers of one name, told in two ways

A telling keeps the sentence of the answer, at times without a clause of it, and brings the others
in another order. Another name is the answer of another question of the same set that begins alike.
All of it follows from a seed. Half of the articles and of the templates is held out.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from conflict_bearers import bearers
from kensaku.answers.sentences import whole_sentences
from question_sets import DATA, in_half

NUMBERS = "one two three four five six seven eight nine ten eleven twelve".split()
_DIGITS = re.compile(r"\d[\d,]*(?:\.\d+)?")
_SPELLED = re.compile(r"\b(?:" + "|".join(NUMBERS[1:]) + r")\b", re.IGNORECASE)
_YEAR = re.compile(r"(?<![\d,.])(?:1\d{3}|20[012]\d)(?![\d,.]\d|\d)")
_NAME = re.compile(r"[A-Z][\w’'-]*(?: (?:of|the|de|von|van|[A-Z][\w’'.-]*))*")
_SCRIPTS = (r"[\u30a1-\u30f4ー・]{3,}", r"[\u4e00-\u9fff]{2,8}", r"[A-Z][A-Za-z]{2,}")
_NAME_JA = re.compile("|".join(_SCRIPTS))
_WORD = re.compile(r"[a-z]{4,}")
_MODEL = re.compile(r"[A-Za-z]-?\d|\d[A-Z]|^[A-Z]")  # M459, State Route 99: a name with a number
_DAY = re.compile(r"\b([A-Z][a-z]+) (\d{1,2}), (\d{4})\b")
_CLAUSE = re.compile(r", (?:which|who|where|while|with|and|but|although)\b[^,;()]{8,}(?=[,.;])")
_ASCII = frozenset(map(chr, range(128)))
_KANJI = "〇一二三四五六七八九"
_HARMLESS_JA = (("km", "キロメートル"), ("kg", "キログラム"), ("%", "パーセント"))


@dataclass(frozen=True, slots=True)
class Case:
    """A question, its documents, and the values that a reader would have to see."""

    name: str
    question: str
    documents: tuple[str, ...]
    kind: str  # of a conflict: figure, name, bearer figure, bearer name; of a control: what it is
    values: tuple[str, ...] | None  # None: nothing contradicts
    title: str
    tuning: bool
    titles: tuple[str, ...] = ()  # of the documents, where they are not all `title`


def cases(name: str, seed: int = 0) -> Iterator[Case]:
    """Yield conflicts and controls from a set of questions, in the order of its questions."""
    documents = {d["_id"]: d for d in lines(f"{name}.docs")}
    asked = []
    for q in lines(f"{name}.questions"):
        d = documents[q["doc"]]
        text = d["text"].rpartition("[SEP]")[2].strip()
        answer = next((a for a in q["answers"] if text.count(a) == 1), None)
        if answer and (kind := kind_of(answer)) and answer not in q["text"]:
            asked.append((q, d, text, answer, kind))
    names = [(_asks(q["text"]), a) for q, _, _, a, kind in asked if kind in ("name", "word")]
    for q, d, text, answer, kind in asked:
        rng = random.Random(f"{seed} {q['_id']}")
        others = [
            o["text"].rpartition("[SEP]")[2].strip()
            for o in documents.values()
            if o["title"] == d["title"] and o is not d and answer not in o["text"]
        ]
        made = _case(rng, q["text"], text, answer, kind, others, names)
        if made is not None:
            texts, what, values = made
            tuning = in_half(f"answers {d['title']}")
            yield Case(q["_id"], q["text"], texts, what, values, d["title"], tuning)
    for n, bearer in enumerate(bearers(name.endswith("-ja"), [a for _, a in names], seed)):
        yield Case(f"bearer{n}", *bearer)


def lines(name: str) -> list[dict]:
    path = DATA / "questions" / f"{name}.jsonl"
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def kind_of(answer: str) -> str | None:
    """Say whether an answer is a figure, a name or a plain word; others are left out."""
    if _DIGITS.search(answer) or _SPELLED.fullmatch(answer):
        return "figure" if len(answer) < 40 and not _is_model(answer) else None
    if _NAME.fullmatch(answer) or _NAME_JA.fullmatch(answer):
        return "name"
    return "word" if _WORD.fullmatch(answer) else None


def _is_model(answer: str) -> bool:
    return bool(_MODEL.search(answer)) and not _DAY.search(answer)


def _script(name: str) -> int | None:
    return next((n for n, script in enumerate(_SCRIPTS) if re.match(script, name)), None)


def _asks(question: str) -> str:
    words = re.findall(r"\b(?:who|where|when|which \w+|what \w+)", question.lower())
    found = re.search(r"誰|どこ|何という|何[一-龥]?|どの.", question)
    return found[0] if found else words[0] if words else ""


def _case(
    rng: random.Random,
    question: str,
    text: str,
    answer: str,
    kind: str,
    others: Sequence[str],
    names: Sequence[tuple[str, str]],
) -> tuple[tuple[str, ...], str, tuple[str, str] | None] | None:
    """Make the documents of one question: two conflicts for each control."""
    what, values = kind, None
    told = _tell(rng, text, answer)
    wrong = (
        other_figure(rng, answer)
        if kind == "figure"
        else _other_name(rng, question, text, answer, names)
    )
    draw = rng.random()
    if draw < 0.6:
        if wrong is None:
            return None
        told, values = told.replace(answer, wrong), (answer, wrong)
    elif draw < 0.7:
        what = "unchanged"
    elif draw < 0.85:
        what, said = "harmless", harmless(rng, answer, kind, japanese=_is_japanese(question))
        if said == answer:
            return None
        told = told.replace(answer, said)
    else:
        moved = _elsewhere(rng, question, text, answer, wrong, names)
        if moved is None:
            return None
        what, told = moved
    # A copy without the clause that has the year would contradict the one of another year.
    count = rng.randint(0, 2) if what != "another year" else 0
    copies = [_tell(rng, text, answer) for _ in range(count)]
    noise = rng.sample(list(others), min(len(others), rng.randint(0, 2)))
    documents = [text, told, *copies, *noise][:5]
    rng.shuffle(documents)
    return tuple(documents), what, values


def _tell(rng: random.Random, text: str, answer: str) -> str:
    """Tell a text otherwise: its sentences in another order, one clause less, or as it is."""
    parts = [text[a:b].strip() for a, b in whole_sentences(text)]
    has = next((n for n, p in enumerate(parts) if answer in p), None)
    if has is None or rng.random() < 0.25:
        return text
    main = parts.pop(has)
    clauses = [m for m in _CLAUSE.finditer(main) if answer not in m[0]]
    if clauses and rng.random() < 0.6:
        main = main.replace(rng.choice(clauses)[0], "", 1)
    rng.shuffle(parts)
    kept = parts[: rng.randint(0, len(parts))]
    kept.insert(rng.randint(0, len(kept)), main)
    return ("" if _is_japanese(text) else " ").join(kept)


def other_figure(rng: random.Random, answer: str) -> str | None:
    """Return an answer with another figure in it."""
    if found := _YEAR.search(answer):
        year = int(found[0]) + rng.choice([-31, -14, -7, -3, 2, 5, 12, 28])
        return answer[: found.start()] + str(year) + answer[found.end() :]
    if found := _DIGITS.search(answer):
        value = float(found[0].replace(",", ""))
        new = value * rng.choice([0.4, 0.6, 1.4, 1.8, 3])
        places = len(found[0].partition(".")[2])
        said = f"{new:,.{places}f}" if "," in found[0] else f"{new:.{places}f}"
        if said == found[0]:
            said = str(int(value) + 2)
        return answer[: found.start()] + said + answer[found.end() :]
    found = _SPELLED.search(answer)
    others = [n for n in NUMBERS[1:] if found and n != found[0].lower()]
    return rng.choice(others) if found and found[0] == answer else None


def _other_name(
    rng: random.Random, question: str, text: str, answer: str, names: Sequence[tuple[str, str]]
) -> str | None:
    words = set(answer.lower().split())
    fit = [
        n
        for asks, n in names
        if asks == _asks(question) and n not in text and n not in question
        and _script(n) == _script(answer) and kind_of(n) == kind_of(answer)
        and not words & set(n.lower().split()) and not set(answer) & set(n) - _ASCII
    ]  # fmt: skip
    return rng.choice(fit) if fit else None


def _is_japanese(text: str) -> bool:
    return bool(re.search(r"[\u3041-\u30ff]", text))


def harmless(rng: random.Random, answer: str, kind: str, *, japanese: bool) -> str:
    """Say the same otherwise."""
    if kind != "figure":
        first, _, rest = answer.partition(" ")
        if rest and rest[0].isupper():
            return rng.choice([f"{first[0]}. {rest}", rest])
        if "・" in answer:
            return answer.rpartition("・")[2]
        if re.fullmatch(r"[\u30a1-\u30f4ー]+", answer):
            return answer.removesuffix("ー").replace("ヴァ", "バ").replace("ー", "")
        return f"{answer}市" if answer.endswith("京") else answer
    if day := _DAY.search(answer):
        return answer.replace(day[0], f"{day[2]} {day[1]} {day[3]}")
    for short, long in _HARMLESS_JA:
        if short in answer:
            return answer.replace(short, long)
    if found := _SPELLED.fullmatch(answer):
        return str(NUMBERS.index(found[0].lower()) + 1)
    if found := re.fullmatch(r"\d{1,2}", answer):
        value = int(found[0])
        return NUMBERS[value - 1] if 0 < value < 13 and not japanese else f"{value}.0"
    if japanese and (found := re.search(r"\d{1,4}(?=[年人個回歳月])", answer)):
        if rng.random() < 0.5:
            return answer.replace(found[0], found[0].translate(_wide()), 1)
        kanji = "".join(_KANJI[int(c)] for c in found[0])
        return answer.replace(found[0], kanji, 1)
    if _YEAR.search(answer) or not answer[0].isdigit():
        return answer
    if found := _DIGITS.search(answer):
        value = float(found[0].replace(",", ""))
        if value >= 100:
            rounded = round(value, 1 - len(str(int(value))) + 1)
            about = "約" if japanese else "about "
            return f"{about}{answer.replace(found[0], f'{rounded:,.0f}')}"
        return f"about {answer}" if not japanese else f"約{answer}"
    return answer


def _wide() -> dict[int, int]:
    return {ord("0") + n: ord("０") + n for n in range(10)}


def _elsewhere(
    rng: random.Random,
    question: str,
    told: str,
    answer: str,
    wrong: str | None,
    names: Sequence[tuple[str, str]],
) -> tuple[str, str] | None:
    """Tell of another year or of another thing, with another figure or name."""
    if wrong is None:
        return None
    sentence = next((told[a:b] for a, b in whole_sentences(told) if answer in told[a:b]), "")
    years = [y for y in _YEAR.findall(sentence.replace(answer, "")) if y not in answer]
    if years and not re.search(r"1\d{3}|20\d\d|年", answer):
        told = told.replace(answer, wrong)
        for year in set(years):
            told = told.replace(year, str(int(year) + rng.choice([-9, 4, 11])))
        return "another year", told
    pattern = _NAME_JA if _is_japanese(question) else re.compile(r"(?<!^)\b[A-Z]\w+")
    own = [n for n in pattern.findall(question) if n in sentence]
    fit = [n for _, n in names if n not in told and n not in question]
    if not own or not fit:
        return None
    return "another thing", told.replace(answer, wrong).replace(max(own, key=len), rng.choice(fit))
