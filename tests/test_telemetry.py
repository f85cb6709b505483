"""OpenTelemetry spans, read back by the SDK's own exporter in memory."""

from __future__ import annotations

import asyncio
import subprocess
import sys

import pytest
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind, StatusCode

from kensaku import Document, Settings
from kensaku.observe import Caller, Observers, caller, observe
from kensaku.operations import (
    AttemptOperation,
    FetchOperation,
    IndexOperation,
    RequestOperation,
    SearchOperation,
)
from kensaku.sync import Kensaku as SyncKensaku
from kensaku.telemetry import Telemetry
from kensaku.testing import FakeUpstream, faults
from kensaku.tools import WebSearchTool

QUERY = "where does Person-zz91 live?"
KEY = "tvly-CANARY0123456789"


class Traces:
    """An SDK of its own, and the spans that were exported."""

    def __init__(self) -> None:
        self._exporter = InMemorySpanExporter()
        self.provider = TracerProvider()
        self.provider.add_span_processor(SimpleSpanProcessor(self._exporter))
        self.tracer = self.provider.get_tracer("test")

    @property
    def spans(self):
        return {span.name: span for span in self._exporter.get_finished_spans()}

    def tree(self) -> set[tuple[str, str]]:
        """(span, its parent) by their names."""
        spans = self._exporter.get_finished_spans()
        names = {span.context.span_id: span.name for span in spans}
        return {(s.name, names[s.parent.span_id] if s.parent else "") for s in spans}

    def text(self) -> str:
        return "".join(span.to_json() for span in self._exporter.get_finished_spans())


@pytest.fixture
def traces(monkeypatch: pytest.MonkeyPatch) -> Traces:
    monkeypatch.delenv("OTEL_SDK_DISABLED", raising=False)  # other tests keep frameworks quiet
    return Traces()


async def test_spans_nest_across_tasks(make_client, traces):
    """A tool in a span of the application; providers in tasks of their own."""
    client = make_client(
        "tavily", "brave", mode="all", observers=[Telemetry(traces.provider)], cache_enabled=False
    )
    with traces.tracer.start_as_current_span("agent"):
        await asyncio.create_task(WebSearchTool(client).invoke({"query": QUERY}))

    assert traces.tree() == {
        ("agent", ""),
        ("execute_tool web_search", "agent"),
        ("retrieval", "execute_tool web_search"),
        ("attempt tavily", "retrieval"),
        ("attempt brave", "retrieval"),
    }
    assert len({span.context.trace_id for span in traces.spans.values()}) == 1


async def test_searches_side_by_side_keep_their_own_attempts(make_client, traces):
    """Each search is a trace of its own when the application has none."""
    client = make_client("tavily", observers=[Telemetry(traces.provider)])

    await asyncio.gather(*(client.search(f"otters {n}") for n in range(5)))

    spans = traces._exporter.get_finished_spans()
    searches = {s.context.span_id: s.context.trace_id for s in spans if s.name == "retrieval"}
    attempts = [s for s in spans if s.name == "attempt tavily"]
    assert len(set(searches.values())) == 5
    assert {a.parent.span_id for a in attempts} == set(searches)
    assert all(searches[a.parent.span_id] == a.context.trace_id for a in attempts)


async def test_a_tool_follows_the_genai_conventions(make_client, traces):
    """What backends for agents look for."""
    tool = WebSearchTool(make_client("tavily", observers=[Telemetry(traces.provider)]))
    await tool.invoke({"query": QUERY})
    await tool.invoke("no JSON")

    good, bad = [s for s in traces._exporter.get_finished_spans() if "tool" in s.name]
    assert good.kind is SpanKind.INTERNAL
    assert good.attributes["gen_ai.operation.name"] == "execute_tool"
    assert good.attributes["gen_ai.tool.name"] == "web_search"
    assert good.attributes["gen_ai.tool.type"] == "function"
    assert good.status.status_code is StatusCode.UNSET
    assert bad.status.status_code is StatusCode.ERROR
    assert bad.attributes["error.type"] == "arguments"


async def test_a_search_is_a_retrieval_with_its_cache_lookup_as_an_event(make_client, traces):
    """One span for the whole, whatever it took."""
    client = make_client("tavily", observers=[Telemetry(traces.provider)])
    await client.search(QUERY, max_results=3)

    span = traces.spans["retrieval"]
    assert span.kind is SpanKind.CLIENT
    assert span.attributes["gen_ai.operation.name"] == "retrieval"
    assert span.attributes["gen_ai.retrieval.top_k"] == 3
    assert span.attributes["kensaku.outcome"] == "found"
    assert [(e.name, dict(e.attributes)) for e in span.events] == [
        ("cache", {"kensaku.result": "miss"})
    ]


async def test_a_failure_is_a_status_and_a_type(make_client, traces, upstream):
    """The message stays out: it may quote what an upstream said."""
    upstream.fails("tavily", faults.status(401, {"detail": "Person-zz91"}))
    await make_client("tavily", observers=[Telemetry(traces.provider)]).search(QUERY)

    attempt, search = traces.spans["attempt tavily"], traces.spans["retrieval"]
    assert attempt.status.status_code is StatusCode.ERROR
    assert attempt.attributes["error.type"] == "KeyRefused"
    assert search.status.status_code is StatusCode.ERROR
    assert search.attributes["error.type"] == "unavailable"
    assert "zz91" not in traces.text()


