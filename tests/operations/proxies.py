"""nginx and Caddy with the configurations of docs/operations/deploying.md, on loopback.

    async with running("nginx", server.url, folder, certificate) as proxy: proxy.url, proxy.plain_url

Only what a reader has to change is changed: the name's port, the certificate, the server's port.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import aiohttp
import pytest
from aiohttp.abc import AbstractResolver, ResolveResult

from tests.blocks import block, with_values

PAGE = "operations/deploying.md"
NAME = "search.example.com"
SERVER = "127.0.0.1:8787"
NGINX = """
daemon off;
{user}
pid {folder}/pid;
error_log {folder}/error.log;
events {{}}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    include {folder}/kensaku.conf;
}}
"""
CADDY = """
{{
	admin off
	auto_https disable_redirects
}}
{site}
"""


@dataclass(frozen=True)
class Proxy:
    """A proxy that listens."""

    url: str
    plain_url: str  # without TLS; "" for none


class _Here(AbstractResolver):
    """Every name is this machine."""

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        return [
            ResolveResult(
                hostname=host, host="127.0.0.1", port=port, family=socket.AF_INET, proto=0, flags=0
            )
        ]

    async def close(self) -> None:
        """Nothing is open."""


def outside() -> aiohttp.ClientSession:
    """A client for which the name of the page is this machine, and its certificate is fine."""
    return aiohttp.ClientSession(connector=aiohttp.TCPConnector(resolver=_Here(), ssl=False))


@asynccontextmanager
async def running(
    kind: str, server_url: str, folder: Path, certificate: tuple[Path, Path]
) -> AsyncIterator[Proxy]:
    """Run nginx or Caddy before a server, as the page configures it."""
    secure, plain = free_port(), free_port()
    write = {"nginx": _write_nginx, "caddy": _write_caddy}[kind]
    words = write(folder, urlsplit(server_url).netloc, secure, plain, certificate)
    async with started(kind, words, secure, folder):
        yield Proxy(f"https://{NAME}:{secure}", f"http://{NAME}:{plain}" * (kind == "nginx"))


@asynccontextmanager
async def started(kind: str, words: list[str], port: int, folder: Path) -> AsyncIterator[None]:
    """Run nginx or Caddy with these words, as soon as it listens on the port."""
    if not (program := shutil.which(kind, path=f"{os.environ['PATH']}:/usr/sbin")):
        pytest.skip(f"{kind} is not installed: apt-get install {kind}")
    env = {**os.environ, "XDG_DATA_HOME": str(folder), "XDG_CONFIG_HOME": str(folder)}
    process = await asyncio.create_subprocess_exec(
        program, *words, env=env, stderr=asyncio.subprocess.PIPE
    )
    try:
        await _listens(port, process)
        yield
    finally:
        process.terminate()
        await process.communicate()


def _write_nginx(
    folder: Path, server: str, secure: int, plain: int, certificate: tuple[Path, Path]
) -> list[str]:
    live = f"/etc/letsencrypt/live/{NAME}"
    values = {
        "listen 443 ssl": f"listen 127.0.0.1:{secure} ssl",
        "listen [::]:443 ssl": f"listen unix:{folder}/s ssl",  # not every machine has IPv6
        "listen 80": f"listen 127.0.0.1:{plain}",
        "listen [::]:80": f"listen unix:{folder}/p",
        f"{live}/fullchain.pem": str(certificate[0]),
        f"{live}/privkey.pem": str(certificate[1]),
        f"server {SERVER};": f"server {server};",
    }
    (folder / "kensaku.conf").write_text(with_values(block(PAGE, "nginx"), values))
    user = "user root;" if os.getuid() == 0 else ""
    (folder / "nginx.conf").write_text(NGINX.format(folder=folder, user=user))
    return ["-p", str(folder), "-e", f"{folder}/error.log", "-c", f"{folder}/nginx.conf"]


def _write_caddy(
    folder: Path, server: str, secure: int, plain: int, certificate: tuple[Path, Path]
) -> list[str]:
    own = f"https://{NAME}:{secure} {{\n\ttls {certificate[0]} {certificate[1]}\n"
    site = with_values(block(PAGE, "caddyfile"), {f"{NAME} {{\n": own, SERVER: server})
    (folder / "Caddyfile").write_text(CADDY.format(site=site))
    return ["run", "--adapter", "caddyfile", "--config", f"{folder}/Caddyfile"]


def free_port() -> int:
    """A port that nobody listens on."""
    with closing(socket.socket()) as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
        return port


async def _listens(port: int, process: asyncio.subprocess.Process) -> None:
    """Wait until it does, or say why it ended."""
    async with asyncio.timeout(60):
        while True:
            if process.returncode is not None and process.stderr is not None:
                pytest.fail((await process.stderr.read()).decode())
            try:
                _, writer = await asyncio.open_connection("127.0.0.1", port)
            except OSError:
                await asyncio.sleep(0.05)
                continue
            writer.close()
            return
