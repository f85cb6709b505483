"""Specialists beside the web: who is asked for what, and that the web never waits for them."""

from __future__ import annotations

import asyncio

import pytest

from kensaku import Budget, Outcome, Settings
from kensaku.errors import CalledOff, NotAsked
from kensaku.models import Hit
from kensaku.providers import BUILT_IN, provider_class
from kensaku.search import beside
from kensaku.search.route import plan
from kensaku.testing import faults
from tests.search.support import hit, until

PAPERS = "research papers on otters"
POOL = ("you", "firecrawl", "keenable", "wikipedia", "duckduckgo")
SPECIALISTS = (
    "arxiv", "crossref", "europepmc", "pubmed", "semanticscholar",
    "github", "github_code", "github_issues", "stackexchange",
)  # fmt: skip


@pytest.fixture
def auto(upstream, make_client):
    """`auto(**settings)` → a client with one web provider and all specialists, on loopback."""

    def make(env=None, **settings):
        names = ("tavily", *SPECIALISTS)
        environ = upstream.environment(*names, keys=False, rate="100000/s")
        off = {f"{name.upper()}_ENABLED": "0" for name in POOL}
        environ = {**environ, **off, "TAVILY_API_KEY": "k", **(env or {})}
        return make_client(env=environ, **{"route": "auto", **settings})

    return make


@pytest.fixture
def patient(monkeypatch):
    """Wait for specialists as long as it takes."""
    monkeypatch.setattr(beside, "GRACE", 600.0)


def asked(upstream) -> set[str]:
    return {request.provider for request in upstream.requests}


@pytest.mark.parametrize(
    ("query", "names"),
    [
        (PAPERS, {"arxiv", "crossref", "europepmc"}),
        ("github repository for otters in rust", {"github", "stackexchange"}),
        ("TypeError: otter is not callable", {"github_issues", "stackexchange"}),
        ("カワウソに関する論文", {"arxiv", "crossref", "europepmc"}),
        ("latest news about otters", set()),
        ("otters in the wild", set()),
    ],
)
async def test_auto_asks_those_who_know_beside_the_web(auto, upstream, patient, query, names):
    """Each for what it knows, always with the web, and the response says so."""
    found = await auto().search(query, timeout=600)

    assert asked(upstream) == {"tavily"} | names
    said = [note for note in found.notes if note.startswith("asked beside the web")]
    assert len(said) == bool(names)
    assert all(name in said[0] for name in names)
    assert {a.provider for a in found.attempts} == {"tavily"} | names


async def test_the_web_and_the_specialists_alternate(auto, upstream, patient):
    """The web first: a guess does not push it off the list."""
    upstream.answers("tavily", [hit(f"web{n}") for n in range(4)])
    upstream.answers(
        "arxiv", [Hit(url="https://arxiv.example/1", title="Otters", content="otters")]
    )
    for name in ("crossref", "europepmc"):
        upstream.fails(name, faults.empty())

    found = await auto().search(PAPERS, max_results=3, timeout=600)

    assert [h.provider for h in found.hits] == ["tavily", "arxiv", "tavily"]


async def test_what_is_not_about_the_query_does_not_join(auto, upstream, patient):
    """A specialist always finds something."""
    upstream.answers("tavily", [hit("web")])
    for name in ("arxiv", "crossref", "europepmc"):
        upstream.answers(
            name, [Hit(url=f"https://{name}.example/", title="Quarks", content="spin")]
        )

    found = await auto().search(PAPERS, timeout=600)

    assert {h.provider for h in found.hits} == {"tavily"}


async def test_a_slow_specialist_does_not_hold_up_the_web(auto, upstream):
    """It is called off, and the attempts say so."""
    for name in ("arxiv", "crossref", "europepmc"):
        upstream.fails(name, faults.hang())

    found = await auto().search(PAPERS, timeout=600)

    errors = {a.provider: type(a.error) for a in found.attempts}
    assert found.outcome is Outcome.FOUND
    assert errors.pop("tavily") is type(None)
    assert set(errors) == {"arxiv", "crossref", "europepmc"}
    assert set(errors.values()) <= {CalledOff, NotAsked}


