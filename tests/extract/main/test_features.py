"""Where a block stands: below which heading, how far from the title and from the running text."""

from __future__ import annotations

import pytest

from kensaku.extract.html.tree import parse_html
from kensaku.extract.main import features, model
from kensaku.extract.main.builder import blocks_of
from kensaku.extract.main.signals import PageFacts, page_facts

TEXT = "<p>Otters sleep in groups and hold on to kelp, which keeps them together at night.</p>"
JAPANESE = (
    "<p>カワウソは群れで眠り、流されないように海藻につかまって夜を過ごすことが知られている。</p>"
)


def rows(html: str, title: str) -> dict[str, dict[str, float]]:
    """Return the features by the first word of each block."""
    blocks = blocks_of(parse_html(f"<body>{html}</body>"))
    found = features.rows(blocks, PageFacts(title), model.vocabulary())
    return {
        block.text.split()[0]: dict(zip(features.NUMBERS, row, strict=False))
        for block, row in zip(blocks, found, strict=True)
    }


@pytest.mark.parametrize(
    ("text", "title", "headline"),
    [
        (TEXT, "How otters sleep at night | Wade Post", "How otters sleep at night"),
        (JAPANESE, "カワウソの眠り方 - 川辺新聞", "カワウソの眠り方"),
    ],
)
def test_the_headline_and_the_running_text_are_found(text: str, title: str, headline: str) -> None:
    """By the words of the title, or by its pairs of characters, and by the texts of one parent."""
    page = f"<p>Menu</p><h2>{headline}</h2><div>{text * 3}</div><p>More</p><p>Imprint</p>"
    found = rows(page, title)

    assert (found["Menu"]["since_title"], found["Menu"]["from_run"]) == (-1, -2)
    assert (found["More"]["since_title"], found["More"]["from_run"]) == (4, 1)
    assert (found["Imprint"]["from_run"], found["Imprint"]["words_from_run"]) == (2, 1)


def test_a_text_knows_whether_the_heading_above_it_is_a_link() -> None:
    """Headings of teasers are, and those of an article's sections are not."""
    found = rows(f"<h2>Sleep</h2>{TEXT}<h3><a href=x>Herons</a></h3><p>Nests</p>", "Sleep")

    assert [found[word]["heading_linked"] for word in ("Otters", "Nests")] == [0, 1]
    assert found["Otters"]["heading_title"] == 1


@pytest.mark.parametrize(
    ("head", "says"),
    [
        ('<meta property="og:type" content="article">', 1),
        ('<script type="application/ld+json">{"@type": "NewsArticle"}</script>', 1),
        ('<meta property="og:type" content="website">', 0),
    ],
)
def test_a_page_that_calls_itself_an_article(head: str, says: int) -> None:
    """Each block knows, since what follows it is then of other stories."""
    root = parse_html(f"<head>{head}</head><body>{TEXT}</body>")
    row = features.rows(blocks_of(root), page_facts(root, "", ""), model.vocabulary())[0]

    assert row[features.NUMBERS.index("says_article")] == says
