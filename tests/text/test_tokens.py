"""Text → terms, in several languages and scripts."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from kensaku.text.tokens import (
    document_terms,
    name_terms,
    query_pattern,
    query_terms,
    similar_terms,
)
from kensaku.text.words import strip_accents, term_id, word_ids


@pytest.mark.parametrize(
    ("stored", "asked", "language"),
    [
        ("The studies were cancelled", "cancelling a study", "en"),
        ("Café Zürich", "cafe zurich", "en"),
        ("die Häuser am See", "Haus", "de"),
        ("les chevaux et les maisons", "maison", "fr"),
        ("検索エンジンの仕組み", "検索", "ja"),
        ("ﾃﾞｰﾀﾍﾞｰｽを作る", "データベース", "ja"),
        ("机器学习的方法", "学习", "zh"),
        ("인공지능은 빠르게 발전한다", "인공지능", "ko"),
        ("ภาษาไทยเป็นภาษา", "ภาษาไทย", "th"),
        ("собаки и кошки", "собака", "ru"),
        ("ＡＢＣ株式会社", "abc", "ja"),
    ],
)
def test_a_query_meets_what_means_the_same(stored, asked, language):
    """Case, width, accents, endings, and scripts without spaces."""
    stored_terms = set(document_terms(stored, language).ids)

    assert query_terms(asked, [language]).keys() & stored_terms


@pytest.mark.parametrize(
    ("stored", "asked", "language"),
    [
        ("İstanbul", "istanbul", "en"),
        ("Łódź and Đakovo", "lodz dakovo", "en"),
        ("an œuvre in Tromsø", "oeuvre tromso", "en"),
        ("hy\u00adphen\u00adation", "hyphenation", "en"),
        ("the RTX4090 card", "RTX 4090", "en"),
        ("the RTX 4090 card", "RTX4090", "en"),
        ("asyncio.TaskGroup", "task group", "en"),
        ("class HTTPServer:", "http server", "en"),
        ("a camel case name", "camelCase", "en"),
        ("an e-mail", "email", "en"),
        ("the email", "e-mail", "en"),
        ("an F-16", "F16", "en"),
        ("Die Haftpflichtversicherung", "Versicherung", "de"),
        ("Die Haftpflichtversicherung", "Haftpflicht", "de"),
        ("Eine Versicherung", "Haftpflichtversicherung", "de"),
        ("हिन्दी भाषा", "हिन्दी", "hi"),
        ("كِتَابٌ", "كتاب", "ar"),
        ("שָׁלוֹם", "שלום", "he"),
    ],
)
def test_a_query_meets_another_spelling(stored, asked, language):
    """Letters of other alphabets, hyphens that are not seen, names of parts and of programs."""
    terms = document_terms(stored, language)
    wanted = query_terms(asked, [language], lambda term: term in terms.ids)

    assert wanted.keys() & set(terms.ids)


def test_a_word_that_is_known_is_not_searched_by_its_parts():
    """RTX4090 is one product; RTX alone is many."""
    assert len(query_terms("RTX4090", ["en"], lambda _: True)) == 1
    assert len(query_terms("RTX4090", ["en"], lambda _: False)) == 3


def test_a_number_is_one_term_and_its_parts():
    """Version 3.14 is not any text with a 3 and a 14."""
    one, other = document_terms("Python 3.14"), document_terms("3 pythons, 14 herons")

    assert len(query_terms("3.14").keys() & set(one.ids)) == 3
    assert len(query_terms("3.14").keys() & set(other.ids)) == 2


def test_names_of_stop_words_are_found():
    """The Who, It, Them: they have nothing else."""
    assert query_terms("The Who").keys() == name_terms("The Who (band)").keys()
    assert not query_terms("The Who band").keys() & name_terms("The Who").keys()
    assert not name_terms("Herons of the world")


def test_one_wrong_letter_is_a_similar_word():
    """Left out, added, replaced, swapped, in the alphabet of the word."""
    stored = set(document_terms("heron").ids)

    assert all(similar_terms(w, ["en"]).keys() & stored for w in "heon herron heran heorn".split())
    for wrong, word in (("кошкы", "кошка"), ("λόγοω", "λόγο"), ("לשום", "שלום")):
        assert term_id(strip_accents(word)) in similar_terms(wrong, ["xx"])
    assert not similar_terms("hzrzn", ["en"]).keys() & stored


def test_stop_words_are_not_counted():
    """They are in every text, and say nothing about it."""
    assert document_terms("the and of to in", "en").length == 0


def test_what_a_query_says_twice_counts_twice():
    """Frequencies in the query carry meaning (CACM 0.426 → 0.487)."""
    once, twice = query_terms("parser"), query_terms("parser of a parser")

    assert set(twice) == set(once)
    assert list(twice.values()) == [2.0]


def test_a_query_is_read_in_every_language_of_the_collection():
    """Nobody says in which language three words are."""
    both = query_terms("maisons houses", ["en", "fr"])

    assert document_terms("maison", "fr").words.keys() <= both.keys()
    assert document_terms("house", "en").words.keys() <= both.keys()


def test_long_noise_is_not_a_word():
    """Keys, hashes and base64 would fill the index and are never searched for."""
    assert document_terms("x" * 65 + " word", "en").length == 1


def test_a_pattern_finds_the_forms_of_a_word():
    """Highlights do not tokenise every sentence again."""
    pattern = query_pattern("studies of 検索 (cancelled)")

    assert pattern
    found = pattern.findall("study, studied, cancel; 検索")
    assert found == ["studi", "cancel", "検索"]
    assert query_pattern("the of") is None


def test_a_long_compound_is_found_by_its_beginnings_and_ends():
    """Of five letters and more, with four at least on the other side; ten make it long."""
    stem = word_ids("de").stem
    parts = [*"erkraft rkraft kraft".split(), *"wasse wasser wasserk".split()]

    assert document_terms("Wasserkraft", "de").pairs.keys() == {term_id(stem(p)) for p in parts}
    assert document_terms("Wasserkraf", "de").pairs
    assert not document_terms("Wasserkra", "de").pairs
    assert not document_terms("Wasserkraft", "en").pairs


def test_eight_words_may_be_misspelled():
    """Of 4 to 24 letters; stop words are spelled well."""
    late = " ".join(["alpha"] * 8 + ["herom"])
    assert term_id("heron") not in similar_terms(late, ["en"])
    assert term_id("heron") in similar_terms("alpha " * 7 + "herom", ["en"])
    assert term_id("heron") in similar_terms("HÉROM", ["en"])
    assert similar_terms("the", ["en"]) == {}
    assert similar_terms("cat", ["en"]) == {term_id("cat"): 1.0}


def test_terms_do_not_depend_on_what_was_read_before_or_beside():
    """Words are remembered for a while, by each thread and language."""
    texts = [("Sea-otters' e-mail F-16", "en"), ("die Häuser am See", "de"), ("検索 e-mail", "ja")]
    expected = [document_terms(*text) for text in texts]

    def read(start: int) -> list[object]:
        document_terms(" ".join(f"e-{n}" for n in range(start, start + 500)), "en")
        return [document_terms(*text) for text in texts]

    with ThreadPoolExecutor(2) as pool:
        assert list(pool.map(read, range(0, 4_000, 500))) == [expected] * 8
