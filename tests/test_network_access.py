"""Network access: nothing in the package talks to the network but the modules that are meant to."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest

import kensaku
from tests import ROOT

SOURCE = Path(kensaku.__file__).parent

# Libraries that open connections, and calls that do.
CLIENTS = {
    "aiohttp", "httpx", "requests", "urllib3", "urllib.request", "http.client", "ftplib", "smtplib",
    "poplib", "imaplib", "nntplib", "telnetlib", "xmlrpc.client", "websockets", "websocket",
    "pycurl", "curl_cffi", "primp", "niquests", "treq", "tornado", "paramiko", "playwright",
    "pyppeteer", "selenium", "ddgs", "valkey", "redis", "qdrant_client", "tavily", "openai",
    "anthropic", "slack_sdk", "slack_bolt", "aiogram",
}  # fmt: skip
CALLS = {
    "open_connection", "create_connection", "open_unix_connection", "create_unix_connection",
    "sock_connect", "connect_ex", "create_datagram_endpoint", "urlopen", "urlretrieve",
    "getaddrinfo", "gethostbyname", "gethostbyname_ex", "socketpair",
}  # fmt: skip

# Who may, and what for. A new line here is a decision: docs/decisions/page-transport.md.
MAY = {
    "transport/sessions.py": {"aiohttp"},  # the providers' addresses; sessions for pages
    "fetch/transport.py": {"open_connection", "sock_connect", "getaddrinfo"},  # pages
    "fetch/browser/chromium.py": {"playwright"},  # drives a browser whose only network is that
    "providers/_ddgs.py": {"primp"},  # fixed hosts of search engines
    "store/valkey.py": {"valkey"},  # the operator's own server
    "index/engines/server.py": {"qdrant_client"},  # the operator's own server
    "assistant/channels/slack.py": {"slack_bolt", "slack_sdk"},  # the operator's SLACK_API_BASE_URL
    "assistant/channels/telegram.py": {"aiogram"},  # the operator's TELEGRAM_API_BASE_URL
    "assistant/channels/_webhook.py": {"aiohttp"},  # its server: it connects to nobody
    "index/worker/client.py": {"open_unix_connection"},  # another process of ours, on this machine
    "cli/doctor/local.py": {"urllib.request"},  # reads which proxy variables are set; asks nobody
}


def _used(tree: ast.AST) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [node.module or "", *(f"{node.module}.{alias.name}" for alias in node.names)]
        else:
            names = []
            if isinstance(node, ast.Call):
                named = node.func
                called = named.attr if isinstance(named, ast.Attribute) else ""
                called = named.id if isinstance(named, ast.Name) else called
                found |= CALLS & {called}
        for name in names:
            parts = name.split(".")
            found |= CLIENTS & {".".join(parts[:n]) for n in range(1, len(parts) + 1)}
    return found


def _type_checking_removed(tree: ast.Module) -> ast.Module:
    """Imports for type checkers alone open nothing."""
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list):
            node.body = [  # type: ignore[attr-defined]
                child
                for child in body
                if not (isinstance(child, ast.If) and "TYPE_CHECKING" in ast.dump(child.test))
            ]
    return tree


def test_nobody_opens_connections_but_those_who_may():
    """One missed path was the hole in crawl4ai and in open-webui, three times each."""
    wrong = {}
    for path in sorted(SOURCE.rglob("*.py")):
        name = path.relative_to(SOURCE).as_posix()
        tree = _type_checking_removed(ast.parse(path.read_text()))
        extra = _used(tree) - MAY.get(name, set())
        if extra:
            wrong[name] = sorted(extra)
    assert wrong == {}


def test_the_lint_sees_what_it_should():
    """A rule that never fires is no rule."""
    source = "import httpx\nfrom urllib.request import urlopen\nasyncio.open_connection('x', 1)"
    assert _used(ast.parse(source)) == {"httpx", "urllib.request", "open_connection"}


WATCHED = """
import asyncio, json, sys
connected = []

def watch(event, args):
    if event == "socket.connect":
        connected.append(f"{{args[1][0]}}:{{args[1][1]}}")

sys.addaudithook(watch)
sys.path[:0] = [{here!r}]
from tests.fetch.conftest import QuickParser
from tests.fetch.web import Web
from kensaku.fetch.transport import PageTransport
from kensaku.transport.guard import AddressGuard
from kensaku.errors import FetchError
from kensaku.fetch import Crawl, Fetcher, PageReader, Plan

async def main():
    async with Web() as inside, Web() as web:
        there, never = f"http://127.0.0.1:{{web.port}}", f"http://127.0.0.2:{{inside.port}}"
        web.pages |= {{
            "/": f'<a href="{{never}}/link">x</a><a href="{{there}}/go">y</a>',
            "/go": (302, {{"Location": never + "/redirect"}}, b""),
            "/robots.txt": f"Sitemap: {{never}}/robots-line.xml\\nSitemap: {{there}}/sitemap.xml",
            "/sitemap.xml": f"<urlset><url><loc>{{never}}/entry</loc></url></urlset>",
        }}
        fetcher = Fetcher(PageTransport(AddressGuard.allowing(["127.0.0.1"], None)))
        urls = [there, there + "/go", never, "http://10.255.255.1/", "http://[::1]/"]
        result = await PageReader(fetcher, QuickParser()).extract(urls)
        await Crawl(PageReader(fetcher, QuickParser()), Plan(there, sitemap=True))
        try:
            await fetcher.transport.tunnel("127.0.0.2", inside.port, "http")
        except FetchError:
            pass
        await fetcher.close()
        read, hits = len(result.results), len(inside.seen)
        print(json.dumps([connected, there.removeprefix("http://"), read, hits]))

asyncio.run(main())
"""


@pytest.mark.usefixtures("processes")
def test_at_run_time_only_admitted_addresses_are_connected_to():
    """The interpreter's own audit hook watches real sockets while every entry point is tried."""
    script = WATCHED.format(here=str(ROOT))
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=True
    )
    connected, there, read, hits = json.loads(done.stdout)
    assert read == 1
    assert hits == 0
    assert set(connected) == {there}
