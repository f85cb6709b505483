"""Guessing the language of a text."""

from __future__ import annotations

import pytest

from kensaku.index.languages import guess_language


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
