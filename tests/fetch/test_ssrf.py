"""Nothing reaches an address that is not public. The oracle is the socket, at connect()."""

from __future__ import annotations

import asyncio
import html
import json
import random
import shutil
import socket
import ssl
import subprocess
from contextlib import suppress
from urllib.parse import urlsplit

import pytest

from kensaku.errors import AddressRefused, FetchError, KensakuError, TooLarge
from kensaku.fetch import PageReader
from kensaku.fetch.crawl.crawl import Crawl
from kensaku.fetch.crawl.plan import Plan
from tests.fetch import ssrf_corpus as corpus
from tests.fetch.web import Web, whole

URLS = corpus.urls()
HOME = "93.184.215.14"  # where public.test is


@pytest.fixture
def trap(web):
    """The web of an attacker: a resolver that reads every spelling of an address, too."""

    def anything(host):
        try:
            return [socket.inet_ntoa(socket.inet_aton(host.rstrip(".")))]
        except OSError:
            return None

    async def lookup(host, port):
        web.lookups.append(host)
        found = corpus.names().get(host) or web.names.get(host) or anything(host)
        if not found:
            raise socket.gaierror(socket.EAI_NONAME, "no such name")
        return list(found)

    web.lookup = lookup
    web.pages["/"] = "<p>hello</p>"
    web.pages["/to"] = _onwards
    return web


async def _onwards(writer, request):
    """Redirects to URL number n of the corpus."""
    target = URLS[int(request.target.partition("=")[2])]
    location = target.encode("utf-8").translate(None, b"\r\n\0").decode("latin-1")
    writer.write(whole(302, {"Location": location}, b""))


async def each(work, things):
    """Run `work` for every thing, some at a time; every error must be one of ours."""
    gate = asyncio.Semaphore(50)

    async def one(thing):
        async with gate:
            with suppress(KensakuError):
                await work(thing)

    await asyncio.gather(*(one(thing) for thing in things))


def test_the_corpus_is_large():
    """A thousand URLs, at the least."""
    assert len(URLS) >= 1_000


async def test_no_url_of_the_corpus_gets_through_the_transport(trap):
    """Every spelling, range and form, asked for directly."""
    transport = trap.transport()
    await each(transport.get, URLS)
    assert set(trap.dialled) <= {HOME}


@pytest.mark.usefixtures("volume")
async def test_no_redirect_of_the_corpus_gets_through(trap, fetcher):
    """A public page sends us to every URL of the corpus."""
    found = fetcher(robots="never")
    await each(found.fetch, [f"http://public.test/to?n={n}" for n in range(len(URLS))])
    assert len({request.target for request in trap.asked("/to")}) == len(URLS)
    assert set(trap.dialled) <= {HOME}


async def test_no_url_of_the_corpus_gets_through_extract(trap, fetcher, parser):
    """The entry point that models use, with robots.txt in the way; all errors are typed."""
    found = fetcher()
    for at in range(0, len(URLS), 200):
        result = await PageReader(found, parser).extract(URLS[at : at + 200], limit=200)
        assert all(isinstance(error, FetchError) for _, error in result.failed)
    assert set(trap.dialled) <= {HOME}


@pytest.mark.usefixtures("volume")
async def test_no_link_sitemap_or_robots_line_gets_through_a_crawl(trap, fetcher, parser):
    """What a page, a sitemap and robots.txt point to is as strange as what a stranger types."""
    links = "".join(f'<a href="{html.escape(url)}">x</a>' for url in URLS)
    locs = "".join(f"<url><loc>{html.escape(_xml(url))}</loc></url>" for url in URLS)
    indexes = "".join(f"<sitemap><loc>{html.escape(_xml(u))}</loc></sitemap>" for u in URLS[:5])
    lines = "".join(f"Sitemap: {url}\n" for url in URLS[::400])
    trap.pages["public.test/"] = links
    trap.pages["public.test/sitemap.xml"] = f"<urlset>{locs}{indexes}</urlset>"
    trap.pages["public.test/robots.txt"] = (
        f"User-agent: *\nAllow: /\nSitemap: http://public.test/sitemap.xml\n{lines}"
    )
    plan = Plan("http://public.test/", limit=2_000, max_breadth=500, sitemap=True)
    await Crawl(PageReader(fetcher(), parser), plan)
    assert trap.asked("/sitemap.xml")
    assert set(trap.dialled) <= {HOME}


