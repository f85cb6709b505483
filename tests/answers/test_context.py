"""Passages in a budget of tokens: never over it, cut between words only, numbered for good."""

from __future__ import annotations

import itertools
import json
import os
import random
import unicodedata
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kensaku import Document, Hit, Kensaku, Outcome
from kensaku.answers.context import cursor_of, pack, position_of
from kensaku.answers.passages import passages_of
from kensaku.answers.tokenizer import VOCABULARIES, count, counter
from kensaku.errors import InvalidQuery
from kensaku.models import Passage
from kensaku.testing import FakeUpstream, faults
from tests import ROOT
from tests.answers.test_tokenizer import TEXTS

DATA = Path(os.environ.get("KENSAKU_DATA") or ROOT.parent / "shared" / "data")
SENTENCES = {
    "en": "Sea otter number {n} holds hands with the others while it sleeps in the kelp.",
    "ja": "{n}番目のラッコは、眠るときに仲間と手をつないで、海藻を体に巻きつけます。",
    "th": "นากทะเลตัวที่ {n} จับมือกันขณะนอนหลับอยู่ในสาหร่ายทะเล",
    "emoji": "Otter 🦦 {n} says 👩‍👩‍👧‍👦 good night 🇯🇵 and ❤️‍🔥 sleeps!",
}


def hits(language: str, pages: int = 6, sentences: int = 60) -> list[Hit]:
    """Pages that each need several passages."""
    space = "" if language == "ja" else " "
    return [
        Hit(
            f"https://{language}{page}.example/otters",
            f"Otters, page {page}",
            space.join(SENTENCES[language].format(n=page * 100 + n) for n in range(sentences)),
        )
        for page in range(pages)
    ]


@pytest.mark.parametrize("language", SENTENCES)
@pytest.mark.parametrize("vocabulary", ["estimate", "cl100k_base"])
def test_the_budget_holds_and_is_used(language: str, vocabulary: str) -> None:
    """By the counter itself, headers included; and no more than 15 % of a large one is left."""
    if vocabulary != "estimate":
        pytest.importorskip("rs_bpe", reason="the extra `tokens` is not installed")
    tokens = counter(vocabulary)
    passages = passages_of("sea otter ラッコ นาก", hits(language))
    for budget in (1, 30, 60, 100, 250, 500, 1_000, 2_000, 5_000):
        packed = pack(passages, budget, tokens)

        assert packed.tokens == tokens(packed.text) <= budget
        assert bool(packed.text) == bool(packed.citations)
        assert budget < 500 or packed.tokens >= 0.85 * budget


@given(st.lists(st.sampled_from(sorted(TEXTS)), min_size=1, max_size=5), st.integers(100, 2_000))
@settings(max_examples=30, deadline=None)
@pytest.mark.parametrize("vocabulary", VOCABULARIES)
def test_no_script_exceeds_the_budget(vocabulary: str, names: list[str], budget: int) -> None:
    """By the counter itself; what the estimate packed is at most a ninth more to a model."""
    pytest.importorskip("rs_bpe", reason="the extra `tokens` is not installed")
    pages = [Hit(f"https://{n}.example/", name, TEXTS[name]) for n, name in enumerate(names)]
    packed = pack(passages_of("otter ラッコ", pages), budget, counter(vocabulary))

    assert packed.tokens == counter(vocabulary)(packed.text) <= budget
    for exact in VOCABULARIES[1:]:
        assert counter(exact)(packed.text) <= budget / 0.9 or vocabulary != "estimate"


@pytest.mark.parametrize("language", ["en", "ja", "emoji"])
def test_sentences_are_whole(language: str) -> None:
    """Nothing stands in the text that does not stand in a page, to the end of its sentence."""
    found = hits(language)
    text = pack(passages_of("sea otter ラッコ", found), 700, count).text
    lines = [line for line in text.splitlines() if line and not line.startswith(("[", "…"))]

    assert lines
    for line in lines:
        assert any(line in hit.content for hit in found)
        assert line.endswith((".", "!", "。"))


