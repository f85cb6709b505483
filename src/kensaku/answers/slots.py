"""What stands where in a sentence: names and numbers, each between the words around it. Pure.

    "It was directed by Sam Raimi in 2000." → "Sam Raimi" after "directed by", before "in 2000"
    「監督は山田太郎である。」              → 山田太郎 behind 監督は, before である

Two sentences that have the same words around a name, and another name there, say two things of one
thing. Names are capitalised words, or, where words have no spaces, runs of Chinese characters,
katakana and Latin letters. That is too much, and does no harm: most words stand in both sentences.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache

from kensaku.answers.claims import number_in, plain_digits
from kensaku.text.dates import month_number

AROUND = 2  # words on each side; characters where words have no spaces
AROUND_UNSPACED = 4
LONGEST_SHORT = 2  # letters of an initial, or of St. and Mt.
ROUND = 0.05  # share by which a round number may be off
ALIKE_NAMES = 0.7  # two spellings of one name: Tchaikovsky, Chaikovsky
_TOKEN = re.compile(
    r"\d(?:[\d,.]*\d)?|[\u30a1-\u30faー・]+|[\u4e00-\u9fff々]+|[\u3041-\u309f]"
    r"|[^\W\d_\u3041-\u30ff\u4e00-\u9fff々]+(?:['’.-][^\W\d_\u3041-\u30ff\u4e00-\u9fff々]+)*"
)
_UNSPACED = re.compile(r"[\u30a1-\u30faー・\u4e00-\u9fff々]")
_HIRAGANA = re.compile(r"[\u3041-\u309f]")
_JOINS = frozenset("of the de da di du von van der la le el al bin and".split())
_NO_NAMES = frozenset(
    "the a an this that these those it he she they we i his her its their there in on at by for "
    "from with as after before during since until when while where although though however later "
    "also but and or if one some many most all both each other another such because under about "
    "according first second then today".split()
)
_SPELLED = {
    word: str(number)
    for number, word in enumerate(
        "two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
        "sixteen seventeen eighteen nineteen twenty".split(),
        2,
    )
}
_MULTIPLES = re.compile(r"thousand|million|billion|trillion|[千万億兆]+")
_POSSESSIVE = re.compile(r"['’]s?$")
_YEAR = re.compile(r"1\d{3}|20\d\d")
_VOWELS = re.compile(r"[aeiouyh\W_]+")


@dataclass(frozen=True, slots=True)
class Slot:
    """A name or a number, and the words before and after it; "" is the end of the sentence."""

    value: str
    before: tuple[str, ...]
    after: tuple[str, ...]
    number: float | None = None  # None: it is a name
    spaced: bool = True  # whether its sentence has spaces between words
    start: int = 0  # in the `normal` sentence

    @property
    def is_year(self) -> bool:
        """Whether it can be a year."""
        return bool(_YEAR.fullmatch(self.value))


def normal(sentence: str) -> str:
    """Return a sentence as its slots are found in it."""
    return plain_digits(unicodedata.normalize("NFKC", sentence[:1_000]))


@lru_cache(maxsize=512)
def slots_of(sentence: str) -> tuple[Slot, ...]:
    """Return the names and numbers of a sentence, in its order."""
    text = normal(sentence)
    found = list(_TOKEN.finditer(text))
    words = [_SPELLED.get(m[0].lower(), m[0].lower()) for m in found]
    spaced = not _HIRAGANA.search(text)
    slots, at = [], 0
    while at < len(found):
        end = at + 1
        if words[at][0].isdigit():
            while end < len(words) and _MULTIPLES.fullmatch(words[end]):
                end += 1
            number = number_in("".join(words[at:end]))
        else:
            number, end = None, _end_of_name(text, found, at)
        if end > at and (number is not None or not words[at][0].isdigit()):
            value = _POSSESSIVE.sub("", text[found[at].start() : found[end - 1].end()])
            before, after = _around(words, at, end, spaced=spaced)
            slots.append(Slot(value, before, after, number, spaced, found[at].start()))
        at = max(end, at + 1)
    return tuple(slots)


def _around(
    words: list[str], at: int, end: int, *, spaced: bool
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    if spaced:
        before, after = words[max(0, at - AROUND) : at], words[end : end + AROUND]
        return tuple([""] * (AROUND - len(before)) + before), tuple(
            after + [""] * (AROUND - len(after))
        )
    size = AROUND_UNSPACED
    left, right = "".join(words[max(0, at - size) : at]), "".join(words[end : end + size])
    return (left[-size:],), (right[:size],)


def _end_of_name(text: str, found: list[re.Match[str]], at: int) -> int:
    """Return the token behind the name that begins at a token; `at`, if none does."""
    if _UNSPACED.match(found[at][0]) or (_HIRAGANA.search(text) and found[at][0].isascii()):
        end = at + 1
        while end < len(found) and found[end].start() == found[end - 1].end():
            if _HIRAGANA.match(found[end][0]) or found[end][0][0].isdigit():
                break
            end += 1
        return end
    if not _is_capital(found[at][0]) or (at == 0 and found[at][0].lower() in _NO_NAMES):
        return at
    if month_number(found[at][0]):
        return at
    end = probe = at + 1
    while (
        not _POSSESSIVE.search(found[probe - 1][0])
        and probe < len(found)
        and _goes_on(found[probe - 1][0], text[found[probe - 1].end() : found[probe].start()])
    ):
        word = found[probe][0]
        probe += 1
        if _is_capital(word):
            end = probe
        elif word not in _JOINS:
            break
    return end


def _goes_on(word: str, between: str) -> bool:
    """Whether a name may go on behind a word of it: J. Smith, St. Louis; not "by Smith. The"."""
    return between == " " or (between == ". " and len(word) <= LONGEST_SHORT)


def _is_capital(word: str) -> bool:
    return word[0].isupper()


def apart(one: str, other: str) -> tuple[str, str]:
    """Return two texts without what both begin and end with."""
    begin = _common(one, other)
    one, other = one[begin:], other[begin:]
    end = _common(one[::-1], other[::-1])
    return one[: len(one) - end], other[: len(other) - end]


def _common(one: str, other: str) -> int:
    """Return how many characters two texts begin with in common."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((n for n, (a, b) in pairs if a != b), min(len(one), len(other)))


