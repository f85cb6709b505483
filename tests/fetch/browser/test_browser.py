"""The browser has no network but ours: what a page tries to reach, it does not."""

from __future__ import annotations

import asyncio
import base64
import json
import os
import struct
from pathlib import Path

import pytest

from kensaku.errors import AddressRefused, ConfigError, FetchError, PageUnavailable, TooLarge
from kensaku.fetch.browser import chromium as module
from kensaku.fetch.browser.browser import Browser, BrowserLimits
from kensaku.fetch.browser.chromium import find_chromium
from kensaku.fetch.browser.screenshot import MAX_PIXELS, Screenshot
from kensaku.fetch.limits import FetchLimits

try:
    import playwright  # noqa: F401

    CHROMIUM = find_chromium()
except (ImportError, ConfigError):
    CHROMIUM = ""
needs_chromium = pytest.mark.skipif(not CHROMIUM, reason="no Chromium, or no Playwright")


VECTORS = """
<img src="{t}/img"><img srcset="{t}/srcset 1x"><picture><source srcset="{t}/picture"><img></picture>
<script src="{t}/script"></script><script type=module src="{t}/module"></script>
<link rel=stylesheet href="{t}/css"><link rel=prefetch href="{t}/prefetch">
<link rel=preconnect href="{t}/preconnect"><link rel=dns-prefetch href="{t}/dns-prefetch">
<link rel=preload as=image href="{t}/preload"><link rel=modulepreload href="{t}/modulepreload">
<link rel=prerender href="{t}/prerender"><link rel=manifest href="{t}/manifest">
<link rel=icon href="{t}/icon"><link rel=pingback href="{t}/pingback">
<style>@import url("{t}/import"); body {{ background: url("{t}/css-url") }}
@font-face {{ font-family: f; src: url("{t}/font") }}
p {{ font-family: f; cursor: url("{t}/cursor"), auto }}
p::before {{ content: url("{t}/content") }}</style><p>text</p>
<iframe src="{t}/iframe"></iframe><iframe srcdoc='<img src="{t}/srcdoc">'></iframe>
<iframe srcdoc='<meta http-equiv=refresh content="0;url={t}/refresh">'></iframe>
<iframe src="javascript:location='{t}/js-url'"></iframe><iframe src="/to?{t}/redirect"></iframe>
<object data="{t}/object"></object><embed src="{t}/embed">
<table background="{t}/background"></table>
<video src="{t}/video" poster="{t}/poster" autoplay></video><audio src="{t}/audio" autoplay></audio>
<video><track src="{t}/track" default><source src="{t}/source"></video>
<svg><image href="{t}/svg"/><use href="{t}/use#a"/></svg><input type=image src="{t}/input">
<form id=f method=post target=fr action="{t}/form"><input name=a value=b></form>
<iframe name=fr></iframe>
<a id=p href="{t}/anchor" ping="{t}/ping" target=fr>x</a>
<script type=speculationrules>
{{"prefetch": [{{"source": "list", "urls": ["{t}/speculation"]}}]}}</script>
<script>
const t = "{t}", ws = t.replace("http", "ws"), tries = [
  () => fetch(t + "/fetch", {{mode: "no-cors"}}),
  () => fetch(t + "/keepalive", {{keepalive: true, mode: "no-cors"}}),
  () => {{ const x = new XMLHttpRequest(); x.open("GET", t + "/xhr"); x.send(); }},
  () => navigator.sendBeacon(t + "/beacon", "x"), () => new WebSocket(ws + "/websocket"),
  () => new EventSource(t + "/eventsource"), () => {{ new Image().src = t + "/image-object"; }},
  () => window.open(t + "/open"), () => import(t + "/dynamic-import"),
  () => document.getElementById("f").submit(), () => document.getElementById("p").click(),
  () => navigator.serviceWorker.register("/worker.js"),
  () => new Worker(URL.createObjectURL(new Blob([`importScripts("${{t}}/import-scripts")`]))),
  () => new SharedWorker(URL.createObjectURL(new Blob([`fetch("${{t}}/shared-worker")`]))),
  () => new Worker(URL.createObjectURL(new Blob([`fetch("${{t}}/worker-fetch")`]))),
  () => {{ const c = new RTCPeerConnection({{iceServers: [{{urls: "stun:127.0.0.1:{udp}"}},
      {{urls: "turn:127.0.0.1:{tcp}?transport=tcp", username: "a", credential: "b"}}]}});
    c.createDataChannel("x"); c.createOffer().then(o => c.setLocalDescription(o)); }},
  () => new WebTransport(t.replace("http:", "https:") + "/webtransport"),
  () => document.write("<img src='" + t + "/document-write'>"),
];
for (const attempt of tries) try {{ attempt()?.catch?.(() => 0); }} catch {{}}
</script>
"""


