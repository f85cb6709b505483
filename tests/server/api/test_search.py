"""A search as events: who is asked, hits as they come, the ranked whole, a model's answer."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from kensaku.models import Hit
from kensaku.testing import faults
from tests.server.page_client import PageClient, browsing, until

HITS = [
    Hit("https://a.example/", "Alpha", "Sea otters hold hands while they sleep.", score=0.9),
    Hit("https://b.example/", "Beta", "River otters live in burrows.", score=0.5),
]
Events = list[tuple[str, dict[str, Any]]]


async def search(page: PageClient, **fields: str) -> Events:
    """The events of a search, asked as the page does."""
    head = await page.headers()
    async with page.http.post(f"{page.url}/api/search", json=fields, headers=head) as reply:
        found = re.findall(r"event: (.*)\ndata: (.*)\n\n", await reply.text())
    return [(name, json.loads(data)) for name, data in found]


def text_of(html: str) -> str:
    """What a person reads of it."""
    return " ".join(re.sub("<[^>]+>", " ", html).split())


async def test_a_search_comes_in_parts(make_server, upstream):
    """Who is asked waits until it has said something; hits come once, before they are ranked."""
    upstream.fails("brave", faults.status(401))
    upstream.answers("tavily", HITS)
    server = await make_server("brave", "tavily")
    async with browsing(server.url) as page:
        events = await search(page, q="otters", n="1")

    assert [name for name, _ in events] == ["asked"] * 4 + ["hits", "response"]
    asked = [text_of(data["html"]) for name, data in events if name == "asked"]
    assert ["waiting" in said for said in asked] == [True, False, True, False]
    assert "it does not take this key (401)" in asked[-1]
    assert (events[-2][1]["n"], "Alpha" in events[-2][1]["html"]) == (1, True)
    whole = events[-1][1]
    assert (whole["outcome"], whole["title"]) == ("found", "otters")
    assert whole["address"] == "/?q=otters&n=1"
    assert ("Alpha" in whole["html"], "Beta" in whole["html"]) == (True, False)
    assert "kensaku search otters" in text_of(whole["use"])


async def test_a_search_from_the_cache_is_shown_at_once(page, upstream):
    """With who was asked for it then."""
    upstream.answers("tavily", HITS)
    await search(page, q="otters")

    ((name, whole),) = await search(page, q="otters")

    assert (name, whole["outcome"]) == ("response", "found")
    assert "tavily" in text_of(whole["asked"])
    assert len(upstream.requests) == 1


async def test_the_same_page_of_two_providers_is_shown_once(make_server, upstream):
    """As it came first."""
    upstream.answers("tavily", HITS)
    upstream.answers("brave", [Hit("https://a.example/", "Alpha", HITS[0].content)])
    server = await make_server("tavily", "brave")
    async with browsing(server.url) as page:
        events = await search(page, q="otters", route="all")

    counts = [data["n"] for name, data in events if name == "hits"]
    assert counts == sorted(counts)
    assert counts[-1] == 2
    assert events[-1][1]["html"].count('class="hit"') == 2


@pytest.mark.parametrize(
    ("fields", "says"), [({"q": ""}, "query"), ({"q": "x", "route": "no"}, "no")]
)
async def test_a_search_that_cannot_be_says_so_in_one_sentence(page, fields, says):
    """And nothing comes after it."""
    ((name, data),) = await search(page, **fields)

    assert name == "failed"
    assert says in data["html"]


async def test_a_search_that_nobody_could_do_is_shown_with_its_reasons(page, upstream):
    """It is no failure of the call, and never an empty result."""
    upstream.fails("tavily", faults.status(401))

    name, data = (await search(page, q="otters"))[-1]

    assert (name, data["outcome"]) == ("response", "unavailable")
    assert "it does not take this key" in text_of(data["html"])


async def test_who_leaves_ends_the_search(page, server, upstream):
    """Nobody is asked for somebody who has gone."""
    upstream.fails("tavily", faults.hang())
    head = await page.headers()
    async with page.http.post(
        f"{page.url}/api/search", json={"q": "otters"}, headers=head
    ) as reply:
        await reply.content.readline()
        assert server.state.admission.running == 1

    async def running() -> int:
        return server.state.admission.running

    await until(running, lambda count: count == 0)


async def answered(make_server: Any, upstream: Any, said: str, hits: list[Hit]) -> Events:
    """The events of a search of a server with a model that says this."""
    upstream.answers("tavily", hits)
    upstream.fails("llm", faults.wrong_shape({"choices": [{"message": {"content": said}}]}))
    server = await make_server("tavily", llm_url=f"{upstream.url}/llm", llm_model="small")
    async with browsing(server.url) as page:
        return await search(page, q="otters")


async def test_the_answer_of_a_model_comes_last(make_server, upstream):
    """Its marks lead to the hits; invented ones go; until then the page says that it is written."""
    said = "River otters live in burrows. [2] They fly [9]."

    (name, whole), (last, answer) = (await answered(make_server, upstream, said, HITS))[-2:]

    assert (name, last) == ("response", "answer")
    assert "River otters live in burrows." in answer["html"]
    assert '<a class="cite" href="#h2">2</a>' in answer["html"]
    assert "9" not in text_of(answer["html"].replace("0.9", ""))
    assert "by small" in answer["html"]
    assert ("Working" in whole["html"], "Working" in answer["html"]) == (True, False)


async def test_a_model_is_not_asked_about_nothing(make_server, upstream):
    """There would be nothing to cite."""
    events = await answered(make_server, upstream, "So.", [])

    assert events[-1][0] == "response"
    assert upstream.asked("llm") == []
