"""What observers are told: operations that begin, end and nest, without keys and texts."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import fields

import pytest

from kensaku import Document, Hit, Outcome, operations
from kensaku.observe import NO_OBSERVERS, Caller, Observer, Observers, Operation, caller, observe
from kensaku.operations import CacheOperation, FetchOperation, IndexOperation, SearchOperation
from kensaku.testing import faults
from kensaku.tools import AskUserTool, WebSearchTool
from tests.recorder import Recorder

QUERY = "where does Person-zz91 live?"
OTTER = Hit(url="https://otter.example/", title="Otters", content="They hold hands.")


@pytest.fixture
def recorder() -> Recorder:
    return Recorder()


async def test_a_search_has_its_cache_lookup_and_attempt_inside(make_client, recorder):
    """Who draws a waterfall needs to know what belongs to what."""
    await make_client("tavily", observers=[recorder]).search("otters")

    (search,) = recorder.of("search")
    assert recorder.names == ["cache", "attempt", "search"]
    assert [o.name for o in recorder.begun] == ["search", "cache", "attempt"]
    assert [o.parent for o in recorder.ended] == [search, search, None]
    assert all(o.elapsed_ms > 0 for o in recorder.ended)
    assert search.attributes() == {
        "max_results": 5, "mode": "first", "outcome": "found", "hits": search.hits,
        "cached": False, "stale": False,
    }  # fmt: skip


async def test_an_attempt_that_failed_has_its_type_and_the_retry(make_client, recorder, upstream):
    """The same provider is asked again after a moment."""
    upstream.fails("tavily", faults.status(503), times=1)

    await make_client("tavily", observers=[recorder]).search("otters")

    first, second = recorder.of("attempt")
    (retry,) = recorder.of("retry")
    assert (first.outcome, first.error, first.number) == ("unavailable", "Outage", 1)
    assert (second.outcome, second.error, second.number) == ("found", "", 2)
    assert (retry.provider, retry.after) == ("tavily", "Outage")
    assert retry.elapsed_ms >= retry.delay * 900


async def test_a_provider_that_is_not_asked_is_an_attempt_that_was_not_sent(make_client, recorder):
    """A missing key is a reason that somebody looks for."""
    client = make_client("brave", env={"BRAVE_API_KEY": ""}, observers=[recorder])
    await client.search("otters")

    (attempt,) = recorder.of("attempt")
    assert (attempt.sent, attempt.error) == (False, "NotConfigured")
    assert recorder.of("search")[0].error == "unavailable"


async def test_a_request_that_is_called_off_has_ended(make_client, recorder, upstream):
    """No span stays open after a hedge."""
    upstream.fails("tavily", faults.hang())
    client = make_client("tavily", observers=[recorder])
    search = asyncio.create_task(client.search("otters", timeout=30))
    while not upstream.asked("tavily"):  # noqa: ASYNC110 - it has no event for that
        await asyncio.sleep(0.01)
    search.cancel()
    await asyncio.gather(search, return_exceptions=True)
    await client.close()

    assert recorder.of("attempt")[0].error == "CalledOff"
    assert recorder.of("search")[0].error == "CancelledError"


async def test_pages_are_fetched_and_extracted_inside_one_operation(
    make_client, recorder, upstream
):
    """A page that is missing has its status; the other one its text."""
    page = upstream.serves("/otter", "<h1>Otters</h1><p>They hold hands.</p>")
    client = make_client("tavily", fetch_allow="127.0.0.1", fetch_ports="any", observers=[recorder])
    await client.extract([page + "?api_key=tvly-canary", upstream.url + "/missing"])

    (pages,) = recorder.of("pages")
    good, bad = sorted(recorder.of("fetch"), key=lambda fetch: fetch.error)
    (extract,) = recorder.of("extract")
    assert (pages.urls, pages.results, pages.failed) == (2, 1, 1)
    assert (good.host, good.status, good.via) == ("127.0.0.1", 200, "http")
    assert (bad.status, bad.error) == (404, "PageUnavailable")
    assert extract.content_type == "text/html"
    assert extract.characters > 10
    assert {o.parent for o in (good, bad, extract)} == {pages}
    assert "url" not in good.attributes()
    assert good.attributes(texts=True)["url"].endswith("/otter?api_key=…")


async def test_the_index_is_observed(make_client, recorder):
    """Adding, searching and deleting, with how many documents it was about."""
    client = make_client("local", observers=[recorder])
    await client.index.add([Document("https://otter.example/", "Otters", "hands")], "zoo")
    await client.index.search(QUERY, collections="zoo")
    await client.index.delete("https://otter.example/", "zoo")

    told = [(o.action, o.collection, o.count) for o in recorder.of("index")]
    assert [t[:2] for t in told] == [("add", "zoo"), ("search", "zoo"), ("delete", "zoo")]
    assert (told[0][2], told[2][2]) == (1, 1)
    assert all("query" not in o.attributes() for o in recorder.of("index"))


async def test_a_tool_is_observed_with_what_it_does(make_client, recorder, upstream):
    """The search is inside the call of the tool; a failure is one of its kinds."""
    tool = WebSearchTool(make_client("tavily", observers=[recorder]))
    await tool.invoke({"query": "otters"})
    await tool.invoke({"nonsense": 1})

    good, bad = recorder.of("tool")
    assert (good.tool, good.success, good.error) == ("web_search", True, "")
    assert recorder.of("search")[0].parent is good
    assert (bad.success, bad.error) == (False, "arguments")


async def test_a_tool_without_a_client_of_its_own_makes_none_to_be_observed():
    """Asking a person needs no settings."""
    assert (await AskUserTool().invoke({"question": "Which one?"})).awaiting_response


async def test_an_observer_that_raises_breaks_nothing(make_client, caplog, recorder):
    """It is logged once for each type of error, and the others are still told."""

    class Broken(Observer):
        def begin(self, operation: Operation) -> None:
            raise RuntimeError(QUERY)

        def end(self, operation: Operation) -> None:
            raise ValueError(QUERY)

    client = make_client("tavily", observers=[Broken(), recorder])
    for _ in range(2):
        response = await client.search(QUERY, cache=False)

    warnings = [r.getMessage() for r in caplog.records if r.levelno == logging.WARNING]
    assert response.outcome is Outcome.FOUND
    assert len(recorder.of("search")) == 2
    assert len([w for w in warnings if "Broken" in w]) == 2
    assert QUERY not in caplog.text


async def test_observers_end_in_the_reverse_order():
    """Each may set a context variable and reset it."""
    told = []

    class Named(Observer):
        def __init__(self, name: str) -> None:
            self.name = name

        def begin(self, operation: Operation) -> None:
            told.append(f"begin {self.name}")

        def end(self, operation: Operation) -> None:
            told.append(f"end {self.name}")

    with observe(Observers([Named("a"), Named("b")]), IndexOperation, "add", "zoo"):
        pass

    assert told == ["begin a", "begin b", "end b", "end a"]


async def test_an_observer_knows_for_whom_the_work_is_done(make_client, recorder):
    """Two requests at the same time have each their own caller, in every task."""
    client = make_client("tavily", "brave", mode="all", observers=[recorder])

    async def request(number: int) -> None:
        caller.set(Caller(f"r{number}", "tenant", f"k{number}", "/search"))
        await client.search(f"otters {number}")

    await asyncio.gather(request(1), request(2))

    ids = [(o.query, c.request_id) for o, c in zip(recorder.ended, recorder.callers, strict=True)
           if o.name == "search"]  # fmt: skip
    assert sorted(ids) == [("otters 1", "r1"), ("otters 2", "r2")]
    assert None not in recorder.callers
    assert caller.get() is None


def test_without_observers_nothing_is_made():
    """Not even the operation: its arguments are passed on only when somebody listens."""
    made = []

    class Counted(FetchOperation):
        def __post_init__(self) -> None:
            made.append(self)

    with observe(NO_OBSERVERS, Counted, "https://otter.example/") as operation:
        operation.record(object())

    assert made == []


def test_no_operation_shows_a_text_or_an_address():
    """Neither its `repr` nor its attributes, unless an observer asks for them."""
    search = SearchOperation(QUERY, 5, "first")
    fetch = FetchOperation("https://user:hunter2@otter.example/Person-zz91")

    for operation in (search, fetch, IndexOperation("search", "zoo", QUERY)):
        assert "zz91" not in repr(operation) + repr(operation.attributes())
        assert "zz91" in repr(operation.attributes(texts=True))
    assert "hunter2" not in repr(fetch.attributes(texts=True))
    assert fetch.host == "otter.example"


def test_what_a_person_wrote_is_marked_in_every_operation():
    """A new field with a query or an address must be one that is left out by default."""
    kinds = [
        k for k in vars(operations).values() if isinstance(k, type) and issubclass(k, Operation)
    ]
    texts = {f.name for kind in kinds for f in fields(kind) if "text" in f.metadata}
    others = {f.name for kind in kinds for f in fields(kind) if "text" not in f.metadata}

    assert texts == {"query", "url"}
    assert texts & others == set()


def test_an_observer_of_some_kinds_is_told_about_those_alone():
    """Most operations are none of its business, and a call costs time."""

    class OfSearches(Observer):
        kinds = (SearchOperation,)

        def __init__(self) -> None:
            self.told: list[str] = []

        def begin(self, operation: Operation) -> None:
            self.told.append(f"begin {operation.name}")

        def end(self, operation: Operation) -> None:
            self.told.append(f"end {operation.name}")

    observer = OfSearches()
    observers = Observers([observer])
    with (
        observe(observers, SearchOperation, "otters", 5, "first"),
        observe(observers, CacheOperation),
    ):
        pass

    assert observer.told == ["begin search", "end search"]
