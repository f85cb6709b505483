"""Guessing the language of a text."""

from __future__ import annotations

import pytest
import Stemmer

from kensaku.text.languages import STEMMERS, guess_language
from kensaku.text.tokens import document_terms


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("How do I cancel a task?", "en"),
        ("Der Hund ist nicht im Haus, und die Katze auch nicht.", "de"),
        ("Le chat est dans la maison avec les enfants.", "fr"),
        ("El perro no está en la casa de los niños.", "es"),
        ("梅雨とは何か", "ja"),
        ("机器学习", "zh"),
        ("한국어 문장", "ko"),
        ("Это русский текст", "ru"),
        ("kubectl get pods", "en"),
        ("", "en"),
        ("ภาษาไทย", "th"),
        ("اللغة العربية", "ar"),
        ("Il gatto è nella casa con gli altri.", "it"),
        ("O gato não está em casa, mas já foi.", "pt"),
        ("De kat zit niet op het dak van een huis.", "nl"),
        ("Katten är inte på taket och det är bra.", "sv"),
        ("der otter", "en"),  # one common word says nothing
        ("die was in", "en"),  # nor do words that English has, too
        ("der die otter", "de"),
        ("x" * 239 + "あ", "ja"),
        ("x" * 240 + "あ", "en"),
    ],
)
def test_the_language_is_guessed(text, language):
    """Script first, then the commonest words of its first 240 characters; else English."""
    assert guess_language(text) == language


@pytest.mark.parametrize("language", sorted(STEMMERS))
def test_every_language_has_its_stemmer(language):
    """By the name that Snowball has for it."""
    assert STEMMERS[language] in Stemmer.algorithms()
    assert document_terms("otters", language).length == 1
