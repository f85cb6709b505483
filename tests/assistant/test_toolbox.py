"""The tools of a run: each call approved, bounded and made once; what it gives, and what is told."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from kensaku import Hit
from kensaku.assistant import Question, Reply
from kensaku.assistant.answer import Step
from kensaku.assistant.events import ApprovalNeeded, Event, ToolEnded, ToolStarted
from kensaku.assistant.request import begin
from kensaku.assistant.toolbox import Cancelled, Toolbox
from kensaku.errors import BudgetExceeded, IndexFault, KensakuError
from kensaku.models import Attempt, Outcome, Page, Passage, Query, Response
from kensaku.testing import FakeUpstream, faults
from tests.research.conftest import Web

from .conftest import ABBEY, Person

SLEEP = "How do sea otters sleep?"
NOTHING = {
    "outcome": "unavailable", "hits": [], "stored": {}, "pages": [], "attempts": [],
    "providers": [], "confidence": None, "cost": 0.0,
}  # fmt: skip


def tools_of(k: Any, events: list[Event] | None = None, **options: Any) -> Toolbox:
    """The tools of a run that is about to start."""
    return begin(SLEEP, k, options, ([] if events is None else events).append).tools  # type: ignore[arg-type]


async def test_a_search_is_one_call_with_its_events_and_its_step(client: Any, web: Web) -> None:
    """What it found, who answered, what it cost; its hits may be read from now on."""
    events: list[Event] = []
    tools = tools_of(client(), events)
    found = await tools.web_search(SLEEP)
    url = f"{web.upstream.url}/p/sleep"

    assert list(found) == [
        "outcome", "hits", "stored", "pages", "attempts", "providers", "confidence", "cost",
        "notes", "elapsed_ms",
    ]  # fmt: skip
    assert (found["outcome"], found["stored"], found["pages"], found["notes"]) == (
        "found",
        {},
        [],
        [],
    )
    assert ([h["url"] for h in found["hits"]], found["providers"]) == ([url], ["tavily"])
    assert [a["provider"] for a in found["attempts"]] == ["tavily"]
    assert found["cost"] > 0
    assert 0 < found["confidence"] <= 1
    assert found["elapsed_ms"] > 0
    assert tools.addresses == {url}
    assert tools.results == [found]
    assert tools.steps == [Step("web_search", {"query": SLEEP}, "found", found["elapsed_ms"])]
    assert events == [
        ToolStarted("call-1", "web_search", {"query": SLEEP}),
        ToolEnded(
            "call-1", "web_search", {"query": SLEEP}, "found", 1, ("tavily",),
            found["elapsed_ms"], False, (), (("How otters sleep", url),),
        ),
    ]  # fmt: skip


async def test_the_same_call_again_costs_nothing(client: Any, web: Web) -> None:
    """Also in other letters; it is said, and its time does not count. Once more is another call."""
    events: list[Event] = []
    tools = tools_of(client(), events)
    first = await tools.web_search(SLEEP)
    again = await tools.web_search(f"  {SLEEP.upper()} ")
    said = "the same search was made before; its result was used again"

    assert again == first
    assert web.queries == [SLEEP]
    assert tools.results == [first]
    assert tools.notes == [said]
    assert tools.steps[1].elapsed_ms == 0.0
    ended = events[-1]
    assert isinstance(ended, ToolEnded)
    assert (ended.id, ended.repeated, ended.notes, ended.elapsed_ms) == (
        "call-2",
        True,
        (said,),
        0.0,
    )

    tools.try_again()
    await tools.web_search(SLEEP)
    assert web.queries == [SLEEP, SLEEP]
    assert (tools.attempt, tools.cache) == (2, False)
    assert set(tools.journal.finished) == {
        f"{begun}web_search:{SLEEP.casefold()}{again}"
        for begun in ("", "begun:")
        for again in ("", "#2")
    }


async def test_a_collection_gives_its_passages(client: Any) -> None:
    """The local index alone is asked."""
    k = client()
    await k.index.add([ABBEY], collection="docs")
    found = await tools_of(k).rag_search("Fontenay Abbey founded")

    assert found["providers"] == ["local"]
    assert list(found["stored"]) == ["file:abbey.txt"]
    assert "Bernard of Clairvaux" in found["stored"]["file:abbey.txt"][0]["text"]


async def test_nobody_could_search_has_no_hits_and_no_confidence(
    client: Any, upstream: FakeUpstream
) -> None:
    """The attempt says why."""
    upstream.heals("tavily")
    upstream.fails("tavily", faults.status(400))
    found = await tools_of(client(cache_enabled=False)).web_search(SLEEP)

    assert (found["outcome"], found["hits"], found["confidence"]) == ("unavailable", [], None)
    assert (found["providers"], found["stored"]) == ([], {})
    assert found["attempts"][0]["error"]


async def test_a_title_in_an_event_is_short(client: Any, web: Web) -> None:
    """At most 200 characters."""
    events: list[Event] = []
    web.finds("long", Hit("https://a.example/", "t" * 300, "long otters"))
    await tools_of(client(), events).web_search("long otters")

    ended = events[-1]
    assert isinstance(ended, ToolEnded)
    assert ended.found == (("t" * 199 + "…", "https://a.example/"),)


# --- pages


async def test_only_pages_that_somebody_named_are_read(client: Any, web: Web) -> None:
    """The person or a result; each once, within the budget, and the rest is said."""
    events: list[Event] = []
    url = f"{web.upstream.url}/p/sleep"
    tools = tools_of(client(assistant_fetches=1), events)
    assert await tools.web_extract(["https://evil.example/"], [SLEEP]) == {
        **NOTHING, "outcome": "empty", "notes": [], "elapsed_ms": 0.0,
    }  # fmt: skip
    assert tools.notes == ["an address was not read: neither the person nor a result gave it"]
    assert events == []

    tools.addresses.update([url, f"{web.upstream.url}/p/food"])
    read = await tools.web_extract([url, url, f"{web.upstream.url}/p/food"], [SLEEP])
    assert tools.notes[1:] == ["the budget allows 1 of 2 pages"]
    assert [page["url"] for page in read["pages"]] == [url]
    assert (read["outcome"], read["notes"], read["hits"], read["cost"]) == ("found", [], [], 0.0)
    assert tools.steps == [Step("web_extract", {"urls": [url]}, "found", read["elapsed_ms"])]
    ended = events[-1]
    assert isinstance(ended, ToolEnded)
    assert (ended.hits, ended.found) == (1, (("How otters sleep", url),))

    nothing = await tools.web_extract([f"{web.upstream.url}/p/food"], [SLEEP])
    assert nothing["outcome"] == "empty"
    assert tools.notes[-1] == "the budget allows 0 of 1 pages"


async def test_pages_that_cannot_be_read_are_counted(client: Any, web: Web) -> None:
    """Some of them, or all."""
    good, gone = f"{web.upstream.url}/p/sleep", f"{web.upstream.url}/gone"
    tools = tools_of(client())
    tools.addresses.update([good, gone])

    some = await tools.web_extract([good, gone], [SLEEP])
    none = await tools.web_extract([gone], [SLEEP])
    assert (some["outcome"], some["notes"]) == ("found", ["1 of 2 pages could not be read"])
    assert (none["outcome"], none["notes"]) == ("unavailable", ["1 of 1 pages could not be read"])
    assert tools.notes == [*some["notes"], *none["notes"]]


# --- consent and bounds


async def test_what_is_not_allowed_does_not_run(client: Any, web: Web) -> None:
    """The call ends as refused; nothing is sent."""
    events: list[Event] = []
    tools = tools_of(client(), events, approvals={"web_search": "never"})
    result = await tools.web_search(SLEEP)

    assert result == {**NOTHING, "notes": ["web_search was not allowed to run"], "elapsed_ms": 0.0}
    assert tools.steps == [Step("web_search", {"query": SLEEP}, "refused", 0.0)]
    assert events == [ToolEnded("call-1", "web_search", {"query": SLEEP}, "refused")]
    assert (tools.results, web.queries) == ([], [])


@pytest.mark.parametrize(
    ("reply", "sent"),
    [
        (Reply("proceed"), [SLEEP]),
        (Reply("modify", "otters sleep"), ["otters sleep"]),
        (Reply("skip"), []),
        (Reply("retry", "x"), []),
        (None, []),
    ],
)
async def test_a_call_that_needs_consent_is_asked_about(
    reply: Reply | None, sent: list[str], client: Any, web: Web
) -> None:
    """Once, with its arguments; other words are what runs, and what is shown."""
    events: list[Event] = []
    person = Person(reply)
    tools = tools_of(client(), events, approvals={"web_search": "ask"}, person=person)
    await tools.web_search(SLEEP)

    question = Question(
        "approve", "May web_search run?", choices=("proceed", "modify", "skip", "cancel"),
        tool="web_search", arguments={"query": SLEEP},
    )  # fmt: skip
    assert person.asked == [question]
    assert events[0] == ApprovalNeeded(question)
    assert web.queries == sent
    assert tools.steps[0].arguments == {"query": sent[0] if sent else SLEEP}


async def test_a_cancelled_call_ends_the_run(client: Any, web: Web) -> None:
    """Before anything is sent."""
    tools = tools_of(client(), approvals={"web_search": "ask"}, person=Person(Reply("cancel")))
    with pytest.raises(Cancelled, match="The run was cancelled"):
        await tools.web_search(SLEEP)

    assert web.queries == []


@pytest.mark.parametrize(
    ("reply", "sent"), [(Reply("proceed"), True), (Reply("skip"), False), (None, False)]
)
async def test_what_should_not_leave_is_asked_about(
    reply: Reply | None, sent: bool, client: Any, web: Web
) -> None:
    """The query is sent without it, or not at all."""
    person = Person(reply)
    k = client(scrub_kinds=("emails",), scrub_action="ask")
    tools = tools_of(k, person=person)
    asked = "How do sea otters sleep, ann@example.com?"
    result = await tools.web_search(asked)

    [question] = person.asked
    assert question == Question(
        "approve", "Shall the query be sent without it?", reason=question.reason,
        choices=("proceed", "skip", "cancel"), tool="web_search",
        arguments={"query": asked, "scrub": True},
    )  # fmt: skip
    assert "an e-mail address" in question.reason
    assert len(web.queries) == sent
    if not sent:
        assert result["notes"] == [question.reason]


async def test_a_query_that_is_cancelled_ends_the_run(client: Any) -> None:
    """As any other question does."""
    k = client(scrub_kinds=("emails",), scrub_action="ask")
    with pytest.raises(Cancelled, match="The run was cancelled"):
        await tools_of(k, person=Person(Reply("cancel"))).web_search("otters ann@example.com")


async def test_the_time_of_a_run_is_over(client: Any, web: Web, clock: Any) -> None:
    """At its deadline no call begins; a person's time does not count."""
    clock.stop()
    tools = tools_of(client(), timeout=10)
    assert tools.seconds_left == 10
    clock.advance(10)
    late = await tools.web_search(SLEEP)

    assert late["notes"] == ["the time of the run was over before this call"]
    assert (late["outcome"], web.queries) == ("unavailable", [])


