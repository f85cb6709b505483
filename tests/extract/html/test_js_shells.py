"""Challenges and shells for scripts are recognised as such."""

from __future__ import annotations

import pytest

from kensaku.extract import extract_html
from kensaku.extract.html.js_shells import shell_notes
from kensaku.extract.html.metadata import read_metadata
from kensaku.extract.html.page import visible_blocks
from kensaku.extract.html.tree import parse_html

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


CHALLENGE = ("challenge page: the site asks whether a human is reading",)
SCRIPTS = ("needs JavaScript: the text is made by scripts, which we do not run",)
SHELL = "<div id=root></div><script src=a.js></script>"


@pytest.mark.parametrize(
    ("html", "title", "text", "words", "notes"),
    [
        ("", "Just a moment...", "", 250, CHALLENGE),
        ("", "Otters", "Solve this captcha", 250, CHALLENGE),
        ("<script src=/px-captcha/a.js></script>", "", "", 59, CHALLENGE),
        ("<img src=/px-captcha/a.js>", "", "", 59, ()),
        ("<script src=a.js></script><script>cf-chl</script>", "", "", 1, CHALLENGE),
        ("", "", "JavaScript is required", 100, SCRIPTS),
        ("<noscript>Please enable JavaScript</noscript>", "", "Otters", 100, SCRIPTS),
        ("<noscript>Otters</noscript>", "", "Otters", 100, ()),
        (SHELL, "", "Otters", 24, SCRIPTS),
        ("<div id=root></div>", "", "Otters", 24, ()),
        ("<div id=text></div><script src=a.js></script>", "", "Otters", 24, ()),
        ("<div></div><app-root></app-root><script>a()</script>", "", "Otters", 24, SCRIPTS),
    ],
)  # fmt: skip
def test_notes_of_a_page_that_a_browser_would_show_otherwise(
    html: str, title: str, text: str, words: int, notes: tuple[str, ...]
) -> None:
    """By its words, its scripts and its elements; a longer page is what it says."""
    root = parse_html(f"<html><body>{html}<p>x</p></body></html>")

    assert shell_notes(root, title, text, words) == notes


@pytest.mark.parametrize(
    "source",
    "challenge-platform cf-chl _cf_chl_opt captcha-delivery.com px-captcha /_Incapsula_Resource "
    "awswaf geo.captcha hcaptcha.com/1/api turnstile/v0".split(),
)
def test_a_challenge_is_known_by_where_its_script_is_from(source: str) -> None:
    """The services that sites ask whether a human is reading."""
    root = parse_html(f"<body><script src='https://a.example/x{source}/y'></script>")

    assert shell_notes(root, "", "", 1) == CHALLENGE


@pytest.mark.parametrize(
    ("generator", "shown", "without_scripts", "used"),
    [
        ("", 24, 98, True),  # 3 × 24 + 50 in all
        ("", 24, 97, False),
        ("", 25, 999, False),
        ("Discourse 3.2", 149, 348, True),
        ("Discourse 3.2", 149, 347, False),
        ("Discourse 3.2", 150, 999, False),
        ("On Discourse", 25, 999, False),
    ],
)
def test_text_for_readers_without_scripts_counts_when_it_is_much_more(
    generator: str, shown: int, without_scripts: int, used: bool
) -> None:
    """Three times as much and 50 words, beside a page that shows hardly anything."""
    root = parse_html(
        f"<html><head><meta name=generator content='{generator}'></head><body>"
        f"<p>{'word ' * shown}</p><noscript><p>{'more ' * without_scripts}</p></noscript></body></html>"
    )
    blocks, notes = visible_blocks(root, read_metadata(root, ""))

    assert len(blocks) == 1 + used
    assert notes == (("needs JavaScript: this is the text for readers without it",) if used else ())


def test_a_page_without_a_title_is_named_by_its_first_line() -> None:
    """Of at most 120 characters."""
    assert extract_html("<p>Otters<br>sleep</p>").title == "Otters"
    assert len(extract_html("<p>" + "otter " * 40 + "</p>").title) <= 120
    assert extract_html("<p>" + "x" * 120 + "</p>").title == "x" * 120
    assert len(extract_html("<p>" + "x" * 121 + "</p>").title) <= 120
