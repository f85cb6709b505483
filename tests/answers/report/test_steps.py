"""One step of a run: what it sends, and what it returns."""

from __future__ import annotations

from typing import Any

import pytest

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


def taken(result: dict[str, Any]) -> dict[str, Any]:
    """A result without the time that it took, which is there."""
    elapsed = result.pop("elapsed")
    assert isinstance(elapsed, float)
    assert elapsed == round(elapsed, 3) >= 0
    return result


async def test_a_search_returns_hits_and_how_it_went(client: Any, web: Web) -> None:
    """Of as many results as the effort allows, without the domains that are not wanted."""
    asked = run(exclude_domains=("x.example",), include_domains=("y.example",))

    result = taken(await perform("search-1-1", asked, client()))

    [hit] = result.pop("hits")
    [attempt] = result.pop("attempts")
    assert (hit["title"], hit["provider"]) == ("How otters sleep", "tavily")
    assert (attempt["provider"], attempt["outcome"]) == ("tavily", "found")
    assert 0 < result.pop("confidence") <= 1
    assert result == {"outcome": "found", "stored": {}, "notes": []}
    [sent] = web.upstream.asked("tavily")
    body = {k: sent.json.get(k) for k in ("query", "max_results", "exclude_domains")}
    assert body == {"query": ASKED, "max_results": 8, "exclude_domains": ["x.example"]}
    assert not sent.json.get("include_domains")


@pytest.mark.parametrize("spent", [300.0, 301.0])
async def test_nothing_is_searched_when_the_time_is_over(
    client: Any, web: Web, spent: float
) -> None:
    """It could not search, which is not that there is nothing."""
    result = await perform("search-1-1", run(spent=spent), client())

    assert taken(result) == {
        "outcome": "unavailable",
        "hits": [],
        "stored": {},
        "attempts": [],
        "confidence": None,
        "notes": ["the time of the run was over before this search"],
    }
    assert web.queries == []


async def test_a_query_that_needs_somebodys_consent_is_not_sent(client: Any, web: Web) -> None:
    """Nobody is there who could agree: it is noted."""
    asking = client(scrub_kinds=("emails",), scrub_action="ask")

    result = taken(await perform("search-1-1", run(question="who is me@a.example?"), asking))

    [note] = result.pop("notes")
    assert "an e-mail address" in note
    assert result == {
        "outcome": "unavailable",
        "hits": [],
        "stored": {},
        "attempts": [],
        "confidence": None,
    }
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


@pytest.mark.parametrize(
    ("fetches", "pages", "notes"),
    [
        (None, 2, []),
        (2, 2, []),
        (1, 1, ["the budget allows 1 of 2 pages to be read"]),
        (0, 0, ["the budget allows 0 of 2 pages to be read"]),
    ],
)
async def test_pages_are_read_as_far_as_the_budget_goes(
    client: Any, web: Web, fetches: int | None, pages: int, notes: list[str]
) -> None:
    """The best first; the rest is noted. The budget of the call, or else of the client."""
    searched = run(hits(web, "/p/sleep", "/p/food"))
    texts = [SLEEP, FOOD][:pages]
    for options in ({"budget": Budget(fetches=fetches)}, {}):
        k = client()
        if not options:
            k.budget.fetches = fetches
        result = taken(await perform("read-1", searched, k, **options))

        assert [p["passages"][0]["text"][-20:] for p in result.pop("pages")] == [
            text[-20:] for text in texts
        ]
        assert result == {"failed": [], "notes": notes}


@pytest.mark.parametrize(("spent", "paths"), [(300.0, ("/p/sleep",)), (1.0, ())])
async def test_without_time_or_addresses_nothing_is_read(
    client: Any, web: Web, spent: float, paths: tuple[str, ...]
) -> None:
    """No request is sent."""
    result = await perform("read-1", run(hits(web, *paths), spent=spent), client())

    assert taken(result) == {"pages": [], "failed": [], "notes": []}
    assert web.upstream.requests == []


async def test_a_budget_that_others_have_spent_leaves_the_snippets(client: Any, web: Web) -> None:
    """It is noted why no page was read."""

    class Late(Budget):
        """Others spend it, after it was asked what is left."""

        def left(self) -> dict[str, float]:
            return {}

    searched = run(hits(web, "/p/sleep"))
    result = taken(await perform("read-1", searched, client(), budget=Late(fetches=0)))

    [note] = result.pop("notes")
    assert note.startswith("the pages were not read: ")
    assert result == {"pages": [], "failed": []}


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

    result = taken(await perform("weigh-1", searched, client()))

    assert result == {"missing": missing, "open": [1], "notes": notes}
