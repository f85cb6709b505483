"""Plain text, Markdown, JSON and CSV."""

from __future__ import annotations

import json

import pytest

from kensaku.errors import Unparsable
from kensaku.extract import extract

URL = "https://example.org/a"


def test_markdown_loses_what_a_reader_does_not_see_or_should_not_click() -> None:
    """Comments, images and links that run something hide in Markdown as in HTML."""
    source = b"# Otters\n\nA [link](https://example.org) and [bad](javascript:alert). ![alt](https://x/i.png) <!-- h -->"
    page = extract(source, content_type="text/markdown")

    assert page.title == "Otters"
    assert page.markdown == "# Otters\n\nA [link](https://example.org) and bad."
    assert page.text == "Otters\n\nA link and bad."


@pytest.mark.parametrize(
    ("data", "content_type", "title", "text", "markdown", "kind"),
    [
        (" Русский  текст\nстрока \u200b ", "text/plain", "Русский текст",
         "Русский  текст\nстрока", "Русский  текст\nстрока", "text/plain"),
        ("Русский <b>текст</b>\n\n> слово [x](y)\n\n## Глава ##", "text/x-markdown", "Глава",
         "Русский текст\n\nслово x\n\nГлава ##", "Русский текст\n\n> слово [x](y)\n\n## Глава ##",
         "text/markdown"),
        ('{"name": "Otters  é", "n": [1]}', "application/json", "Otters é",
         '{\n "name": "Otters  é",\n "n": [\n  1\n ]\n}',
         '```json\n{\n "name": "Otters  é",\n "n": [\n  1\n ]\n}\n```', "application/json"),
        ("{broken\nline", "application/json", "{broken", "{broken\nline", "{broken\nline",
         "text/plain"),
        ("a;b\n1;x|y\n;\n2;3\n", "text/csv", "", "a | b\n1 | x|y\n2 | 3",
         "| a | b |\n| --- | --- |\n| 1 | x\\|y |\n| 2 | 3 |", "text/csv"),
        ("a\tb\n1\t2\n", "text/tab-separated-values", "", "a | b\n1 | 2",
         "| a | b |\n| --- | --- |\n| 1 | 2 |", "text/csv"),
        ("if a < b and c > d: pass", "", *["if a < b and c > d: pass"] * 3, "text/plain"),
    ],
    ids=["plain", "Markdown", "JSON", "broken JSON", "CSV", "TSV", "code"],
)  # fmt: skip
def test_a_text_is_read_by_its_kind(
    data: str, content_type: str, title: str, text: str, markdown: str, kind: str
) -> None:
    """The title is the first line, a heading, or what the data calls its title."""
    page = extract(data.encode(), url=URL, content_type=content_type)

    assert (page.title, page.text, page.markdown, page.content_type) == (
        title, text, markdown, kind,
    )  # fmt: skip
    assert (page.url, page.language) == (URL, "ru" if title[:1] in "РГ" and title else None)


@pytest.mark.parametrize(
    ("data", "content_type", "title"),
    [
        ("t" * 120, "text/plain", "t" * 120),
        ("t" * 121, "text/plain", "t" * 119 + "…"),
        ("a" + " " * 998 + "b", "text/plain", "a b"),
        ("a" + " " * 999 + "b", "text/plain", "a"),
        ("# " + "t" * 300, "text/markdown", "t" * 300),
        ("#### Four\n### Three", "text/markdown", "Three"),
        ("First line\nsecond", "text/markdown", "First line"),
        ("t" * 301, "text/markdown", "t" * 299 + "…"),
        ("a" + " " * 998 + "b", "text/markdown", "a b"),
        ("a" + " " * 999 + "b", "text/markdown", "a"),
        (json.dumps({"title": "t" * 301}), "application/json", "t" * 299 + "…"),
        (json.dumps({"title": "t" * 300, "name": "n"}), "application/json", "t" * 300),
        ('{"title": 7}', "application/json", ""),
        ("[1]", "application/json", ""),
    ],
)
def test_a_title_has_bounds(data: str, content_type: str, title: str) -> None:
    """It is read from the first thousand characters, and cut."""
    assert extract(data.encode(), content_type=content_type).title == title


def test_a_long_table_is_cut_and_says_so() -> None:
    """20,000 rows, and 2,000 characters of a cell."""
    most = extract(b"x,y\n" * 20_000, content_type="text/csv")
    more = extract(b"x,y\n" * 20_001, content_type="text/csv")
    cell = extract(f"a,b\n{'x' * 2_001},1\n".encode(), content_type="text/csv")

    assert (len(most.text.splitlines()), most.notes) == (20_000, ())
    assert (len(more.text.splitlines()), more.notes) == (20_000, ("cut: the first 20,000 rows",))
    assert cell.text == f"a | b\n{'x' * 2_000} | 1"


def test_a_damaged_table_is_refused_and_an_odd_one_is_read() -> None:
    """A field of more than 128 KB is no field. One column has no separator to be found."""
    with pytest.raises(Unparsable, match="CSV is damaged"):
        extract(b"a,b\n" + b"x" * 140_000, content_type="text/csv")
    assert extract(b"otters\n", content_type="text/csv").text == "otters"