@pytest.mark.parametrize("seed", URLS[::97])
async def test_no_seed_of_the_corpus_gets_through_a_crawl(trap, fetcher, parser, seed):
    """The first page of a crawl knocks at the same transport."""
    with suppress(KensakuError):
        await Crawl(PageReader(fetcher(), parser), Plan(seed))
    assert set(trap.dialled) <= {HOME}


async def test_no_host_of_the_corpus_gets_a_tunnel(trap):
    """What the browser asks its proxy for is checked like everything else."""
    transport = trap.transport()
    hosts = [h for a in corpus.CLOSED_V4 for h in (*corpus.spellings(a), *corpus.in_v6(a))]
    hosts += [*corpus.CLOSED_V6, *corpus.names()]

    async def tunnel(host):
        with pytest.raises(AddressRefused):
            await transport.tunnel(host, 443, "https")

    await each(tunnel, hosts)
    assert trap.dialled == []


@pytest.mark.parametrize("address", corpus.PUBLIC)
async def test_public_addresses_are_reached(web, address):
    """The controls: a door that is always shut would pass every test above."""
    web.pages["/"] = "hello"
    web.names["control.test"] = [address]
    literal = f"[{address}]" if ":" in address else address
    transport = web.transport()
    assert (await transport.get(f"http://{literal}:8080/")).body == b"hello"
    assert (await transport.get("http://user:secret@control.test/#top")).body == b"hello"
    assert web.dialled == [address, address]
    assert all("authorization" not in request.headers for request in web.seen)


@pytest.mark.parametrize(
    "url",
    ["http://bücher.test/", "http://xn--bcher-kva.test/", "HTTP://PUBLIC.TEST:80/", "http://public.test./",
     "http://under_score.public.test/", " http://public.test/ ", "http://public.test?q=a b",
     "http://public.test/%7Euser/ü?x=%2B+y"],
)  # fmt: skip
async def test_unusual_but_proper_urls_are_reached(web, url):
    """International names, capital letters, trailing dots: the web is full of them."""
    web.names |= dict.fromkeys(
        ["xn--bcher-kva.test", "public.test.", "under_score.public.test"], ("8.8.8.8",)
    )
    answer = await web.transport().get(url)
    assert answer.status == 404


async def test_a_name_is_looked_up_once_and_the_checked_address_is_used(web):
    """Rebinding: 200 names that are public the first time and private ever after."""
    web.pages["/"] = "hello"
    for n in range(200):
        answers = iter([["93.184.215.14"]])
        web.names[f"flip-{n}.test"] = lambda answers=answers: next(answers, ["127.0.0.1"])
    transport = web.transport()
    await each(transport.get, [f"http://flip-{n}.test/" for n in range(200)])
    assert len(web.lookups) == len(set(web.lookups)) == 200
    assert web.dialled == [HOME] * 200
    assert len(web.asked("/")) == 200


async def test_each_hop_is_looked_up_once(web, fetcher):
    """A chain over five names: five lookups, and the flip at the third ends it."""
    for n in range(5):
        web.names[f"hop-{n}.test"] = ["93.184.215.14"]
        web.pages[f"hop-{n}.test/"] = (302, {"Location": f"http://hop-{n + 1}.test/"}, b"")
    web.names["hop-3.test"] = ["10.0.0.1"]
    with pytest.raises(AddressRefused):
        await fetcher(robots="never").fetch("http://hop-0.test/")
    assert web.lookups == ["hop-0.test", "hop-1.test", "hop-2.test", "hop-3.test"]
    assert set(web.dialled) == {HOME}