class Canary:
    """A bird on loopback: it sings when anything reaches it, by TCP or by UDP."""

    async def __aenter__(self):
        self.hits = []
        self._server = await asyncio.start_server(self._tcp, "127.0.0.1", 0)
        self.tcp = self._server.sockets[0].getsockname()[1]
        hits = self.hits

        class Udp(asyncio.DatagramProtocol):
            def datagram_received(self, data, addr):
                hits.append("udp")

        loop = asyncio.get_running_loop()
        self._udp, _ = await loop.create_datagram_endpoint(Udp, local_addr=("127.0.0.1", 0))
        self.udp = self._udp.get_extra_info("sockname")[1]
        return self

    async def _tcp(self, reader, writer):
        self.hits.append(await reader.read(200))
        writer.close()

    async def __aexit__(self, *_):
        self._udp.close()
        self._server.close()
        await self._server.wait_closed()


async def _redirects(writer, request):
    location = request.target.partition("?")[2]
    writer.write(f"HTTP/1.1 302 F\r\nLocation: {location}\r\nContent-Length: 0\r\n\r\n".encode())


class Program:
    """Chromium behind a script that notes each start, its environment, and all connections."""

    def __init__(self, folder: Path) -> None:
        self.path, self.log, self._env = folder / "browser", folder / "net.json", folder / "env"
        note = f"(echo STARTED; env) >> {self._env}"
        self.path.write_text(f'#!/bin/sh\n{note}\nexec {CHROMIUM} "$@" --log-net-log={self.log}\n')
        self.path.chmod(0o700)

    @property
    def environment(self) -> str:
        return self._env.read_text()

    @property
    def starts(self) -> int:
        return self.environment.count("STARTED\n")


@pytest.fixture
def program(tmp_path):
    return Program(tmp_path)


@pytest.fixture
async def browse(web, program):
    """Makes browsers on the small web, with every port open: only addresses are judged.

    They wait until a page asks for nothing more, however long a busy machine takes for it.
    """
    made = []

    def make(limits=None, transport=None):
        transport = transport or web.transport(FetchLimits(total=120), ports=None)
        made.append(Browser(transport, str(program.path), limits or BrowserLimits(settle=60)))
        return made[-1]

    yield make
    for one in made:
        await one.close()


@pytest.fixture
def proxy_alone(monkeypatch):
    """What keeps a page from trying is taken away: whatever it tries meets the proxy."""
    monkeypatch.setattr(module, "_INIT_SCRIPT", "")
    monkeypatch.setattr(module, "_BLOCKED", frozenset())
    monkeypatch.setattr(module, "_PICTURED", frozenset())


