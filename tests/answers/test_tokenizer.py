"""Tokens, counted offline: an estimate that holds in the model that reads the text."""

from __future__ import annotations

import base64
import random
import sys
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kensaku.answers.tokenizer import VOCABULARIES, count, counter
from kensaku.errors import MissingExtra, UnknownName

ENGLISH = (
    "The sea otter is a marine mammal native to the coasts of the northern and eastern North "
    "Pacific Ocean. Adult sea otters typically weigh between 14 and 45 kg, making them the "
    "heaviest members of the weasel family, but among the smallest marine mammals. "
)
JAPANESE = (
    "ラッコは、食肉目イタチ科ラッコ属に分類される哺乳類。現生種では本種のみでラッコ属を構成する。"
    "体長は100から130センチメートルで、体重はオスが22から45キログラムである。"
)
CODE = "async def main() -> None:\n    async with Kensaku() as k:\n        print(await k.search('x'))\n"
TEXTS = {
    "english": ENGLISH * 4,
    "japanese": JAPANESE * 4,
    "code": CODE * 8,
    "german": "Donaudampfschifffahrtsgesellschaften und Rechtsschutzversicherungen sind lang. " * 8,
    "table": "| otter | 14–45 kg | 1.5 m |\n" * 20,
    "address": "https://otters.example/2026/11/holding-hands?utm_source=newsletter&id=9f3b " * 8,
    "emoji": "🦦 otters hold hands 👩‍👩‍👧‍👦 in Japan 🇯🇵 " * 10,
    "korean": "해달은 북태평양 연안에 서식하는 족제비과의 포유류이다. " * 8,
    "russian": "Калан, или морская выдра, хищное морское млекопитающее семейства куньих. " * 8,
    "amharic": "የሰው ልጅ ሁሉ ሲወለድ ነጻና በክብርና በመብትም እኩልነት ያለው ነው። " * 8,
    "georgian": "ყველა ადამიანი იბადება თავისუფალი და თანასწორი თავისი ღირსებითა. " * 8,
    "burmese": "လူတိုင်းသည် တူညီ လွတ်လပ်သော ဂုဏ်သိက္ခာဖြင့် လည်းကောင်း၊ " * 8,
    "khmer": "មនុស្សទាំងអស់កើតមកមានសេរីភាព និងភាពស្មើៗគ្នាក្នុងសិទ្ធិ។ " * 8,
    "lao": "ມະນຸດທຸກຄົນເກີດມາມີກຽດສັກສີ ສິດທິ ເສລີພາບ. " * 8,
    "tibetan": "འགྲོ་བ་མིའི་རིགས་རྒྱུད་ཡོངས་ལ་སྐྱེས་ཙམ་ཉིད་ནས། " * 8,
    "sinhala": "සියලු මනුෂ්‍යයෝ නිදහස්ව උපත ලබා ඇත. " * 8,
    "malayalam": "മനുഷ്യരെല്ലാവരും തുല്യാവകാശങ്ങളോടും അന്തസ്സോടും. " * 8,
    "armenian": "Բոլոր մարդիկ ծնվում են ազատ ու հավասար իրենց արժանապատվությամբ։ " * 8,
    "hebrew": "כל בני האדם נולדו בני חורין ושווים בערכם ובזכויותיהם. " * 8,
    "arabic": "يولد جميع الناس أحرارًا متساوين في الكرامة والحقوق. " * 8,
    "thai": "มนุษย์ทั้งหลายเกิดมามีอิสระและเสมอภาคกันในเกียรติศักดิ์ " * 8,
    "polish": "Wszyscy ludzie rodzą się wolni i równi pod względem swej godności. " * 8,
    "greek": "Όλοι οι άνθρωποι γεννιούνται ελεύθεροι και ίσοι στην αξιοπρέπεια. " * 8,
    "mongolian": "Хүн бүр төрж мэндлэхдээ эрх чөлөөтэй, адилхан нэр төртэй байдаг. " * 8,
    "indonesian": "Semua orang dilahirkan merdeka dan mempunyai martabat dan hak yang sama. " * 8,
    "dutch": "Alle mensen worden vrij en gelijk in waardigheid en rechten geboren. " * 8,
    "finnish": "Kaikki ihmiset syntyvät vapaina ja tasavertaisina arvoltaan ja oikeuksiltaan. " * 8,
    "italian": "Tutti gli esseri umani nascono liberi ed eguali in dignità e diritti. " * 8,
    "basque": "Gizon-emakume guztiak aske jaiotzen dira, duintasun eta eskubide berberak. " * 8,
    "swahili": "Watu wote wamezaliwa huru, hadhi na haki zao ni sawa. " * 8,
    "welsh": "Genir pawb yn rhydd ac yn gydradd â'i gilydd mewn urddas a hawliau. " * 8,
    "spanish": "Todos los seres humanos nacen libres e iguales en dignidad y derechos. " * 8,
    "rare hangul": "".join(map(chr, range(0xD520, 0xD5A0))),
    "rare kanji": "".join(map(chr, range(0x9B00, 0x9B80))),
    "base64": base64.b64encode(random.Random(0).randbytes(900)).decode(),
    "base32": base64.b32encode(random.Random(0).randbytes(900)).decode(),
    "lone digits": "1 2 3 4 5 6 7 8 9 " * 20,
    "control codes": "\x1b\x00\x07" * 60,
    "rare letters": "".join(map(chr, range(0x12000, 0x12100))),
    "one long word": "pneumonoultramicroscopicsilicovolcanoconiosis" * 8,
}


