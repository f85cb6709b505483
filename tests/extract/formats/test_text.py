"""Plain text, Markdown, JSON and CSV."""

from __future__ import annotations

from kensaku.extract import extract


def test_plain_text_markdown_json_and_csv_are_told_apart() -> None:
    """The bytes decide; the header only between texts."""
    assert extract(b"First line\nSecond line").title == "First line"
    assert extract(b'{"title": "Otters", "n": 1}').title == "Otters"
    assert extract(b'{"title": broken', content_type="application/json").notes == (
        "not valid JSON",
    )
    table = extract(b"a,b\n1,2\n", content_type="text/csv; charset=utf-8")
    assert table.markdown == "| a | b |\n| --- | --- |\n| 1 | 2 |"
    assert extract(
        b"<html><body><p>Some words of a page</p>", content_type="text/plain"
    ).content_type == ("text/html")
    assert extract(b"if a < b and c > d: pass").content_type == "text/plain"


def test_markdown_loses_what_a_reader_does_not_see_or_should_not_click() -> None:
    """Comments, images and links that run something hide in Markdown as in HTML."""
    source = b"# Otters\n\nA [link](https://example.org) and [bad](javascript:alert). ![alt](https://x/i.png) <!-- h -->"
    page = extract(source, content_type="text/markdown")

    assert page.title == "Otters"
    assert page.markdown == "# Otters\n\nA [link](https://example.org) and bad."
    assert page.text == "Otters\n\nA link and bad."