def test_a_budget_below_one_passage_gets_its_beginning() -> None:
    """The best page, begun, is worth more than a worse one that happens to be short."""
    long, short = hits("en", pages=1)[0], Hit("https://b.example/", "Clams", "Clams are buried.")
    packed = pack(passages_of("sea otter", [long, short]), 80, count)

    assert [c.url for c in packed.citations] == [long.url]
    cited = packed.citations[0].passages[0]
    assert long.content[cited.start : cited.end] == cited.text
    assert packed.text.endswith("sleeps in …")


def test_every_citation_is_in_the_text_with_its_offsets() -> None:
    """`[n]`, title and address; and each passage is a piece of its page."""
    found = {hit.url: hit for hit in hits("ja")}
    dates = dict.fromkeys(found, "2026-11-16")
    packed = pack(passages_of("ラッコ", list(found.values())), 1_500, count, dates=dates)

    assert len(packed.citations) > 1
    for cited in packed.citations:
        assert cited.published == "2026-11-16"
        assert f"[{cited.n}] {cited.title} ({cited.url})\n" in packed.text
        for p in cited.passages:
            assert found[cited.url].content[p.start : p.end] == p.text


def test_what_neighbours_share_stands_once() -> None:
    """Passages overlap, so that a pronoun keeps its noun; a budget is not for repeating it."""
    page = hits("en", pages=1)[0]
    passages = passages_of("sea otter", [page])
    text = pack(passages, 100_000, count).text

    assert len(passages) > 1
    assert all(text.count(f"number {n} ") == 1 for n in range(60))


# Not Lao: 200 tokens are 80 letters of it, and a word without spaces may be half of them.
LETTERS = {name: TEXTS[name] for name in sorted(TEXTS) if name in {
    "amharic", "arabic", "armenian", "burmese", "english", "finnish", "georgian", "greek", "hebrew",
    "japanese", "khmer", "korean", "malayalam", "mongolian", "russian", "sinhala", "spanish",
    "thai", "tibetan",
}} | {
    "chinese": "海獭生活在北太平洋沿岸，主要以海胆、螃蟹和贝类为食；它们睡觉时会手拉着手。" * 8,
    "hindi": "समुद्री ऊदबिलाव सोते समय एक दूसरे का हाथ पकड़े रहते हैं ताकि वे अलग न हो जाएँ। " * 8,
}  # fmt: skip


@pytest.mark.parametrize("name", LETTERS)
def test_a_small_budget_is_filled_in_every_script(name: str) -> None:
    """With the words that fit, where not one more sentence does; none is torn."""
    pages = {f"https://{n}.example/": LETTERS[name] + f" {n}. " + LETTERS[name] for n in range(4)}
    passages = passages_of("otter", [Hit(url, "Otters", text) for url, text in pages.items()])
    packed = pack(passages, 200, count)
    used = []
    while packed.position.done < len(passages):
        used.append(packed.tokens / 200)
        for cited in packed.citations:
            text = pages[cited.url]
            for p in cited.passages:
                assert text[p.start : p.end] == p.text
                after = text[p.end : p.end + 1] or " "
                assert unicodedata.category(after)[0] != "M"
                spaced = name in ("arabic", "english", "hindi", "korean", "russian")
                assert not spaced or after.isspace()
        packed = pack(passages, 200, count, position=packed.position)

    assert 0.85 <= sum(used) / len(used) <= max(used) <= 1


