"""Cards: like siblings with a link each, by which teasers differ from the text of an article."""

from __future__ import annotations

import pytest

from kensaku.extract.html.tree import parse_html
from kensaku.extract.main.blocks import Block, nodes_around
from kensaku.extract.main.builder import blocks_of
from kensaku.extract.main.siblings import SIBLING_NAMES, SiblingStats

CARD = "<div class=card><img src=x><h3><a href=x>four</a></h3><p>one two three</p></div>"


def measure(html: str, text: str) -> dict[str, float]:
    """Return the features of the last block with this text."""
    blocks: list[Block] = blocks_of(parse_html(f"<body>{html}</body>"))
    stats = SiblingStats(nodes_around(blocks), sum(b.size for b in blocks))
    block = [b for b in blocks if b.text == text][-1]
    return dict(zip(SIBLING_NAMES, stats.measure(block.node), strict=True))


def test_the_text_of_a_teaser_knows_its_card_and_the_cards_beside_it() -> None:
    """Its own block has no link, and looks like a sentence of the article."""
    page = f"<p>{'word ' * 12}</p><section>{CARD * 3}</section>"

    assert measure(page, "one two three") == pytest.approx(
        {"card_count": 3, "card_at": 2, "card_size": 4, "card_linked": 0.25, "card_links": 1,
         "card_images": 1, "card_blocks": 2, "card_up": 1, "card_share": 0.5}
    )  # fmt: skip


def test_a_page_of_one_deep_branch_is_measured_once_per_node() -> None:
    """Each node is climbed once, however many blocks are below it."""
    html = "<div>" * 400 + "<p>one two three</p>" * 400 + "</div>" * 400

    assert set(measure(html, "one two three").values()) == {0.0}
