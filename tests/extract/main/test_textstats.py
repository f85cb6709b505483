"""Texts as the model gets them: counted by themselves, and among those of their kind."""

from __future__ import annotations

import pytest

from kensaku.extract.html.tree import parse_html
from kensaku.extract.main.blocks import Block
from kensaku.extract.main.builder import blocks_of
from kensaku.extract.main.signals import PageFacts
from kensaku.extract.main.textstats import TEXT_NAMES, TextStats, is_long, repeated_kind

WORDS = "one two three four five six seven eight nine ten eleven"


def blocks(html: str) -> list[Block]:
    return blocks_of(parse_html(f"<body>{html}</body>"))


@pytest.mark.parametrize(
    ("html", "long"),
    [
        (f"<p>{WORDS} twelve</p>", True),
        (f"<p>{WORDS}</p>", False),
        ("<p>" + "a b c " * 4 + "</p>", True),
        ("<p><a href=x>" + "abc " * 6 + "</a>" + "abc " * 6 + "</p>", False),  # half of it
        ("<p><a href=x>" + "abc " * 6 + "</a>" + "abcd " * 6 + "</p>", True),
        ("<p>" + "水" * 21 + "</p>", False),
        ("<p>" + "水" * 22 + "</p>", True),
    ],
)
def test_twelve_words_that_are_not_links_are_running_text(html: str, long: bool) -> None:
    """Two characters of a script without spaces are a word; the containers count them, too."""
    (block,) = blocks(html)

    assert is_long(block) is long
    assert block.node.long == (block.size if long else 0.0)


@pytest.mark.parametrize(
    ("text", "differing"),
    [
        ("otter", {}),
        ("otter. otter", {"stops": 1.0, "size": 2.0, "chars": 12.0, "repeats": 1.0}),
        ("otter.", {"stops": 1.0, "chars": 6.0}),
        ("otter!", {"stops": 1.0, "chars": 6.0}),
        ("otter?", {"stops": 1.0, "chars": 6.0}),
        ("otter:", {"stops": 1.0, "chars": 6.0}),
        ("otter。", {"stops": 1.0, "chars": 6.0}),
        ("otter,", {"commas": 1.0, "chars": 6.0}),
        ("otter、", {"commas": 1.0, "chars": 6.0}),
        ("OTTer", {"upper": 0.6, "first_upper": 1.0}),
        ("ott99", {"digits": 0.4}),
        ("of otters", {"size": 2.0, "chars": 9.0, "word_len": 4.0, "function_words": 0.5}),
        ("sleep otter", {"size": 2.0, "chars": 11.0, "title_overlap": 0.5}),
        ("kelp otter", {"size": 2.0, "chars": 10.0, "word_len": 4.5, "summary_overlap": 0.5}),
        ("otter<br>otter", {"size": 2.0, "chars": 11.0, "lines": 1.0}),
        ("<a href=x>otter</a>", {"linked": 1.0, "links": 1.0}),
        ("水は澄む。魚は戻る。", {
            "size": 6.0, "chars": 26.0, "stops": 2.0, "function_words": 0.2, "first_upper": 1.0}),
        ("der Otter im Fluss", {
            "size": 4.0, "chars": 18.0, "word_len": 3.75, "upper": 2 / 18, "function_words": 0.5}),
        ("the heron dives deep into the cold river today", {
            "size": 9.0, "chars": 46.0, "word_len": 38 / 9, "function_words": 2 / 9, "in_stated_body": 1.0}),
        ("the heron dives deep into the cold lake", {
            "size": 8.0, "chars": 39.0, "word_len": 4.0, "function_words": 0.25}),
    ],
)  # fmt: skip
def test_the_features_of_a_text(text: str, differing: dict[str, float]) -> None:
    """What differs from those of one small word."""
    usual = dict.fromkeys(TEXT_NAMES, 0.0) | {
        "size": 1.0, "chars": 5.0, "word_len": 5.0, "repeats": 1.0,
    }  # fmt: skip
    facts = PageFacts("Sleep!", "In KELP", "The heron dives deep, into the cold river... More.")
    numbers = TextStats(blocks(f"<p>{text}</p>"), facts).numbers(0)

    assert dict(zip(TEXT_NAMES, numbers, strict=True)) == pytest.approx(usual | differing)


def test_a_page_that_states_nothing() -> None:
    """Is another case than one whose statement has nothing of the text."""
    numbers = TextStats(blocks("<p>otter</p><p>otter</p>"), PageFacts()).numbers(1)

    assert dict(zip(TEXT_NAMES[-2:], numbers[-2:], strict=True)) == {
        "summary_overlap": -1.0,
        "in_stated_body": -1.0,
    }
    assert numbers[TEXT_NAMES.index("repeats")] == 2.0


def test_blocks_of_a_kind_are_measured_together() -> None:
    """Count, mean size and share of links; and the words of the page before each."""
    html = '<ul><li class="a b">one two</li><li class="a">one two three <a href=x>four</a></li></ul><p>x</p>'
    stats = TextStats(blocks(html), PageFacts())

    assert stats.kinds == [
        pytest.approx([2.0, 3.0, 4 * 4 / 18 / 6])] * 2 + [[1.0, 1.0, 0.0]]  # fmt: skip
    assert (stats.before, stats.size) == ([0.0, 2.0, 6.0], 7.0)
    assert (TextStats([], PageFacts()).size, TextStats([], PageFacts()).before) == (1.0, [])


def test_a_kind_is_three_elements_deep() -> None:
    """Each by its tag and its first class; an element without attributes has none."""
    (block,) = blocks('<div class="x y"><ul id="u"><li class="item first"><b>a</b></li></ul></div>')
    nodes = [block.node]
    while nodes[-1].parent is not None:
        nodes.append(nodes[-1].parent)

    assert repeated_kind(nodes[0]) == ("li.item", "ul.", "div.x")
    assert repeated_kind(nodes[-2]) == ("html", "#")
    assert repeated_kind(nodes[-1]) == ("#",)