async def test_a_specialist_that_fails_is_asked_once_and_spoils_nothing(auto, upstream, patient):
    """The web's answer is kept in the cache."""
    client = auto()
    for name in ("arxiv", "crossref", "europepmc"):
        upstream.fails(name, faults.status(503))

    first = await client.search(PAPERS, timeout=600)
    again = await client.search(PAPERS, timeout=600)

    assert first.outcome is Outcome.FOUND
    assert again.cached
    assert len(upstream.asked("arxiv")) == 1


async def test_specialists_that_find_nothing_are_no_search_of_the_web(auto, upstream):
    """When the web could not be asked, nobody says that there is nothing."""
    upstream.fails("tavily", faults.status(401))
    for name in ("arxiv", "crossref", "europepmc"):
        upstream.fails(name, faults.empty())
    client = auto(env={"LOCAL_ENABLED": "0"})

    assert (await client.search(PAPERS, timeout=600)).outcome is Outcome.UNAVAILABLE


async def test_without_the_web_the_specialists_are_waited_for(auto, upstream):
    """They are better than nothing; the attempts say who failed."""
    upstream.fails("tavily", faults.status(401))
    upstream.answers(
        "arxiv", [Hit(url="https://arxiv.example/1", title="Otters", content="otters")]
    )
    client = auto(env={"LOCAL_ENABLED": "0"})

    found = await client.search(PAPERS, timeout=600)

    assert found.outcome is Outcome.FOUND
    assert "arxiv" in {h.provider for h in found.hits}


async def test_a_topic_of_the_caller_asks_them_for_any_text(auto, upstream):
    """Then they are waited for, and come first."""
    upstream.answers("arxiv", [Hit(url="https://arxiv.example/1", title="Quarks", content="spin")])

    found = await auto().search("otters", topic="papers", timeout=600)

    assert asked(upstream) == {"tavily", "arxiv", "crossref", "europepmc"}
    assert "arxiv" in {h.provider for h in found.hits}
    assert found.hits[0].provider != "tavily"
    assert "topic" not in upstream.asked("tavily")[0].json
    assert not any("arxiv: it cannot filter by topic" in note for note in found.notes)


async def test_a_topic_of_code_knows_an_error_message(auto, upstream):
    """Those who know errors are asked for one."""
    await auto().search("KeyError: 'otter'", topic="code", timeout=600)

    assert asked(upstream) == {"tavily", "github_issues", "stackexchange"}


@pytest.mark.parametrize(
    ("settings", "options"),
    [
        ({"specialists": False}, {}),
        ({"keyless": False}, {}),
        ({}, {"route": "tavily"}),
        ({}, {"topic": "news"}),
        ({}, {"include_domains": ["otters.example"]}),
    ],
)
async def test_nobody_else_is_asked(auto, upstream, settings, options):
    """By the settings, by a route that names who is asked, by a restriction of the caller's."""
    await auto(**settings).search(PAPERS, timeout=600, **options)

    assert asked(upstream) == {"tavily"}


async def test_the_words_that_name_the_place_are_not_sent(auto, upstream, patient):
    """The web gets the query as it is."""
    await auto().search("github repository for otters in rust", timeout=600)

    assert upstream.asked("github")[0].params["q"] == "otters in rust"
    assert upstream.asked("tavily")[0].json["query"] == "github repository for otters in rust"


async def test_a_long_error_message_is_cut_for_them(auto, upstream, patient):
    """GitHub takes 256 characters, and the web the whole."""
    text = "TypeError: otter is not callable " + "at otter.swim " * 20

    found = await auto().search(text, timeout=600)

    assert len(upstream.asked("github_issues")[0].params["q"]) <= 256 + len(" is:issue")
    assert any(note.startswith("github_issues: the query was cut") for note in found.notes)


