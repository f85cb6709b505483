"""Japanese with a dictionary, and without."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from kensaku.text import tokens, words
from kensaku.text.tokens import document_terms, query_terms

SENTENCE = "東京都で開発された検索エンジン"


def ids(*terms: str) -> set[int]:
    return {words.term_id(term) for term in terms}


def pairs(*terms: str) -> set[int]:
    return ids(*(f"{term}\0" for term in terms))


@pytest.fixture
def no_dictionary(monkeypatch):
    monkeypatch.setattr(tokens, "_japanese_tokenizer", lambda: None)


@pytest.fixture
def dictionary():
    pytest.importorskip("sudachipy")
    pytest.importorskip("sudachidict_small")


def test_without_a_dictionary_characters_and_pairs_are_the_terms(no_dictionary):
    """The extra is not needed to find something; hiragana alone is grammar, as a rule."""
    stored = document_terms("検索とは", "ja")

    assert set(stored.words) == ids("検", "索")
    assert set(stored.pairs) == pairs("検索", "索と")


def test_without_a_dictionary_a_pair_weighs_as_much_as_a_word(no_dictionary):
    """It is the best that there is."""
    assert query_terms("検索", ["ja"]) == dict.fromkeys(ids("検", "索") | pairs("検索"), 1.0)


def test_with_a_dictionary_its_words_are_the_terms(dictionary):
    """Words as the dictionary has them, not characters; the grammar between them is left out."""
    stored = document_terms(SENTENCE, "ja")

    assert set(stored.words) == ids("東京", "都", "開発", "為る", "検索", "エンジン")


def test_particles_and_auxiliaries_are_left_out(dictionary):
    """これ and ペン are words; は and です are not."""
    stored = document_terms("これはペンです", "ja")

    assert set(stored.words) == ids("此れ", "ペン")
    assert stored.length == 2


def test_with_a_dictionary_a_pair_weighs_less_than_a_word(dictionary):
    """京都 is no part of 東京都, and must not win by the pair that it has there."""
    weights = query_terms("検索", ["ja"])

    assert weights == {**dict.fromkeys(ids("検索"), 1.0), **dict.fromkeys(pairs("検索"), 0.3)}


def test_with_a_dictionary_other_spellings_of_a_word_are_the_same(dictionary):
    """What characters and pairs cannot do: 引っ越し, 引越し and 引越 are one word."""
    spellings = [set(document_terms(word, "ja").words) for word in ("引っ越し", "引越し", "引越")]

    assert spellings[0] == spellings[1] == spellings[2]


def test_a_long_text_is_analysed_whole(dictionary):
    """The analyser takes 49,149 bytes at most: what is longer is given to it in pieces."""
    stored = document_terms("検索は。" * 20_000, "ja")

    assert stored.words == dict.fromkeys(ids("検索"), 20_000)


def test_threads_read_japanese_at_once(dictionary):
    """Contexts are packed in threads; one analyser refuses to be used by two."""
    with ThreadPoolExecutor(4) as threads:
        first, *others = threads.map(document_terms, [SENTENCE * 200] * 16)

    assert all(read == first for read in others)
