"""The door as a stranger would test it: the public client, and nothing replaced but the standard
library's resolver and `connect()`. What is dialled is what counts."""

from __future__ import annotations

import asyncio
import html
import os
import socket
from contextlib import suppress

import pytest

from kensaku import Kensaku, Settings
from kensaku.errors import AddressRefused, FetchError, KensakuError
from kensaku.store import MemoryStore
from tests.fetch import ssrf_corpus as corpus
from tests.fetch.web import whole

HOME = "93.184.215.14"
URLS = corpus.urls()


class Oracle:
    """Answers for every name, notes every address that is dialled, and leads it to the small web."""

    def __init__(self, web):
        self.web, self.dialled, self.lookups = web, [], []
        self.names = {"public.test": [HOME], **corpus.names()}

    def getaddrinfo(self, host, port, family=0, type=0, proto=0, flags=0):
        host = host.decode() if isinstance(host, bytes) else host
        self.lookups.append(host)
        found = self.names.get(host)
        if not found:
            try:
                found = [socket.inet_ntoa(socket.inet_aton(host))]
            except OSError:
                raise socket.gaierror(socket.EAI_NONAME, "no such name") from None
        kinds = {True: socket.AF_INET6, False: socket.AF_INET}
        return [(kinds[":" in a], socket.SOCK_STREAM, 6, "", (a, port)) for a in found]

    def connect(self, sock, address):
        self.dialled.append(address[0])
        there = "127.0.0.1" if sock.family == socket.AF_INET else "::ffff:127.0.0.1"
        return self._connect(sock, (there, self.web.port))


@pytest.fixture
def oracle(web, monkeypatch):
    found = Oracle(web)
    found._connect = socket.socket.connect
    monkeypatch.setattr(socket, "getaddrinfo", found.getaddrinfo)
    monkeypatch.setattr(
        socket.socket, "connect", lambda sock, address: found.connect(sock, address)
    )
    web.pages["/"] = "<title>Otters</title><p>Otters swim in rivers and eat fish.</p>"
    return found


@pytest.fixture
async def k(machine):
    environ = {"KENSAKU_HOME": str(machine)}
    async with Kensaku(Settings.load(environ=environ, route="local")) as made:
        yield made


async def test_every_public_control_is_reached_and_read(oracle, k):
    """32 of 32, by address and by name: a guard that refuses everything is none."""
    assert len(corpus.PUBLIC) == 32
    for n, address in enumerate(corpus.PUBLIC):
        oracle.names[f"control-{n}.test"] = [address]
        literal = f"[{address}]" if ":" in address else address
        done = await k.extract([f"http://{literal}/", f"http://control-{n}.test:8080/"])
        assert [page.title for page in done.results] == ["Otters", "Otters"], address
    assert set(oracle.dialled) == set(corpus.PUBLIC)


@pytest.mark.usefixtures("volume")
async def test_no_url_of_the_corpus_reaches_inside_by_any_way_in(oracle, k):
    """extract, crawl, map, verify: nothing but the public host is dialled; all errors are ours."""
    for at in range(0, len(URLS), 20):
        done = await k.extract(URLS[at : at + 20])
        assert all(isinstance(error, FetchError) for _, error in done.failed)
    some = URLS[::41]
    for call in (k.crawl, k.map, lambda url: k.verify("a quote that is long enough", url)):
        for url in some:
            with suppress(KensakuError):
                await call(url)
    assert set(oracle.dialled) <= {HOME}


async def test_a_loop_with_a_resolver_of_its_own_is_asked(web, oracle, k, monkeypatch):
    """uvloop has one, and a tester may put one in: it must not be passed by."""
    asked = []

    async def own(self, host, port, **options):
        asked.append(host)
        return oracle.getaddrinfo(host, port)

    monkeypatch.setattr(asyncio.BaseEventLoop, "getaddrinfo", own)
    oracle.names["inside.test"] = ["10.0.0.1"]
    done = await k.extract(["http://public.test/", "http://inside.test/"])
    assert [page.title for page in done.results] == ["Otters"]
    assert {"public.test", "inside.test"} <= set(asked)
    assert set(oracle.dialled) == {HOME}


async def test_what_a_page_names_is_not_fetched_by_reading_it(web, oracle, k):
    """Icons, frames, pictures, canonical addresses, enclosures, refreshes: they are only text."""
    bait = [html.escape(u, quote=True) for u in URLS[::29]]
    ways = (
        '<link rel=canonical href="{0}"><link rel=icon href="{0}"><link rel=stylesheet href="{0}">'
        '<link rel=alternate type=application/rss+xml href="{0}"><base href="{0}">'
        '<meta property=og:image content="{0}"><meta property=og:url content="{0}">'
        '<meta http-equiv=refresh content="0;url={0}"><iframe src="{0}"></iframe>'
        '<img src="{0}"><object data="{0}"></object><a href="{0}.pdf">x</a>'
        '<script src="{0}"></script><video poster="{0}"></video><form action="{0}"></form>'
    )
    web.pages["/bait"] = "<p>Otters swim.</p>" + "".join(ways.format(u) for u in bait)
    feed = "".join(
        f'<item><link>{u}</link><enclosure url="{u}"/></item>' for u in bait if u.isprintable()
    )
    web.pages["/feed"] = f"<rss><channel>{feed}</channel></rss>"
    done = await k.extract(["http://public.test/bait", "http://public.test/feed"])
    assert len(done.results) == 2
    assert set(oracle.dialled) == {HOME}


