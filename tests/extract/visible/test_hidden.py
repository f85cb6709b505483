"""What readers do not see does not reach a model; what they see does (gate G4)."""

from __future__ import annotations

import pytest

from kensaku.extract import extract_html
from tests.extract.visible.corpus import HIDDEN, HIDDEN_WORD, SEEN, SEEN_WORD, page


def test_the_corpus_is_as_large_as_the_gate() -> None:
    """The gate counts 72 techniques."""
    assert len(HIDDEN) >= 72
    assert len(SEEN) >= 40


@pytest.mark.parametrize("name", HIDDEN)
def test_hidden_text_is_left_out_and_the_rest_kept(name: str) -> None:
    """Extractors leak 33 to 59 of 72 techniques; each leak is a way to give orders to an agent."""
    found = extract_html(page(HIDDEN[name]), "https://example.org/birds")

    for where in (found.title, found.text, found.markdown, found.author or "", *found.links):
        assert HIDDEN_WORD not in where
    for word in ("alphaword", "betaword", "gammaword"):
        assert word in found.text
        assert word in found.markdown


@pytest.mark.parametrize("name", SEEN)
def test_what_is_seen_is_kept(name: str) -> None:
    """A strip that takes too much would pass the other test."""
    found = extract_html(page(SEEN[name]), "https://example.org/birds")

    assert SEEN_WORD in found.text
    for word in ("alphaword", "betaword", "gammaword"):
        assert word in found.text


def test_a_page_that_is_covered_until_it_has_loaded_is_read() -> None:
    """Sites set `visibility:hidden` on everything until their scripts run."""
    body = "<p>" + "The heron stands in the river and waits for a fish. " * 40 + "</p>"
    html = f'<body><div style="visibility:hidden"><h1>Herons</h1>{body}</div></body>'

    assert "waits for a fish" in extract_html(html).text


def test_invisible_characters_are_removed_from_every_field() -> None:
    """Tags, zero width spaces and bidi controls hide words inside visible text."""
    html = page(
        "<p>Ducks\u200b are \u202ebirds\U000e0069\U000e0067 that swim on ponds and lakes.</p>"
    )
    found = extract_html(html.replace("Birds of the river", "Bir\u200bds of the river"))

    assert "Ducks are birds that swim" in found.text
    assert "Ducks are birds that swim" in found.markdown
    assert found.title == "Birds of the river"
