"""Headers for one host: sent there and nowhere else, kept by nobody, shown to nobody."""

from __future__ import annotations

import logging

import pytest
from yarl import URL

from kensaku.config.secret import Secret
from kensaku.config.settings import Settings, secrets_in
from kensaku.errors import ConfigError, PageUnavailable
from kensaku.fetch import Fetcher, PageReader
from kensaku.fetch.credentials import Credentials
from kensaku.fetch.ladder import Ladder
from kensaku.fetch.rungs import load_services
from kensaku.store import MemoryStore
from kensaku.transport.guard import AddressGuard

COOKIE = "session=CANARY-0123456789"
HEADERS = {"wiki.test": {"Cookie": COOKIE}, ".corp.test": {"Authorization": "Bearer CANARY-9876"}}
URL_ = "http://wiki.test/page"


@pytest.fixture
def logged_in(web):
    """Makes a fetcher with headers for `wiki.test`, which the operator has allowed by its name."""
    for host in ("wiki.test", "other.test"):
        web.names[host] = ["93.184.215.14"]

    def make(**options):
        transport = web.transport(allow=["wiki.test"], ports=None)
        credentials = Credentials(Settings(headers=HEADERS).headers, transport.guard)
        return Fetcher(transport, credentials=credentials, **options)

    return make


def cookies(web):
    """What each request had, by host and path."""
    return {r.host + r.path: r.headers.get("cookie") for r in web.seen}


@pytest.mark.parametrize(
    ("url", "entry"),
    [
        ("https://wiki.test/a", "wiki.test"),
        ("https://WIKI.test:443/", "wiki.test"),
        ("http://wiki.test/", None),  # anybody on the way could read it
        ("https://wiki.test:8443/", None),  # another server
        ("https://a.wiki.test/", None),
        ("https://wiki.test.evil.example/", None),
        ("https://wiki.test@evil.example/", None),
        ("https://evilwiki.test/", None),
        ("https://a.corp.test/", ".corp.test"),
        ("https://a.b.corp.test/", ".corp.test"),
        ("https://corp.test/", None),
        ("https://evilcorp.test/", None),
        ("http://127.0.0.1:8000/", "127.0.0.1:8000"),  # allowed, so it is inside
        ("http://10.0.0.1/", None),
    ],
)
def test_only_the_host_itself_matches_and_only_with_tls(url, entry):
    """Exactly, or under a suffix that begins with a dot; without TLS only where it is allowed."""
    hosts = {**HEADERS, "127.0.0.1:8000": {"Cookie": "x"}, "10.0.0.1": {"Cookie": "x"}}
    credentials = Credentials(
        Settings(headers=hosts).headers, AddressGuard.allowing(["127.0.0.0/8"], None)
    )

    assert credentials.entry(URL(url)) == entry


async def test_the_header_stays_with_its_host(web, logged_in):
    """On its own redirects it goes along; neither robots.txt nor another host gets it."""
    web.pages["wiki.test/page"] = (302, {"Location": "/inside"}, b"")
    web.pages["wiki.test/inside"] = (302, {"Location": "http://other.test/out"}, b"")
    web.pages["other.test/out"] = (302, {"Location": "http://wiki.test:8080/back"}, b"")
    web.pages["wiki.test:8080/back"] = "<p>here</p>"

    await logged_in().fetch(URL_)

    assert cookies(web) == {
        "wiki.test/robots.txt": None, "wiki.test/page": COOKIE, "wiki.test/inside": COOKIE,
        "other.test/robots.txt": None, "other.test/out": None,
        "wiki.test:8080/robots.txt": None, "wiki.test:8080/back": None,
    }  # fmt: skip


async def test_a_page_of_another_host_cannot_send_us_in(web, logged_in):
    """Its redirect is followed as a stranger's would be: it cannot have private pages read."""
    web.pages["other.test/lure"] = (302, {"Location": URL_}, b"")
    web.pages["wiki.test/page"] = "<p>for strangers</p>"

    await logged_in().fetch("http://other.test/lure")

    assert cookies(web)["wiki.test/page"] is None


