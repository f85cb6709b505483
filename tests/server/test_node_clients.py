"""Tavily's clients for Node.js, unmodified: @tavily/core, and tavily-mcp by our preload."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import io
import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from kensaku.cli import main

HERE = Path(__file__).parent / "node"


@pytest.fixture
def preload() -> Path:
    """Where the command line says that the preload is; nothing is served."""
    with contextlib.redirect_stdout(io.StringIO()) as said:
        assert main(["serve", "--node-preload"]) == 0
    return Path(said.getvalue().strip())


@pytest.fixture(scope="session")
def packages(processes: None, request, tmp_path_factory) -> Path:
    """The directory in which the packages of package-lock.json are installed, kept between runs."""
    if not shutil.which("npm"):
        pytest.skip("npm is not installed")
    lock = (HERE / "package-lock.json").read_bytes()
    cache = request.config.cache.mkdir("node")
    done = cache / hashlib.sha256(lock).hexdigest()[:16]
    if not done.exists():
        new = tmp_path_factory.mktemp("node")
        for name in ("package.json", "package-lock.json"):
            shutil.copy(HERE / name, new)
        command = ["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"]
        ended = subprocess.run(command, cwd=new, capture_output=True, timeout=300, check=False)
        if ended.returncode:
            pytest.skip("npm could not install the packages")
        if not done.exists():  # another worker may have been first
            shutil.move(new, done)
    return done


@pytest.fixture
async def reports(make_server):
    """A server whose provider reads no pages, so that it reads them itself."""
    return await make_server("brave", fetch_allow=("127.0.0.0/8",), fetch_ports="any")


async def run_core(packages: Path, url: str, key: str, site: str) -> dict:
    """Run the script that calls every method; return what each gave."""
    script = shutil.copy(HERE / "core.mjs", packages)  # it imports from where it is
    process = await asyncio.create_subprocess_exec(
        "node", script, url, key, site, stdout=asyncio.subprocess.PIPE
    )
    said, _ = await asyncio.wait_for(process.communicate(), 120)
    return json.loads(said)


async def test_every_method_of_tavily_core(packages, reports, found):
    """It calls `.map` on lists whether they are there or not."""
    said = await run_core(packages, reports.url, "tvly-anything", found)

    assert [r["url"] for r in said["search"]["results"]] == [found + "otters", found + "kelp"]
    assert said["search"]["answer"]
    assert "hold hands" in said["search"]["results"][0]["rawContent"]
    assert said["plain"]["images"] == []
    assert "Otters" in said["qna"]
    assert "hold hands" in said["extract"]["results"][0]["rawContent"]
    assert said["extract"]["failedResults"][0]["url"] == found + "missing"
    assert found + "otters" in [p["url"] for p in said["crawl"]["results"]]
    assert found + "otters" in said["map"]["results"]
    assert said["research"]["first"] == "pending"
    assert said["research"]["status"] == "completed"
    assert "hold hands" in said["research"]["content"]
    assert said["stream"].endswith("event: done\n\n")
    assert "topic is 'sport'" in said["wrong"]["error"]
    assert said["keyless"]["results"]


async def test_a_refusal_is_an_error_of_tavily_core(packages, server, make_key, found):
    """401 without a key, 429 after the first request."""
    slow = await make_key(server, rate="1/h")

    said = await run_core(packages, server.url, slow, found)

    assert said["search"]["results"]
    assert "too many requests" in said["plain"]["error"]
    assert "missing or invalid API key" in said["keyless"]["error"]


@pytest.mark.parametrize("base", ["", "/tavily/"])
async def test_the_preload_points_tavily_mcp_here(
    packages, preload, reports, found, make_key, base
):
    """All five tools; its addresses are constants, and it sends the key twice."""
    from mcp import ClientSession, StdioServerParameters
    from mcp.client.stdio import stdio_client

    key = await make_key(reports)
    program = packages / "node_modules" / "tavily-mcp" / "build" / "index.js"
    environment = {
        "PATH": os.environ["PATH"],
        "NODE_OPTIONS": f"--require {preload}",
        "TAVILY_API_BASE_URL": reports.url + base,
        "TAVILY_API_KEY": key,
    }
    about = StdioServerParameters(command="node", args=[str(program)], env=environment)
    calls = {
        "tavily_search": {"query": "otters", "include_images": True, "country": "Japan"},
        "tavily_extract": {"urls": [found + "otters"]},
        "tavily_crawl": {"url": found, "limit": 5},
        "tavily_map": {"url": found, "limit": 5},
    }
    if not base:  # it waits two seconds before it asks how far it is
        calls["tavily_research"] = {"input": "What do otters hold?", "model": "mini"}
    async with stdio_client(about) as streams, ClientSession(*streams) as session:
        await session.initialize()
        said = {name: await session.call_tool(name, args) for name, args in calls.items()}
        wrong = await session.call_tool("tavily_search", {"query": "otters", "topic": "sport"})

    for name, done in said.items():
        assert not done.is_error, (name, done.content)
        assert "tters" in done.content[0].text, name
    assert wrong.is_error
    assert "topic is" in wrong.content[0].text


@pytest.mark.usefixtures("processes")
def test_the_preload_sends_nothing_without_an_address(preload):
    """The requests, and the key in them, would go to Tavily."""
    if not shutil.which("node"):
        pytest.skip("node is not installed")
    ended = subprocess.run(
        ["node", "--require", str(preload), "-e", "0"], capture_output=True, check=False
    )

    assert ended.returncode
    assert b"set TAVILY_API_BASE_URL" in ended.stderr


@pytest.mark.usefixtures("processes")
async def test_the_preload_leaves_other_addresses_alone(preload):
    """By `request`, `get` and `fetch`, in each form of their arguments."""
    if not shutil.which("node"):
        pytest.skip("node is not installed")
    seen: list[bytes] = []

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        seen.append((await reader.readline()).split()[1])
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: close\r\n\r\n")
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    script = """
        const https = require("node:https"), agent = new https.Agent();
        const once = (sent) => new Promise((ok, no) =>
          sent.on("response", (r) => r.resume().on("end", ok)).on("error", no));
        (async () => {
          await once(https.get("https://api.tavily.com/a"));
          await once(https.get(new URL("https://api.tavily.com/b?c=d"), { agent }));
          await once(https.request({ host: "api.tavily.com:443", path: "/e", agent }).end());
          await fetch("https://api.tavily.com/f?g=h");
          await fetch(new Request("https://api.tavily.com/i", { method: "POST", body: "x" }));
          const elsewhere = `https://127.0.0.1:${process.argv[1]}/j`;  // no TLS is spoken there
          if (await once(https.get(elsewhere)).then(() => 1, () => 0)) process.exit(3);
          if (await fetch(elsewhere).then(() => 1, () => 0)) process.exit(4);
        })();
    """
    process = await asyncio.create_subprocess_exec(
        "node", "--require", str(preload), "-e", script, str(port),
        env={"PATH": os.environ["PATH"], "TAVILY_API_BASE_URL": f"http://127.0.0.1:{port}/base"},
    )  # fmt: skip
    status = await asyncio.wait_for(process.wait(), 60)
    server.close()

    assert status == 0
    paths = [path for path in seen if path.startswith(b"/")]
    assert paths == [b"/base/a", b"/base/b?c=d", b"/base/e", b"/base/f?g=h", b"/base/i"]
