"""Engines of ddgs by their web pages: a refusal is told from emptiness, in every one of them."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from importlib import import_module

import pytest

from kensaku.errors import Blocked, Outage, ProviderError, RateLimited, Unreachable, Unreadable
from kensaku.models import Hit, Query
from kensaku.providers import _ddgs, provider_class
from kensaku.testing import FakeUpstream, faults, load_sample
from kensaku.testing.faults import Fault
from kensaku.transport.reply import Reply

NAMES = ("duckduckgo", "startpage", "brave_web", "mojeek_web", "yahoo")
TEXT = 'カワウソ "sea otter" & 🦦 100% a+b'
# What each has sent to robots, shortened: as recorded or reported in 2025 and 2026.
CHALLENGES = {
    "duckduckgo": '<div class="anomaly-modal__mask">Unfortunately, bots use DuckDuckGo too.</div>',
    "startpage": '<script id="anubis_challenge" type="application/json">{"rules":{}}</script>',
    "brave_web": '<title>Captcha - Brave Search</title><form action="/search/captcha"></form>',
    "mojeek_web": '<title>Captcha</title><div class="captcha-wrap"><p>JavaScript is required</p></div>',
    "yahoo": '<form class="consent-form" action="https://guce.yahoo.com/consent"></form>',
}

every_engine = pytest.mark.parametrize("name", NAMES)


def page(body: str, status: int = 200) -> Fault:
    return Fault(
        status, f"<html><body>{body}</body></html>".encode(), {"Content-Type": "text/html"}
    )


@every_engine
async def test_a_page_of_results_is_read(ask, name):
    """Titles, addresses and snippets, in the order of the page."""
    expected = load_sample(name).expect

    found = await ask(name)

    assert [{n: getattr(h, n) for n in e} for h, e in zip(found.hits, expected, strict=True)] == [
        dict(e) for e in expected
    ]
    assert {h.provider for h in found.hits} == {name}


def test_engines_are_imported_one_at_a_time(monkeypatch):
    """ddgs imports all of them with any: two threads that import would wait for each other."""
    free = []

    def watched(name: str) -> object:
        free.append(_ddgs._IMPORTING.acquire(blocking=False))
        return import_module(name)

    monkeypatch.setattr(_ddgs, "import_module", watched)

    assert provider_class("yahoo")()._libraries()[1].name == "yahoo"
    assert not any(free)


@every_engine
async def test_the_query_arrives_whole(ask, upstream, name):
    """As a form or in the address, in the right encoding, and once."""
    await ask(name, query=Query(TEXT))

    received = upstream.requests[-1]
    values = [*received.form.values(), *received.params.values()]
    assert values.count(TEXT) == 1


@every_engine
@pytest.mark.parametrize("status", [200, 202, 403])
async def test_a_challenge_is_a_block(ask, name, status):
    """Whatever its status: it is neither a result nor an empty list."""
    with pytest.raises(Blocked):
        await ask(name, page(CHALLENGES[name], status))


@every_engine
@pytest.mark.parametrize(
    ("fault", "kind"),
    [
        (faults.status(400, "no"), Blocked),
        (faults.status(403, "no"), Blocked),
        (faults.status(429, "no"), RateLimited),
        (faults.status(500, "no"), Outage),
        (page("a layout that nobody knows"), Blocked),
        (Fault(body=b'{"a": 1}'), Unreadable),
        (Fault(body=b""), Unreadable),
        (faults.reset(), Unreachable),
        (faults.half(), Unreachable),
    ],
    ids=repr,
)
async def test_a_refusal_is_never_an_empty_list(ask, name, fault, kind):
    """The library itself says "No results found." to all of these."""
    with pytest.raises(ProviderError) as caught:
        await ask(name, fault)

    assert type(caught.value) is kind


@every_engine
async def test_an_empty_page_is_an_empty_list(ask, upstream, name):
    """It did search, and there is nothing."""
    upstream.answers(name, [])

    assert (await ask(name)).hits == []


@every_engine
async def test_hits_written_in_its_format_are_read_back(ask, upstream, name):
    """Also with what HTML escapes."""
    hit = Hit(url="https://a.example/?b=1&c=2", title="A 'b' & 日本", content="text")
    upstream.answers(name, [hit])

    (read,) = (await ask(name)).hits

    assert (read.url, read.title, read.content) == (hit.url, hit.title, hit.content)


@every_engine
@pytest.mark.parametrize("status", [301, 302, 307])
async def test_a_redirect_is_not_followed(ask, name, status):
    """A consent page, or the operator's own network."""
    async with FakeUpstream() as trap:
        with pytest.raises(ProviderError) as caught:
            await ask(name, faults.status(status, headers={"Location": trap.url + "/x"}))

        assert trap.connections == 0
    assert caught.value.status == status


@every_engine
async def test_a_deadline_holds(ask, name):
    """The caller's time is over before the engine's."""
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.05):
            await ask(name, faults.hang())


async def test_startpage_sends_the_code_of_a_fresh_form(ask, upstream):
    """A form without it is a robot's; the form and its headers are a browser's."""
    await ask("startpage")

    front, search = upstream.requests
    assert (front.method, search.method) == ("GET", "POST")
    assert search.form["sc"] == "Ab3dEf"
    assert search.headers["referer"].endswith("/startpage/")


async def test_startpage_that_refuses_its_front_page_is_not_asked_on(ask, upstream):
    """The captcha is the answer."""
    with pytest.raises(Blocked):
        await ask("startpage", page(CHALLENGES["startpage"]))

    assert len(upstream.requests) == 1


def test_yahoo_links_lead_to_the_pages_themselves():
    """Not to Yahoo's counter, nor to an advertisement."""
    pytest.importorskip("ddgs")
    sample = load_sample("yahoo")
    counted = "https://r.search.yahoo.com/_ylt=A;_ylu=B/RV=2/RE=1/RO=10/RU=https%3a%2f%2fa.example%2f%3fb%3d1/RK=2/RS=x-"
    ad = "https://www.bing.com/aclick?ld=1"
    body = sample.with_hits([Hit(url=ad, title="Ad"), Hit(url=counted, title="A")])

    found = provider_class("yahoo")().read(Reply(200, {"content-type": "text/html"}, body.encode()))

    assert [h.url for h in found.hits] == ["https://a.example/?b=1"]


def test_a_page_about_captchas_is_no_captcha():
    """Signs are of the markup, not of what people write about."""
    pytest.importorskip("ddgs")
    for name in NAMES:
        sample = load_sample(name)
        hit = Hit(url="https://a.example/", title="How a captcha works", content="automated bots")
        body = sample.with_hits([hit]).encode()
        reply = Reply(200, {"content-type": "text/html"}, body)

        assert provider_class(name)().read(replace(reply)).hits