async def test_they_do_not_count_against_a_budget(auto, upstream, patient):
    """One search is one search; when it is spent, nobody is asked."""
    client, budget = auto(env={"LOCAL_ENABLED": "0"}), Budget(searches=1)

    await client.search(PAPERS, budget=budget, cache=False, timeout=600)
    before = len(upstream.requests)
    spent = await client.search(PAPERS, budget=budget, cache=False, timeout=600)

    assert asked(upstream) == {"tavily", "arxiv", "crossref", "europepmc"}
    assert len(upstream.requests) == before
    assert spent.outcome is Outcome.UNAVAILABLE


async def test_a_turn_is_not_waited_for(auto, upstream, patient):
    """arXiv wants three seconds between two requests: the second search goes without it."""
    client = auto(env={"ARXIV_RATE": "1/h"})

    await client.search(PAPERS, cache=False, timeout=600)
    found = await client.search(PAPERS, cache=False, timeout=600)

    assert len(upstream.asked("arxiv")) == 1
    (skipped,) = [a for a in found.attempts if a.provider == "arxiv"]
    assert not skipped.sent
    assert isinstance(skipped.error, NotAsked)


async def test_no_task_outlives_the_search(auto, upstream):
    """A caller who gives up takes the specialists along."""
    for name in ("tavily", "arxiv", "crossref", "europepmc"):
        upstream.fails(name, faults.hang())
    search = asyncio.ensure_future(auto().search(PAPERS, timeout=600))
    await until(lambda: len(upstream.requests) == 4)

    search.cancel()
    await asyncio.gather(search, return_exceptions=True)

    await until(lambda: len(asyncio.all_tasks()) == 1)


@pytest.mark.parametrize("name", [n for n in BUILT_IN if provider_class(n).knows])
def test_who_is_asked_beside_the_web_is_a_specialist_that_costs_nothing(name):
    """And has a rate to stay under."""
    cls = provider_class(name)

    assert cls.specialist
    assert cls.price == 0
    assert cls.rate or cls.keyless_rate


def test_a_key_is_enough_without_the_keyless_pool():
    """Whose account it is, is asked; nobody else."""
    settings = Settings.load(
        environ={"KENSAKU_HOME": "/nowhere", "GITHUB_TOKEN": "k", "KENSAKU_KEYLESS": "0"}
    )

    assert plan(settings).specialists == {
        "code": ("github", "github_code"),
        "errors": ("github_issues",),
    }


async def test_what_should_not_leave_does_not_reach_a_specialist(auto, upstream, patient):
    """An error message often has a key in it; the words that stay are still looked for."""
    text = "TypeError: otter is not callable with jane.doe@corp.example"

    await auto(scrub_kinds=("emails",), scrub_action="redact").search(text, timeout=600)

    assert asked(upstream) == {"tavily", "github_issues", "stackexchange"}
    assert not any("jane.doe" in request.target for request in upstream.requests)
    assert not any(b"jane.doe" in request.body for request in upstream.requests)


async def test_a_query_that_must_not_leave_asks_nobody(auto, upstream):
    """Neither the web nor those beside it."""
    text = "TypeError: otter is not callable with jane.doe@corp.example"
    client = auto(env={"LOCAL_ENABLED": "0"}, scrub_kinds=("emails",), scrub_action="block")

    found = await client.search(text, timeout=600)

    assert found.outcome is Outcome.UNAVAILABLE
    assert upstream.requests == []


@pytest.mark.parametrize("mode", ["first", "hedge", "all"])
async def test_they_join_the_web_in_every_mode(auto, upstream, patient, mode):
    """However the web is asked, it comes first and they follow."""
    upstream.answers("tavily", [hit("web")])
    upstream.answers(
        "arxiv", [Hit(url="https://arxiv.example/1", title="Otters", content="otters")]
    )
    for name in ("crossref", "europepmc"):
        upstream.fails(name, faults.empty())
    client = auto(env={"LOCAL_ENABLED": "0"})

    found = await client.search(PAPERS, mode=mode, timeout=600)

    assert [h.provider for h in found.hits] == ["tavily", "arxiv"]
    assert not found.partial
