"""The fake upstream: a real server that others can rely on in their tests."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import urllib.request

import pytest

from kensaku.errors import KeyRefused, ProviderError, RateLimited
from kensaku.models import Hit, Query
from kensaku.providers import BUILT_IN, provider_class
from kensaku.testing import FakeUpstream, faults
from kensaku.transport.http import HttpClient

OTTER = Hit(url="https://a.example/", title="Otter", content="It swims.")


async def test_it_answers_with_the_hits_it_was_given(ask, upstream):
    """In the format of whoever is asked."""
    upstream.answers("serper", [OTTER])
    upstream.answers("linkup", [OTTER])

    for name in ("serper", "linkup"):
        (hit,) = (await ask(name)).hits
        assert (hit.url, hit.title, hit.content) == (OTTER.url, OTTER.title, OTTER.content)


async def test_given_hits_reach_the_news_too(ask, upstream):
    """A second endpoint has a second format."""
    upstream.answers("brave", [OTTER])

    (hit,) = (await ask("brave", query=Query("otter", topic="news"))).hits

    assert hit.title == "Otter"


async def test_no_hits_are_the_upstreams_own_nothing(ask, upstream):
    """Also where that is a status of its own."""
    upstream.answers("jina", [])

    assert (await ask("jina")).hits == []


async def test_without_arguments_it_is_the_sample_again(ask, upstream):
    """Whatever a test has set can be taken back."""
    upstream.answers("tavily", [])
    upstream.answers("tavily")

    expected = upstream.samples["tavily"].expect
    assert [hit.url for hit in (await ask("tavily")).hits] == [e["url"] for e in expected]


async def test_faults_come_one_after_the_other(ask, upstream):
    """The first that still applies is used."""
    upstream.fails("brave", faults.status(401), times=1)
    upstream.fails("brave", faults.status(429))

    with pytest.raises(KeyRefused):
        await ask("brave")
    with pytest.raises(RateLimited):
        await ask("brave")


async def test_a_fault_can_depend_on_the_request(ask, upstream):
    """One key of a pool is exhausted, the other is not."""
    spent = faults.status(429)
    upstream.fails("exa", spent, when=lambda seen: seen.headers["x-api-key"] == "old")

    assert (await ask("exa", key="new")).hits
    with pytest.raises(RateLimited):
        await ask("exa", key="old")


async def test_a_fault_can_be_for_everyone_and_be_healed(ask, upstream):
    """A network that is down is down for all; one that is healed alone leaves the others."""
    for name in ("tavily", "brave"):
        upstream.fails(name, faults.status(503))
    upstream.heals("tavily")
    upstream.heals("never")
    assert (await ask("tavily")).hits
    with pytest.raises(ProviderError):
        await ask("brave")

    upstream.fails("*", faults.status(503))
    with pytest.raises(ProviderError):
        await ask("tavily")
    upstream.heals()

    assert (await ask("tavily")).hits


@pytest.mark.parametrize("seed", [1, 2])
async def test_chance_is_the_same_for_the_same_seed(seed):
    """A test that fails by chance can be run again."""

    async def statuses() -> list[int]:
        http, found = HttpClient(user_agent="t"), []
        async with FakeUpstream(seed=seed) as upstream:
            upstream.fails("exa", faults.status(500), chance=0.5)
            provider = provider_class("exa")(upstream.base_url("exa"))
            for _ in range(20):
                reply = await http.send(provider.request(Query("otter"), "k"), "exa")
                found.append(reply.status)
        await http.close()
        return found

    first = await statuses()

    assert set(first) == {200, 500}
    assert first == await statuses()


async def test_it_logs_what_it_was_asked(ask, upstream):
    """Method, path, headers, parameters and body, as they came."""
    await ask("tavily", key="k-1")
    await ask("brave", query=Query("日本 & co"))

    tavily, brave = upstream.requests
    assert (tavily.method, tavily.path) == ("POST", "/tavily/search")
    assert tavily.headers["authorization"] == "Bearer k-1"
    assert tavily.json["query"] == "otter"
    assert brave.params["q"] == "日本 & co"
    assert upstream.asked("brave") == [brave]
    assert repr(brave) == "<GET /brave/res/v1/web/search>"


async def test_requests_can_come_in_pieces_and_in_bunches(upstream):
    """TCP does not know where a request ends."""
    reader, writer = await asyncio.open_connection("127.0.0.1", int(upstream.url.rsplit(":", 1)[1]))
    request = b"POST /exa/search HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}"
    for piece in (request[:30], request[30:-1], request[-1:] + request + request):
        writer.write(piece)
        await writer.drain()
        await asyncio.sleep(0)
    seen = 0
    while seen < 3:
        seen += (await reader.readuntil(b"}}}")).count(b"HTTP/1.1 200")
    writer.close()
    await writer.wait_closed()

    assert len(upstream.requests) == 3


async def test_it_serves_pages_as_well(upstream):
    """For tests that fetch what they have found."""
    url = upstream.serves("/page", "<h1>Otter</h1>")

    with await asyncio.to_thread(urllib.request.urlopen, url) as page:
        assert page.read() == b"<h1>Otter</h1>"


def test_its_environment_names_every_provider():
    """Base URLs, keys that are none, and options that are needed."""
    environment = FakeUpstream().environment()

    for name in BUILT_IN.keys() - {"local"}:
        cls = provider_class(name)
        assert environment[f"{name.upper()}_BASE_URL"].endswith(f"/{name}")
        assert cls.key_variable is None or environment[cls.key_variable].endswith("-test-key")
    assert environment["GOOGLE_CX"]


def test_its_environment_can_leave_out_keys():
    """For the pool of those that answer without one."""
    environment = FakeUpstream().environment("tavily", keys=False, rate="99/s")

    assert environment.keys() == {"TAVILY_BASE_URL", "TAVILY_RATE"}


def test_it_runs_in_a_thread_for_code_that_does_not_await():
    """And can be changed from outside while it runs."""
    with FakeUpstream.in_thread() as upstream:
        for hits in ([OTTER], []):
            upstream.answers("marginalia", hits)
            with urllib.request.urlopen(upstream.base_url("marginalia") + "/search") as reply:
                assert (b"Otter" in reply.read()) is bool(hits)


def test_a_port_that_is_taken_is_an_error_and_not_a_wait():
    """Two servers cannot have the same one."""
    with FakeUpstream.in_thread() as upstream:
        port = int(upstream.url.rsplit(":", 1)[1])
        with pytest.raises(OSError), FakeUpstream.in_thread(port=port):
            pass


@pytest.mark.usefixtures("processes")
def test_it_runs_as_a_process_of_its_own():
    """So that a benchmark does not share its interpreter."""
    with subprocess.Popen(
        [sys.executable, "-m", "kensaku.testing"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        lines = iter(process.stdout.readline, "\n")
        environment = dict(line.strip().split("=", 1) for line in lines)
        with urllib.request.urlopen(environment["MARGINALIA_BASE_URL"] + "/search") as reply:
            assert b"Otter poems" in reply.read()
        process.stdin.close()

    assert process.returncode == 0


@pytest.mark.usefixtures("processes")
def test_in_the_background_the_process_stays() -> None:
    """Without a stdin, as behind `&` in a script, it serves until it is ended."""
    process = subprocess.Popen(
        [sys.executable, "-m", "kensaku.testing"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout
        lines = iter(process.stdout.readline, "\n")
        variables = dict(line.strip().split("=", 1) for line in lines)
        reply = urllib.request.urlopen(variables["MARGINALIA_BASE_URL"] + "/search")
        assert reply.status == 200
        assert process.poll() is None
    finally:
        process.kill()
        process.communicate()
