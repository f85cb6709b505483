"""Does a quote stand in its source? Offsets in English and Japanese, and no false yes."""

from __future__ import annotations

import pytest

from kensaku import Kensaku
from kensaku.answers.context import Citation
from kensaku.answers.verify import MAX_QUOTE, verify
from kensaku.errors import FetchError, InvalidQuery
from kensaku.models import Hit, Page, Passage
from kensaku.testing import FakeUpstream

ENGLISH = "Sea otters  hold\nhands.\u00a0They weigh 1.5 to 45 kg — a “raft” of them isn’t small."
JAPANESE = (
    "ラッコは眠る\nときに、手をつなぎます。「おやすみ」とは言いません。体長は１３０ｃｍです。"
)


@pytest.mark.parametrize(
    ("quote", "source", "words"),
    [
        ("hold hands", ENGLISH, "hold\nhands"),
        ("HOLD HANDS. they weigh", ENGLISH, "hold\nhands.\u00a0They weigh"),
        ('a "raft" of them isn\'t small', ENGLISH, "a “raft” of them isn’t small"),
        ("45 kg - a 'raft' of", ENGLISH, "45 kg — a “raft” of"),
        ("「眠るときに、手をつなぎます」", JAPANESE, "眠る\nときに、手をつなぎます"),
        ("体長は130cm", JAPANESE, "体長は１３０ｃｍ"),
        ("『おやすみ』", JAPANESE, "おやすみ"),
        ("ｶﾞﾗｽ", "丸いガラス窓", "ガラス"),
        ("café", "the cafe\u0301 is open", "cafe\u0301"),
        ("STRASSE", "die Straße", "Straße"),
        ("soft hyphen", "a soft hy\u00adphen", "soft hy\u00adphen"),
    ],
)
def test_a_quote_is_found_where_it_stands(quote: str, source: str, words: str) -> None:
    """`source[start:end]` is the quote, as the source writes it."""
    found = verify(quote, source)

    assert found.found
    assert found.text == words == source[found.start : found.end]


@pytest.mark.parametrize(
    ("quote", "source"),
    [
        ("hold paws", ENGLISH),
        ("5 to 45 kg", ENGLISH),
        ("weigh 1", ENGLISH),
        ("ea otters", ENGLISH),
        ("hold hand", ENGLISH),
        ("5 million", "It cost 15 million."),
        ("the rapist", "the therapist"),
        ("か", "が"),
        ("resume", "a résumé"),
        ("cafe", "the cafe\u0301"),
        ("足をつなぎます", JAPANESE),
        ("anything", ""),
    ],
)
def test_what_does_not_stand_there_is_not_found(quote: str, source: str) -> None:
    """Half a word, half a figure and half a character are not quotes."""
    assert not verify(quote, source).found


def test_the_first_whole_occurrence_counts() -> None:
    """Not the one inside another word before it."""
    found = verify("otter", "otters, an otter")

    assert (found.start, found.end) == (11, 16)


@pytest.mark.parametrize("quote", ["", "  ", "“”", "x" * (MAX_QUOTE + 1)])
def test_an_empty_or_endless_quote_is_refused(quote: str) -> None:
    """With the bound in the sentence."""
    with pytest.raises(InvalidQuery, match="10,000"):
        verify(quote, ENGLISH)


async def test_a_quote_from_a_citation_is_placed_in_its_page() -> None:
    """Offsets are those of the page, not of the passage."""
    page = Page(url="https://a.example/", text=f"Before. {ENGLISH}")
    passage = Passage(page.url, ENGLISH, 8, 8 + len(ENGLISH))
    cited = Citation(1, page.url, "Otters", passages=(passage,))
    async with Kensaku(state_url="memory:") as k:
        here, there = await k.verify("hold hands", cited), await k.verify("hold hands", page)
        nowhere = await k.verify("hold paws", Citation.of(1, Hit(page.url, "", ENGLISH)))

    assert (here.start, here.end) == (there.start, there.end)
    assert not nowhere.found


async def test_a_page_is_fetched_to_look(upstream: FakeUpstream) -> None:
    """One that cannot be had is an error, not a "not found"."""
    url = upstream.serves("/otters.txt", ENGLISH, "text/plain; charset=utf-8")
    reach = {"fetch_allow": ("127.0.0.1",), "fetch_ports": ("any",), "state_url": "memory:"}
    async with Kensaku(**reach) as k:
        assert (await k.verify("hold hands", url)).found
        with pytest.raises(FetchError):
            await k.verify("hold hands", f"{upstream.url}/gone")
