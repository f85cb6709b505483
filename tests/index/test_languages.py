"""Guessing the language of a text."""

from __future__ import annotations

import pytest
import Stemmer

from kensaku.index.languages import STEMMERS, guess_language
from kensaku.index.tokens import document_terms


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
    ],
)
def test_the_language_is_guessed(text, language):
    """Script first, then the commonest words; English when nothing speaks against it."""
    assert guess_language(text) == language


@pytest.mark.parametrize("language", sorted(STEMMERS))
def test_every_language_has_its_stemmer(language):
    """By the name that Snowball has for it."""
    assert STEMMERS[language] in Stemmer.algorithms()
    assert document_terms("otters", language).length == 1