@needs_chromium
@pytest.mark.usefixtures("browser")
@pytest.mark.parametrize("stripped", [False, True], ids=["as it is", "with the proxy alone"])
async def test_no_vector_of_a_page_reaches_inside(web, browse, program, request, stripped):
    """Fifty ways to make a browser ask for something: none hits the canary, and the browser's own
    log knows of no connection but to us. The proxy alone must be enough."""
    if stripped:
        request.getfixturevalue("proxy_alone")
    web.names |= {"inside.test": ["10.0.0.1"], "mixed.test": ["8.8.8.8", "127.0.0.1"]}
    web.pages["/to"] = _redirects
    web.pages["/worker.js"] = (200, {"Content-Type": "text/javascript"}, b"fetch('/sw')")
    async with Canary() as canary:
        ports = {"udp": canary.udp, "tcp": canary.tcp}
        hosts = ["127.0.0.1", "mixed.test", *(["localhost", "inside.test"] if stripped else [])]
        for n, host in enumerate(hosts):
            web.pages[f"/{n}"] = VECTORS.format(t=f"http://{host}:{canary.tcp}", **ports)
        found = browse(BrowserLimits(settle=0.7))
        for n in range(len(hosts)):
            await found.render(f"http://public.test/{n}")
        if not stripped:
            await found.screenshot("http://public.test/0", Screenshot(full_page=True))
        await found.close()
        assert canary.hits == []
    assert set(web.dialled) == {"93.184.215.14"}
    assert _connections(program.log) <= {"127.0.0.1"}


@needs_chromium
@pytest.mark.usefixtures("browser")
async def test_the_vectors_work_where_they_may(web, browse, proxy_alone):
    """The control: the same page, pointed at a public host, reaches it in many ways."""
    web.names["fine.test"] = ["8.8.8.8"]
    web.pages["/to"] = _redirects
    web.pages["/"] = VECTORS.format(t="http://fine.test", udp=9, tcp=9)
    await browse().render("http://public.test/")
    reached = {request.path for request in web.seen if request.host == "fine.test"}
    assert len(reached) >= 20, sorted(reached)
    assert set(web.dialled) == {"93.184.215.14", "8.8.8.8"}


@needs_chromium
@pytest.mark.usefixtures("browser")
async def test_a_page_is_what_its_scripts_make_of_it(web, browse):
    """Scripts run, frames and fetches included, with their bodies; we say who we are."""
    got = []

    async def take(writer, request):
        got.append(request.headers.get("content-length"))
        writer.write(
            b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\nContent-Type: text/plain\r\n\r\nforty-two"
        )

    script = b"""fetch('/data', {method: 'POST', body: 'x'.repeat(3000)})
        .then(r => r.text()).then(t => { document.body.textContent = t })"""
    web.pages |= {"/": "<div id=app></div><script src=/x.js></script>", "/data": take}
    web.pages["/x.js"] = (200, {"Content-Type": "text/javascript"}, script)
    page = await browse().render("http://public.test/")
    assert b"forty-two" in page.body
    assert got == ["3000"]
    assert page.via == "browser"
    assert all("Kensaku" in request.headers["user-agent"] for request in web.seen)


PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGP4z8DwHwAFAAH/iZk9HQAAAABJRU5ErkJggg=="
)


def _size(picture: str) -> tuple[int, int]:
    """The width and height of a PNG."""
    assert picture.startswith("data:image/png;base64,iVBOR")
    return struct.unpack(">II", base64.b64decode(picture.partition(",")[2])[16:24])


@needs_chromium
@pytest.mark.usefixtures("browser")
async def test_a_picture_shows_what_was_asked_for(web, browse):
    """The viewport, or the page; with its images, after its scripts."""
    web.pages["/red.png"] = (200, {"Content-Type": "image/png"}, PIXEL)
    web.pages["/blank"] = "<body style='margin:0'>"
    web.pages["/"] = (
        "<body style='margin:0'><img src=/red.png width=400 height=100><script>"
        "document.body.insertAdjacentHTML('beforeend', '<div style=height:1900px></div>')</script>"
    )
    found, url = browse(), "http://public.test/"
    small = await found.screenshot(url, Screenshot(width=400, height=100))
    whole = await found.screenshot(url, Screenshot(full_page=True, width=400, height=100))
    jpeg = await found.screenshot(url, Screenshot(quality=40))

    assert _size(small) == (400, 100)
    assert _size(whole)[0] == 400
    assert _size(whole)[1] >= 2000
    assert jpeg.startswith("data:image/jpeg;base64,/9j/")
    assert "/red.png" in {request.path for request in web.seen}
    blank = await found.screenshot("http://public.test/blank", Screenshot(width=400, height=100))
    assert small != blank


