"""The guide to fetching is true: its example runs as it stands, against a small site on loopback."""

from __future__ import annotations

import asyncio
import os
import re
import sys

import pytest

from kensaku.fetch.limits import FetchLimits
from tests import ROOT
from tests.fetch.test_end_to_end import article

GUIDE = ROOT / "docs" / "fetching.md"


@pytest.mark.usefixtures("documentation")
async def test_the_example_of_the_guide_runs(web, tmp_path):
    """Only the address of the site is another one, and the name that does not exist is not asked."""
    (code,) = re.findall(r"```python\n(.*?)```", GUIDE.read_text(encoding="utf-8"), re.DOTALL)
    there = f"http://127.0.0.1:{web.port}"
    code = code.replace("https://docs.python.org", there).replace("https://example.invalid", "x:")
    web.pages |= {
        "/3/": article("Contents", "/3/library/asyncio.html"),
        "/3/library/asyncio.html": article("asyncio"),
    }
    env = {**os.environ, "KENSAKU_HOME": str(tmp_path), "KENSAKU_FETCH_ALLOW": "127.0.0.1"}
    env["KENSAKU_FETCH_PORTS"] = "any"
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", code, env=env, stdout=asyncio.subprocess.PIPE
    )
    output, _ = await process.communicate()
    assert process.returncode == 0
    lines = output.decode().splitlines()
    assert lines[0].startswith("asyncio ")
    assert lines[1].startswith("x:/ ")
    assert sorted(lines[2:4]) == [f"{there}/3/", f"{there}/3/library/asyncio.html"]
    assert f"{there}/3/library/asyncio.html" in lines[4]


def test_the_limits_of_the_guide_are_those_of_the_code():
    """People set their own limits by these."""
    limits = FetchLimits()
    mib, kib = 2**20, 2**10
    rows = [
        f"| {limits.connect:g} s, {limits.first_byte:g} s, {limits.total:g} s |",
        f"| bytes as sent | {limits.wire / mib:g} MiB |",
        f"| bytes after gzip, Brotli or zstd | {limits.decoded / mib:g} MiB |",
        f"| {limits.header_bytes / kib:g} KiB, {limits.header_fields} fields |",
        f"| redirects | {limits.redirects} |",
        f"| {limits.slow_bytes / kib:g} KiB/s over {limits.slow_window:g} s |",
    ]
    text = GUIDE.read_text(encoding="utf-8")

    assert [row for row in rows if row not in text] == []
