"""`depth="advanced"` for a provider that reads no pages itself: the pages behind its hits."""

from __future__ import annotations

from typing import Any

import pytest

from kensaku import Budget, Hit, Kensaku
from kensaku.search.advanced import CHUNK_CHARS, CHUNKS, JOIN
from kensaku.testing import FakeUpstream

FILLER = "Kelp grows fast in cold water and feeds a great many animals of the coast every year. "
SECRET = "Sea otters hold hands while they sleep so that they do not drift apart."


def article(title: str, sentence: str) -> str:
    """A long page with one sentence that matters, far down."""
    paragraphs = "".join(f"<p>{FILLER * 3}</p>" for _ in range(6))
    return (
        f"<!doctype html><html lang=en><title>{title}</title><body><article><h1>{title}</h1>"
        f"{paragraphs}<p>{sentence} {FILLER}</p>{paragraphs}</article></body></html>"
    )


@pytest.fixture
def pages(upstream: FakeUpstream) -> list[Hit]:
    """Brave's hits: one that says little, one that holds the answer, three that cannot be read."""
    upstream.serves("/shell", "<title>App</title><div id=root></div><script src=a.js></script>"
                              "<noscript>Please enable JavaScript.</noscript>")  # fmt: skip
    upstream.serves("/blank", "<title>Blank</title><body></body>")
    hits = [
        Hit(upstream.serves("/kelp", article("Kelp", "Kelp is brown.")), "Kelp", "About kelp."),
        Hit(upstream.serves("/otters", article("Otters", SECRET)), "Otters", "About otters."),
        Hit(f"{upstream.url}/gone", "Gone", "Otters hold hands, said a page that is gone."),
        Hit(f"{upstream.url}/shell", "App", "An app about otters that hold hands."),
        Hit(f"{upstream.url}/blank", "Blank", "Otters " + "hold hands and sleep. " * 60),
    ]
    upstream.answers("brave", hits)
    return hits


@pytest.fixture
def brave(pages: list[Hit], make_client: Any) -> Any:
    """A client whose only provider is Brave, and which may read pages of this machine."""

    def make(**settings: Any) -> Kensaku:
        reach = {"fetch_allow": ("127.0.0.1",), "fetch_ports": ("any",)}
        return make_client("brave", **{**reach, **settings})

    return make


QUERY = "why do sea otters hold hands"


async def test_content_is_the_best_chunks_of_the_page(pages: list[Hit], brave: Any) -> None:
    """The page that answers comes first, with what it says instead of its snippet."""
    found = await brave().search(QUERY, depth="advanced", max_results=5)
    best = found.hits[0]

    assert best.url == pages[1].url
    assert SECRET in best.content
    assert len(best.content) <= CHUNKS * (CHUNK_CHARS + len(JOIN))
    assert best.explain.read


async def test_a_page_that_cannot_be_read_leaves_its_hit_as_it_was(
    pages: list[Hit], brave: Any
) -> None:
    """Missing, empty without scripts, or blank: snippet whole, nobody made it up; and a note."""
    found = await brave().search(QUERY, depth="advanced", max_results=5)
    shown = {hit.url: hit for hit in found.hits}

    assert len(shown) == 5
    for hit in pages[2:]:
        assert shown[hit.url].content == hit.content.strip()
        assert not shown[hit.url].explain.read
    assert "3 of 5 pages could not be read" in " ".join(found.notes)


async def test_basic_depth_reads_nothing(upstream: FakeUpstream, brave: Any) -> None:
    """A search is one request."""
    found = await brave().search(QUERY, max_results=5)

    assert found.hits[1].content == "About otters."
    assert [seen.provider for seen in upstream.requests] == ["brave"]


async def test_whole_pages_alone_change_neither_order_nor_snippets(
    pages: list[Hit], brave: Any
) -> None:
    """`include_raw_content` at basic depth puts the page beside the hit."""
    found = await brave().search(QUERY, max_results=5, include_raw_content=True)

    assert [hit.url for hit in found.hits] == [hit.url for hit in pages]
    assert found.hits[1].content == "About otters."
    assert SECRET in found.hits[1].raw_content
    assert found.hits[2].raw_content is None


async def test_a_budget_of_fetches_that_is_spent_costs_only_the_pages(
    pages: list[Hit], brave: Any
) -> None:
    """What the search found is there all the same."""
    budget = Budget(fetches=2)
    found = await brave().search(QUERY, depth="advanced", max_results=5, budget=budget)

    assert {hit.url for hit in found.hits} == {hit.url for hit in pages}
    assert all(hit.content for hit in found.hits)
    assert "the budget of 2 fetches is spent" in " ".join(found.notes)


async def test_pages_are_fetched_only_where_it_is_allowed(
    upstream: FakeUpstream, pages: list[Hit], brave: Any
) -> None:
    """A hit that points into the private network is a hit, and no way in."""
    found = await brave(fetch_allow=()).search(QUERY, depth="advanced", max_results=5)

    assert len(found.hits) == 5
    assert {seen.provider for seen in upstream.requests} == {"brave"}


async def test_who_reads_pages_itself_is_believed(upstream: FakeUpstream, make_client: Any) -> None:
    """Tavily's chunks are Tavily's: nothing is fetched again."""
    upstream.answers("tavily", [Hit(f"{upstream.url}/otters", "Otters", SECRET)])
    k = make_client("tavily", fetch_allow=("127.0.0.1",), fetch_ports=("any",))
    found = await k.search(QUERY, depth="advanced")

    assert found.hits[0].content == SECRET
    assert [seen.provider for seen in upstream.requests] == ["tavily"]
