"""Blocks of code in the authors' Markdown: a closed one is code, and none swallows what follows."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from kensaku import Hit, Outcome, Query, Response
from kensaku.compat.chat_server import dialect as chat_server
from kensaku.compat.slack_bot import dialect as slack_bot
from kensaku.compat.tavily_tools import dialect as tavily_tools
from kensaku.compat.terminal import dialect as terminal
from kensaku.text.escape import escape_text
from tests.growth import growth

WRITE = {"000": slack_bot.write, "001": tavily_tools.write, "002": chat_server.write,
         "004": terminal.write}  # fmt: skip
dialects = pytest.mark.parametrize("write", WRITE.values(), ids=WRITE)
BLOCK = "```py\n# a comment\nprint('x')\n\n---\n```"
READER = MarkdownIt("commonmark")

fences = st.builds(
    "{}{}{}{}".format,
    st.sampled_from(["", "", "", " ", "  ", "   ", "    ", "\t", "- ", "> ", "1. ", "> - "]),
    st.sampled_from(["```", "```", "````", "~~~", "~~~~", "``"]),
    st.sampled_from(["", "", "py", " a`b", "~", " "]),
    st.sampled_from(["", " ", "\t", "\u3000", "\x0b", "\r"]),
)
lines = fences | st.sampled_from(
    ["", "text", "# heading", "    code", "\tcode", "- item", "  more", "> quote", "1. one", "<div>",
     "</p>", "<pre>", "<b>x</b>", "<!-- x", "---", "URL: x", "| a |", "\\", "   x", "[a]: b"]
)  # fmt: skip
contents = st.lists(lines, max_size=12).map("\n".join)


def response(*found: str) -> Response:
    hits = tuple(Hit(f"https://a.example/{n}", f"Title{n}", c) for n, c in enumerate(found))
    return Response(Query("otters"), Outcome.FOUND, hits)


@dialects
@settings(max_examples=400, deadline=None)
@given(found=st.lists(contents, min_size=1, max_size=3))
@example(found=["```py\nx\n```", "- ```\n  x\n  ```\ny\n```"])
@example(found=["<div>\n```\n\ntext\n```", "- item\n  ```\nx\n```"])
@example(found=["~~~\n```\n~~~\n```", "````\n```\n````"])
def test_no_result_swallows_the_next_one(write, found):
    """Every title is read as text: outside of code and HTML."""
    text = write(response(*found, "the last one"))

    tokens = READER.parse(text)
    read = "\n".join(t.content for t in tokens if t.type == "inline")
    assert all(f"Title{n}" in read for n in range(len(found) + 1))
    assert "the last one" in read


@dialects
@pytest.mark.parametrize("before", ["", "Do this:\n", "Do this:\n\n", "```\nfirst\n```\n"])
@pytest.mark.parametrize("block", [BLOCK, BLOCK.replace("`", "~"), f"`{BLOCK}`"])
def test_a_closed_block_is_code_to_the_letter(write, before, block):
    """What a reader copies is what the page has."""
    text = write(response(f"{before}{block}\nThat is all.", "more"))

    shown = [t.content for t in READER.parse(text) if t.type == "fence"]
    assert (
        shown[-1].removeprefix("```py\n").removesuffix("```\n")
        == "# a comment\nprint('x')\n\n---\n"
    )
    assert "\\`" not in text


@dialects
def test_an_open_block_is_text(write):
    """Such as one that was cut."""
    text = write(response("```py\nprint('x')", "more"))

    assert "\\`\\`\\`py" in text
    assert not [t for t in READER.parse(text) if t.type == "fence"]


@pytest.mark.parametrize("piece", ["```\n", "```a\n", "~~~\n```b\n", "````c\n", "``` `\n", "`\n"])
def test_blocks_are_found_in_linear_time(piece):
    """A page may be all beginnings of code."""
    assert growth(lambda n: escape_text(piece * n), 2_000) < 10