@needs_chromium
@pytest.mark.usefixtures("browser")
async def test_a_page_of_any_size_gives_a_picture_of_a_bounded_one(web, browse):
    """A page may be a million pixels high, and lie about it."""
    web.pages["/"] = (
        "<div style='height:1000000px;width:9000px'></div><script>"
        "Object.defineProperty(document.documentElement, 'scrollHeight', {value: 1})</script>"
    )
    width, height = _size(await browse().screenshot("http://public.test/", Screenshot(True)))
    assert width <= 3_840
    assert MAX_PIXELS * 0.9 < width * height <= MAX_PIXELS


@needs_chromium
@pytest.mark.usefixtures("browser")
async def test_nothing_of_the_working_directory_is_run(web, browse, monkeypatch, tmp_path):
    """Neither an impostor of a program, nor a module or settings for the driver's Node."""
    folder, ran = tmp_path / "cloned", tmp_path / "ran"
    (folder / "node_modules" / "playwright-core").mkdir(parents=True)
    script = f"require('fs').appendFileSync({str(ran)!r}, __filename)"
    for name in ("index.js", "playwright.config.js", "node_modules/playwright-core/index.js"):
        (folder / name).write_text(script)
    (folder / ".npmrc").write_text(f"node-options=--require {folder}/index.js")
    for name in ("node", "chromium", "google-chrome"):
        (folder / name).write_text(f"#!/bin/sh\necho $0 >> {ran}\n")
        (folder / name).chmod(0o755)
    monkeypatch.chdir(folder)
    monkeypatch.setenv("PATH", f".:{os.environ['PATH']}")
    web.pages["/"] = "<p>forty-two</p>"

    page = await browse().render("http://public.test/")

    assert b"forty-two" in page.body
    assert find_chromium() == CHROMIUM
    assert not ran.exists()


@needs_chromium
@pytest.mark.usefixtures("browser")
async def test_a_page_inside_is_refused_like_everywhere(web, browse):
    """One answer for closed and unknown, by whichever way."""
    web.names["inside.test"] = ["10.0.0.1"]
    found = browse()
    for url in ("http://inside.test/", "https://inside.test/", "http://none.test/"):
        with pytest.raises(AddressRefused):
            await found.render(url)
    assert web.dialled == []


@needs_chromium
@pytest.mark.usefixtures("browser")
async def test_a_redirect_inside_is_not_followed(web, browse):
    """Neither by the server nor by a script."""
    web.names["inside.test"] = ["10.0.0.1"]
    found = browse()
    for n, to in enumerate(["http://127.0.0.1/", "http://inside.test/", "file:///etc/passwd"]):
        web.pages[f"/a{n}"] = (302, {"Location": to}, b"")
        web.pages[f"/b{n}"] = f"<p>here</p><script>location = '{to}'</script>"
        for path in (f"a{n}", f"b{n}"):
            try:
                page = await found.render(f"http://public.test/{path}")
            except FetchError:
                continue
            assert b"root:" not in page.body
    assert set(web.dialled) == {"93.184.215.14"}


