"""What of a page a client gets: the whole of it, or its best pieces for a query."""

from __future__ import annotations

import pytest

from kensaku.errors import (
    BudgetExceeded,
    KeyRefused,
    NotConfigured,
    QuotaExhausted,
    RateLimited,
)
from kensaku.models import Attempt, Hit, Outcome, Page, Query, Response
from kensaku.server.perform import JOIN, Unavailable, _content, finish, outcome_of, plain, search
from kensaku.server.wires.base import Found, Listed, Read, Search

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
