"""What the views give their templates, as values."""

from __future__ import annotations

from dataclasses import asdict
from datetime import UTC, datetime
from types import SimpleNamespace

import pytest

from kensaku.database.conversations import Conversation, Message
from kensaku.database.keys import create_key
from kensaku.errors import InvalidQuery, UnknownName
from kensaku.jobs.job import Job, JobProgress
from kensaku.models import Document, Hit, Query
from kensaku.server.auth import Principal
from kensaku.server.chat import Talk
from kensaku.server.page import collections, compare, keys, providers, search, snippets, usage
from kensaku.server.page import jobs as jobs_view
from kensaku.server.page.chat_export import to_json, to_markdown
from kensaku.server.page.form import SearchForm
from kensaku.server.page.jobs import _view as job_view
from kensaku.server.page.words import Words
from kensaku.testing import faults
from tests.server.page.page_request import api_key, page_of

EN = Words("en")
NOON = datetime(2026, 1, 2, 12, 30, tzinfo=UTC)


def test_a_job_is_shown_with_how_far_it_is():
    """What it is about, its state in words and a colour, and what can be done."""
    job = Job(
        "crawl-1",
        "crawl",
        "running",
        arguments={"url": "https://a.example/" + "x" * 300, "collection": "docs"},
        progress=JobProgress(1_250, 5_000, "crawling", 1_200),
        created=NOON,
    )

    assert asdict(job_view(EN, job)) == {
        "id": "crawl-1",
        "kind": "crawl",
        "about": ("https://a.example/" + "x" * 300)[:200],
        "status": "running",
        "tone": "accent",
        "share": 25.0,
        "progress": "crawling · 1,250 of 5,000 · 1200 documents",
        "created": "2026-01-02 12:30 UTC",
        "error": "",
        "can_cancel": True,
        "can_resume": False,
    }


@pytest.mark.parametrize(
    ("status", "tone", "share", "can_cancel", "can_resume"),
    [
        ("queued", "faint", 0.0, True, False),
        ("running", "accent", 0.0, True, False),
        ("done", "ok", 100.0, False, False),
        ("failed", "bad", 0.0, False, True),
        ("cancelled", "warn", 0.0, False, True),
    ],
)
def test_a_job_of_which_little_is_known(status, tone, share, can_cancel, can_resume):
    """It is named by what it has; its stage may be one that has no words."""
    job = Job("j", "odd", status, arguments={"input": "Why?", "url": ""}, error="so",
              progress=JobProgress(stage="brewing"))  # fmt: skip
    shown = job_view(EN, job)

    assert (shown.kind, shown.about, shown.created, shown.error) == ("odd", "Why?", "", "so")
    assert (shown.tone, shown.share, shown.progress) == (tone, share, "brewing")
    assert (shown.can_cancel, shown.can_resume) == (can_cancel, can_resume)


@pytest.mark.parametrize(
    ("arguments", "about"),
    [
        ({"query": "q", "input": "i", "collection": "c"}, "q"),
        ({"collection": "c"}, "c"),
        ({}, ""),
    ],
)
def test_a_job_is_named_by_the_first_that_it_has(arguments, about):
    """Address, query, question or collection."""
    assert job_view(EN, Job("j", "crawl", "done", arguments=arguments)).about == about


async def test_the_newest_jobs_of_the_tenant_are_listed():
    """Fifty of them."""
    asked = []

    async def list_jobs(**options):
        asked.append(options)
        return [Job("b", "crawl", "done"), Job("a", "crawl", "queued")]

    async def jobs():
        return SimpleNamespace(list=list_jobs)

    page = page_of(SimpleNamespace(jobs=jobs), principal=Principal("bob", "t1"))
    shown = await jobs_view.show(page)

    assert asked == [{"tenant": "t1", "limit": 50}]
    assert shown == {
        "jobs": [
            job_view(EN, Job("b", "crawl", "done")),
            job_view(EN, Job("a", "crawl", "queued")),
        ],
        "use": snippets.for_jobs(page),
    }


