"""Which block of a page is its headline, and when it is added to the text."""

from __future__ import annotations

import pytest

from kensaku.extract.html.headline import headline_index, missing_headline
from kensaku.extract.html.tree import parse_html
from kensaku.extract.main.blocks import Block
from kensaku.extract.main.builder import blocks_of


def blocks(html: str) -> list[Block]:
    return blocks_of(parse_html(f"<body>{html}</body>"))


@pytest.mark.parametrize(
    ("html", "title", "index"),
    [
        ("<p>a</p><h2>Otters</h2>", "Otters", None),
        ("<p>a</p><h1>Site</h1><h1>Otters sleep</h1>", "Otters sleep", 2),
        ("<p>a</p><h1>Site</h1><h1>Otters, sleep!</h1>", "OTTERS - sleep | Site news", 1),
        ("<p>a</p><h1>Blog</h1><h1>Otters, sleep!</h1>", "OTTERS - sleep | Site news", 2),
        ("<p>a</p><h1>Blog</h1><h1>How otters sleep at night</h1>", "Otters sleep", 2),
        ("<p>a</p><h1>Blog</h1><h1>Otters</h1>", "Herons", 1),
        ("<p>a</p><h1>Blog</h1><h1>Otters</h1>", "", 1),
        ("<p>a</p><h1>Blog</h1><h1>—</h1>", "Herons", 1),
        ("<p>a</p><h1>—</h1><h1>Herons</h1>", "Herons", 2),
        ("<h1><div>x</div><div>Herons</div></h1>", "Herons", 1),
    ],
)  # fmt: skip
def test_the_headline_is_the_heading_that_is_the_title(
    html: str, title: str, index: int | None
) -> None:
    """Signs and case aside, either in the other; else the first heading of its rank."""
    assert headline_index(blocks(html), title) == index


@pytest.mark.parametrize(
    ("headline", "body", "missing"),
    [
        ("Otters", "Herons", True),
        ("Otters", "All OTTERS sleep", False),
        ("o" * 300, "Herons", True),
        ("o" * 301, "Herons", False),
        ("Otters", "otters" + "x" * 594, False),  # 600 characters
        ("Otters", "otters" + "x" * 595, True),  # a long text says many things
    ],
)
def test_a_headline_that_no_selected_text_says_is_added(
    headline: str, body: str, missing: bool
) -> None:
    """Of at most 300 characters."""
    first, *others = blocks(f"<h1>{headline}</h1><p>Ducks</p><p>{body}</p>")

    assert missing_headline([first, *others], others, headline) is (first if missing else None)
    assert missing_headline([first, *others], [], headline) is None
    assert missing_headline(others, others, headline) is None