async def test_a_persons_time_does_not_count(client: Any, clock: Any) -> None:
    """However long they think."""

    async def slow(_: Question) -> Reply:
        clock.advance(200)
        return Reply("proceed")

    clock.stop()
    tools = tools_of(client(), timeout=100, person=slow)
    await tools.ask(Question("confirm", "?"), ApprovalNeeded(Question("confirm", "?")))

    assert tools.seconds_left == 100


async def test_what_is_left_is_told_to_a_model(client: Any, clock: Any) -> None:
    """Searches, pages, tokens, dollars if they are bounded, seconds; never less than nothing."""
    clock.stop()
    tools = tools_of(client(assistant_searches=3), timeout=30.4)
    assert tools.left() == "3 searches, 12 pages, 60000 tokens, 30 seconds"

    await tools.budget.spend(searches=3, fetches=1)
    await tools.budget.settle(tokens=60_001)
    clock.advance(99)
    assert tools.left() == "0 searches, 11 pages, 0 tokens, 0 seconds"
    assert "0.5 dollars" in tools_of(client(assistant_money=0.5)).left()


async def test_a_search_that_may_be_paid_already_goes_to_who_charges_nothing(
    client: Any, web: Web
) -> None:
    """It is said first."""
    from kensaku.assistant import Journal

    journal = Journal({f"begun:web_search:{SLEEP.casefold()}": True})
    found = await tools_of(client(), journal=journal).web_search(SLEEP)

    assert found["notes"][0] == (
        "this search was under way when a process ended: who charges for it was not asked again"
    )
    assert (found["outcome"], web.queries) == ("unavailable", [])