@pytest.mark.parametrize(
    ("bounds", "said"),
    [
        ({}, "no bounds"),
        ({"rate": "10/s"}, "10/s"),
        ({"searches_per_day": 1000, "money_per_month": 1234.5}, "1,000 a day · $1,234.5 a month"),
        (
            {"rate": "1/s", "searches_per_day": 0, "money_per_month": 0.0},
            "1/s · 0 a day · $0 a month",
        ),
    ],
)
def test_the_bounds_of_a_key_are_told(bounds, said):
    """Nought is a bound, too."""
    assert keys._bounds(EN, api_key(**bounds)) == said


async def test_keys_are_listed_those_in_use_first(make_server):
    """Newest first among them."""
    server = await make_server("tavily")
    await server.state.start()
    db = server.state.database
    past = datetime(2026, 1, 1, tzinfo=UTC)
    made = {name: (await create_key(db, name))[0] for name in ("old", "gone", "new")}
    from kensaku.database.keys import revoke_key

    await revoke_key(db, made["gone"].id)

    shown = await keys.show(page_of(server.state, principal=Principal("r", key=api_key("r"))))

    assert [(k.name, state, bounds) for k, state, bounds in shown["rows"]] == [
        ("new", "live", "no bounds"),
        ("old", "live", "no bounds"),
        ("gone", "revoked", "no bounds"),
    ]
    assert shown["own"] == "id-r"
    assert keys._state(api_key(expires=past)) == "expired"
    assert keys._state(api_key(revoked=past, expires=past)) == "revoked"


def talk() -> Talk:
    record = {
        "doubt": "Two sources\ndisagree.",
        "citations": [
            {"n": 1, "title": " A [b] ", "url": "https://a.example/(x)", "passage": "one\n# two"},
            {"n": 2, "title": "", "url": "https://b.example/", "passage": "three"},
        ],
    }
    messages = [
        Message("r-1-user", "user", "Do otters\nswim?", NOON),
        Message("r-1-assistant", "assistant", "They **do** [1].", NOON, record),
        Message("r-2-user", "user", "Why?", NOON),
        Message("r-2-assistant", "assistant", "So.", NOON, {}),
    ]
    conversation = Conversation("c", "web", "local/t", "Do otters\nswim?", NOON, NOON)
    return Talk(conversation, messages, {"r-1": "done"}, {})


def test_a_conversation_is_a_file_for_programs():
    """Each message with the state of its run."""
    assert to_json(talk(), "t") == {
        "id": "t",
        "title": "Do otters\nswim?",
        "created": "2026-01-02T12:30:00+00:00",
        "updated": "2026-01-02T12:30:00+00:00",
        "messages": [
            m.to_dict() | {"state": state}
            for m, state in zip(talk().messages, ["done", "done", "", ""], strict=True)
        ],
    }


def test_a_conversation_is_a_file_for_people():
    """Questions are headings; sources follow each answer, and can do nothing in the text."""
    assert to_markdown(talk(), EN) == (
        "# Do otters swim?\n\n"
        "## Do otters swim?\n\n*2026-01-02 12:30 UTC*\n\n"
        "> Two sources disagree.\n\n"
        "They **do** [1].\n\n"
        "**Sources**\n\n"
        "1. [A \\[b\\]](https://a.example/(x))\n\n   > one\n   > \\# two\n\n"
        "2. [https://b.example/](https://b.example/)\n\n   > three\n\n\n"
        "## Why?\n\n*2026-01-02 12:30 UTC*\n\n"
        "So.\n"
    )


def test_the_filters_offer_what_there_is():
    """The usual first, those that are ready, and collections when there are any."""
    form = SearchForm(route="brave", n="10")
    filters = search._filters(EN, form, ["local", "brave"], ["notes"], "5")

    offered = [(c.name, c.text, c.value, c.options) for c in filters]
    assert offered == [
        ("route", "route", "brave", [
            ("", "Auto route"), ("all", "Ask all, fused"), ("local", "My collections only"),
            ("brave", "brave"),
        ]),
        ("time", "time", "", [
            ("", "Any time"), ("day", "Past day"), ("week", "Past week"), ("month", "Past month"),
            ("year", "Past year"),
        ]),
        ("language", "lang", "", [
            ("", "All languages"), ("en", "English"), ("ja", "日本語"), ("de", "Deutsch"),
            ("es", "Español"), ("fr", "Français"), ("it", "Italiano"), ("ko", "한국어"),
            ("pt", "Português"), ("zh", "中文"),
        ]),
        ("topic", "topic", "", [
            ("", "Everything"), ("news", "News"), ("finance", "Finance"), ("papers", "Papers"),
            ("code", "Code"),
        ]),
        ("n", "results", "10", [("", "5 results"), ("10", "10 results"), ("20", "20 results")]),
        ("collection", "collection", "", [("", "All collections"), ("notes", "notes")]),
    ]  # fmt: skip
    assert len(search._filters(EN, form, [], [], "7")) == 5
    assert [v for v, _ in search._filters(EN, form, [], [], "7")[4].options] == [
        "",
        "5",
        "10",
        "20",
    ]


