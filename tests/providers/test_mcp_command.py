"""MCP servers that a command starts: of the official library, of strangers, and broken ones."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from kensaku import Kensaku
from kensaku.config.settings import Settings
from kensaku.errors import ConfigError, NotAsked, NotConfigured, Timeout, Unreachable, Unreadable
from kensaku.models import Hit, Outcome
from tests.server.conftest import make_server as make_server
from tests.server.test_node_clients import packages as packages

pytestmark = pytest.mark.usefixtures("processes")

OFFICIAL = """
import json, os, sys
from mcp.server.mcpserver import MCPServer
server = MCPServer("notes")
@server.tool()
def look_up(question: str, most: int = 5) -> str:
    about = {"url": "https://a.example/1", "title": question, "content": f"{os.getpid()} {most}"}
    about["content"] += " " + os.getcwd() + " " + " ".join(sorted(os.environ))
    return json.dumps([about])
server.run("stdio")
"""
# A server of nobody's library, which does what a test tells it to.
ODD = """
import json, os, sys
what, pids = sys.argv[1], sys.argv[2]
with open(pids, "a") as file:
    print(os.getpid(), file=file)
print("Welcome!", flush=True)
for line in sys.stdin:
    asked = json.loads(line)
    method = asked.get("method")
    if method == "initialize":
        if what == "silent":
            continue
        print(json.dumps({"jsonrpc": "2.0", "id": 9, "method": "roots/list"}), flush=True)
        result = {"protocolVersion": "2025-06-18", "capabilities": {}}
    elif method == "tools/call":
        if what == "dies":
            sys.exit(3)
        if what == "floods":
            print("x" * (17 << 20), flush=True)
        if what == "hangs":
            continue
        found = [{"url": "https://a.example/1", "title": "Otters"}]
        text = "[]" if what == "nothing" else json.dumps(found)
        result = {"content": [{"type": "text", "text": text}]}
        print("\\n{broken", flush=True)
    else:
        continue
    print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": result}), flush=True)
