"""What of a page a client gets: the whole of it, or its best pieces for a query."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from kensaku.errors import (
    BudgetExceeded,
    KeyRefused,
    NotConfigured,
    PageUnavailable,
    QuotaExhausted,
    RateLimited,
)
from kensaku.fetch import Plan
from kensaku.fetch.results import Failure
from kensaku.models import Attempt, Hit, Outcome, Page, Query, Response
from kensaku.server.perform import (
    JOIN,
    Unavailable,
    _content,
    finish,
    outcome_of,
    perform,
    plain,
    search,
)
from kensaku.server.wires.base import Crawl, Extract, Found, Listed, Map, Parse, Read, Search

FILLER = "Nothing of note is said here, and it goes on for a while. " * 8
TEXT = "\n\n".join(
    [
        f"Otters sleep. {FILLER}",
        f"Herons stand in the reeds. {FILLER}",
        f"Otters sleep while otters hold hands, and sleeping otters float. {FILLER}",
    ]
)
PAGE = Page("https://a.example/", "Animals", TEXT, f"# Animals\n\n{TEXT}")


@pytest.mark.parametrize(("form", "expected"), [("markdown", PAGE.markdown), ("text", PAGE.text)])
def test_without_a_query_it_is_the_whole_page(form, expected):
    """In the format that was asked for."""
    assert _content(PAGE, None, 3, form) == expected
    assert _content(PAGE, "", 3, form) == expected


def test_the_best_pieces_stand_in_the_order_of_the_page():
    """However well each of them fits."""
    pieces = _content(PAGE, "otters sleep", 2, "text").split(JOIN)

    assert len(pieces) == 2
    assert pieces[0].startswith("Otters sleep. ")
    assert "hold hands" in pieces[1]
    assert "Herons" not in "".join(pieces)


def test_one_piece_is_the_best_one():
    """A piece has five hundred characters at the most, on one line."""
    (piece,) = _content(PAGE, "otters sleep", 1, "text").split(JOIN)

    assert "hold hands" in piece
    assert len(piece) <= 500
    assert "\n" not in piece


def attempts(*errors) -> list[Attempt]:
    return [Attempt("brave", Outcome.UNAVAILABLE, error) for error in errors]


SLOW, SPENT = RateLimited("brave", "slow", retry_after=9.0), QuotaExhausted("brave", "spent")
NONE = NotConfigured("exa", "no key")


@pytest.mark.parametrize(
    ("errors", "status", "retry_after"),
    [
        ([SLOW, RateLimited("exa", "slow", retry_after=7.0)], 429, 7.0),
        ([SLOW, NONE], 429, 9.0),  # who was not asked does not count
        ([SPENT], 432, 5.0),
        ([SPENT, BudgetExceeded("spent"), NONE], 432, 5.0),
        ([SLOW, SPENT], 503, 9.0),
        ([SLOW, KeyRefused("brave", "no")], 503, 9.0),
        ([NONE], 503, 5.0),
        ([], 503, 5.0),
        ([RateLimited("brave", "slow")], 429, 5.0),
    ],
)
def test_nobody_could_search_is_told_by_its_reason(errors, status, retry_after):
    """A client waits, asks for a higher quota, or gives up."""
    error = Unavailable(attempts(*errors))

    assert (error.status, error.retry_after) == (status, retry_after)


def test_every_reason_is_told_in_one_sentence():
    """Of 2,000 characters at most."""
    told = Unavailable([*attempts(SLOW, NONE), Attempt("x", Outcome.EMPTY)])

    assert told.message == f"nobody could search: {SLOW}; {NONE}"
    assert len(told.attempts) == 3
    assert Unavailable([]).message == "nobody could search: no provider was asked"
    assert len(Unavailable(attempts(KeyRefused("a", "x" * 3_000))).message) == 2_000


@pytest.mark.parametrize(
    ("result", "outcome"),
    [
        (Found([Hit("https://a.example/", "A")], cached=True), ("found", True)),
        (Found([]), ("empty", False)),
        (Read([(PAGE, "x")]), ("found", False)),
        (Read([]), ("empty", False)),
        (Listed("https://a.example/", ["https://a.example/x"]), ("found", False)),
        (Listed("https://a.example/", []), ("empty", False)),
    ],
)
def test_what_was_found_counts_as_found(result, outcome):
    """Hits, pages or addresses."""
    assert outcome_of(result) == outcome


def hit(url: str, title: str = "", **more) -> Hit:
    return Hit(f"https://{url}/", title, **more)


async def finished(client, *hits: Hit, **asked) -> list[str]:
    """The hosts that are left, in their order."""
    query = asked.pop("query", Query("otters"))
    response = Response(query, Outcome.FOUND, hits)
    found = await finish(client, Search(query, **asked), response, "so")
    assert found.answer == "so"
    return [h.url.removeprefix("https://").strip("/") for h in found.hits]


async def test_hits_are_filtered_ordered_and_cut_as_a_wire_asks(make_client):
    """By phrases, dates, domains and a number."""
    client = make_client("tavily")
    texts = [
        hit("a", "Sea-otters hold: hands"),
        hit("b", "otters", content="who HOLD hands"),
        hit("c", "hands otters hold", raw_content="hold hands"),
        hit("d", "otters hold handsaws"),
    ]
    assert await finished(client, *texts, phrases=("hold hands",)) == ["a", "b", "c"]
    assert await finished(client, *texts, phrases=("hold hands", "Who")) == ["b"]

    dates = Query("otters", start_date="2026-02-01", end_date="2026-02-28")
    dated = [
        hit("none"), hit("before", published="2026-01-31"), hit("first", published="2026-02-01"),
        hit("last", published="2026-02-28T23:00:00Z"), hit("after", published="2026-03-01"),
        hit("month", published="2026-02"), hit("year", published="2025"),
    ]  # fmt: skip
    assert await finished(client, *dated, query=dates, dated=True) == ["first", "last", "month"]
    assert len(await finished(client, *dated, dated=True)) == 6

    hosts = [hit(h) for h in ("x.example", "www.a.example", "b.a.example", "ba.example", "c.org")]
    assert await finished(client, *hosts, prefer_domains=("*.a.example", "www.c.org")) == [
        "www.a.example", "b.a.example", "c.org", "x.example", "ba.example",
    ]  # fmt: skip
    assert await finished(client, *hosts, most=2) == ["x.example", "www.a.example"]
    assert len(await finished(client, *hosts, most=9)) == 5


@pytest.mark.parametrize(
    ("markdown", "text"),
    [
        (None, None),
        ("# Title\n\n> said\n- one\n2. two", "Title\n\nsaid\none\ntwo"),
        ("**bold** `code` ~~gone~~ _it_", "bold code gone it"),
        ('[a](https://a.example/) ![b](c "d")', "a b"),
        ("1 \\* 2 \\_x\\_", "1 * 2 _x_"),
        ("snake_case_name and __bold__", "snake_case_name and bold"),
        ("```python\nx\n```", "\nx\n"),
    ],
)
def test_markdown_without_its_marks(markdown, text):
    """For who asked for plain text."""
    assert plain(markdown) == text


async def test_whole_pages_come_as_text_for_who_asks_for_text(make_client):
    """And as Markdown else."""
    client, response = (
        make_client("tavily"),
        Response(Query("otters"), Outcome.FOUND, (hit("a", raw_content="# Otters"),), cached=True),
    )
    for raw, content in (("text", "Otters"), ("markdown", "# Otters")):
        found = await finish(client, Search(response.query, raw=raw), response, None)
        assert [h.raw_content for h in found.hits] == [content]
        assert (found.answer, found.cached, found.cost) == (None, True, 0)


async def test_a_search_that_nobody_could_do_is_no_empty_list(make_client, upstream):
    """It is an error, with who failed."""
    from kensaku.testing import faults

    upstream.fails("tavily", faults.status(401))

    with pytest.raises(Unavailable) as caught:
        await search(make_client("tavily"), Search(Query("otters")))
    assert [a.provider for a in caught.value.attempts] == ["tavily"]


async def test_images_are_those_of_the_pages_that_were_found(make_client, upstream):
    """Five of a page and ten in all, each once, with the title of its page."""
    many = "".join(f"<p><img src='https://i.example/{n}.png' width=400 height=300>text</p>"
                   for n in range(12))  # fmt: skip
    prose = "<p>Otters hold hands while they sleep in the kelp.</p>" * 5
    url = upstream.serves("/a", f"<title>A</title><article>{prose}{many}</article>")
    client = make_client("tavily", fetch_allow=("127.0.0.0/8",), fetch_ports="any")
    hits = (Hit(url, "A"), Hit("file:///x", "X"))

    found = await finish(
        client, Search(Query("x"), images=True), Response(Query("x"), Outcome.FOUND, hits), None
    )
    none = await finish(
        client, Search(Query("x"), images=True), Response(Query("x"), Outcome.FOUND, hits[1:]), None
    )

    listed = [f"https://i.example/{n}.png" for n in range(10)]
    assert list(found.images) == [(image, "A") for image in listed]
    assert {u: list(i) for u, i in found.page_images.items()} == {url: listed[:5]}
    assert (list(none.images), dict(none.page_images)) == ([], {})


class Client:
    """Notes how it is called, and gives what it was given."""

    def __init__(self, **results) -> None:
        self.results, self.asked = results, []

    def __getattr__(self, name):
        async def call(*given, **options):
            self.asked.append((name, given, options))
            return self.results[name]

        return call


async def test_pages_are_read_whole_or_in_their_best_pieces():
    """In the time that was asked for; which could not be read is told with the reason."""
    lost = Failure("https://lost.example/", PageUnavailable("gone", status=404))
    client = Client(extract=SimpleNamespace(results=(PAGE,), failed=(lost,)))
    urls = (PAGE.url, lost.url)

    whole = await perform(client, Extract(urls, timeout=7.0))
    text = await perform(client, Extract(urls, format="text"))
    pieces = await perform(client, Extract(urls, query="otters sleep", chunks=2))

    failed = [("https://lost.example/", "gone")]
    assert whole == Read([(PAGE, PAGE.markdown)], failed)
    assert text == Read([(PAGE, PAGE.text)], failed)
    assert pieces == Read([(PAGE, _content(PAGE, "otters sleep", 2, "markdown"))], failed)
    assert client.asked == [
        ("extract", (urls,), {"timeout": 7.0}),
        ("extract", (urls,), {"timeout": 30.0}),
        ("extract", (urls,), {"timeout": 30.0}),
    ]


@pytest.mark.parametrize(
    ("markdown", "content"), [("# Otters", "# Otters"), ("", "Otters")], ids=["markdown", "text"]
)
async def test_a_document_that_was_sent_is_read_under_its_name(markdown, content):
    """As Markdown where it has any."""
    page = Page("https://upload.invalid/a%20b.pdf", "A", "Otters", markdown)
    parser = Client(extract=page)
    client = SimpleNamespace(
        _resources=SimpleNamespace(reader=lambda: SimpleNamespace(parser=parser))
    )

    read = await perform(client, Parse(b"%PDF", "application/pdf", "a b.pdf"))

    assert read == Read([(page, content)])
    address = {"url": "https://upload.invalid/a%20b.pdf", "content_type": "application/pdf"}
    assert parser.asked == [("extract", (b"%PDF",), address)]


async def test_a_site_is_read_or_listed_as_it_was_planned():
    """Every option of the plan reaches the crawl."""
    plan = Plan("https://a.example/", instructions="otters sleep", limit=7)
    client = Client(
        crawl=SimpleNamespace(results=(PAGE,)), map=SimpleNamespace(urls=("https://a.example/x",))
    )

    whole = await perform(client, Crawl(plan, format="text"))
    pieces = await perform(client, Crawl(plan, chunks=1))
    listed = await perform(client, Map(plan))

    assert whole == Read([(PAGE, PAGE.text)], base_url=plan.url)
    best = _content(PAGE, "otters sleep", 1, "markdown")
    assert pieces == Read([(PAGE, best)], base_url=plan.url)
    assert listed == Listed(plan.url, ("https://a.example/x",))
    options = {name: getattr(plan, name) for name in plan.__slots__}
    assert (options["url"], options["limit"]) == (plan.url, 7)
    assert client.asked == [("crawl", (), options)] * 2 + [("map", (), options)]


@pytest.mark.parametrize(
    ("wanted", "llm_url", "hits", "answer"),
    [
        (True, "http://llm", True, "by a model"),
        (True, "", True, "extract"),
        (False, "http://llm", True, "extract"),
        (True, "http://llm", False, "extract"),
    ],
)
async def test_a_model_answers_where_one_is_asked_for_and_there_is_something_to_cite(
    wanted, llm_url, hits, answer
):
    """Else the answer is that of the search."""
    found = (hit("a"),) if hits else ()
    outcome = Outcome.FOUND if hits else Outcome.EMPTY
    tried = (Attempt("brave", outcome, cost=0.5),)
    response = Response(Query("otters"), outcome, found, answer="extract", attempts=tried)
    client = Client(search=response, answer=SimpleNamespace(text="by a model"))
    client.settings = SimpleNamespace(llm_url=llm_url)
    call = Search(response.query, answer=wanted, route=("brave",))

    assert await perform(client, call) == Found(found, answer=answer, cost=0.5)
    assert client.asked[0] == ("search", (response.query,), {"route": ("brave",)})


async def test_twenty_pages_are_looked_at_for_images():
    """In ten seconds; of other addresses there are none."""
    client = Client(extract=SimpleNamespace(results=()))
    hits = tuple(hit(f"{n}.example") for n in range(21))
    response = Response(Query("x"), Outcome.FOUND, (Hit("file:///x", "X"), *hits))

    found = await finish(client, Search(Query("x"), images=True), response, None)

    assert client.asked == [("extract", ([h.url for h in hits[:20]],), {"timeout": 10.0})]
    assert (list(found.images), dict(found.page_images)) == ([], {})