async def test_those_who_can_be_asked_are_ready(make_server):
    """Configured and not switched off; some need no key."""
    server = await make_server(
        "tavily", "brave", "local", "exa", env={"BRAVE_API_KEY": "", "EXA_ENABLED": "0"}
    )

    assert search.ready_providers(server.client) == ["tavily", "local"]


async def test_an_empty_box_searches_for_nothing(make_server, upstream):
    """And is shown with its filters; another site's link is held back."""
    server = await make_server("tavily")
    await server.client.index.add([Document("file:///a", "A", "otters")], "notes")
    state = {"response": None, "error": None, "held": False, "attempts": [], "hits": []}

    empty = await search.show(page_of(server.state))
    held = await search.show(page_of(server.state, "q=otters", **{"sec-fetch-site": "cross-site"}))

    assert {n: empty[n] for n in state} == state
    assert {n: held[n] for n in state} == state | {"held": True}
    assert (empty["form"], held["form"]) == (SearchForm(), SearchForm(q="otters"))
    assert empty["ready"] == ["tavily"]
    assert empty["filters"][-1].options == [("", "All collections"), ("notes", "notes")]
    assert upstream.requests == []


async def test_a_search_is_counted_with_its_outcome(make_server, upstream):
    """A query that cannot be is shown with its error."""
    upstream.answers("tavily", [])
    server = await make_server("tavily")
    await server.state.start()

    shown = await search.show(page_of(server.state, "q=otters"))
    wrong = await search.show(page_of(server.state, "q=otters&n=999"))
    await server.state._usage.flush()
    counted = await usage.show(page_of(server.state, "by=endpoint&days=7"))

    assert str(shown["response"].outcome) == "empty"
    assert [a.name for a in shown["attempts"]] == ["tavily"]
    assert "999" in str(wrong["error"])
    (row,) = counted["rows"]
    assert (row[0].group, row[0].requests, row[0].outcomes) == (
        "page/search", 2, {"empty": 1, "InvalidQuery": 1},
    )  # fmt: skip
    assert (row[1], row[2]) == ("", 1)
    assert (counted["by"], counted["days"], counted["most"]) == ("endpoint", 7, 2)
    assert counted["totals"] == {
        "requests": 2, "searches": 1, "cached": 0, "cost": counted["totals"]["cost"],
    }  # fmt: skip
    assert counted["groups"] == ("provider", "key", "day", "endpoint")
    assert (counted["periods"], len(counted["bars"])) == ((7, 30, 90), 7)


async def test_usage_by_key_has_the_names_of_keys(make_server, upstream):
    """Of the reader's tenant, or of all for an admin."""
    upstream.answers("tavily", [])
    server = await make_server("tavily")
    await server.state.start()
    key, _ = await create_key(server.state.database, "bob", tenant="t1")
    bob = Principal("bob", "t1", False, key)
    await search.show(page_of(server.state, "q=otters", principal=bob))
    await server.state._usage.flush()

    own = await usage.show(page_of(server.state, "by=key", principal=bob))
    other = await usage.show(page_of(server.state, "by=key", principal=Principal("x", "t2")))
    everybody = await usage.show(page_of(server.state, "by=key"))

    assert [(r.group, name) for r, name, _ in own["rows"]] == [(key.id, "bob")]
    assert other["rows"] == []
    assert [name for _, name, _ in everybody["rows"]] == ["bob"]
    assert usage.scope(page_of()) is None


def provider(**values) -> dict:
    return {
        "name": "brave", "label": "Brave Search", "turn": 1, "state": "ready", "keys": 1,
        "p50_ms": None, "p95_ms": None, "price": None, "rate": None, "sunset": None,
    } | values  # fmt: skip