async def test_a_server_that_hangs_up_does_not_cause_a_second_lookup(web):
    """The HTTP library tries a broken connection again: with the addresses that were checked."""

    async def hang_up(writer, request):
        writer.transport.abort()

    answers = iter([["93.184.215.14"]])
    web.names["flip.test"] = lambda: next(answers, ["127.0.0.1"])
    web.pages["/"] = hang_up
    with pytest.raises(FetchError):
        await web.transport().get("http://flip.test/")
    assert web.lookups == ["flip.test"]
    assert set(web.dialled) == {HOME}


@pytest.mark.parametrize(
    "addresses",
    [["8.8.8.8", "127.0.0.1"], ["8.8.8.8", "::1"], ["2606:4700::1", "10.0.0.1"], [],
     ["8.8.8.8", "fe80::1"], ["8.8.8.8", "::ffff:127.0.0.1"], ["8.8.8.8", "nonsense"]],
)  # fmt: skip
async def test_one_closed_address_closes_the_name(web, addresses):
    """All addresses must pass, for which one is used is up to the network."""
    web.names["mixed.test"] = addresses
    with pytest.raises(AddressRefused):
        await web.transport().get("http://mixed.test/")
    assert web.dialled == []


TARGETS = [
    "http://127.0.0.1/", "http://[::1]/", "http://169.254.169.254/latest/", "//127.0.0.1/",
    "http://localhost/", "http://0x7f000001/", "http://2130706433/", "http://[::ffff:127.0.0.1]/",
    "file:///etc/passwd", "gopher://127.0.0.1/", "http://public.test:22/", "http://10.0.0.1:8080/",
    "http://mixed-1.closed.test/",
]  # fmt: skip


@pytest.mark.parametrize("code", [300, 301, 302, 303, 305, 307, 308])
@pytest.mark.parametrize("target", TARGETS)
async def test_a_redirect_never_leads_inside(trap, fetcher, code, target):
    """Seven codes, thirteen targets: an error each time, and no connect."""
    trap.pages["/go"] = (code, {"Location": target, "Refresh": f"0; url={target}"}, b"moved")
    with pytest.raises(FetchError):
        await fetcher(robots="never").fetch("http://public.test/go")
    assert set(trap.dialled) == {HOME}


@pytest.mark.parametrize("how", ["header", "meta"])
async def test_refresh_is_not_followed(trap, fetcher, how):
    """A page that refreshes itself elsewhere is a page."""
    meta = b'<meta http-equiv="refresh" content="0;url=http://127.0.0.1/">'
    headers = {"Refresh": "0; url=http://127.0.0.1/"} if how == "header" else {}
    trap.pages["/go"] = (200, headers, meta if how == "meta" else b"hello")
    await fetcher(robots="never").fetch("http://public.test/go")
    assert set(trap.dialled) == {HOME}


async def test_six_redirects_are_too_many_and_five_are_not(web, fetcher):
    """The bound is on hops, wherever they lead."""
    for n in range(7):
        web.pages[f"/{n}"] = (302, {"Location": f"/{n + 1}"}, b"")
    web.pages["/7"] = "there"
    found = fetcher(robots="never")
    with pytest.raises(TooLarge):
        await found.fetch("http://public.test/1")
    assert (await found.fetch("http://public.test/2")).body == b"there"


async def test_nothing_of_one_site_is_told_to_another(web, fetcher):
    """No cookie, credential or referrer crosses to the next hop; we send none at all."""
    web.names["other.test"] = ["8.8.8.8"]
    cookie = {
        "Set-Cookie": "id=1",
        "Location": "http://u:p@other.test/",
        "WWW-Authenticate": "Basic",
    }
    web.pages["/a"] = (302, cookie, b"")
    web.pages["/"] = "hello"
    await fetcher().fetch("http://me:secret@public.test/a")
    sent = [set(request.headers) for request in web.seen]
    assert not set.union(*sent) & {"cookie", "authorization", "referer", "proxy-authorization"}


async def test_environment_proxies_are_ignored(web, accidental_proxy):
    """A proxy is an explicit setting; one that is set by accident sees nothing."""
    web.pages["/"] = "hello"
    await web.transport().get("http://public.test/")
    assert web.dialled == [HOME]


