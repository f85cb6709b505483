"""The HTTP client of the providers: pools, bounds, redirects, proxies, event loops."""

from __future__ import annotations

import asyncio
import gc
import subprocess
import sys
import warnings

import pytest

from kensaku import Kensaku, Outcome, Settings
from kensaku.errors import NotConfigured, NotConnected, Unreachable, Unreadable
from kensaku.testing import FakeUpstream, faults
from kensaku.transport.egress import Egress
from kensaku.transport.http import HttpClient
from kensaku.transport.request import Request
from kensaku.transport.sessions import MAX_REPLY_BYTES

from .raw_server import RawServer, reply, sends


@pytest.fixture
async def http():
    client = HttpClient(user_agent="test")
    yield client
    await client.close()


@pytest.mark.parametrize("wide", [1, 16, 64])
async def test_a_hundred_searches_open_as_many_connections_as_are_in_flight(
    wide, make_client, upstream
):
    """Connections are kept and used again."""
    upstream.fails("tavily", faults.delay(0.002))
    client, numbers = make_client("tavily"), iter(range(100))

    async def worker():
        for n in numbers:
            found = await client.search(f"otters {n}", cache=False)
            assert found.outcome is Outcome.FOUND

    await asyncio.gather(*(worker() for _ in range(wide)))

    assert len(upstream.requests) == 100
    assert upstream.connections <= wide


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_a_redirect_is_not_followed(status, make_client, upstream):
    """A key must not travel to a host that an answer names."""
    async with FakeUpstream() as elsewhere:
        away = {"Location": elsewhere.base_url("tavily") + "/search"}
        upstream.fails("tavily", faults.status(status, headers=away))

        found = await make_client("tavily").search("otters")

        assert elsewhere.requests == []
    error = found.attempts[0].error
    assert isinstance(error, Unreadable)
    assert error.status == status
    assert "TAVILY_BASE_URL" in error.remedy


async def test_a_reply_that_is_too_large_is_not_read(http, upstream):
    """16 MiB; a search result has a few kilobytes."""
    url = upstream.serves("/big", b" " * (MAX_REPLY_BYTES + 1), "application/json")

    with pytest.raises(Unreadable, match="16 MiB"):
        await http.send(Request(url), "tavily")


PROXIES = (
    *("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"),
    "PRIMP_PROXY",
)


@pytest.fixture
async def trap(monkeypatch):
    """A proxy that the environment names, in every way there is."""
    async with FakeUpstream() as proxy:
        for name in PROXIES:
            monkeypatch.setenv(name, proxy.url)
        yield proxy


@pytest.mark.parametrize("provider", ["tavily", "brave", "searxng", "duckduckgo"])
async def test_proxies_of_the_environment_are_not_asked(provider, make_client, trap):
    """A proxy is an explicit setting: one that is set by accident would see keys and queries."""
    found = await make_client(provider).search("otters")

    assert trap.connections == 0
    assert found.outcome is Outcome.FOUND


@pytest.mark.parametrize("provider", ["tavily", "brave", "duckduckgo"])
async def test_a_proxy_that_is_set_gets_the_whole_request(provider, make_client, upstream, trap):
    """`KENSAKU_PROXY`, whatever the environment says: address, key and body arrive there."""
    await make_client(provider).search("otters", max_results=3)
    async with FakeUpstream() as proxy:
        found = await make_client(provider, proxy=proxy.url).search("otters", max_results=3)

    (direct,), proxied = upstream.requests, proxy.requests[0]
    assert found.outcome is Outcome.UNAVAILABLE
    assert trap.connections == 0
    assert (proxied.method, proxied.target) == (direct.method, upstream.url + direct.target)
    assert proxied.body == direct.body
    for name in ("authorization", "x-subscription-token", "content-type"):
        assert proxied.headers.get(name) == direct.headers.get(name)


@pytest.mark.parametrize(
    ("url", "error"),
    [
        ("http://127.0.0.1:9/", Unreachable),
        ("http://no-such-host.invalid/", Unreachable),
        ("http://:80/", NotConfigured),
        ("http://127.0.0.1:99999/", NotConfigured),
    ],
)
async def test_what_cannot_be_connected_to_is_said_without_the_address(url, error, http):
    """The message holds no URL: there may be a key in it."""
    with pytest.raises(error) as refused:
        await http.send(Request(url, {"api_key": "secret"}), "tavily")

    assert "secret" not in str(refused.value)
    assert "//" not in str(refused.value)


async def test_a_certificate_that_cannot_be_trusted_is_said(make_client, bad_tls):
    """Self-signed: nothing is sent, and the remedy is about certificates."""
    url, received = bad_tls
    client = make_client("tavily", env={"TAVILY_BASE_URL": url})

    found = await client.search("otters")

    assert isinstance(found.attempts[0].error, Unreachable)
    assert "certificate" in str(found.attempts[0].error)
    assert received == []


# --- loops


def test_one_client_works_in_several_loops_one_after_the_other(machine):
    """`asyncio.run` for every question, as scripts do; and nothing is left open."""
    with FakeUpstream.in_thread() as up, warnings.catch_warnings():
        warnings.simplefilter("error")
        client = Kensaku(Settings.load(environ=up.environment("tavily"), route="tavily"))
        for n in range(3):
            found = asyncio.run(client.search(f"otters {n}"))
            assert found.outcome is Outcome.FOUND
        asyncio.run(client.close())
        del client
        gc.collect()

        assert up.connections == 3