def test_a_provider_is_shown_with_how_it_is_doing():
    """Latencies, what a thousand searches cost, its keys by number."""
    shown = providers._view(
        page_of(),
        provider(p50_ms=1234.4, p95_ms=5000.0, price=0.005, rate="1/s", sunset="2027-01-01"),
    )

    assert asdict(shown) == {
        "name": "brave",
        "label": "Brave Search",
        "turn": 1,
        "state": "ready",
        "tone": "ok",
        "latency": "1,234 / 5,000 ms",
        "price": "5",
        "keys": "1 key",
        "rate": "1/s",
        "sunset": "2027-01-01",
        "can_reset": False,
        "muted": False,
    }


@pytest.mark.parametrize(
    ("state", "said", "tone", "muted", "can_reset"),
    [
        ("ready", "ready", "ok", False, False),
        ("needs BRAVE_API_KEY", "set BRAVE_API_KEY", "faint", True, False),
        ("switched off", "switched off", "faint", True, False),
        ("ended", "ended", "faint", True, False),
        ("no key", "no key", "faint", True, False),
        ("its key was refused", "its key was refused", "warn", False, True),
    ],
)
def test_a_provider_that_cannot_be_asked_says_why(state, said, tone, muted, can_reset):
    """An admin may end a cooldown, and nothing else."""
    row = provider(state=state, keys=0)
    shown = providers._view(page_of(), row)
    to_others = providers._view(page_of(principal=Principal("bob")), row)

    assert (shown.state, shown.tone, shown.muted) == (said, tone, muted)
    assert (shown.can_reset, to_others.can_reset) == (can_reset, False)
    assert (shown.latency, shown.price, shown.keys) == ("", "–", "none needed")
    assert (shown.rate, shown.sunset) == ("", "")


@pytest.mark.parametrize(
    ("seconds", "median", "high"),
    [([], None, None), ([0.2], 200.0, 200.0), ([n / 100 for n in range(20)], 100.0, 190.0)],
)
def test_latencies_are_those_of_the_last_requests(seconds, median, high):
    """The median, and what nineteen of twenty stay below."""
    assert (providers._at(seconds, 0.5), providers._at(seconds, 0.95)) == (median, high)


async def test_providers_stand_in_groups(make_server):
    """Those of the route in its order, the ready, the rest; addresses are for admins."""
    server = await make_server("tavily", "brave", env={"EXA_API_KEY": "exa-key-0123456789"})

    shown = await providers.show(page_of(server.state))
    (admins,) = [p for p in await providers.describe_all(page_of(server.state))
                 if p["name"] == "brave"]  # fmt: skip
    bob = page_of(server.state, principal=Principal("bob"))
    (others,) = [p for p in await providers.describe_all(bob) if p["name"] == "brave"]

    groups = {name: [v.name for v in views] for name, views in shown["groups"]}
    assert list(groups) == ["providers.route", "providers.ready", "providers.rest"]
    assert groups["providers.route"] == ["tavily", "brave"]
    assert "exa" in groups["providers.ready"]
    assert "serper" in groups["providers.rest"]
    assert admins.keys() - others.keys() == {"base_url", "keyless_host"}
    assert (admins["keys"], admins["p50_ms"], admins["p95_ms"]) == (1, None, None)