# --- what the client is asked


class Client:
    """A client that writes down what is asked of it."""

    index = "the index"

    def __init__(self, response: Any) -> None:
        self.settings = SimpleNamespace(timeout=30.0)
        self.response, self.asked = response, list[tuple[Any, ...]]()

    async def search(self, query: str, **options: Any) -> Any:
        self.asked.append(("search", query, options))
        return self.response

    async def extract(self, urls: list[str], **options: Any) -> Any:
        self.asked.append(("extract", urls, options))
        if isinstance(self.response, Exception):
            raise self.response
        return self.response


def fake_tools(k: Any, response: Any, **options: Any) -> tuple[Toolbox, Client]:
    """The tools of a run whose client gives this."""
    tools, client = tools_of(k, **options), Client(response)
    tools.client = client  # type: ignore[assignment]
    return tools, client


@pytest.mark.parametrize(("whole", "seconds"), [(100, 30.0), (12, 12.0)])
async def test_a_search_has_the_bounds_of_the_run(
    whole: float, seconds: float, client: Any, clock: Any
) -> None:
    """Eight results, the route and the collection, and no more time than is left."""
    clock.stop()
    found = Response(
        Query(SLEEP), Outcome.EMPTY, notes=("cut",),
        attempts=(
            Attempt("tavily", Outcome.EMPTY, cost=0.25),
            Attempt("exa", Outcome.UNAVAILABLE, KensakuError("no")),
            Attempt("brave", Outcome.EMPTY),
        ),
    )  # fmt: skip
    tools, fake = fake_tools(
        client(), found, timeout=whole, route="tavily,exa", collection="docs", cache=False
    )
    result = await tools.web_search(SLEEP)
    await tools.rag_search("otters")

    options = {
        "max_results": 8, "route": ("tavily", "exa"), "collection": "docs", "timeout": seconds,
        "cache": False, "budget": tools.budget,
    }  # fmt: skip
    assert fake.asked == [
        ("search", SLEEP, options), ("search", "otters", {**options, "route": ["local"]}),
    ]  # fmt: skip
    assert result == {
        "outcome": "empty", "hits": [], "stored": {}, "pages": [],
        "attempts": [a.to_dict() for a in found.attempts], "providers": ["brave", "tavily"],
        "confidence": None, "cost": 0.25, "notes": ["cut"], "elapsed_ms": 0.0,
    }  # fmt: skip