@needs_chromium
@pytest.mark.usefixtures("browser")
async def test_a_page_that_never_ends_is_ended_and_the_browser_replaced(web, browse):
    """A script in a loop, a page that grows without end: typed errors, and the next page loads."""
    web.pages["/loop"] = "<script>for (;;);</script>"
    web.pages["/grow"] = "<script>document.documentElement.append('x'.repeat(2e6))</script>"
    web.pages["/fine"] = "<p>fine</p>"
    web.pages["/gone"] = (404, {}, b"no")
    transport = web.transport(FetchLimits(total=3, decoded=10**6), ports=None)
    found = browse(transport=transport)
    with pytest.raises(PageUnavailable):
        await found.render("http://public.test/loop")
    transport.limits = FetchLimits(total=60, decoded=10**6)  # a busy machine is no endless page
    with pytest.raises(TooLarge):
        await found.render("http://public.test/grow")
    with pytest.raises(PageUnavailable):
        await found.render("http://public.test/gone")
    assert b"fine" in (await found.render("http://public.test/fine")).body


@needs_chromium
@pytest.mark.usefixtures("browser")
async def test_a_browser_is_replaced_after_so_many_pages(web, browse, program, monkeypatch):
    """Browsers leak; a new one does not. None of them gets our environment: it has keys."""
    monkeypatch.setenv("TAVILY_API_KEY", "tvly-canary")
    web.pages["/"] = "<p>hello</p>"
    found = browse(BrowserLimits(pages=2, settle=0.1))
    starts = []
    for _ in range(3):
        assert b"hello" in (await found.render("http://public.test/")).body
        starts.append(program.starts)

    assert starts == [1, 1, 2]
    assert "canary" not in program.environment


def test_a_browser_does_not_go_past_the_operators_proxy(web):
    """It could not go through it, so it does not go at all."""
    with pytest.raises(ConfigError):
        Browser(web.transport(proxy="http://proxy.test:3128"), "/bin/true")


def _connections(log):
    """The hosts that Chromium itself has opened TCP connections to, by its own net log."""
    text = log.read_text()
    try:
        found = json.loads(text)
    except ValueError:  # it was killed: the last line is cut off
        found = json.loads(text.rpartition("\n")[0].rstrip().rstrip(",") + "]}")
    kinds = {number: name for name, number in found["constants"]["logEventTypes"].items()}
    hosts = set()
    for event in found["events"]:
        if kinds.get(event["type"]) in ("TCP_CONNECT", "TCP_CONNECT_ATTEMPT"):
            params = event.get("params", {})
            addresses = params.get("address_list", [])
            addresses += [params["address"]] if "address" in params else []
            hosts |= {address.rpartition(":")[0] for address in addresses}
    assert hosts
    return hosts


@needs_chromium
@pytest.mark.usefixtures("browser")
async def test_a_header_for_the_pages_host_is_never_the_browsers(web, browse):
    """The page and its own scripts come with it; no other host, frame or script sees it."""
    web.names["other.test"] = ["93.184.215.15"]
    web.pages |= {
        "public.test/page": "<script defer src=/own.js></script>"
        "<script src=http://other.test/their.js></script><script src=/away></script>"
        "<iframe src=http://other.test/frame></iframe><p id=p></p>",
        "public.test/own.js": (
            200, {"Content-Type": "text/javascript"},
            b"p.textContent = 'own script ran, cookie=[' + document.cookie + ']'",
        ),
        "public.test/away": (302, {"Location": "http://other.test/caught"}, b""),
        "other.test/frame": "<script src='http://public.test/data.js?from-a-frame'></script>",
    }  # fmt: skip
    url = "http://public.test/page"

    page = await browse().render(
        url, lambda asked: {"Cookie": "session=1"} if asked.host == "public.test" else {}
    )

    assert b"own script ran, cookie=[]" in page.body
    sent = {r.host + r.target: r.headers.get("cookie") for r in web.seen}
    assert (sent["public.test/page"], sent["public.test/own.js"]) == ("session=1", "session=1")
    assert sent["public.test/data.js?from-a-frame"] is None
    assert sent["other.test/their.js"] is None
    assert "other.test/caught" not in sent