async def test_routes_of_an_address_are_compared(make_server, upstream):
    """Each once; without a question, or sent by another site, nobody is asked."""
    hits = [Hit(f"https://{n}.example/", "A", f"otters {n}") for n in range(9)]
    upstream.answers("tavily", hits)
    upstream.fails("brave", faults.status(401))
    server = await make_server("tavily", "brave", "exa", "serper")
    both = "route=tavily&route=brave&route=tavily"

    empty = await compare.show(page_of(server.state))
    chosen = await compare.show(page_of(server.state, both))
    held = await compare.show(
        page_of(server.state, f"q=x&{both}", **{"sec-fetch-site": "same-site"})
    )
    assert upstream.requests == []
    one = await compare.show(page_of(server.state, "q=x&route=tavily"))
    done = await compare.show(page_of(server.state, f"q=+otters+&{both}"))

    assert (empty["q"], empty["chosen"], empty["sides"]) == ("", ["tavily", "brave", "exa"], [])
    assert empty["ready"] == ["tavily", "brave", "exa", "serper"]
    assert chosen["chosen"] == held["chosen"] == ["tavily", "brave"]
    assert (held["done"], held["error"]) == (None, None)
    assert isinstance(one["error"], InvalidQuery)
    assert (one["error"].message, one["done"]) == ("choose two to six routes", None)
    assert done["q"] == "otters"
    tavily, brave = done["sides"]
    assert [(view.n, view.title, shared) for view, shared in tavily["hits"]] == [
        (n, "A", False) for n in range(1, 9)
    ]
    assert (tavily["errors"], [a.provider for a in brave["errors"]]) == ([], ["brave"])
    assert max(tavily["share"], brave["share"]) == 100
    assert compare.routes_in(page_of(query=f"route={'x' * 201}")) == ["x" * 200]


@pytest.mark.parametrize("count", [1, 2, 6, 7])
async def test_every_route_that_is_compared_counts_as_a_search(count, monkeypatch):
    """Two to six of them, each for the first eight results."""
    calls = []

    async def check_limits(searches):
        calls.append(("limits", searches))

    async def made(client, query, routes):
        calls.append((client, query, routes))
        return "done"

    monkeypatch.setattr(compare, "compare", made)
    session = SimpleNamespace(client="the client", check_limits=check_limits)
    routes = [f"r{n}" for n in range(count)]
    if count in (1, 7):
        with pytest.raises(InvalidQuery, match="two to six"):
            await compare.run(page_of(), session, "otters", routes)
        assert calls == []
    else:
        assert await compare.run(page_of(), session, "otters", routes) == "done"
        query = Query("otters", max_results=8)
        assert calls == [("limits", count), ("the client", query, routes)]


def test_the_slowest_side_is_the_whole_width():
    """The others are shown by their share of it."""
    made = [
        SimpleNamespace(response=SimpleNamespace(elapsed_ms=ms, hits=(), attempts=()), shared=())
        for ms in (50.0, 200.0)
    ]
    done = SimpleNamespace(sides=made, query="x")

    assert [s["share"] for s in compare.sides(page_of(), done)] == [25.0, 100.0]
    for side in made:
        side.response.elapsed_ms = 0.0
    assert [s["share"] for s in compare.sides(page_of(), done)] == [0.0, 0.0]


async def test_a_collection_is_shown_with_its_documents(make_server):
    """By title, or by address where there is none; one that is not there is an error."""
    server = await make_server("local")
    documents = [
        Document("https://b.example/", "beta", "otters"),
        Document("file:///a", "", "otters"),
        Document("https://a.example/", "Alpha", "otters"),
    ]
    await server.client.index.add(documents, "notes")
    await server.client.index.add(documents[:1], "Empty")

    listed = await collections.show(page_of(server.state))
    shown = await collections.show(page_of(server.state, "name=notes"))
    with pytest.raises(UnknownName, match="other"):
        await collections.show(page_of(server.state, "name=other"))

    assert [(name, s["documents"]) for name, s in listed["rows"]] == [("Empty", 1), ("notes", 3)]
    assert (listed["name"], shown["name"], shown["rows"]) == ("", "notes", [])
    assert shown["stats"]["documents"] == 3
    assert [(d.url, d.link, d.title) for d in shown["documents"]] == [
        ("https://a.example/", "https://a.example/", "Alpha"),
        ("https://b.example/", "https://b.example/", "beta"),
        ("file:///a", "", "file:///a"),
    ]


@pytest.mark.parametrize(
    ("stats", "is_listed"),
    [
        ({"documents": 500}, True),
        ({"documents": 501}, False),
        ({"documents": 1, "foreign": True}, False),
        ({"documents": 1, "problem": "broken"}, False),
    ],
)
async def test_a_large_or_broken_collection_is_not_listed(make_server, stats, is_listed):
    """It would take too long, or cannot be read."""
    server = await make_server("local")
    await server.client.index.add([Document("file:///a", "A", "otters")], "notes")

    whole = {"foreign": False, "problem": None} | stats
    found = await collections._documents(server.client.index, "notes", whole)

    assert (found is not None) is is_listed