"""


@pytest.fixture
def described(tmp_path, monkeypatch):
    """Settings of a file that describes a server by its command."""
    monkeypatch.setenv("CANARY_KEY", "not-for-the-process")
    monkeypatch.setenv("NOTES_FOLDER", "/notes")

    def make(command, tool="look_up", **more) -> Settings:
        options = {"command": command, "tool": tool, **more}
        lines = [f"{name} = {json.dumps(value)}" for name, value in options.items()]
        file = tmp_path / "config.toml"
        file.write_text("\n".join(['[providers."mcp:notes"]', *lines]))
        return Settings.load(file=file, environ={}, home=tmp_path / "home", cache_enabled=False)

    return make


@pytest.fixture
def odd(tmp_path, described):
    """Settings of a server that does this, and the ids of the processes that it was."""
    pids, script = tmp_path / "pids", tmp_path / "odd.py"
    script.write_text(ODD)

    def make(what: str) -> Settings:
        return described([sys.executable, str(script), what, str(pids)])

    make.pids = lambda: [int(line) for line in pids.read_text().split()]
    return make


def is_running(pid: int) -> bool:
    with suppress(ProcessLookupError):
        os.kill(pid, 0)
        return True
    return False


async def search(k: Kensaku, **more):
    return await k.search("sea otters", route="mcp:notes", max_results=3, **more)


async def test_a_server_of_the_official_library_is_one_process_of_the_client(tmp_path, described):
    """It has the variables that were named, runs in a folder of ours, and ends with the client."""
    pytest.importorskip("mcp.server.mcpserver")
    script = tmp_path / "server.py"
    script.write_text(OFFICIAL)
    names = {"query_argument": "question", "limit_argument": "most", "env": ["NOTES_FOLDER"]}
    async with Kensaku(settings=described([sys.executable, str(script)], **names)) as k:
        several = await asyncio.gather(search(k), search(k.for_tenant("acme")), search(k))
        contents = {response.hits[0].content for response in several}

    assert len(contents) == 1
    pid, most, folder, *variables = contents.pop().split()
    assert most == "3"
    assert folder == str(tmp_path / "home" / "mcp")
    assert "NOTES_FOLDER" in variables
    assert not {"CANARY_KEY", "PYTHONPATH"} & set(variables)
    assert not is_running(int(pid))


async def test_a_server_that_others_wrote_is_searched(packages, make_server, described, upstream):
    """`mcp-searxng` from npm, as its documentation starts it, in front of our own server."""
    upstream.answers("tavily", [Hit("https://otters.example/1", "Otters", "They hold hands.")])
    server = await make_server()
    os.environ["SEARXNG_URL"] = f"{server.url}/searxng"
    main = packages / "node_modules/mcp-searxng/dist/cli.js"
    command = [shutil.which("node") or "node", str(main)]
    try:
        settings = described(command, "searxng_web_search", env=["SEARXNG_URL"])
        async with Kensaku(settings=settings) as k:
            response = await search(k, timeout=60)
    finally:
        del os.environ["SEARXNG_URL"]

    assert [(h.url, h.title) for h in response.hits] == [("https://otters.example/1", "Otters")]
    assert "They hold hands." in response.hits[0].content


async def test_noise_and_questions_of_a_server_do_not_matter(odd):
    """It prints a banner and half a message, and asks for what we do not have."""
    async with Kensaku(settings=odd("works")) as k:
        assert [h.title for h in (await search(k)).hits] == ["Otters"]
    async with Kensaku(settings=odd("nothing")) as k:
        assert (await search(k)).outcome is Outcome.EMPTY


@pytest.mark.parametrize(
    ("what", "error", "seconds"),
    [
        ("dies", Unreachable, 300),
        ("floods", Unreadable, 300),
        ("hangs", Timeout, 2),
        ("silent", Timeout, 2),
    ],
)
async def test_a_server_that_fails_is_unavailable(odd, what, error, seconds):
    """Never empty; and nothing of it is left."""
    async with Kensaku(settings=odd(what)) as k:
        response = await search(k, timeout=seconds)
        assert response.outcome is Outcome.UNAVAILABLE
        assert isinstance(response.attempts[0].error, error)

    assert not any(is_running(pid) for pid in odd.pids())


async def test_a_process_that_has_ended_is_started_again(odd):
    """By the next search."""
    async with Kensaku(settings=odd("works")) as k:
        await search(k)
        os.kill(odd.pids()[0], 9)
        found = await search(k)
        if not found.hits:  # it was not known yet that the process had ended
            found = await search(k)

    assert [h.title for h in found.hits] == ["Otters"]
    assert len(odd.pids()) == 2


async def test_what_cannot_be_run_is_not_configured(described):
    """With the name of the program, and what to do."""
    async with Kensaku(settings=described(["no-such-program", "--key", "s3cret"])) as k:
        error = (await search(k)).attempts[0].error
    assert isinstance(error, NotConfigured)
    assert "no-such-program" in str(error)
    assert "s3cret" not in str(error)


@pytest.mark.parametrize("program", ["./server", "server", "bin/server"])
async def test_nothing_of_the_working_directory_is_run(described, tmp_path, monkeypatch, program):
    """Whatever the settings say, and whatever PATH says: the folder may be a stranger's."""
    ran = tmp_path / "ran"
    for path in (tmp_path / "cloned" / "server", tmp_path / "cloned" / "bin" / "server"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"#!/bin/sh\ntouch {ran}\n")
        path.chmod(0o700)
    monkeypatch.chdir(tmp_path / "cloned")
    monkeypatch.setenv("PATH", f".:{os.environ['PATH']}::")
    async with Kensaku(settings=described([program])) as k:
        assert isinstance((await search(k)).attempts[0].error, NotConfigured)
    assert not ran.exists()


def test_only_the_settings_file_names_a_command(tmp_path):
    """A variable, or the file of another program, cannot; an address beside it is refused."""
    env = {"MCP_NOTES_COMMAND": "evil", "MCP_NOTES_TOOL": "t", "": "evil"}
    below = {"providers.mcp:notes.command": ("evil", "elsewhere")}
    file = tmp_path / "config.toml"
    file.write_text('[providers."mcp:notes"]\nbase_url = "http://127.0.0.1:1/mcp"\n')
    settings = Settings.load(file=file, environ=env, below=below, home=tmp_path)
    assert "command" not in settings.provider("mcp:notes").options

    file.write_text(file.read_text() + 'command = ["x"]\n')
    k = Kensaku(settings=Settings.load(file=file, environ=env, home=tmp_path))
    with pytest.raises(ConfigError, match="command"):
        k.resources.provider("mcp:notes")


async def test_a_command_is_not_run_where_egress_is_closed(odd, tmp_path: Path):
    """A process may connect to anything."""
    from dataclasses import replace

    async with Kensaku(settings=replace(odd("works"), egress=("private",))) as k:
        error = (await search(k)).attempts[0].error
    assert isinstance(error, NotAsked)
    assert not (tmp_path / "pids").exists()