async def test_a_retry_is_an_event_and_each_request_a_span(make_client, traces, upstream):
    """One can see what the time went into."""
    upstream.fails("tavily", faults.status(503), times=1)
    await make_client("tavily", observers=[Telemetry(traces.provider)]).search("otters")

    attempts = [s for s in traces._exporter.get_finished_spans() if s.name == "attempt tavily"]
    assert [s.attributes["kensaku.number"] for s in attempts] == [1, 2]
    assert "retry" in [e.name for e in traces.spans["retrieval"].events]


async def test_pages_and_the_index_have_spans(make_client, traces, upstream):
    """A fetch has a host and a status; a search of a collection is a retrieval from it."""
    page = upstream.serves("/Person-zz91", "<h1>Otters</h1><p>They hold hands all night.</p>")
    telemetry = Telemetry(traces.provider)
    client = make_client("local", fetch_allow="127.0.0.1", fetch_ports="any", observers=[telemetry])
    await client.extract(page)
    await client.index.add([Document("https://otter.example/", "Otters", "hands")], "zoo")
    await client.index.search("hands", collections="zoo")

    fetch = traces.spans["fetch"]
    assert {("fetch", "pages"), ("extract", "pages"), ("index add", "")} <= traces.tree()
    assert fetch.attributes["server.address"] == "127.0.0.1"
    assert fetch.attributes["http.response.status_code"] == 200
    assert traces.spans["retrieval zoo"].attributes["gen_ai.data_source.id"] == "zoo"
    assert "zz91" not in traces.text()
    assert telemetry._spans == {}


@pytest.mark.parametrize("texts", [False, True])
async def test_queries_are_in_spans_only_when_the_application_says_so(make_client, traces, texts):
    """And keys never."""
    telemetry = Telemetry(traces.provider, texts=texts)
    client = make_client("tavily", env={"TAVILY_API_KEY": KEY}, observers=[telemetry])

    await client.search(QUERY)

    assert (QUERY in traces.text()) is texts
    assert "CANARY" not in traces.text()


def test_the_sync_client_joins_the_trace_of_its_caller(machine, traces):
    """Its work is done in another thread."""
    with FakeUpstream.in_thread() as up:
        settings = Settings.load(environ=up.environment("tavily"), route="tavily", home=machine)
        k = SyncKensaku(settings, observers=[Telemetry(traces.provider)])
        with k, traces.tracer.start_as_current_span("agent"):
            k.search("otters")

    assert {("retrieval", "agent"), ("attempt tavily", "retrieval")} <= traces.tree()


def test_a_request_to_the_server_is_a_server_span(traces):
    """With the pattern of its route, and the id that is in the logs."""
    token = caller.set(Caller("r1", key="k1", endpoint="/search"))
    observers = Observers([Telemetry(traces.provider)])
    with observe(observers, RequestOperation, "POST", "r1") as request:
        request.record(503, "/search", "k1")
    caller.reset(token)

    span = traces.spans["POST /search"]
    assert span.kind is SpanKind.SERVER
    assert span.attributes["http.response.status_code"] == 503
    assert span.attributes["kensaku.request_id"] == "r1"
    assert span.status.status_code is StatusCode.ERROR


@pytest.mark.usefixtures("processes")
def test_without_the_package_the_error_names_the_extra():
    """`import kensaku` does not need it."""
    code = (
        "import sys; sys.modules['opentelemetry'] = None\n"
        "try:\n    import kensaku.telemetry\n"
        "except ImportError as error:\n    print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)

    assert 'pip install "kensaku-search[telemetry]"' in done.stdout


@pytest.mark.parametrize(
    ("operation", "name", "kind", "known"),
    [
        (SearchOperation(QUERY, 5, "first"), "retrieval", SpanKind.CLIENT,
         {"gen_ai.retrieval.query.text": QUERY, "kensaku.mode": "first"}),
        (FetchOperation("https://a.example/x"), "fetch", SpanKind.CLIENT,
         {"url.full": "https://a.example/x"}),
        (RequestOperation("GET"), "GET", SpanKind.SERVER, {"http.request.method": "GET"}),
        (IndexOperation("search", ""), "retrieval", SpanKind.INTERNAL,
         {"gen_ai.operation.name": "retrieval"}),
        (IndexOperation("add", collection="docs"), "index add", SpanKind.INTERNAL,
         {"gen_ai.data_source.id": "docs", "kensaku.action": "add"}),
    ],
)  # fmt: skip
def test_each_operation_is_a_span_in_the_words_of_the_conventions(
    traces, operation, name, kind, known
):
    """Its name, its kind, and what is known of it."""
    telemetry = Telemetry(traces.provider, texts=True)
    telemetry.begin(operation)
    telemetry.end(operation)

    [span] = traces.spans.values()
    assert (span.name, span.kind) == (name, kind)
    assert known.items() <= dict(span.attributes).items()


@pytest.mark.parametrize(("sent", "status"), [(True, StatusCode.ERROR), (False, StatusCode.UNSET)])
def test_a_provider_that_was_not_asked_is_no_error(traces, sent, status):
    """Its span says why; only a request that was sent can fail."""
    telemetry = Telemetry(traces.provider)
    operation = AttemptOperation("tavily", sent=sent)
    telemetry.begin(operation)
    operation.fail(TimeoutError())
    telemetry.end(operation)

    [span] = traces.spans.values()
    assert span.status.status_code is status
    assert span.status.description == ("TimeoutError" if sent else None)
    assert span.attributes["error.type"] == "TimeoutError"
