"""Tokens, counted offline: an estimate that holds in the model that reads the text."""

from __future__ import annotations

import sys

import pytest

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
