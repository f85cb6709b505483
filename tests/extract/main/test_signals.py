"""What a page says about itself, as the model gets it."""

from __future__ import annotations

import pytest

from kensaku.extract.html.tree import parse_html
from kensaku.extract.main.kinds import kind_signals
from kensaku.extract.main.signals import PageFacts, page_facts


@pytest.mark.parametrize(
    ("head", "what", "expected"),
    [
        (f"<meta name=description content='{'x' * 1_001}'>", "summary", " " + "x" * 1_000),
        ('<script type="application/ld+json">"articleBody": "{}"</script>', "body", ""),
        (f'<script type="application/ld+json">"articleBody":"{"x" * 80}"</script>', "body", " " + "x" * 80),
        (f'<script type="application/ld+json">"articleBody":"{"x" * 79}"</script>', "body", ""),
        (f'<script type="application/ld+json">"articleBody":"{"x" * 99}\\u00e9\\"y"</script>', "body", " " + "x" * 99 + "  y"),
    ],
)  # fmt: skip
def test_the_texts_are_bounded(head: str, what: str, expected: str) -> None:
    """A summary has a thousand characters at most, a body 80 at least."""
    facts = page_facts(parse_html(f"<html><head>{head}</head><body><p>x</p></body></html>"), "", "")

    assert getattr(facts, what) == expected


@pytest.mark.parametrize(("pad", "read"), [(499_984, True), (499_985, False)])
def test_json_of_half_a_million_characters_is_read(pad: int, read: bool) -> None:
    """Longer ones are data, not a description."""
    script = '"@type": "Thing"' + " " * pad
    page = f'<head><script type="application/ld+json">{script}</script></head><body><p>x</p></body>'

    assert ("ld:Thing" in page_facts(parse_html(page), "", "").signals) is read


@pytest.mark.parametrize(
    ("url", "signals"),
    [
        ("", {"depth": 0.0, "last_chars": 0.0}),
        ("https://[", {}),
        ("https://a.example/", {"host:a": 1.0, "host:example": 1.0, "depth": 0.0, "last_chars": 0.0}),
        ("/b", {"last:b": 1.0, "depth": 1.0, "last_chars": 1.0}),
        ("/a/b/", {"folder:a": 1.0, "last:b": 1.0, "depth": 2.0, "last_chars": 1.0}),
        ("/" + "b" * 2_000, {"last:" + "b" * 1_999: 1.0, "depth": 1.0, "last_chars": 1_999.0}),
    ],
)  # fmt: skip
def test_the_shape_of_an_address(url: str, signals: dict[str, float]) -> None:
    """Of its first two thousand characters."""
    counts = (
        {}
        if url == "https://["
        else dict.fromkeys(("last_dashes", "query_chars", "path_digits"), 0.0)
    )

    assert page_facts(parse_html("<p>x</p>"), url, "").signals == signals | counts


def test_a_page_without_blocks_is_told_by_what_it_says() -> None:
    """And nothing is added to what it says."""
    facts = PageFacts(signals={"og:article": 1.0})

    assert kind_signals([], facts) == {"og:article": 1.0}
    assert kind_signals([], facts) is not facts.signals


def test_the_names_of_the_body_are_read_up_to_a_thousand_characters() -> None:
    """Frameworks write a class for every state."""
    page = f'<body class="{"a" * 997} bc"><p>x</p></body>'

    assert {n for n in page_facts(parse_html(page), "", "").signals if n[:5] == "body:"} == {
        "body:" + "a" * 997,
        "body:bc",
    }
    assert "body:b" in page_facts(parse_html(page.replace("bc", " bc")), "", "").signals
