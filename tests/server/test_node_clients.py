"""Tavily's client for Node.js, unmodified: @tavily/core."""

from __future__ import annotations

import asyncio
import hashlib
import json
import shutil
import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).parent / "node"


@pytest.fixture(scope="session")
def packages(processes: None, request, tmp_path_factory) -> Path:
    """The directory in which the packages of package-lock.json are installed, kept between runs if pytest does."""
    if not shutil.which("npm"):
        pytest.skip("npm is not installed")
    lock = (HERE / "package-lock.json").read_bytes()
    kept = getattr(request.config, "cache", None)  # none with -p no:cacheprovider
    cache = kept.mkdir("node") if kept else tmp_path_factory.mktemp("packages")
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
