"""`depth="advanced"` for a provider that reads no pages itself: the pages behind its hits."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

import pytest

from kensaku import Budget, Hit, Kensaku
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
    assert len(best.content) <= 1_600
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


# --- how the pages are chosen and read


@pytest.fixture
def search_pages(upstream: FakeUpstream, make_client: Any) -> Any:
    """`search_pages({"/a": page, …})`: search hits that point to these pages."""

    async def search(pages: dict[str, str], query: str = "otters", **options: Any) -> Any:
        hits = [Hit(upstream.serves(path, page), "Page", "snippet") for path, page in pages.items()]
        upstream.answers("brave", hits)
        client = make_client("brave", fetch_allow=("127.0.0.1",), fetch_ports=("any",))
        return await client.search(
            query, **{"depth": "advanced", "max_results": len(hits), **options}
        )

    return search


def page(*paragraphs: str, head: str = "") -> str:
    head = f"<!doctype html><html lang=en><head><title>Page</title>{head}</head>"
    body = "".join(f"<p>{text}</p>" for text in paragraphs)
    return f"{head}<body><article>{body}</article></body></html>"


def paths(hits: Any) -> list[str]:
    return [urlsplit(hit.url).path for hit in hits]


async def test_eight_pages_are_read_for_one_search(
    upstream: FakeUpstream, search_pages: Any
) -> None:
    """The others keep their snippets; nobody reads a hundred."""
    pages = {f"/p{n}": page(f"Otters number {n}. {FILLER}") for n in range(12)}

    found = await search_pages(pages)

    fetched = {urlsplit(r.target).path for r in upstream.requests} & pages.keys()
    assert fetched == {f"/p{n}" for n in range(8)}
    assert {urlsplit(h.url).path for h in found.hits if h.explain.read} == fetched
    assert {h.content for h in found.hits if not h.explain.read} == {"snippet"}


@pytest.mark.parametrize("depth", ["basic", "advanced"])
@pytest.mark.parametrize("raw", [False, True])
async def test_a_page_adds_what_the_hit_did_not_know(
    search_pages: Any, depth: str, raw: bool
) -> None:
    """Its date, the whole page when it was asked for, and that it was read."""
    head = '<meta property="article:published_time" content="2026-01-02">'
    text = page(f"Otters swim. {FILLER * 3}", head=head)

    found = await search_pages({"/a": text}, depth=depth, include_raw_content=raw)

    [hit] = found.hits
    read = raw or depth == "advanced"
    assert (hit.published or "").startswith("2026-01-02") is read
    assert hit.explain.read is read
    assert ("Otters swim." in (hit.raw_content or "")) is raw
    assert ("Otters swim." in hit.content) is (depth == "advanced")


async def test_the_best_chunks_are_joined_in_the_order_of_the_page(search_pages: Any) -> None:
    """Chunks of other pages compete, and the page with the best one comes first."""

    def about(word: str) -> str:
        return f"The {word} " + "is a thing of this world " * 15

    words = ["zebra", "otters", "lion", "tiger", "otters otters", "bear", "otters otters otters"]

    found = await search_pages({"/zebra": page(about("zebra")), "/mixed": page(*map(about, words))})

    assert paths(found.hits) == ["/mixed", "/zebra"]
    chunks = found.hits[0].content.split(" [...] ")
    assert len(chunks) == 3
    assert all("otters" in chunk and len(chunk) <= 500 for chunk in chunks)
    assert [chunk.count("otters") for chunk in chunks] == [1, 2, 3]


async def test_pages_that_say_the_same_stay_in_the_order_of_their_hits(search_pages: Any) -> None:
    """Reading them is no reason to turn the list around."""
    pages = {f"/p{n}": page(f"Otters swim in the cold sea number {n}. {FILLER}") for n in range(3)}

    found = await search_pages(pages)

    assert paths(found.hits) == list(pages)
