"""docs/dialects.md shows what is really written.

`cd tests && python -m dialects.test_docs` renews it.
"""

from __future__ import annotations

import re

from kensaku.compat.tavily_tools import dialect as tavily
from kensaku.dialects import DIALECTS, write
from kensaku.models import Page, Response
from tests import ROOT

from .examples import EMPTY, FOUND, UNAVAILABLE

PLACE = ROOT / "docs" / "dialects.md"
RESPONSES: dict[str, Response] = {"found": FOUND, "empty": EMPTY, "unavailable": UNAVAILABLE}
BLOCK = re.compile(r"(<!-- (\S+) (\S+) -->\n)(`{4}text\n).*?(\n`{4}\n)", re.DOTALL)


def _example(dialect: str, what: str) -> str:
    if what == "extract":
        pages = [Page(url="https://a.example/", markdown="# A\n\nSome words.")]
        return tavily.extracted(pages, [("https://b.example/", "the server said 404")])
    if what == "context":
        return tavily.context(FOUND.query.text, "…")
    options = {"indent": 2} if dialect == "json" else {}
    return write(RESPONSES[what], dialect, **options)


def renewed(text: str) -> str:
    """The page with every example written anew."""

    def one(match: re.Match[str]) -> str:
        head, dialect, what, fence, end = match.groups()
        return head + fence + _example(dialect, what) + end

    return BLOCK.sub(one, text)


def test_the_examples_are_what_is_written() -> None:
    """Every block is the real output."""
    text = PLACE.read_text(encoding="utf-8")

    assert renewed(text) == text


def test_every_dialect_is_shown_with_every_outcome() -> None:
    """A new dialect is not finished before people can see it."""
    blocks = BLOCK.findall(PLACE.read_text(encoding="utf-8"))
    shown = {(dialect.partition(":")[0], what) for _, dialect, what, *_ in blocks}

    assert {(d, what) for d in DIALECTS for what in RESPONSES} <= shown


if __name__ == "__main__":
    PLACE.write_text(renewed(PLACE.read_text(encoding="utf-8")), encoding="utf-8")