@given(
    st.lists(st.sampled_from(sorted(LETTERS)), min_size=1, max_size=3),
    st.lists(st.tuples(st.integers(0, 300), st.integers(40, 700)), max_size=4),
    st.lists(st.integers(120, 700), min_size=1, max_size=4),
)
@settings(max_examples=40, deadline=None)
def test_a_cursor_shows_everything_once(
    names: list[str], spans: list[tuple[int, int]], budgets: list[int]
) -> None:
    """In any budget, however the passages that the index found overlap."""
    pages = {f"https://{n}.example/": LETTERS[name] for n, name in enumerate(names)}
    found = [Hit(url, f"Otters {n}", text) for n, (url, text) in enumerate(pages.items())]
    stored = {
        url: [Passage(url, text[a : a + size], a, min(len(text), a + size))
              for a, size in spans if text[a : a + size].strip()]
        for url, text in pages.items()
    }  # fmt: skip
    passages = passages_of("otter", found, stored)
    shown: dict[str, list[int]] = {url: [] for url in pages}
    numbers: dict[str, int] = {}
    cursor: str | None = ""
    for budget in itertools.cycle(budgets):
        packed = pack(passages, budget, count, position=position_of(cursor or None))
        assert packed.tokens <= budget
        for cited in packed.citations:
            assert numbers.setdefault(cited.url, cited.n) == cited.n
            for p in cited.passages:
                shown[cited.url] += range(p.start, p.end)
        cursor = cursor_of(packed.position, passages, budgets[0])
        if cursor is None:
            break

    for url, text in pages.items():
        assert len(set(shown[url])) == len(shown[url])
        missed = set(range(len(text))) - set(shown[url])
        assert not "".join(text[n] for n in missed).strip()


def test_a_vocabulary_whose_parts_do_not_add_up_keeps_to_the_budget() -> None:
    """The whole is what counts in the end, whatever the parts were said to be."""

    def unfair(text: str) -> int:
        return len(text) ** 2 // 500

    packed = pack(passages_of("otter", hits("en")), 4_000, unfair)
    assert 0 < packed.tokens == unfair(packed.text) <= 4_000


def test_packing_much_is_counted_in_proportion() -> None:
    """Not once more from the beginning for every passage."""
    counted = 0

    def careful(text: str) -> int:
        nonlocal counted
        counted += len(text)
        return count(text)

    text = pack(passages_of("otter", hits("en", pages=30)), 20_000, careful).text
    assert counted < 10 * len(text)


async def test_results_that_changed_between_two_parts_are_told_of(
    upstream: FakeUpstream, make_client: Any
) -> None:
    """`[2]` may be another page now."""
    client = make_client("tavily", "brave")
    first = await client.context("otters", max_tokens=60, route=["tavily"])
    same = await client.context("otters", max_tokens=60, route=["tavily"], cursor=first.cursor)
    other = await client.context("otters", max_tokens=60, route=["brave"], cursor=first.cursor)

    assert not any("changed" in note for note in same.notes)
    assert any("changed" in note for note in other.notes)


async def test_a_search_is_packed(upstream: FakeUpstream, make_client: Any) -> None:
    """Through the client: within the budget, to the end, each passage once."""
    upstream.answers("tavily", hits("ja"))
    k = make_client("tavily")
    texts, cursor, numbers = [], None, {}
    while True:
        c = await k.context("ラッコは眠る", max_tokens=800, cursor=cursor)
        assert c.tokens == count(c.text) <= 800
        assert "\\u" not in json.dumps(told := c.to_dict(), ensure_ascii=False)
        for cited in c.citations:
            assert numbers.setdefault(cited.url, cited.n) == cited.n
        texts.append(c.text)
        if (cursor := c.cursor) is None:
            break

    assert " ".join(told) == "text citations tokens outcome cursor attempts notes confidence"
    assert " ".join(told["citations"][0]) == "n url title published passages"
    assert len(texts) > 2
    assert len(set(texts)) == len(texts)
    assert len(upstream.asked("tavily")) == 1  # the sheets after the first come from the cache


