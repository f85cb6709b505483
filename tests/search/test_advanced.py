"""`depth="advanced"` for a provider that reads no pages itself: the pages behind its hits."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from kensaku import Budget, Hit, Kensaku, Query
from kensaku.errors import BudgetExceeded, IndexFault
from kensaku.fetch import Extraction
from kensaku.models import Explain, Page
from kensaku.search.advanced import CHUNK_CHARS, CHUNKS, JOIN, PAGE_CHARS, read_pages
from kensaku.testing import FakeUpstream
from kensaku.text.clean import one_line

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


# --- by itself


class Pages:
    """In the place of the client's resources: pages that are read, and how they were asked for."""

    def __init__(self, *pages: Page, error: Exception | None = None) -> None:
        self.pages, self.error = pages, error
        self.asked: list[tuple[list[str], float, Budget]] = []

    def provider(self, name: str) -> SimpleNamespace:
        return SimpleNamespace(reads_pages=name == "tavily")

    async def extract(self, urls: list[str], *, timeout: float, budget: Budget) -> Extraction:  # noqa: ASYNC109 - as it is
        self.asked.append((urls, timeout, budget))
        if self.error is not None:
            raise self.error
        return Extraction(self.pages)


def reading(resources: Pages, **options: Any) -> Any:
    """A search for otters, under way."""
    query = Query("otters", **{"depth": "advanced", **options})
    return SimpleNamespace(query=query, resources=resources, budget=Budget())


def url_of(n: int) -> str:
    return f"https://{n}.example/"


async def test_eight_pages_are_read_of_those_whose_provider_has_not() -> None:
    """Within the time that is left, on the budget of the search."""
    hits = tuple(Hit(url_of(n), "A", provider="tavily" if n == 1 else "brave") for n in range(10))
    run = reading(resources := Pages())

    found = await read_pages(run, hits, 7.5)

    assert resources.asked == [([url_of(n) for n in (0, 2, 3, 4, 5, 6, 7)], 7.5, run.budget)]
    assert resources.asked[0][2] is run.budget
    assert found == (hits, ["7 of 7 pages could not be read"])


@pytest.mark.parametrize(
    ("hits", "seconds"),
    [
        ((Hit("doc:12", "A"), Hit("ftp://a.example/", "B")), 5.0),
        ((Hit(url_of(1), "A"),), 0.0),
        ((Hit(url_of(1), "A"),), -1.0),
        ((Hit(url_of(1), "A", provider="tavily"),), 5.0),
    ],
)
async def test_nothing_is_read_without_an_address_or_time(hits: Any, seconds: float) -> None:
    """And nothing is said: there was nothing to do, or the attempts say why."""
    resources = Pages()

    assert await read_pages(reading(resources), hits, seconds) == (hits, [])
    assert resources.asked == []


@pytest.mark.parametrize("error", [BudgetExceeded("it is spent"), IndexFault("the disk is full")])
async def test_what_was_found_is_there_when_pages_cannot_be_read(error: Exception) -> None:
    """With the reason as a note."""
    hits = (Hit("http://a.example/", "A"),)

    found = await read_pages(reading(Pages(error=error)), hits, 0.1)

    assert found == (hits, [f"the pages were not read: {error}"])


async def test_pages_without_text_or_that_need_a_browser_are_not_read() -> None:
    """The same address twice is one page."""
    pages = (
        Page(url_of(1), text="Otters swim."),
        Page(url_of(2)),
        Page(url_of(3), text="Otters, soon.", needs_browser=True),
    )
    hits = tuple(Hit(url_of(n), "A", "snippet") for n in (1, 2, 3, 3))

    found, notes = await read_pages(reading(Pages(*pages)), hits, 5.0)

    assert notes == ["2 of 3 pages could not be read"]
    assert [(h.url, h.content) for h in found] == [
        (url_of(1), "Otters swim."),
        *((url_of(n), "snippet") for n in (2, 3, 3)),
    ]


@pytest.mark.parametrize("depth", ["basic", "advanced"])
@pytest.mark.parametrize("raw", [False, True])
async def test_a_page_adds_what_the_hit_did_not_know(depth: Any, raw: bool) -> None:
    """Its date, the whole page when it was asked for, and that it was read."""
    page = Page(url_of(1), text="Otters  swim.", markdown="# Otters", published="2026-01-02")
    hit = Hit(url_of(1), "A", "snippet", raw_content="old", explain=Explain(0.5, agreement=2))
    dated = Hit(url_of(1), "A", "snippet", published="2020-01-01")
    run = reading(Pages(page), depth=depth, include_raw_content=raw)
    content = "Otters swim." if depth == "advanced" else "snippet"

    found = [await read_pages(run, (one,), 5.0) for one in (hit, dated)]

    assert [notes for _, notes in found] == [[], []]
    assert tuple(one for (one,), _ in found) == (
        replace(
            hit, content=content, published="2026-01-02", raw_content="# Otters" if raw else "old",
            explain=Explain(0.5, agreement=2, read=True),
        ),
        replace(
            dated, content=content, raw_content="# Otters" if raw else None,
            explain=Explain(read=True),
        ),
    )  # fmt: skip


def sentence(word: str, chars: int = 400) -> str:
    """A paragraph about something, about as long as a chunk."""
    return (f"The {word} " + "is a thing of this world " * 20)[:chars].rstrip() + "."


async def test_the_three_best_chunks_are_joined_in_the_order_of_the_page() -> None:
    """Chunks of other pages compete, and the page with the best one comes first."""
    words = ["zebra", "otters", "lion", "otters", "tiger", "otters otters", "otters otters otters"]
    page = Page(url_of(2), text="\n\n".join(map(sentence, words)))
    other = Page(url_of(1), text=sentence("zebra"))
    hits = (Hit(url_of(1), "A", "snippet"), Hit(url_of(2), "A", "snippet"))

    found, _ = await read_pages(reading(Pages(page, other)), hits, 5.0)

    chunks = found[0].content.split(JOIN)
    assert [h.url for h in found] == [url_of(2), url_of(1)]
    assert len(chunks) == CHUNKS == 3
    assert chunks[1:] == [one_line(sentence(w)) for w in words[5:]]
    assert "otters" in chunks[0]
    assert all(len(chunk) <= CHUNK_CHARS for chunk in chunks)


async def test_a_book_is_looked_through_up_to_a_bound() -> None:
    """It must not outlast the deadline."""
    filler = "Kelp grows here. " * (PAGE_CHARS // 17 + 1)
    late = Page(url_of(1), text=filler[:PAGE_CHARS] + "Otters hold hands.")
    inside = Page(url_of(2), text=filler[: PAGE_CHARS - 20] + "\n\nOtters hold hands.")
    hits = (Hit(url_of(1), "A"), Hit(url_of(2), "A"))

    found, _ = await read_pages(reading(Pages(late, inside)), hits, 5.0)

    assert [(h.url, "Otters" in h.content) for h in found] == [
        (url_of(2), True),
        (url_of(1), False),
    ]


async def test_equal_pages_stay_in_their_order() -> None:
    """A hit that was not read competes with its snippet."""
    pages = [Page(url_of(n), text="Otters swim.") for n in (1, 3)]
    hits = tuple(Hit(url_of(n), "A", "Otters swim.") for n in (1, 2, 3))

    found, notes = await read_pages(reading(Pages(*pages)), hits, 5.0)

    assert [h.url for h in found] == [h.url for h in hits]
    assert [bool(h.explain) for h in found] == [True, False, True]
    assert notes == ["1 of 3 pages could not be read"]