async def test_a_search_that_may_be_paid_already_has_no_money(client: Any) -> None:
    """But the rest of the run's budget."""
    tools, fake = fake_tools(client(), Response(Query(SLEEP), Outcome.EMPTY))
    await tools._search_for_free(SLEEP)

    budget = fake.asked[0][2]["budget"]
    assert (budget.money, budget.parent) == (0.0, tools.budget)
    assert "who charges for it was not asked again" in budget.reason


@pytest.mark.parametrize(("whole", "seconds"), [(100, 20.0), (12, 12.0)])
async def test_pages_have_twenty_seconds_at_most(
    whole: float, seconds: float, client: Any, clock: Any
) -> None:
    """Pages without a text, or that need a browser, were not read."""
    clock.stop()
    pages = [
        Page("https://a.example/", title="A", text="Sea otters sleep."),
        Page("https://b.example/", title="B", text=""),
        Page("https://c.example/", title="C", text="Wait …", needs_browser=True),
    ]
    tools, fake = fake_tools(client(), SimpleNamespace(results=pages), timeout=whole)
    urls = [page.url for page in pages]
    result = await tools._read(urls, [SLEEP])

    assert fake.asked == [("extract", urls, {"timeout": seconds, "budget": tools.budget})]
    assert [page["url"] for page in result["pages"]] == ["https://a.example/"]
    assert (result["outcome"], result["notes"]) == ("found", ["2 of 3 pages could not be read"])


@pytest.mark.parametrize("error", [BudgetExceeded("too much"), IndexFault("too much")])
async def test_pages_that_may_not_be_read_are_left_out(error: Exception, client: Any) -> None:
    """The snippets are still worth having."""
    tools, _ = fake_tools(client(), error)
    result = await tools._read(["https://a.example/"], [SLEEP])

    assert result == {
        **NOTHING, "notes": ["the pages were not read: too much"], "elapsed_ms": 0.0,
    }  # fmt: skip


async def test_stored_passages_are_looked_up_for_hits_of_collections_alone(
    client: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In three thousand tokens."""
    from kensaku.assistant import toolbox

    asked: list[Any] = []

    async def stored_passages(*given: Any) -> dict[str, Any]:
        asked.append(given)
        return {"u": [Passage("u", "text", 0, 4)]}

    monkeypatch.setattr(toolbox, "stored_passages", stored_passages)
    web, own = Hit("https://a.example/", "A", provider="tavily"), Hit("u", "B", provider="local")
    tools, _ = fake_tools(client(), None)
    assert await tools._stored(Response(Query(SLEEP), Outcome.FOUND, (web,))) == {}
    found = await tools._stored(Response(Query(SLEEP), Outcome.FOUND, (web, own)))

    assert asked == [("the index", SLEEP, (web, own), 3_000)]
    assert found == {"u": [Passage("u", "text", 0, 4).to_dict()]}
