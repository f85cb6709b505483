"""Contents keep their lines, code, lists and tables, and none of them leaves its place."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import pytest
from markdown_it import MarkdownIt

from kensaku.dialects import dialect_names, write
from kensaku.models import Outcome, Query, Response

from .bodies import BODIES, HOSTILE
from .hosts import AUTHORS, LAYOUT, hits_with, screen

QUERY = Query("otter")
WHOLE = {"strands": {"max_content_length": 0}}
TEXTS = [name for name in dialect_names() if name != "json"]
COMMONMARK = MarkdownIt("commonmark").enable("table")


def found(*contents: str, answer: str | None = None) -> Response:
    return Response(QUERY, Outcome.FOUND, hits_with(contents), answer)


def batched(texts: Sequence[str], size: int) -> list[Sequence[str]]:
    return [texts[start : start + size] for start in range(0, len(texts), size)]


def written(response: Response, dialect: str) -> str:
    return write(response, dialect, **WHOLE.get(dialect, {}))


# --- ordinary bodies


@pytest.mark.parametrize("dialect", AUTHORS)
@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_a_body_comes_out_as_its_author_writes_it(body: str, dialect: str) -> None:
    """To the byte, as first and as last result (S0-32, S1-09, S2-40, S4-31)."""
    response = found(body, "Other words.", body)

    assert written(response, dialect) == AUTHORS[dialect](response)


@pytest.mark.parametrize("dialect", AUTHORS)
async def test_what_tavily_sends_comes_out_as_its_author_writes_it(
    dialect: str, make_client, upstream
) -> None:
    """Through the whole pipeline: request, reading, cleaning, ranking (S0-32, S1-09, S4-28)."""
    bodies = list(BODIES.values())
    assert len(bodies) >= 19
    for some in (bodies[:15], bodies[15:]):
        upstream.answers("tavily", list(hits_with(some)))
        response = await make_client("tavily").search("otter", max_results=20)

        assert [hit.content for hit in response.hits] == some
        assert written(response, dialect) == AUTHORS[dialect](response)


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_the_terminals_screen_reads_the_bodies_back(body: str) -> None:
    """Its parser drops blank lines, and nothing else (S4-31)."""
    response = found(body, "Other words.", answer="They float.\n\nThey dive.")
    answer, results = screen(write(response, "term"))

    assert answer == response.answer
    assert [(r["title"], r["url"], r["published"]) for r in results] == [
        (hit.title, hit.url, hit.published) for hit in response.hits
    ]
    assert results[0]["content"] == re.sub(r"\n\s*\n", "\n", body).strip()


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_plain_indents_the_lines_of_a_body(body: str) -> None:
    """A model reads code better with its line breaks; its own lines are at the margin."""
    lines = [f"   {line}" if line.strip() else line for line in body.split("\n")]
    text = write(found(body), "plain", max_content_length=0)

    assert text.split("\n")[5 : 5 + len(lines)] == lines


def test_compact_writes_one_line() -> None:
    """Three lines a result are its layout."""
    assert write(found("a\n\n  b\nc"), "compact").split("\n") == [
        "[1] Page 1 (2026-01-20)",
        "https://site1.example/page",
        "a b c",
    ]


# --- hostile bodies


def shape(text: str, dialect: str) -> list[str]:
    """The lines of the dialect's own layout, as far as they tell of its structure."""
    assert not re.search("[\r\x0b\x0c\x1b\x85\u200b\u2028\u2029]", text)
    starts = map(LAYOUT[dialect].match, text.split("\n"))
    return [match.group() for match in starts if match]


@pytest.mark.parametrize("dialect", AUTHORS)
def test_a_hostile_body_adds_no_line_of_the_layout(dialect: str) -> None:
    """Neither as a content nor as an answer (S0-31, S0-32, S1-09, S2-40, S4-30, S4-31)."""
    usual = shape(written(found("words", "more", answer="An answer."), dialect), dialect)
    for text in HOSTILE:
        assert shape(written(found(text, "more", answer="An answer."), dialect), dialect) == usual
        assert shape(written(found("words", "more", answer=text), dialect), dialect) == usual


def test_the_terminals_screen_is_not_deceived() -> None:
    """It shows the two results that there are, with their own addresses (S4-31)."""
    for text in HOSTILE:
        answer, results = screen(write(found(text, "more", answer="They float."), "term"))

        assert answer == "They float."
        assert [(r["title"], r["url"], r["published"]) for r in results] == [
            ("Page 1", "https://site1.example/page", "2026-01-20"),
            ("Page 2", "https://site2.example/page", "2026-01-20"),
        ]
        assert results[1]["content"] == "more"


@pytest.mark.parametrize("dialect", TEXTS)
@pytest.mark.usefixtures("volume")
def test_a_markdown_reader_finds_the_same_structure(dialect: str) -> None:
    """By a reader that is not ours: headings, rules and fences are the layout's, the last result
    is where it was, and nothing is loaded (S0-32, S1-09, S2-40, S4-31)."""
    for texts in batched(HOSTILE, 20):
        usual = structure(written(found(*["words"] * len(texts), "more"), dialect))
        assert structure(written(found(*texts, "more"), dialect)) == usual, texts

        response = found(*["words"] * len(texts), "more", answer="\n".join(texts))
        hits = [replace(hit, title=text) for hit, text in zip(response.hits, texts, strict=False)]
        named = structure(written(replace(response, hits=(*hits, response.hits[-1])), dialect))
        assert (named["loads"], named["last"]) == (0, usual["last"]), texts


def structure(text: str) -> Counter[str]:
    """How often each thing that matters occurs in Markdown."""
    counted: Counter[str] = Counter(loads=0, last=0)
    for token in COMMONMARK.parse(text):
        if token.type in ("heading_open", "hr", "fence"):
            counted[token.type] += 1
        inline = [child.type for child in token.children or ()]
        counted["loads"] += inline.count("image")
        if token.type == "html_block" or "html_inline" in inline:
            counted["loads"] += len(LOADS.findall(token.content))
        counted["last"] += token.type == "inline" and token.content.endswith("more")
    return counted


LOADS = re.compile(
    r"<(?:img|svg|iframe|video|link|script|style|details|textarea|\w+[^<]*(?:style|background)=)",
    re.IGNORECASE,
)
