"""Pages as a result: as data, and as text within a number of tokens."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from kensaku import errors
from kensaku.models import Page
from kensaku.tools import WebExtractTool

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

    assert (result.success, result.error, result.error_kind) == (True, None, None)
    assert result.output == {
        "base_url": "https://a.example/",
        "results": [p.to_dict() for p in PAGES],
        "failed": [{"url": "https://c.example/", "error": "gone"}],
    }
    for part in ("# A\nhttps://a.example/\n\n# marked text\n",
                 "# https://b.example/\nhttps://b.example/\n\nonly text\n",
                 "1 of the pages could not be had", "https://c.example/: gone"):  # fmt: skip
        assert part in result.text


def test_without_a_page_the_failures_are_the_text():
    """The first twenty, unless told otherwise; the data has them all."""
    failed = [(f"https://{n}.example/", GONE) for n in range(30)]
    tool = WebExtractTool(fence=False)

    result, fewer = tool.pages_result([], failed), tool.pages_result([], failed, shown_failures=3)

    assert (result.success, result.error, result.error_kind) == (
        False, "no page could be had", "tool",
    )  # fmt: skip
    for shown, count in ((result, 20), (fewer, 3)):
        assert len(shown.output["failed"]) == 30
        assert shown.text.startswith(f"{count} of the pages could not be had: ")
        assert shown.text.count(".example/: gone") == count


@settings(max_examples=40, deadline=None)
@given(
    words=st.lists(st.sampled_from(["otter", "kelp", "検索", "\n"]), min_size=1, max_size=300),
    pages=st.integers(1, 4),
    tokens=st.integers(0, 600),
)
def test_each_page_gets_an_equal_share_of_the_tokens_and_never_nothing(words, pages, tokens):
    """The order of pages does not matter; more tokens never show less."""
    text = " ".join(words)
    found = [Page(f"https://{n}.example/", f"Page {n}", text) for n in range(pages)]

    def shown(tokens: int) -> set[str]:
        said = WebExtractTool(fence=False, max_tokens=tokens).pages_result(found, []).text
        for page in reversed(found):
            said, _, part = said.rpartition(f"# {page.title}\n{page.url}\n\n")
            parts.append(part.strip())
        return {parts.pop() for _ in found}

    parts: list[str] = []
    (body,) = shown(tokens)
    (more,) = shown(tokens * 2)
    (whole,) = shown(100_000)
    assert whole == text.strip()
    kept, more_kept = (part.removesuffix("…").rstrip() for part in (body, more))
    assert len(kept) <= len(more_kept) <= len(whole)
    assert whole.startswith(kept)
    assert len(body) >= min(len(whole), 30)
    assert body == whole or len(body) <= max(60, 6 * tokens // pages)
