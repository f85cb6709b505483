"""Pages as a result: as data, and as text within a number of tokens."""

from __future__ import annotations

from kensaku import errors
from kensaku.models import Page
from kensaku.tools import WebExtractTool
from kensaku.tools._pages import _fit

PAGES = [
    Page("https://a.example/", "A", "plain text", "# marked text"),
    Page("https://b.example/", text="only text"),
]
GONE = errors.PageUnavailable("gone", status=404)


def test_pages_are_data_and_text():
    """A page without a title is headed by its address; Markdown is better than plain text."""
    result = WebExtractTool(fence=False).pages_result(
        PAGES, [("https://c.example/", GONE)], base_url="https://a.example/"
    )

    assert result.success
    assert (result.error, result.error_kind) == (None, None)
    assert result.output == {
        "base_url": "https://a.example/",
        "results": [p.to_dict() for p in PAGES],
        "failed": [{"url": "https://c.example/", "error": "gone"}],
    }
    assert result.confidence_factors == {"pages": 2, "failed": 1}
    assert result.text == (
        "# A\nhttps://a.example/\n\n# marked text\n\n"
        "# https://b.example/\nhttps://b.example/\n\nonly text\n"
        "1 of the pages could not be had: the server did not give the page (HTTP 404)\n"
        "could not be had: https://c.example/: gone"
    )


def test_without_a_page_the_failures_are_the_text():
    """The first twenty; the data has them all."""
    failed = [(f"https://{n}.example/", GONE) for n in range(30)]

    result = WebExtractTool(fence=False).pages_result([], failed)

    assert (result.success, result.error, result.error_kind) == (
        False, "no page could be had", "tool",
    )  # fmt: skip
    assert len(result.output["failed"]) == 30
    assert result.confidence_factors == {"pages": 0, "failed": 30}
    assert result.text.startswith("20 of the pages could not be had: ")
    assert "https://19.example/" in result.text
    assert "https://20.example/" not in result.text
    fewer = WebExtractTool(fence=False).pages_result([], failed, shown_failures=3)
    assert fewer.text.startswith("3 of the pages could not be had: ")


def test_each_page_gets_an_equal_share_of_the_tokens():
    """What is left of one is not given to another: the order of pages does not matter."""
    long = "otter " * 200

    text = (
        WebExtractTool(fence=False, max_tokens=100)
        .pages_result(
            [Page("https://a.example/", "A", long), Page("https://b.example/", "B", long)], []
        )
        .text
    )

    first, second = (part.split("\n\n")[1] for part in text.split("\n\n# B"))
    assert first == second
    assert first.count("otter") == 18  # fifty tokens


def test_a_text_is_cut_to_its_tokens_but_never_to_nothing():
    """Sixty characters are left of the longest text."""
    words = "otter " * 200

    assert _fit("otter " * 10, 10) == "otter " * 10
    assert [_fit(words, n).count("otter") for n in (470, 469, 235, 60)] == [200, 180, 90, 22]
    assert len(_fit(words, 0)) <= 60
    assert _fit(words, 0).startswith("otter otter otter otter otter otter otter")
    assert _fit("x" * 60, 0) == "x" * 60
    assert len(_fit("x" * 61, 0)) <= 60