def is_same_number(a: Slot, b: Slot) -> bool:
    """Whether two numbers may be one: equal, or one of them is the other, rounded. Years are not
    rounded."""
    left, right = a.number or 0.0, b.number or 0.0
    if left == right or a.is_year or b.is_year:
        return left == right
    off = abs(left - right)
    return off <= max(_step(a), _step(b)) / 2 and off <= ROUND * max(left, right)


def _step(slot: Slot) -> float:
    """How exact a number is: 1,200 to a hundred, 3.5 to a tenth."""
    number = slot.number or 0.0
    if number != int(number):
        return 10.0 ** -len(slot.value.partition(".")[2])
    digits = str(int(number))
    return 10.0 ** (len(digits) - len(digits.rstrip("0")))


def is_other_name(one: str, other: str) -> bool:
    """Whether two names can hardly be those of one thing."""
    if bool(_UNSPACED.search(one)) != bool(_UNSPACED.search(other)):
        return False  # 東京 and Tokyo
    if _UNSPACED.search(one):
        return _is_other_unspaced(one, other)
    left, right = _words(one), _words(other)
    if not left or not right or set(left) <= set(right) or set(right) <= set(left):
        return False
    if _same_word(left[-1], right[-1]) or _is_short_for(left, right) or _is_short_for(right, left):
        return False
    return not _same_word("".join(left), "".join(right))


def _words(name: str) -> list[str]:
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode() or name
    return [w for w in re.findall(r"\w+", plain.lower()) if w not in _JOINS]


def _same_word(one: str, other: str) -> bool:
    """Whether two words are one in two spellings: German, Germany; Kiev, Kyiv."""
    short, long = sorted((one, other), key=len)
    if len(short) > 2 and long.startswith(short[: max(3, len(short) - 1)]):
        return True
    bones = _VOWELS.sub("", one)
    if len(bones) > 1 and bones == _VOWELS.sub("", other):
        return True
    if len(short) < 6:
        return False  # Mali, Bali
    return SequenceMatcher(None, one, other, autojunk=False).ratio() >= ALIKE_NAMES


def _is_short_for(short: list[str], long: list[str]) -> bool:
    """Whether initials stand for words: NASA, J. Smith."""
    initials = "".join(word[0] for word in long)
    return len(short) == 1 and len(long) > 1 and short[0].replace(".", "") == initials


def _is_other_unspaced(one: str, other: str) -> bool:
    one, other = (name.replace("・", "").replace("ー", "") for name in (one, other))
    short, long = sorted((one, other), key=len)
    letters = iter(long)
    if all(letter in letters for letter in short):  # 東大, 東京大学
        return False
    return SequenceMatcher(None, one, other, autojunk=False).ratio() < ALIKE_NAMES
