"""The containers around a text, as the model gets them."""

from __future__ import annotations

from typing import Any

import pytest

from kensaku.extract.html.tree import parse_html
from kensaku.extract.main.blocks import Block, nodes_around
from kensaku.extract.main.builder import blocks_of
from kensaku.extract.main.containers import ContainerStats
from kensaku.extract.main.lexicon import name_bits

LONG = "otters sleep in groups and hold on to kelp which keeps them."  # 12 words


def measured(html: str) -> list[dict[str, Any]]:
    """The features of each block, by name; under "bits" the names around it."""
    blocks: list[Block] = blocks_of(parse_html(f"<body>{html}</body>"))
    stats = ContainerStats(blocks, nodes_around(blocks), sum(b.size for b in blocks))
    found = [stats.measure(b.node) for b in blocks]
    names = ContainerStats.NAMES
    return [dict(zip(names, numbers, strict=True)) | {"bits": bits} for numbers, bits in found]


def test_each_container_holds_more_blocks_than_the_one_inside() -> None:
    """Its words, links, blocks, sentences and pictures, and its share of the page."""
    html = (
        f"<section><div><p>{LONG}</p><p>one <a href=x>two</a></p><img src=a></div><p>three.</p>"
        "</section><p>four five six seven eight</p>"
    )
    text, label, _, alone = measured(html)

    def box(level: int, *values: float) -> dict[str, float]:
        what = ("size", "linked", "blocks", "mean", "long", "share", "stops", "images")
        return {f"box{level}:{w}": v for w, v in zip(what, values, strict=True)}

    linked = 2 * 3 / 7  # words of the second text, by its share of linked characters
    inner = box(1, 14, linked / 14, 2, 7, 12 / 14, 14 / 20, 1 / 14, 1 / 2)
    middle = box(2, 15, linked / 15, 3, 5, 12 / 15, 15 / 20, 2 / 15, 1 / 3)
    outer = box(3, 20, linked / 20, 4, 5, 12 / 20, 1, 2 / 20, 1 / 4)
    last = {k.replace("box3", "box4"): v for k, v in outer.items()}
    boxes = inner | middle | outer | last
    assert {k: v for k, v in text.items() if k[:3] == "box"} == pytest.approx(boxes)
    assert {k: v for k, v in label.items() if k[:3] == "box"} == pytest.approx(boxes)
    page = {f"box{n}:{k[5:]}": v for n in range(1, 5) for k, v in outer.items()}
    assert {k: v for k, v in alone.items() if k[:3] == "box"} == pytest.approx(page)


@pytest.mark.parametrize(
    ("html", "marks"),
    [
        (  # the best container is that of the long texts; no title, no main element
            f"<div><p>{LONG}</p><p>{LONG}</p></div><p>x</p>",
            [(1, 1, 0, -1, 0, 0), (1, 1, 0, -1, 0, 0), (-1, 0, 0, -1, 0, 0)],
        ),
        (  # no long text
            "<div><p>one</p></div><p>x</p>",
            [(-1, 0, 0, -1, 0, 0), (-1, 0, 0, -1, 0, 0)],
        ),
        (  # the title is two up from the text, which has three quarters of the words
            "<main><h1>one</h1><div><p>two three</p></div></main><p>four</p>",
            [(-1, 0, 0.75, 0, 0.25, 1), (-1, 0, 0.75, 2, 0.75, 2), (-1, 0, 0, 1, 1, 3)],
        ),
        (  # of main elements the outermost counts
            "<main><article><p>one</p></article><p>two</p></main><p>three four</p>",
            [(-1, 0, 0.5, -1, 0, 0), (-1, 0, 0.5, -1, 0, 0), (-1, 0, 0, -1, 0, 0)],
        ),
    ],
)  # fmt: skip
def test_landmarks_around_a_text(html: str, marks: list[tuple[float, ...]]) -> None:
    """How far up the best container and the title's are, and what they hold."""
    names = ("best_up", "in_best", "main_share", "h1_up", "h1_share", "h1_blocks")

    assert [tuple(found[n] for n in names) for found in measured(html)] == marks


@pytest.mark.parametrize(
    ("html", "best_up"),
    [
        # A text counts for less with each container further up: 12, 7.2, 4.32, 2.592.
        (f"<div><div><p>{LONG}</p></div><div><p>{LONG}</p></div></div>", 2),
        (f"<div><p>{LONG}</p><div><p>{LONG}</p></div></div>", 1),
        (f"<div><div><div><p>{LONG}</p></div></div></div>", 1),
        (f"<main>{f'<div><div><div><p>{LONG}</p></div></div></div>' * 5}</main>", 4),
        (f"<main>{f'<div><div><div><div><p>{LONG}</p></div></div></div></div>' * 9}</main>", 1),
    ],
)
def test_the_best_container_has_the_long_texts_close_to_each_other(html: str, best_up: int) -> None:
    """The one around both, when neither has more by itself."""
    assert measured(html)[0]["best_up"] == best_up


@pytest.mark.parametrize(("around", "named"), [(2, True), (3, False)])
def test_a_container_of_the_whole_page_does_not_name_its_part(around: int, named: bool) -> None:
    """Six tenths of the words make it the page."""
    inside, outside = "one " * around, "one " * (5 - around)
    first = measured(f'<div class="sidebar"><p>{inside}</p></div><p>{outside}</p>')[0]

    assert (first["bits"] & name_bits("sidebar") != 0) is named
