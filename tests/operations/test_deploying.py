"""docs/operations/deploying.md, carried out: the unit by systemd, the proxies by themselves."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import AsyncIterator
from configparser import ConfigParser
from io import BytesIO
from pathlib import Path

import pytest

from kensaku.testing import faults
from tests.blocks import block, commands, with_values
from tests.operations.proxies import PAGE, Proxy, outside, running
from tests.server.conftest import Running
from tests.server.page_client import PageClient

MIB = 2**20
QUERY = {"query": "otter"}


@pytest.fixture
async def server(make_server) -> Running:
    """The server that the proxy stands before."""
    made: Running = await make_server()
    return made


@pytest.fixture
async def secret(server: Running, make_key) -> str:
    """Its first key, which the page creates before there is a proxy."""
    made: str = await make_key(server, "admin", admin=True)
    return made


@pytest.fixture(params=["nginx", "caddy"])
async def proxy(request, processes, server, secret, tmp_path, certificate) -> AsyncIterator[Proxy]:
    """The proxy of the page."""
    async with running(request.param, server.url, tmp_path, certificate) as made:
        yield made


def bearer(secret: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {secret}"}


async def test_who_has_a_key_searches_through_the_proxy_and_nobody_else(proxy, secret):
    """The page's last check, from outside: 401 without a key, results with one."""
    async with outside() as http:
        async with http.get(f"{proxy.url}/healthz") as alive:
            assert alive.status == 200
        async with http.post(f"{proxy.url}/search", json=QUERY) as refused:
            assert refused.status == 401
        async with http.post(f"{proxy.url}/search", json=QUERY, headers=bearer(secret)) as found:
            assert (found.status, (await found.json())["results"] != []) == (200, True)


async def test_a_stream_is_not_held_back(proxy, secret, upstream):
    """The first event comes while the provider still hangs."""
    upstream.fails("tavily", faults.hang())
    body = {
        "threadId": "t",
        "runId": "r",
        "messages": [{"id": "m", "role": "user", "content": "How do otters sleep?"}],
        "tools": [],
        "context": [],
        "state": {},
        "forwardedProps": {},
    }
    async with (
        outside() as http,
        http.post(f"{proxy.url}/agent", json=body, headers=bearer(secret)) as stream,
    ):
        first = await stream.content.readline()

    assert stream.headers["content-type"].startswith("text/event-stream")
    assert b"RUN_STARTED" in first


async def test_a_body_that_nginx_refuses_by_default_reaches_the_server(proxy, secret):
    """It takes 1 MB: an upload would fail with a page of nginx's. The server has its own bounds."""
    padded = BytesIO(b'{"query": "%s"}' % (b"x" * 5 * MIB))
    async with (
        outside() as http,
        http.post(f"{proxy.url}/search", data=padded, headers=bearer(secret)) as refused,
    ):
        text = await refused.text()

    assert refused.status == 413
    assert "the body is over 4,194,304 bytes" in text


async def test_the_page_is_used_through_the_proxy_with_a_secure_cookie(proxy, secret):
    """`Host` arrives as the browser sent it, and that it was sent by HTTPS."""
    async with outside() as http:
        page = PageClient(http, proxy.url)
        assert await page.sign_in(secret) == "/page/usage"
        await page.get("/page/usage")
        assert page.status == 200
        await page.call("POST", "/api/keys", {"name": "reports"})

    assert page.status in (200, 201)
    assert [cookie["secure"] for cookie in http.cookie_jar if cookie.key == "kensaku_session"] == [
        True
    ]


@pytest.mark.parametrize("proxy", ["nginx"], indirect=True)
async def test_plain_http_is_redirected(proxy):
    """Caddy does it by itself."""
    async with (
        outside() as http,
        http.get(f"{proxy.plain_url}/search?q=a", allow_redirects=False) as moved,
    ):
        assert moved.status == 301
        assert moved.headers["location"].startswith("https://search.example.com/search?q=a")


def unit() -> ConfigParser:
    """The unit of the page."""
    parser = ConfigParser(interpolation=None)
    parser.optionxform = str  # type: ignore[assignment, method-assign]
    parser.read_string(block(PAGE, "ini"))
    return parser


@pytest.mark.usefixtures("processes")
def test_systemd_understands_the_unit_and_finds_it_confined(tmp_path):
    """A misspelt line is ignored in silence when the service starts."""
    if not shutil.which("systemd-analyze"):
        pytest.skip("systemd-analyze is not installed")
    own = with_values(block(PAGE, "ini"), {"/opt/kensaku/bin/kensaku": sys.executable})
    file = tmp_path / "kensaku.service"
    file.write_text(own)
    verify = subprocess.run(["systemd-analyze", "verify", file], capture_output=True, text=True)
    told = [line for line in verify.stderr.splitlines() if "kensaku.service" in line]
    confined = subprocess.run(
        ["systemd-analyze", "security", "--offline=true", "--threshold=35", file],
        capture_output=True, text=True,
    )  # fmt: skip

    assert told == []
    assert confined.returncode == 0, confined.stdout.splitlines()[-1]


@pytest.mark.usefixtures("processes")
def test_the_commands_of_the_page_create_a_key_and_the_unit_then_starts(tmp_path, machine):
    """As the service's user would: the key first, then the program of the unit."""
    service = unit()["Service"]
    variable, _, home = service["Environment"].partition("=")
    (create,) = [c for c in commands(PAGE) if c.endswith("keys create admin --admin")][:1]
    words = create.split(f"{variable}={home} ")[1].split()
    program = Path(sys.executable).with_name("kensaku")
    assert words[0] == service["ExecStart"].split()[0] == "/opt/kensaku/bin/kensaku"
    env = {**os.environ, variable: str(machine)}
    made = subprocess.run([program, *words[1:]], env=env, capture_output=True, text=True)
    started = subprocess.Popen(
        [program, *service["ExecStart"].split()[1:], "--port", "0"],
        env=env, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        assert started.stderr is not None
        greeting = started.stderr.readline()
    finally:
        started.terminate()
        _, rest = started.communicate(timeout=120)

    assert made.stdout.startswith("ksk_")
    assert greeting.startswith("kensaku serve: http://127.0.0.1:")
    assert "no key was created yet" not in rest
    assert started.returncode in (0, -15)