def test_nothing_is_no_token_and_something_is_at_least_one() -> None:
    """Even a space."""
    assert count("") == 0
    assert count(" ") == 1
    assert count("a") >= 1


@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize("vocabulary", VOCABULARIES[1:])
def test_the_estimate_is_not_below_what_models_count(name: str, vocabulary: str) -> None:
    """A twentieth at most: a budget must hold, whichever model reads the text."""
    pytest.importorskip("rs_bpe", reason="the extra `tokens` is not installed")

    assert count(TEXTS[name]) >= 0.95 * counter(vocabulary)(TEXTS[name])


@given(st.lists(st.sampled_from(sorted(TEXTS)), min_size=1, max_size=6), st.randoms())
@settings(max_examples=60, deadline=None)
def test_mixed_texts_are_not_estimated_below_nine_tenths(names: list[str], rng: Any) -> None:
    """Pages of several languages and scripts, in any order, cut anywhere."""
    pytest.importorskip("rs_bpe", reason="the extra `tokens` is not installed")
    blocks = [TEXTS[name][rng.randrange(len(TEXTS[name]) // 4) :] for name in names]
    text = "\n\n".join(blocks)

    for vocabulary in VOCABULARIES[1:]:
        assert count(text) >= 0.9 * counter(vocabulary)(text)


@pytest.mark.parametrize("name", ["english", "japanese", "code", "table", "address"])
def test_the_estimate_does_not_waste_half_of_a_budget(name: str) -> None:
    """At most half as much again as cl100k counts."""
    pytest.importorskip("rs_bpe", reason="the extra `tokens` is not installed")

    assert count(TEXTS[name]) <= 1.5 * counter("cl100k_base")(TEXTS[name])


@pytest.mark.parametrize("name", TEXTS)
def test_parts_never_count_less_than_the_whole(name: str) -> None:
    """`pack` adds up parts while there is room."""
    lines = TEXTS[name].split(". ")

    assert sum(map(count, lines)) + len(lines) >= count("\n".join(lines))


def test_a_longer_word_never_counts_less() -> None:
    """Small letters, a name, and letters of both cases."""
    for word in ("o", "O", "oT"):
        sizes = [count(word + "x" * n) for n in range(80)]
        assert sizes == sorted(sizes)


def test_a_vocabulary_that_is_not_there_is_named() -> None:
    """With the nearest."""
    assert counter() is count
    with pytest.raises(UnknownName, match="cl100k_base"):
        counter("cl100k")


def test_a_package_that_is_not_there_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """With the command that installs it."""
    monkeypatch.setitem(sys.modules, "rs_bpe.bpe", None)
    with pytest.raises(MissingExtra, match="tokens"):
        counter("cl100k_base")