async def test_what_was_read_with_it_is_kept_by_nobody(web, logged_in):
    """Not in the cache, where it would outlive the header; and a page from before is not shown."""
    web.pages["wiki.test/page"] = (200, {"Cache-Control": "max-age=600"}, b"public")
    store = MemoryStore()
    await Fetcher(web.transport(), store=store).fetch(URL_)
    web.pages["wiki.test/page"] = (200, {"Cache-Control": "max-age=600"}, b"private")
    fetcher = logged_in(store=store)

    assert (await fetcher.fetch(URL_)).body == b"private"
    assert (await Fetcher(web.transport(), store=store).fetch(URL_)).body == b"public"


async def test_other_tenants_are_strangers_there(web, logged_in, parser):
    """The header is the operator's, not that of everyone who has a key of the server."""
    web.pages["wiki.test/page"] = "<p>hello</p>"
    reader = PageReader(logged_in(store=MemoryStore()), parser)

    await reader.for_tenant("acme").read(URL_)
    assert cookies(web)["wiki.test/page"] is None
    await reader.for_tenant("").read(URL_)
    assert cookies(web)["wiki.test/page"] == COOKIE


async def test_nobody_else_learns_of_a_page_that_needs_it(web, logged_in):
    """Neither a reader nor an archive is told its address."""
    web.names["service.test"] = ["93.184.215.20"]
    services = load_services(
        ["reader", "archive"], urls={"archive": "http://service.test"}, reader_url="http://service.test"
    )  # fmt: skip
    fetcher = logged_in(ladder=Ladder(services))

    with pytest.raises(PageUnavailable):
        await fetcher.fetch(URL_, copies=True)

    assert not any(r.host == "service.test" for r in web.seen)


@pytest.mark.parametrize(
    ("host", "name", "value"),
    [
        ("wiki.test", "Cookie", "a\r\nX-Evil: CANARY"),
        ("wiki.test", "Cookie", "CANARY\n"),
        ("wiki.test", "Cookie", "CANARY\x00"),
        ("wiki.test", "Cookie", "CANARY é"),
        ("wiki.test", "Cookie", " CANARY"),
        ("wiki.test", "Cookie", "CANARY" * 2_000),
        ("wiki.test", "Cookie", 7),
        ("wiki.test", "Cookie\r\nX", "CANARY"),
        ("wiki.test", "Host", "CANARY"),
        ("wiki.test", "User-Agent", "CANARY"),
        ("wiki.test", "Proxy-Authorization", "CANARY"),
        (".test", "Cookie", "CANARY"),  # a whole top-level domain
        ("*", "Cookie", "CANARY"),
        ("wiki.test/a", "Cookie", "CANARY"),
        ("", "Cookie", "CANARY"),
    ],
)
def test_what_would_break_a_request_is_refused(host, name, value):
    """When it is set, not when it is sent; and the error does not repeat it."""
    with pytest.raises(ConfigError) as refused:
        Settings(headers={host: {name: value}})
    assert "CANARY" not in str(refused.value)


async def test_nothing_shows_it(web, logged_in, caplog):
    """Not a repr, a list of settings, an error or a log; and logs of the server take it out."""
    caplog.set_level(logging.DEBUG)
    settings = Settings(headers=HEADERS)
    with pytest.raises(PageUnavailable) as failed:
        await logged_in().fetch(URL_)

    shown = [repr(settings), str(settings.described()), str(settings.headers), caplog.text]
    shown += [repr(failed.value), str(failed.value.__dict__), repr(vars(logged_in().credentials))]
    assert not any("CANARY-0123456789" in text or "CANARY-9876" in text for text in shown)
    assert {COOKIE, "CANARY-0123456789", "Bearer CANARY-9876"} <= set(secrets_in(settings))
    assert settings.headers["wiki.test"]["Cookie"] == Secret(COOKIE)
