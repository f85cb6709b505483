"""A report keeps to its subject: pages that only mention it, and parts that no page answers."""

from __future__ import annotations

from typing import Any

import pytest

from kensaku import Document, Kensaku

PAGES = {
    "Anna Hartley": "Anna Hartley (1840–1912) was a painter of harbours. Hartley was born in Leeds, "
    "the daughter of a sailor. She studied in Paris and never married.",
    "Silver Lane (song)": "Silver Lane is a song about Anna Hartley, who was born by the sea. It was "
    "first sung in 1950.",
    "Fish market": "The favourite food of sailors was sold by Anna Nowak at the market of Leeds.",
    "ラッコ": "ラッコは北太平洋の沿岸に住む。ラッコの体重は30キログラムである。",
    "仙台市": "仙台市の夏の平均気温は22度である。",
}


@pytest.fixture
async def client(make_client: Any) -> Kensaku:
    """A client whose collection is about several things."""
    made: Kensaku = make_client("local")
    pages = enumerate(PAGES.items())
    await made.index.add([Document(url=f"doc:{n}", title=t, text=text) for n, (t, text) in pages])
    return made


async def test_pages_that_only_mention_the_subject_add_nothing(client: Kensaku) -> None:
    """The song is about her, and the report is not about the song."""
    report = await client.research("Where was Anna Hartley born, and where did she study?")

    assert "born in Leeds" in report.text
    assert "studied in Paris" in report.text
    assert [source.title for source in report.sources] == ["Anna Hartley"]


async def test_a_part_that_the_subject_s_pages_do_not_answer_is_missing(client: Kensaku) -> None:
    """Somebody else's food is no answer."""
    report = await client.research("Where was Anna Hartley born and what was her favourite food?")

    assert report.missing == ("what was her favourite food?",)
    assert "Nowak" not in report.text


async def test_a_part_whose_names_no_page_has_is_missing(client: Kensaku) -> None:
    """The temperature of another town, either."""
    report = await client.research(
        "ラッコの体重は何キロですか？オタートンの夏の平均気温は何度ですか？"
    )

    assert "30キログラム" in report.text
    assert report.missing == ("オタートンの夏の平均気温は何度ですか？",)
