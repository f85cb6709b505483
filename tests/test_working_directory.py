"""A folder that a stranger filled: whatever command runs in it, none of its code does."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

import kensaku
from kensaku.extract import ParsePool
from kensaku.index import Index, pydocs
from kensaku.models import Document
from kensaku.testing import FakeUpstream
from tests.mcp.servers import environment

# The installed program does not search the working directory, and neither does this.
PROGRAM = [sys.executable, "-P", "-c", "from kensaku.cli import main; raise SystemExit(main())"]
MODULE = [sys.executable, "-m", "kensaku.cli"]
# Found in the working directory, each of these would be taken for the real one.
IMPOSTORS = (
    *("json", "re", "asyncio", "struct", "socket", "subprocess", "pathlib", "typing", "ast"),
    *("sysconfig", "tempfile", "logging", "hashlib", "dataclasses", "argparse", "runpy", "pkgutil"),
    *("sitecustomize", "usercustomize", "lxml", "qdrant_edge", "Stemmer", "pypdfium2"),
    *("aiohttp", "yarl", "ddgs", "playwright", "mcp", "sudachipy", "re2", "kensaku"),
)
# What `python -m` itself loads before a program of ours has a say.
BEFORE_US = ("runpy", "pkgutil", "typing", "kensaku")
PAGE = "<html><title>Otters</title><p>Sea otters hold hands while they sleep.</p></html>"
SECRETS = {"TAVILY_API_KEY": "tvly-CANARY-1", "OPENAI_API_KEY": "sk-CANARY-2"}


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    """A cloned repository full of impostors. Each writes its name to `ran` when it is executed."""
    folder = tmp_path / "cloned"
    folder.mkdir()
    for name in IMPOSTORS:
        (folder / name).mkdir()
        code = f"open({str(tmp_path / 'ran')!r}, 'a').write({name!r} + ' ')\n"
        (folder / name / "__init__.py").write_text(code)
        (folder / f"{name}.py").write_text(code)
    (folder / "pyproject.toml").write_text('[tool.kensaku]\nroute = ["tavily"]\n')
    (folder / "evil.pth").write_text("import json")
    return folder


@pytest.fixture
def ran(tmp_path: Path):
    """Return the impostors that were executed."""
    return lambda: (tmp_path / "ran").read_text() if (tmp_path / "ran").exists() else ""


def _run(command: list[str], *words: str, cwd: Path, env: dict[str, str]) -> str:
    done = subprocess.run(
        [*command, *words], cwd=cwd, env={**os.environ, **env}, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.usefixtures("processes")
@pytest.mark.parametrize("command", [PROGRAM, MODULE], ids=["kensaku", "python -m"])
def test_no_command_runs_code_of_the_working_directory(hostile, ran, machine, command):
    """Reading, indexing and searching each start processes of their own."""
    if command is MODULE:
        for name in BEFORE_US:
            (hostile / f"{name}.py").unlink()
            (hostile / name / "__init__.py").unlink()
            (hostile / name).rmdir()
    (hostile / "note.md").write_text("Sea otters hold hands while they sleep.")
    with FakeUpstream.in_thread() as up:
        url = up.serves("/otters", PAGE)
        env = {"KENSAKU_FETCH_ALLOW": "127.0.0.1", "KENSAKU_FETCH_PORTS": "any"}
        read = _run(command, "extract", url, cwd=hostile, env=env)
        _run(command, "index", "add", "note.md", cwd=hostile, env=env)
        words = ("search", "otters hold hands", "--route", "local", "--json")
        found = json.loads(_run(command, *words, cwd=hostile, env=env))

    assert ran() == ""
    assert "otters hold hands" in read
    assert found["outcome"] == "found"


@pytest.mark.usefixtures("processes")
async def test_the_mcp_server_runs_no_code_of_the_working_directory(
    hostile, ran, upstream, machine, monkeypatch
):
    """Editors start it in the folder that is open; every tool that starts a process is called."""
    from mcp import Client, StdioServerParameters

    url = upstream.serves("/otters", PAGE)
    allow = {"KENSAKU_FETCH_ALLOW": "127.0.0.1", "KENSAKU_FETCH_PORTS": "any"}
    server = StdioServerParameters(
        command=PROGRAM[0],
        args=[*PROGRAM[1:], "mcp", "--tools", "web_search,web_extract,rag_search"],
        env=environment(upstream, machine, **allow),
        cwd=hostile,
    )
    async with Client(server) as c:
        await c.call_tool("web_search", {"query": "otter"})
        read = await c.call_tool("web_extract", {"urls": [url]})
        await c.call_tool("rag_search", {"query": "otter"})

    assert ran() == ""
    assert "otters hold hands" in read.content[0].text


@pytest.mark.usefixtures("processes")
async def test_workers_of_a_program_run_no_code_of_the_working_directory(
    hostile, ran, machine, monkeypatch
):
    """Also when the program itself was started with `-m`: the folder is on its own path."""
    monkeypatch.chdir(hostile)
    monkeypatch.syspath_prepend(str(hostile))
    monkeypatch.setenv("PYTHONPATH", "")
    monkeypatch.setenv("PYTHONSTARTUP", str(hostile / "json.py"))
    async with ParsePool(1) as pool:
        page = await pool.extract(PAGE.encode())
    async with Index(machine / "index") as index:
        await index.add([Document(url="https://otter.example/", title="Otters", text=page.text)])
        await pydocs.build(index, max_files=4)

    assert ran() == ""


def _environments(home: Path) -> list[dict[str, str]]:
    """What each process was given whose home this is; a worker may be nobody's child."""
    found = []
    for file in Path("/proc").glob("[0-9]*/environ"):
        with suppress(OSError):
            values = file.read_bytes().decode(errors="replace").split("\0")
            found.append(dict(value.split("=", 1) for value in values if "=" in value))
    return [env for env in found if env.get("HOME") == str(home)]


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.usefixtures("processes")
async def test_a_worker_is_given_what_it_needs_and_nothing_to_steal(machine, tmp_path, monkeypatch):
    """A parser that a document has taken over finds no key, no proxy, and nothing that loads code.

    Our packages are found wherever this program found them, but not in the working directory,
    by whatever name.
    """
    here, vendored = tmp_path / "here", tmp_path / "vendored"
    for folder in (here, vendored):
        folder.mkdir()
    (tmp_path / "link").symlink_to(here)
    monkeypatch.chdir(here)
    first = ["", ".", "relative", str(here), str(tmp_path / "link"), str(vendored)]
    monkeypatch.setattr(sys, "path", [*first, *sys.path])
    for name, value in {
        **SECRETS,
        "HTTPS_PROXY": "http://user:CANARY-3@127.0.0.1:9",
        "PYTHONSTARTUP": "/CANARY-4.py",
        "PYTHONPATH": str(here),
        "LD_PRELOAD": "",
        "LC_ALL": "C.UTF-8",
        "TZ": "UTC",
    }.items():
        monkeypatch.setenv(name, value)

    async with ParsePool(1) as pool, Index(machine / "index") as index:
        await pool.extract(PAGE.encode())
        await index.stats()
        started = _environments(tmp_path)

    assert len(started) >= 2
    for env in started:
        path = env["PYTHONPATH"].split(os.pathsep)
        assert "CANARY" not in str(env)
        assert not {"LD_PRELOAD", "PYTHONSTARTUP", "HTTPS_PROXY"} & set(env)
        assert (env["LC_ALL"], env["TZ"]) == ("C.UTF-8", "UTC")
        assert str(vendored) in path
        assert str(Path(kensaku.__file__).parents[1]) in path
        assert not set(first[:-1]) & set(path)


@pytest.mark.usefixtures("processes")
def test_a_working_directory_that_was_deleted_stops_nothing(monkeypatch, tmp_path):
    """A shell stays in a folder that is gone; workers start all the same."""
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()

    async def read() -> str:
        async with ParsePool(1) as pool:
            return (await pool.extract(PAGE.encode())).title

    assert asyncio.run(read()) == "Otters"