def test_a_client_that_is_closed_can_be_used_again(machine):
    """Closing lets go; the next search begins anew."""
    with FakeUpstream.in_thread() as up:
        client = Kensaku(
            Settings.load(
                environ=up.environment("tavily"),
                route="tavily",
                budget_searches=5,
                cache_enabled=False,
            )
        )

        async def twice():
            for _ in range(2):
                assert (await client.search("otters")).outcome is Outcome.FOUND
                await client.close()
            await client.close()

        asyncio.run(twice())


@pytest.mark.usefixtures("processes")
def test_closing_leaves_no_warning_behind(machine):
    """No unclosed session, transport, file or thread: said by a process of its own."""
    code = """
import asyncio, warnings
from kensaku import Kensaku
async def main():
    async with Kensaku(route="tavily") as k:
        print((await k.search("otters")).outcome)
asyncio.run(main())
"""
    with FakeUpstream.in_thread() as up:
        done = subprocess.run(
            [sys.executable, "-W", "error", "-c", code],
            env={"KENSAKU_HOME": str(machine), **up.environment("tavily")},
            capture_output=True,
            text=True,
            check=False,
        )

    assert done.stdout.strip() == "found"
    assert done.stderr == ""


# --- requests and streams, byte for byte


async def test_a_request_has_our_headers_and_its_own(http):
    """The name and the password of an address travel in a header."""
    async with RawServer() as server:
        host = server.url.removeprefix("http://")
        reply = await http.send(
            Request(
                url=f"http://user:pass@{host}/plain/1",
                params={"q": "a b", "n": 1},
                json={"ü": 1},
                headers={"X-Key": "k"},
            ),
            "exa",
        )
        await http.send(Request(url=f"http://user@{host}/plain/2"), "exa")

    assert (reply.status, reply.body) == (200, b"/plain/1?q=a+b&n=1")
    head = server.heads[0].decode().split("\r\n")
    assert head[0] == "POST /plain/1?q=a+b&n=1 HTTP/1.1"
    assert {*head[1:]} - {""} == {
        f"Host: {host}",
        "User-Agent: test",
        "Accept: application/json",
        "Accept-Encoding: gzip",
        "Authorization: Basic dXNlcjpwYXNz",
        "X-Key: k",
        "Content-Type: application/json",
        "Content-Length: 13",
    }
    assert server.bodies[0] == b'{"\\u00fc": 1}'
    assert b"Authorization: Basic dXNlcjo=\r\n" in server.heads[1]


@pytest.mark.parametrize(
    ("url", "headers"),
    [
        ("ftp://a.example/", {}),
        ("http:///path", {}),
        ("http://127.0.0.1:1/", {"X-Key": "a\nb"}),
        ("http://127.0.0.1:1/", {"X-Key": "a\rb"}),
        ("http://127.0.0.1:1/", {"X-Key": "a\0b"}),
        ("http://127.0.0.1:1/", {"X-Key": "鍵"}),
    ],
)
async def test_what_cannot_be_sent_is_not_sent(http, url, headers):
    """Mostly a key that was pasted with its line break."""
    with pytest.raises(NotConfigured, match="check EXA_BASE_URL and its key"):
        await http.send(Request(url=url, headers=headers), "exa")


async def test_a_stream_comes_as_it_arrives(http):
    """Plain, and asked for as such."""
    body = b"data: one\n\ndata: two\n\n"
    async with RawServer(sends(reply(body))) as server:
        request = Request(url=f"{server.url}/odd", json={})
        parts = [part async for part in http.stream(request, "llm")]

    assert b"".join(parts) == body
    assert b"Accept: text/event-stream, application/json\r\n" in server.heads[0]
    assert b"Accept-Encoding: identity\r\n" in server.heads[0]


@pytest.mark.parametrize(
    ("script", "error", "text", "status"),
    [
        (sends(reply(status=b"429 Slow")), Unreadable, "llm: the server answered 429", 429),
        (sends(reply(headers=b"Content-Encoding: gzip\r\n")), Unreadable,
         "llm: the reply could not be read (UnknownEncoding)", None),
        (sends(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc", close=True), Unreachable,
         "llm: the reply broke off", None),
    ],
    ids=["refused", "encoded", "broken off"],
)  # fmt: skip
async def test_a_stream_that_is_none_is_an_error(http, script, error, text, status):
    """Nothing of it is taken for an answer."""
    async with RawServer(script) as server:
        with pytest.raises(error) as raised:
            async for _ in http.stream(Request(url=f"{server.url}/odd"), "llm"):
                pass

    assert (str(raised.value), raised.value.status) == (text, status)


@pytest.mark.parametrize(
    ("words", "refused"),
    [("public", False), ("a.example", False), ("private", True), ("other.example", True)],
)
async def test_behind_a_proxy_a_name_has_to_be_public_or_listed(words, refused):
    """A proxy resolves names: what they are is not known here."""
    async with FakeUpstream() as proxy:
        http = HttpClient(user_agent="t", proxy=proxy.url, egress=Egress.from_words([words]))
        if refused:
            with pytest.raises(NotConnected, match="egress"):
                await http.send(Request("http://a.example/x"), "exa")
        else:
            assert (await http.send(Request("http://a.example/x"), "exa")).status == 404
        await http.close()

    assert len(proxy.requests) == (not refused)