async def test_an_operators_proxy_gets_every_request_and_no_inside_name(web):
    """With a proxy the names are looked up there, so what can be judged here still is."""
    web.names["proxy.corp"] = ["10.0.0.9"]
    transport = web.transport(proxy="http://proxy.corp:3128")
    await transport.get("http://anything.test/page")
    assert web.dialled == ["10.0.0.9"]
    assert web.seen[0].target == "http://anything.test/page"
    for url in ("http://127.0.0.1/", "http://localhost/", "http://metadata.google.internal/"):
        with pytest.raises(AddressRefused):
            await transport.get(url)
    assert len(web.seen) == 1


async def test_refusals_look_the_same_whatever_the_reason(web, fetcher, parser):
    """Closed, unknown, refused and silent: one status, one code, one body; nothing is echoed."""
    web.names |= {"closed.test": ["10.0.0.1"], "dead.test": ["8.8.8.8"]}
    web.names |= {f"inside-{n}.test": [a] for n, a in enumerate(corpus.CLOSED_V4)}
    urls = ["http://nxdomain.test/", "http://closed.test/", "http://public.test:22/"]
    urls += ["http://10.0.0.1/", "http://0x7f.1/", "https://127.0.0.1:8443/x", "http://[::1]/"]
    urls += [f"http://inside-{n}.test/" for n in range(20)]
    found = fetcher()
    result = await PageReader(found, parser).extract(urls, limit=100)
    async with Web() as gone:
        gone.names["dead.test"] = ["8.8.8.8"]
        transport = gone.transport()
        gone._server.close()
        await gone._server.wait_closed()
        with pytest.raises(AddressRefused) as refused_port:
            await transport.get("http://dead.test/")
    bodies = {json.dumps(error.to_dict()) for _, error in result.failed}
    assert bodies == {json.dumps(refused_port.value.to_dict())}
    assert not any(char.isdigit() for char in bodies.pop())


async def test_the_name_in_tls_is_the_name_of_the_url(web, tmp_path):
    """Pinned to an address, a connection still says which host it wants, and checks the answer."""
    if shutil.which("openssl") is None:
        pytest.skip("openssl is not installed")
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    made = "openssl req -x509 -newkey rsa:2048 -nodes -days 1 -subj /CN=public.test".split()
    made += ["-keyout", str(key), "-out", str(certificate)]
    await asyncio.to_thread(subprocess.run, made, check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    said = []
    context.sni_callback = lambda sock, name, ctx: said.append(name)

    async def serve(reader, writer):
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0, ssl=context)
    web.port = server.sockets[0].getsockname()[1]
    with pytest.raises(FetchError) as error:
        await web.transport().get("https://public.test/")
    server.close()
    await server.wait_closed()
    assert said == ["public.test"]
    assert "certificate" in str(error.value)


def test_any_text_is_an_address_or_is_refused(web):
    """5,000 heaps of what URLs are made of: no foreign exception, and one host for two parsers."""
    parts = [*"/:@#?[]%&;=+._- \t\\", "http", "://", "//", "%00", "127.0.0.1", "::1", "a", "b.test"]
    parts += ["ü", "。", "①", "\u200b", "\u00ad", "\ufeff", "xn--", "0x7f", "\u202e", "İ", "\ud800"]
    chance, transport = random.Random(7), web.transport()
    for _ in range(5_000):
        text = "http://" + "".join(chance.choices(parts, k=chance.randint(1, 14)))
        try:
            url = transport.check_url(text)
        except AddressRefused:
            continue
        assert urlsplit(str(url)).hostname == url.parsed.raw_host
        assert transport.check_url(str(url)) == url


@pytest.mark.parametrize("url", corpus.SCHEMES)
async def test_only_web_addresses_are_fetched(web, fetcher, parser, url, tmp_path):
    """Files, sockets and other protocols are not pages."""
    result = await PageReader(fetcher(), parser).extract([url])
    assert not result.results
    assert not web.dialled


def _xml(url: str) -> str:
    return "".join(c for c in url if c.isprintable())
