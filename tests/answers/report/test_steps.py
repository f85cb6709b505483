"""One step of a run: what it sends, and what it returns."""

from __future__ import annotations

from typing import Any

import pytest

from kensaku.answers import gather
from kensaku.models import Document, Hit
from kensaku.research import perform
from kensaku.search.budget import Budget
from tests.answers.conftest import FOOD, SLEEP, Web

from .states import found, plan, read, state

ASKED, OTHER = "How do otters sleep?", "What do otters eat?"


def run(
    *searches: dict[str, Any], spent: float = 0.5, question: str = ASKED, **options: Any
) -> Any:
    """A run of two questions after these searches of its first round."""
    named = {f"search-1-{n}": search for n, search in enumerate(searches, 1)}
    planned = plan(question, OTHER) | {"elapsed": spent}
    return state({"plan": planned} | named, **options)


async def test_a_search_returns_hits_and_how_it_went(client: Any, web: Web) -> None:
    """Of as many results as the effort allows, without the domains that are not wanted."""
    asked = run(exclude_domains=("x.example",), include_domains=("y.example",))

    result = await perform("search-1-1", asked, client())

    [hit], [attempt] = result["hits"], result["attempts"]
    assert (hit["title"], hit["provider"]) == ("How otters sleep", "tavily")
    assert (attempt["provider"], attempt["outcome"]) == ("tavily", "found")
    assert (result["outcome"], result["notes"]) == ("found", [])
    [sent] = web.upstream.asked("tavily")
    body = {k: sent.json.get(k) for k in ("query", "max_results", "exclude_domains")}
    assert body == {"query": ASKED, "max_results": 8, "exclude_domains": ["x.example"]}
    assert not sent.json.get("include_domains")


@pytest.mark.parametrize("why", ["the time of the run was over", "an e-mail address"])
async def test_a_search_that_is_not_made_is_noted(why: str, client: Any, web: Web) -> None:
    """It could not search, which is not that there is nothing; nobody is there to agree."""
    late = {"spent": 300.0} if why.startswith("the time") else {}
    asking = client(scrub_kinds=("emails",), scrub_action="ask")

    result = await perform("search-1-1", run(question="who is me@a.example?", **late), asking)

    [note] = result["notes"]
    assert why in note
    assert (result["outcome"], result["hits"]) == ("unavailable", [])
    assert web.queries == []


async def test_the_local_index_adds_passages_to_its_hits(client: Any) -> None:
    """Of the documents that it found."""
    k = client("local")
    text = "Otters sleep in rafts. " * 200
    await k.index.add([Document("https://l.example/", "Otters", text)])

    result = await perform("search-1-1", run(), k)

    assert result["outcome"] == "found"
    passages = result["stored"]["https://l.example/"]
    assert len(passages) > 1
    assert {p["url"] for p in passages} == {"https://l.example/"}


def hits(web: Web, *paths: str) -> dict[str, Any]:
    return found(*(Hit(web.upstream.url + path, "T", "C", provider="tavily") for path in paths))


@pytest.mark.parametrize(("fetches", "pages"), [(None, 2), (2, 2), (1, 1), (0, 0)])
async def test_pages_are_read_as_far_as_the_budget_goes(
    client: Any, web: Web, fetches: int | None, pages: int
) -> None:
    """The best first; the rest is noted. The budget of the call, or else of the client."""
    searched = run(hits(web, "/p/sleep", "/p/food"))
    for options in ({"budget": Budget(fetches=fetches)}, {}):
        k = client()
        if not options:
            k.budget.fetches = fetches
        result = await perform("read-1", searched, k, **options)

        assert [p["passages"][0]["text"][-20:] for p in result["pages"]] == [
            text[-20:] for text in (SLEEP, FOOD)[:pages]
        ]
        left = [f"the budget allows {pages} of 2 pages to be read"] if pages < 2 else []
        assert (result["failed"], result["notes"]) == ([], left)


async def test_a_budget_that_others_have_spent_leaves_the_snippets(client: Any, web: Web) -> None:
    """After it was asked what is left of it; it is noted why no page was read."""
    urls, spent = [f"{web.upstream.url}/p/sleep"], Budget(fetches=0)
    result = await gather.read(client(), urls, [ASKED], seconds=9, budget=spent)

    [note] = result["notes"]
    assert note.startswith("the pages were not read: ")
    assert (result["pages"], web.upstream.requests) == ([], [])


@pytest.mark.parametrize(("spent", "paths"), [(300.0, ("/p/sleep",)), (1.0, ())])
async def test_without_time_or_addresses_nothing_is_read(
    client: Any, web: Web, spent: float, paths: tuple[str, ...]
) -> None:
    """No request is sent."""
    result = await perform("read-1", run(hits(web, *paths), spent=spent), client())

    assert (result["pages"], result["failed"]) == ([], [])
    assert web.upstream.requests == []


@pytest.mark.parametrize(
    ("spent", "missing", "notes"),
    [(0.0, [1], []), (299.0, [], ["the time of the run was over"])],
)
async def test_open_questions_get_another_round_while_there_is_time(
    client: Any, web: Web, spent: float, missing: list[int], notes: list[str]
) -> None:
    """They stay open when there is none."""
    known = Hit("https://a.example/", "Sleep", SLEEP, provider="tavily")
    searched = run(found(known), found(outcome="empty"), spent=spent)
    searched = searched.record("read-1", read(elapsed=0.0))

    result = await perform("weigh-1", searched, client())

    assert (result["missing"], result["open"], result["notes"]) == (missing, [1], notes)
