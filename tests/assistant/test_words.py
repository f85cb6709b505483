"""The sentences of the assistant that are read back."""

from __future__ import annotations

import pytest

from kensaku.assistant.words import asks_for_consent, phrases_for


@pytest.mark.parametrize("question", ["How old are otters?", "カワウソの寿命は？"])
def test_a_question_for_consent_is_known_in_both_languages(question):
    """Whatever tool it is about; no other question is taken for it."""
    phrases = phrases_for(question)
    asked = phrases.ask_tool.format(tool="web_search")

    assert asks_for_consent(asked)
    assert asks_for_consent(asked + " otters")
    assert not asks_for_consent(phrases.ask_without)
    assert not asks_for_consent("> " + asked)
    assert not asks_for_consent(question)
