"""Does a quote stand in its source? Offsets in English and Japanese, and no false yes."""

from __future__ import annotations

import time

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from kensaku import Kensaku
from kensaku.answers.context import Citation
from kensaku.answers.verify import MAX_QUOTE, verify
from kensaku.errors import FetchError, InvalidQuery, TooLarge
from kensaku.models import Hit, Page, Passage
from kensaku.testing import FakeUpstream
from tests.growth import growth

ENGLISH = "Sea otters  hold\nhands.\u00a0They weigh 1.5 to 45 kg — a “raft” of them isn’t small."
JAPANESE = (
    "ラッコは眠る\nときに、手をつなぎます。「おやすみ」とは言いません。体長は１３０ｃｍです。"
)


@pytest.mark.parametrize(
    ("quote", "source", "words"),
    [
        ("hold hands", ENGLISH, "hold\nhands"),
        ('a "raft" of them isn\'t small', ENGLISH, "a “raft” of them isn’t small"),
        ("45 kg - a 'raft' of", ENGLISH, "45 kg — a “raft” of"),
        ("「眠るときに、手をつなぎます」", JAPANESE, "眠る\nときに、手をつなぎます"),
        ("体長は130cm", JAPANESE, "体長は１３０ｃｍ"),
        ("ｶﾞﾗｽ", "丸いガラス窓", "ガラス"),
        ("café", "the cafe\u0301 is open", "cafe\u0301"),
        ("STRASSE", "die Straße", "Straße"),
        ("x" * 10_000, "x" * 10_000, "x" * 10_000),
        ("3.14", "it is 3.14.", "3.14"),
        ("in 3", "in 3. Or", "in 3"),
        ("3 or", "a, 3 or", "3 or"),
        ("5 or", "2 to 4, 5 or 6", "5 or"),
        ("in 1867", "in 1867 , 12 years on", "in 1867"),
        ("12 years", "in 1867 .12 years", "12 years"),
        ("a - b", "a−b", "a−b"),
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
        ("the rapist", "the therapist"),
        ("か", "が"),
        ("resume", "a résumé"),
        ("足をつなぎます", JAPANESE),
        ("anything", ""),
        ("3", "it is 3.14"),
        ("14", "it is 3.14"),
        ("140", "it is 3,140"),
        ("140", "it is 3,\u200b140"),
        ("a b", "ab"),
        ("ab", "a b"),
    ],
)
def test_what_does_not_stand_there_is_not_found(quote: str, source: str) -> None:
    """Half a word, half a figure and half a character are not quotes."""
    assert not verify(quote, source).found


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


@pytest.mark.parametrize(
    ("wanted", "piece"),
    [("a" * 5_000, "a"), ("abc " * 1_200 + "a", "abc "), ("ab" * 2_500, "ab")],
    ids=["one letter", "words that break off", "two letters"],
)
def test_the_work_grows_with_the_length_alone(wanted: str, piece: str) -> None:
    """A page may repeat almost the quote without an end: found nowhere, and soon."""
    assert not verify(wanted, piece * 20_000).found
    assert growth(lambda n: verify(wanted, piece * n), 20_000) < 9


def test_a_text_that_takes_too_long_is_a_typed_error() -> None:
    """The caller has given a time; the thread does not go on for ever."""
    with pytest.raises(TooLarge, match="100,000 characters"):
        verify("otters", "x" * 100_000, deadline=time.monotonic() - 1)


async def test_the_time_of_the_call_bounds_the_look(make_client) -> None:
    """Fetched or not."""
    page = Page(url="https://a.example/", title="", text="x " * 50_000)
    with pytest.raises(TooLarge):
        await make_client("tavily").verify("otters", page, timeout=-1)


@given(wanted=st.text("ab ", min_size=3, max_size=8), text=st.text("ab ", max_size=40))
@settings(deadline=None, max_examples=200)
def test_a_quote_is_found_where_a_plain_search_finds_it(wanted: str, text: str) -> None:
    """The first place where it begins and ends with a word, however often it overlaps itself."""
    wanted, text = " ".join(wanted.split()), " ".join(text.split())
    assume(any(c != " " for c in wanted))
    padded = f" {text} "
    plain = padded.find(f" {wanted} ")

    assert verify(wanted, text).start == (None if plain < 0 else plain)
