"""What is done for a call of a wire: searches, what is left of their hits, pages and pieces of them."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from kensaku.models import Hit
from kensaku.testing import FakeUpstream, faults
from tests.answers.conftest import Model

from .conftest import Running

FILLER = "Nothing of note is said here, and it goes on for a while. " * 8
PARAGRAPHS = [
    f"Otters sleep. {FILLER}",
    f"Herons stand in the reeds. {FILLER}",
    f"Otters sleep while otters hold hands, and sleeping otters float. {FILLER}",
]


@pytest.fixture
def animals(upstream: FakeUpstream) -> str:
    """The address of a page of three paragraphs."""
    body = "".join(f"<p>{text}</p>" for text in PARAGRAPHS)
    return upstream.serves("/animals", f"<title>Animals</title><main><h1>Animals</h1>{body}</main>")


async def post(http: httpx.AsyncClient, server: Running, path: str, **body: Any) -> Any:
    reply = await http.post(server.url + path, json=body)
    assert reply.status_code == 200, reply.text
    return reply.json()


# --- pages


async def test_a_page_comes_whole_without_a_query(reading_server, http, animals):
    """In the format that was asked for."""
    whole = {
        form: (await post(http, reading_server, "/extract", urls=[animals], format=form))
        for form in ("markdown", "text")
    }

    for form, said in whole.items():
        text = said["results"][0]["raw_content"]
        assert all(paragraph.strip() in text for paragraph in PARAGRAPHS)
        assert ("# Animals" in text) is (form == "markdown")


@pytest.mark.parametrize("path", ["/extract", "/crawl"])
async def test_with_a_query_it_comes_in_its_best_pieces(reading_server, http, animals, path):
    """In the order of the page, however well each fits, of 500 characters at most."""
    what: dict[str, Any] = {"urls": [animals], "query": "otters sleep"}
    if path == "/crawl":
        what = {"url": animals, "limit": 1, "instructions": "otters sleep"}
    two, one = [
        (await post(http, reading_server, path, **what, chunks_per_source=n))["results"][0][
            "raw_content"
        ].split(" [...] ")
        for n in (2, 1)
    ]

    assert len(two) == 2
    assert "Otters sleep. " in two[0]
    assert "hold hands" in two[1]
    assert "Herons" not in "".join(two)
    assert one == [two[1]]
    assert all(len(piece) <= 500 and "\n" not in piece for piece in two)


async def test_a_document_that_is_sent_is_read(server, http):
    """Under its name; nothing is fetched."""
    reply = await http.put(
        f"{server.url}/openwebui/process",
        content=b"<title>Otters</title><main><p>Otters hold hands while they sleep.</p></main>",
        headers={"Content-Type": "text/html", "X-Filename": "a%20b.html"},
    )

    assert reply.status_code == 200
    assert "hold hands" in reply.text


# --- hits


def hit(host: str, title: str = "otters", **more: Any) -> Hit:
    return Hit(f"https://{host}/", title, **{"content": f"About {host}.", **more})


async def hosts(http: httpx.AsyncClient, server: Running, **asked: Any) -> list[str]:
    said = await post(http, server, "/search", **{"query": "otters", "max_results": 20, **asked})
    return [row["url"].removeprefix("https://").strip("/") for row in said["results"]]


async def test_a_hit_must_hold_the_phrases_that_are_to_match(server, http, upstream):
    """As words: punctuation and capitals do not count."""
    upstream.answers(
        "tavily",
        [
            hit("a.example", "Sea-otters hold: hands"),
            hit("b.example", content="who HOLD hands"),
            hit("c.example", "hands otters hold", content="none"),
            hit("d.example", "otters hold handsaws"),
        ],
    )

    ask = {"exact_match": True}
    one = await hosts(http, server, query='"hold hands" otters', **ask)
    both = await hosts(http, server, query='"hold hands" and "Who"', **ask)

    assert sorted(one) == ["a.example", "b.example"]
    assert both == ["b.example"]


async def test_a_hit_must_be_of_the_days_that_are_asked_for(server, http, upstream):
    """One without a date may be of any."""
    published = {
        "before.example": "2026-01-31", "first.example": "2026-02-01",
        "last.example": "2026-02-28T23:00:00Z", "after.example": "2026-03-01",
    }  # fmt: skip
    dated = [hit(host, published=day) for host, day in published.items()]
    upstream.answers("tavily", [*dated, hit("none.example")])
    days = {"start_date": "2026-02-01", "end_date": "2026-02-28"}

    found = await hosts(http, server, **days, topic="news", filter_by_published_date=True)

    assert sorted(found) == ["first.example", "last.example"]


async def test_preferred_domains_come_first_and_the_others_after_them(server, http, upstream):
    """With their subdomains; each group in its order, and no more than were asked for."""
    names = ["x.example", "www.a.example", "b.a.example", "ba.example", "c.org"]
    upstream.answers("tavily", [hit(name) for name in names])
    plain = await hosts(http, server)
    prefer = {"include_domains": ["*.a.example", "www.c.org"], "include_domains_mode": "prefer"}

    found = await hosts(http, server, **prefer)

    mine = [name for name in plain if name in ("www.a.example", "b.a.example", "c.org")]
    assert len(mine) == 3
    assert found == [*mine, *(name for name in plain if name not in mine)]
    assert await hosts(http, server, max_results=2) == plain[:2]
    assert await hosts(http, server, max_results=0) == []


async def test_a_whole_page_comes_as_text_for_who_asks_for_text(server, http, upstream):
    """Without the marks of Markdown; what only looks like one stays."""
    markdown = (
        "# Title\n\n> said\n- one\n2. two\n\n**bold** `code` ~~gone~~ _it_ __bold__\n\n"
        '[a](https://a.example/) ![b](c "d")\n\n1 \\* 2 \\_x\\_ snake_case_name'
    )
    body = upstream.samples["tavily"].with_hits([hit("a.example")])
    body["results"][0]["raw_content"] = markdown
    upstream.fails("tavily", faults.wrong_shape(body))

    said = {
        form: await post(http, server, "/search", query="otters", include_raw_content=form)
        for form in ("markdown", "text")
    }

    assert said["markdown"]["results"][0]["raw_content"] == markdown
    assert said["text"]["results"][0]["raw_content"] == (
        "Title\n\nsaid\none\ntwo\n\nbold code gone it bold\n\na b\n\n1 * 2 _x_ snake_case_name"
    )


async def test_images_are_those_of_the_pages_that_were_found(reading_server, http, upstream):
    """Five of a page and ten in all, each once, with the title of its page."""
    many = "".join(
        f"<p><img src='https://i.example/{n}.png' width=400 height=300>text</p>" for n in range(12)
    )
    prose = "<p>Otters hold hands while they sleep in the kelp.</p>" * 5
    url = upstream.serves("/a", f"<title>A</title><article>{prose}{many}</article>")
    upstream.answers("tavily", [Hit(url, "A", "otters"), Hit(url + "?no", "B", "otters")])
    wanted = {"include_images": True, "include_image_descriptions": True}

    said = await post(http, reading_server, "/search", query="otters", **wanted)

    images = [{"url": f"https://i.example/{n}.png", "description": "A"} for n in range(10)]
    assert said["images"] == images
    assert {row["url"]: row["images"] for row in said["results"]}[url] == images[:5]


# --- answers


async def test_a_model_answers_where_one_is_asked_for(make_server, http, upstream, model: Model):
    """And there is something to cite; else nobody asks it."""
    server = await make_server(**model.settings)
    model.says("Answer", "Otters hold hands. [1]")
    upstream.answers("tavily", [hit("a.example", content="Otters hold hands while they sleep.")])

    told = await post(http, server, "/search", query="otters", include_answer=True)
    plain = await post(http, server, "/search", query="otters")
    upstream.answers("tavily", [])
    none = await post(http, server, "/search", query="kelp", include_answer=True)

    assert told["answer"].startswith("Otters hold hands.")
    assert plain["answer"] is None
    assert not none["answer"]
    assert len(upstream.asked("llm")) == 1


# --- nobody could search


SLOW = {n: faults.status(429, headers={"Retry-After": str(n)}) for n in (700, 900)}
SPENT, REFUSED = faults.status(432), faults.status(401)


@pytest.mark.parametrize(
    ("of_tavily", "of_brave", "status", "retry_after"),
    [
        (SLOW[700], SLOW[900], 429, "700"),
        (SLOW[900], None, 429, "900"),  # who was not asked does not count
        (SPENT, None, 432, None),
        (SLOW[900], REFUSED, 503, "900"),
        (REFUSED, REFUSED, 503, "5"),
    ],
)
async def test_nobody_could_search_is_told_by_its_reason(
    make_server, http, upstream, of_tavily, of_brave, status, retry_after
):
    """A client waits, asks for a higher quota, or gives up; it is never an empty list."""
    env = {} if of_brave else {"BRAVE_API_KEY": ""}
    server = await make_server("tavily", "brave", env=env)
    upstream.fails("tavily", of_tavily)
    if of_brave:
        upstream.fails("brave", of_brave)

    reply = await http.post(f"{server.url}/search", json={"query": "otters"})

    assert reply.status_code == status
    if retry_after:
        assert reply.headers["retry-after"] == retry_after
    told = reply.json()["detail"]["error"]
    assert told.startswith("nobody could search: tavily")
    assert "brave" in told
    assert len(told) <= 2_000
