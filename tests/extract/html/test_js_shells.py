"""Challenges and shells for scripts are recognised as such."""

from __future__ import annotations

import pytest

from kensaku.extract import extract_html

SENTENCE = "The otter swims on its back and opens shells with a stone that it keeps under its arm. "


def test_text_for_readers_without_scripts_is_used_when_there_is_no_other() -> None:
    """Forums by Discourse send the topic in `noscript`, and nothing else."""
    page = extract_html(
        f'<html><body><noscript><h1>Topic</h1><p>{SENTENCE * 5}</p></noscript><div id="app"></div>'
    )

    assert "opens shells" in page.text
    assert any("JavaScript" in note for note in page.notes)


@pytest.mark.parametrize(
    ("html", "note"),
    [
        ('<title>Just a moment...</title><body><div id="cf">Checking your browser</div>', "challenge"),
        ("<body><p>Verify you are human by completing the action below.</p>", "challenge"),
        ("<body><noscript>You need to enable JavaScript to run this app.</noscript>"
         '<div id="root"></div><script src="a.js"></script>', "JavaScript"),
        ('<body><div id="__next"></div><script src="a.js"></script>', "JavaScript"),
    ],
)  # fmt: skip
def test_a_page_that_is_not_the_page_says_so(html: str, note: str) -> None:
    """An agent that takes "Just a moment" for the content answers from memory."""
    assert any(note in n for n in extract_html(html).notes)


def test_an_article_about_challenges_is_not_one() -> None:
    """The words alone do not make a page a challenge."""
    html = f"<h1>What a captcha is</h1><p>{'A captcha asks whether you are human. ' * 60}</p>"

    assert extract_html(html).notes == ()