@pytest.mark.parametrize("language", ["en", "ja"])
async def test_a_long_document_fills_the_budget(language: str, tmp_path: Path) -> None:
    """All good passages of a local document, at their places in it, and a cursor for the rest."""
    space = "" if language == "ja" else " "
    lines = (SENTENCES[language].format(n=n) for n in range(700))
    text = "".join(f"{line}\n\n" if n % 7 == 0 else line + space for n, line in enumerate(lines))
    async with Kensaku(home=tmp_path, cache_enabled=False, state_url="memory:") as k:
        await k.index.add([Document("https://a.example/otters", "Otter ラッコ", text)])
        first = await k.context("otter ラッコ", route="local", max_tokens=8_000)
        rest = await k.context("otter ラッコ", route="local", max_tokens=8_000, cursor=first.cursor)

    assert 0.85 * 8_000 <= first.tokens <= 8_000
    assert rest.text
    assert rest.text != first.text
    for passage in first.citations[0].passages + rest.citations[0].passages:
        assert text[passage.start : passage.end] == passage.text
    assert "\n\n" in first.text.partition("\n")[2]


async def test_nobody_could_search_is_said(upstream: FakeUpstream, make_client: Any) -> None:
    """And is not the same as nothing found."""
    upstream.fails("tavily", faults.status(503))
    down = await make_client("tavily").context("otter")
    upstream.heals()
    upstream.answers("tavily", [])
    empty = await make_client("tavily").context("otter")

    assert (down.outcome, down.text, down.tokens) == (Outcome.UNAVAILABLE, "", 0)
    assert down.attempts[0].error is not None
    assert (empty.outcome, empty.cursor) == (Outcome.EMPTY, None)


@pytest.mark.parametrize("budget", [0, -1, 1_000_001, True])
async def test_a_budget_out_of_bounds_is_refused(budget: int, make_client: Any) -> None:
    """Before anything is sent."""
    with pytest.raises(InvalidQuery, match="max_tokens"):
        await make_client("tavily").context("otter", max_tokens=budget)


# --- the floor


def as_tavily_packs(found: tuple[Hit, ...], budget: int) -> list[str]:
    """What `tavily-python`'s `get_search_context` keeps of five results: JSON while it fits."""
    kept, used = [], 0
    for hit in found[:5]:
        used += count(json.dumps({"url": hit.url, "content": hit.content}))
        if used > budget:
            break
        kept.append(hit.content)
    return kept


@pytest.mark.parametrize("name", ["xquad-en", "jsquad-ja"])
@pytest.mark.usefixtures("volume")
async def test_more_answers_are_in_our_context_than_in_tavilys(name: str, tmp_path: Path) -> None:
    """At 500, 1,000 and 2,000 tokens, over the same results; `bench/context.py` has the figures."""
    folder = DATA / "questions"
    if not folder.is_dir():
        pytest.skip("no questions: KENSAKU_DATA or ../shared/data")
    documents, questions = (
        list(map(json.loads, (folder / f"{name}.{kind}.jsonl").read_text("utf-8").splitlines()))
        for kind in ("docs", "questions")
    )
    sample = random.Random(0).sample(questions, 60)
    ours, theirs = dict.fromkeys((500, 1_000, 2_000), 0), dict.fromkeys((500, 1_000, 2_000), 0)
    async with Kensaku(home=tmp_path, cache_enabled=False, state_url="memory:") as k:
        await k.index.add(
            Document(f"https://data.example/{d['_id']}", d["title"], d["text"]) for d in documents
        )
        for q in sample:
            found = await k.search(q["text"], route="local", max_results=20)
            passages = passages_of(q["text"], found.hits)
            for budget in ours:
                text = pack(passages, budget, count).text
                packed = as_tavily_packs(found.hits, budget)
                ours[budget] += any(answer in text for answer in q["answers"])
                theirs[budget] += any(a in content for a in q["answers"] for content in packed)

    assert all(ours[budget] >= theirs[budget] for budget in ours)
    assert ours[500] >= 0.9 * len(sample)
