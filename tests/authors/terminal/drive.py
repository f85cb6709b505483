"""The author's TypeScript, from his clone: his tool against `kensaku serve`, and his formatter.

It needs node and npm; esbuild and zod come from the registry.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest
from tests.compat.terminal.test_formatter import ROWS

from kensaku.testing import FakeUpstream

CLONE = Path(os.environ.get("AUTHORS_CLONE", ""))
ENTRY = """
import { createWebSearchToolDefinition, formatResultsAsMarkdown } from '%s/source/tools/web/web-search.js';
import { readFileSync } from 'node:fs';
const input = JSON.parse(readFileSync(0, 'utf8'));
const theirs = globalThis.fetch;
globalThis.fetch = (url, options) => theirs(url.replace('https://api.tavily.com', input.server), options);
const silent = () => {};
const tool = createWebSearchToolDefinition({
  settingsService: { get: (key) => input.settings[key] },
  loggingService: { debug: silent, error: silent, warn: silent, info: silent },
});
const out = input.responses ? input.responses.map(formatResultsAsMarkdown)
  : await tool.execute({ query: input.query });
process.stdout.write(JSON.stringify(out));
"""
needs_node = pytest.mark.skipif(not shutil.which("npm"), reason="npm is not installed")


@pytest.fixture(scope="module")
def term2(tmp_path_factory):
    """His tool and his formatter in one file: `term2(settings=…, query=…)`."""
    folder = tmp_path_factory.mktemp("term2")
    (folder / "package.json").write_text("{}")
    packages = ("esbuild@0.25", "zod@4")
    subprocess.run(
        ["npm", "install", "--silent", "--ignore-scripts", *packages], cwd=folder, check=True
    )
    (folder / "entry.ts").write_text(ENTRY % CLONE)
    bundle = ["entry.ts", "--bundle", "--platform=node", "--format=esm", "--outfile=term2.mjs"]
    env = {**os.environ, "NODE_PATH": str(folder / "node_modules")}
    esbuild = [folder / "node_modules" / ".bin" / "esbuild", *bundle]
    subprocess.run(esbuild, cwd=folder, env=env, check=True, capture_output=True)

    def run(**given):
        told = json.dumps({"settings": {}, "server": "", **given})
        done = subprocess.run(
            ["node", "term2.mjs"],
            cwd=folder,
            input=told,
            capture_output=True,
            text=True,
            check=True,
        )
        return json.loads(done.stdout)

    return run


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """The address of `kensaku serve`, whose web is on loopback."""
    home = tmp_path_factory.mktemp("home")
    with FakeUpstream.in_thread() as up:
        env = {**os.environ, **up.environment("tavily"), "KENSAKU_HOME": str(home)}
        program = Path(sys.executable).with_name("kensaku")
        command = [program, "serve", "--port", "0", "--route", "tavily"]
        with subprocess.Popen(command, env=env, stderr=subprocess.PIPE, text=True) as process:
            try:
                address = next(
                    word.rstrip("/.,") for line in process.stderr for word in line.split()
                    if word.startswith("http://127.0.0.1:")
                )  # fmt: skip
                urllib.request.urlopen(f"{address}/healthz", timeout=60).close()
                yield address
            finally:
                process.terminate()


@needs_node
@pytest.mark.usefixtures("processes")
def test_his_formatter_writes_what_is_recorded(term2):
    """The golden file is his function's work, in the version of this clone (S4-31)."""
    written = term2(responses=[row["response"] for row in ROWS])

    assert written == [row["markdown"] for row in ROWS]


@needs_node
@pytest.mark.usefixtures("processes")
def test_his_tool_searches_with_our_server(term2, server):
    """By the address of Tavily alone (S4-13, S4-28)."""
    settings = {"webSearch.provider": "tavily", "webSearch.tavily.apiKey": "any"}

    text = term2(settings=settings, query="otter", server=server)

    assert text.startswith("## Search Results\n\n### 1. ")


@needs_node
@pytest.mark.usefixtures("processes")
def test_his_tool_says_that_it_has_no_key(term2, server):
    """(S4-27)"""
    assert "not properly configured" in term2(query="otter", server=server)
