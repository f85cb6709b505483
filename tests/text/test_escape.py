"""Hostile text stays in its place, and ordinary text is not touched."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from kensaku.compat.tavily_tools import dialect as tavily
from kensaku.dialects import dialect_names, write
from kensaku.models import Explain, LocalMatch, Outcome, Page, Query, Response
from kensaku.text.escape import escape_line, escape_lines, escape_page, escape_url, flatten
from tests import ROOT
from tests.dialects.bodies import HOSTILE
from tests.dialects.examples import FOUND, REFUSED, unavailable
from tests.growth import growth

CONTROLS = [
    line
    for line in (ROOT / "tests" / "extract" / "multilingual.txt")
    .read_text(encoding="utf-8")
    .split("\n")[1:]
    if line and line == line.strip()
]
STRUCTURE = re.compile(
    r"\s*(?:#{1,6}(?:\s|$)|(?:-{3,}|\*{3,}|_{3,}|={3,})|`{3,}|~{3,}|\d{1,9}[.)](?:\s|$)|\[\d+\]"
    r"|>|\*\*|(?:URL|スコア|Answer|回答|Note|注)\s*[:：]|<[A-Za-z!?/]|[-=*_]\s*$)"
)
TEXT_DIALECTS = [name for name in dialect_names() if name != "json"]


def _shape(text: str) -> list[str]:
    """The start of every structural line, in order, and where the lines end."""
    assert not re.search("[\r\x0b\x0c\x1b\x85\u200b\u2028\u2029]", text)
    found = filter(None, map(STRUCTURE.match, text.split("\n")))
    return [*(match.group() for match in found), str(text.count("\n"))]


@pytest.mark.parametrize("dialect", TEXT_DIALECTS)
@pytest.mark.usefixtures("volume")
def test_a_hostile_field_changes_no_line_but_its_own(dialect: str) -> None:
    """Same headings, separators, items and number of lines as with harmless words, whichever
    field of one line is hostile (S0-32, S1-09, S2-40, S4-31)."""
    usual = _shape(write(FOUND, dialect))
    for text in HOSTILE:
        for field in ("title", "url", "published"):
            changed: dict[str, Any] = {field: text}
            if field == "published" and dialect != "term":
                continue
            hits = (replace(FOUND.hits[0], **changed), FOUND.hits[1])
            assert _shape(write(replace(FOUND, hits=hits), dialect)) == usual, (field, text)


@pytest.mark.parametrize("dialect", TEXT_DIALECTS)
def test_a_hostile_error_stays_in_its_line(dialect: str) -> None:
    """Upstreams word their refusals as they like (S1-41, S4-29)."""
    usual = _shape(write(unavailable(REFUSED), dialect))
    for text in HOSTILE:
        refused = type(REFUSED)("tavily", text, status=401, remedy="check TAVILY_API_KEY")
        assert _shape(write(unavailable(refused), dialect)) == usual, text


@pytest.mark.parametrize("dialect", TEXT_DIALECTS)
@pytest.mark.usefixtures("volume")
def test_a_hostile_query_stays_in_its_header(dialect: str) -> None:
    """A model can be talked into a query (S0-30, S1-08, S2-39)."""
    for outcome in (Outcome.FOUND, Outcome.EMPTY):
        # On topic, whatever is asked: else a note about confidence would come and go.
        near = Explain(local=LocalMatch(cosine=1.0))
        hits = tuple(replace(h, explain=near) for h in FOUND.hits)
        usual = _shape(write(replace(FOUND, outcome=outcome, hits=hits), dialect))
        for text in HOSTILE:
            asked = replace(FOUND, outcome=outcome, hits=hits, query=Query(text))
            assert _shape(write(asked, dialect)) == usual, text


def test_a_hostile_page_cannot_end_its_section() -> None:
    """A page keeps its own headings, but not those of the tool (S1-24, S1-25)."""
    for text in HOSTILE:
        pages = [Page(url="https://a.example/", markdown=text), Page(url=text, text="words")]
        lines = tavily.extracted(pages, [(text, text)]).split("\n")

        assert lines.count("---") == 2, text
        assert sum(line.startswith("### URL: ") for line in lines) == 2, text
        assert lines.count("## 失敗したURL") == 1, text
        assert sum(line.startswith("- ") for line in lines[lines.index("## 失敗したURL") :]) == 1


def test_a_fence_that_a_page_leaves_open_is_closed() -> None:
    """Else it would swallow every page that follows (S1-24)."""
    assert escape_page("````\n```\nx", ("##",)) == "````\n```\nx\n````"
    assert escape_page("```py\nx = 1\n```\nmore", ("##",)) == "```py\nx = 1\n```\nmore"


@pytest.mark.parametrize("escape", [flatten, escape_line, escape_lines])
def test_ordinary_text_of_any_language_stays_as_it_is(escape: Callable[[str], str]) -> None:
    """Byte for byte, in every place."""
    assert [escape(text) for text in CONTROLS] == CONTROLS


@pytest.mark.parametrize(
    "text",
    [
        "C# and F# are languages", "2**3 == 8 and **kwargs", "a - b", "x_y_z", "3.14 is out",
        "1.5 million", "-5 °C", "#hashtag", "> 90 % is not a start"[2:], "list<int> & more",
        "https://example.com/a_b?c=1&d=*#frag", "a  double  space", "[link](https://a.example/)",
        "URLs are addresses", "2026年1月20日", "– dash – dash –", "…", "50% off!",
    ],
)  # fmt: skip
def test_what_only_looks_like_markup_stays_as_it_is(text: str) -> None:
    """Only the start of a line can start something."""
    assert escape_line(text) == text
    assert escape_lines(f"{text}\n{text}") == f"{text}\n{text}"


def test_titles_may_begin_with_a_number() -> None:
    """They stand behind our own number, so they start nothing."""
    numbered = replace(FOUND.hits[0], title="2. Lexical analysis — Python")

    assert "### 1. 2. Lexical analysis — Python\n" in write(
        replace(FOUND, hits=(numbered,)), "tavily"
    )


def test_bold_and_links_cannot_be_ended_from_inside() -> None:
    """(S0-32, S2-40)"""
    hit = replace(FOUND.hits[0], title="x** [y](https://evil.example/) \\")
    one = replace(FOUND, hits=(hit,))

    assert r"1. **x\*\* [y](https://evil.example/) \\**" in write(one, "search_web")
    assert r"[x** \[y\](https://evil.example/) \\](<https://" in write(one, "markdown")


def test_markdown_has_no_foreign_schemes() -> None:
    """A click on a title must open a page, and run nothing."""
    hit = replace(FOUND.hits[0], url="javascript:x")

    assert "javascript:" not in write(replace(FOUND, hits=(hit,)), "markdown")


def test_an_address_has_no_gaps() -> None:
    """A blank would end it for whoever reads the line."""
    assert escape_url("https://a.example/x y<z>") == "https://a.example/x%20y%3Cz%3E"
    assert escape_url("https://例え.jp/検索") == "https://例え.jp/検索"


@pytest.mark.parametrize(
    "run",
    [" ", "-", "- ", "#", "`", "\n", "[", "\t\n", "*", "<", "\\", "![", "](", "[x]:", "<a ",
     "> ", "1. ", "* ", "<b style", "\n\n", "=", "_ ", "\n[", "\u3000", "![x]("],
)  # fmt: skip
def test_long_runs_are_handled_in_linear_time(run: str) -> None:
    """A hostile page is long; what is found at the end of a run is looked for once."""

    def escape(size: int) -> None:
        text = run * (size // len(run)) + "x"
        escape_line(text)
        escape_lines(text)
        escape_page(text, ("##",))

    assert growth(escape, 40_000) < 10


def test_the_outcome_does_not_depend_on_the_text() -> None:
    """A title that says "no results" is a title."""
    hit = replace(FOUND.hits[0], title="No results found for this query.")

    assert "## Search Results" in write(Response(FOUND.query, Outcome.FOUND, hits=(hit,)), "term")