async def test_a_name_that_is_public_three_times_is_refused_the_fourth(oracle, k):
    """Rebinding over several visits: each connection has a lookup of its own, which is judged."""
    transport = k.resources.reader().fetcher.transport
    oracle.names["flip.test"] = [HOME]
    for _ in range(3):
        await transport.get("http://flip.test/")
        await transport.close()  # the connection is not kept
    oracle.names["flip.test"] = ["127.0.0.1"]
    with pytest.raises(AddressRefused):
        await transport.get("http://flip.test/")
    assert oracle.dialled == [HOME] * 3
    assert oracle.lookups == ["flip.test"] * 4


ORIGINS = [
    "http://a.test", "http://b.test", "http://sub.a.test", "http://a.test:8080",
    "http://xn--bcher-kva.test", "http://8.8.8.8", "http://[2606:4700::1]", "http://b.test:8443",
]  # fmt: skip


@pytest.mark.parametrize("first", ORIGINS)
async def test_nothing_crosses_from_one_origin_to_another(web, oracle, machine, first):
    """64 pairs of hops, each made twice with a cache in between: cookies, credentials, referrers,
    validators and the operator's keys stay where they are."""
    oracle.names |= {n: [HOME] for n in ("a.test", "b.test", "sub.a.test", "xn--bcher-kva.test")}
    secret = {"Set-Cookie": "id=s3cret; Domain=.test; Path=/", "ETag": '"s3cret"'}
    environ = {
        "KENSAKU_HOME": str(machine),
        "TAVILY_API_KEY": "tvly-s3cret",
        "BRAVE_API_KEY": "s3cret",
    }
    async with Kensaku(Settings.load(environ=environ, cache_url="memory:")) as k:
        for n, second in enumerate(ORIGINS):

            async def hop(writer, request, n=n, second=second):
                place = second.replace("://", "://me:s3cret@") + f"/there{n}"
                writer.write(whole(302, {**secret, "Location": place}, b""))

            web.pages[f"/go{n}"] = hop
            web.pages[f"/there{n}"] = (200, {**secret, "Cache-Control": "no-cache"}, b"<p>hello")
            url = first.replace("://", "://you:s3cret@") + f"/go{n}"
            for _ in range(2):
                assert (await k.extract([url])).results
    assert len(web.asked("/there0")) == 2
    for request in web.seen:
        sent = dict(request.headers)
        if request.path.startswith("/there"):
            sent.pop("if-none-match", None)  # goes back to the page that gave it, and only there
        assert "s3cret" not in str(sent)
        assert not {"cookie", "authorization", "referer", "proxy-authorization"} & set(sent)


async def test_three_hundred_refusals_are_one(web, oracle, k):
    """Closed, unknown, on another port, dead, or reached by a redirect: one type, one sentence."""
    closed = [f"http://{h}/" for a in corpus.CLOSED_V4 for h in (a, *corpus.in_v6(a))]
    names = [f"http://v4-{i}.closed.test/" for i, _ in enumerate(corpus.CLOSED_V4)]
    names += [f"http://nobody-{n}.test/" for n in range(20)]
    ports = [f"http://public.test:{n}/" for n in (22, 25, 2375, 6379, 11211)]
    urls = [*closed, *names, *ports]
    for n, url in enumerate(urls[:20]):
        web.pages[f"/go{n}"] = (302, {"Location": url}, b"")
    hops = [f"http://public.test/go{n}" for n in range(20)]
    said = set()
    for at in range(0, len(urls + hops), 20):
        done = await k.extract((urls + hops)[at : at + 20])
        assert not done.results
        said |= {str(error.to_dict()) for _, error in done.failed}
    assert len(urls + hops) >= 300
    assert len(said) == 1
    assert not any(c.isdigit() for c in said.pop())


async def test_environment_proxies_see_nothing(web, oracle, machine, accidental_proxy):
    """Set for another program, or by whoever can set variables: they are not looked at."""
    async with Kensaku(Settings.load(route="local")) as k:
        done = await k.extract(["http://public.test/", "http://8.8.8.8/"])
    assert [page.title for page in done.results] == ["Otters", "Otters"]
    assert set(oracle.dialled) == {HOME, "8.8.8.8"}


async def test_no_file_is_read_under_any_scheme(oracle, k, tmp_path):
    """A canary of a file: neither its words nor the time it was last read tell of a visit."""
    canary = tmp_path / "canary.html"
    canary.write_text("<p>the canary sings</p>")
    os.utime(canary, (1, 1))
    spellings = [f"file://{canary}", f"file:{canary}", f"FILE://localhost{canary}", str(canary)]
    spellings += [f"{s}://{canary}" for s in ("netdoc", "jar:file", "local", "view-source:file")]
    spellings += [f"http://public.test/../../../..{canary}", f"file:///proc/self/root{canary}"]
    done = await k.extract([*spellings, *corpus.SCHEMES[:9]])
    assert not any("canary sings" in page.text for page in done.results)
    assert os.stat(canary).st_atime == 1
    assert set(oracle.dialled) <= {HOME}
    assert len(corpus.SCHEMES) >= 39


async def test_a_validator_that_cannot_be_sent_is_not(web, oracle, fetcher):
    """A server may give stray bytes as its ETag; the next visit must still work."""
    web.pages["/"] = (200, {"ETag": '"\xff\xfe"', "Cache-Control": "no-cache"}, b"<p>hello")
    found = fetcher(store=MemoryStore(), robots="never")
    for _ in range(2):
        assert (await found.fetch("http://public.test/")).body == b"<p>hello"
