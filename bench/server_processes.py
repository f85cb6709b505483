"""The processes that `bench/server.py` measures: ours, the peers, the upstream.

Each is started by `running(…)` and ended by its id. A peer lives in a virtualenv of its own.
"""

from __future__ import annotations

import asyncio
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

SLOW = 0.3  # seconds: the slow upstream
START_SECONDS = 60.0
MAIN = "import sys; from kensaku.cli import main; sys.exit(main())"
TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Server:
    """A process that listens."""

    process: subprocess.Popen[bytes]
    url: str
    began: float  # perf_counter at its start

    @property
    def cpu(self) -> float:
        """CPU seconds so far."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / TICKS

    @property
    def megabytes(self) -> float:
        """What is resident, with its child processes."""
        task = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children")
        return sum(map(resident, [self.process.pid, *map(int, task.read_text().split())]))


def resident(pid: int) -> float:
    """Megabytes of a process that are in memory."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])


@contextmanager
def running(
    command: list[str], port: int, env: Mapping[str, str], health: str = "/healthz"
) -> Iterator[Server]:
    """Start a server and wait until it answers; end it."""
    with tempfile.TemporaryFile() as log:
        began = time.perf_counter()
        process = subprocess.Popen(
            command, env={**os.environ, **env}, stdout=log, stderr=log, stdin=subprocess.DEVNULL
        )
        server = Server(process, f"http://127.0.0.1:{port}", began)
        try:
            _wait_for(server, health)
            yield server
        finally:
            process.terminate()
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def _wait_for(server: Server, path: str) -> None:
    while time.perf_counter() - server.began < START_SECONDS:
        if server.process.poll() is not None:
            break
        try:
            urllib.request.urlopen(server.url + path, timeout=5).close()
            return
        except urllib.error.HTTPError:
            return  # it answers
        except OSError:
            time.sleep(0.005)
    raise RuntimeError(f"a server did not start: {server.process.args!r:.200}")


def ask(url: str, key: str = "", **fields: Any) -> bytes:
    """One search; the body of the answer."""
    body = json.dumps({"query": "what is new in the release", "max_results": 5, **fields})
    headers = {"Content-Type": "application/json"}
    if key:
        headers["Authorization"] = f"Bearer {key}"
    request = urllib.request.Request(url, body.encode(), headers)
    with urllib.request.urlopen(request, timeout=60) as answer:
        return bytes(answer.read())


def environment(home: str, upstream: str) -> dict[str, str]:
    """The settings of a server of ours: one provider, and all else as it comes."""
    return {
        "KENSAKU_HOME": home,
        "TAVILY_BASE_URL": upstream,
        "TAVILY_API_KEY": "tvly-bench",
        "WEB_SEARCH_PROVIDER": "tavily",
    }


@contextmanager
def kensaku(
    upstream: str, *, keyed: bool = False, home: str | None = None
) -> Iterator[tuple[Server, str]]:
    """`kensaku serve`, by default in a new home, and a key for it if there is to be one."""
    with tempfile.TemporaryDirectory() as new_home:
        home = home or new_home
        env, key = environment(home, upstream), ""
        if keyed:
            create = [sys.executable, "-c", MAIN, "keys", "create", "bench", "--rate", "1000000/s"]
            made = subprocess.run(
                [*create, "--json"], env={**os.environ, **env}, capture_output=True, check=True
            )
            key = str(json.loads(made.stdout)["key"])
        port = free_port()
        command = [sys.executable, "-c", MAIN, "serve", "--port", str(port)]
        with running(command, port, env) as server:
            yield server, key


async def serve_upstream() -> None:
    """The process of the upstream: a fast and a slow Tavily, and a page of Mojeek's."""
    from kensaku.testing import FakeUpstream, faults
    from speed import five_results

    async with FakeUpstream(keep=0) as fast, FakeUpstream(keep=0) as slow:
        for up in (fast, slow):
            up.answers("tavily", five_results())
        slow.fails("tavily", faults.delay(SLOW))
        items = "".join(
            f"<li><h2><a href='{h.url}'>{h.title}</a></h2><p class='s'>{h.content}</p></li>"
            for h in five_results()
        )
        page = fast.serves("/mojeek", f"<html><ul class='results'>{items}</ul></html>")
        print(fast.base_url("tavily"), slow.base_url("tavily"), page, flush=True)
        await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)


@contextmanager
def upstreams() -> Iterator[tuple[str, str, str]]:
    """The addresses of the fast and the slow upstream, and of the page."""
    command = [sys.executable, __file__, "upstream"]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdout is not None
    try:
        fast, slow, page = process.stdout.readline().decode().split()
        yield fast, slow, page
    finally:
        process.communicate()


DDGS = """
import sys, uvicorn
from ddgs.engines.mojeek import Mojeek
Mojeek.search_url = sys.argv[2]
from ddgs.api_server.api import app
uvicorn.run(app, port=int(sys.argv[1]), access_log=False, log_level="warning")
"""


def interpreter(folder: Path, name: str, requirement: str) -> str:
    """The interpreter of a peer's virtualenv, which is made where it is missing."""
    python = folder / name / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", folder / name], check=True)
        install = [python, "-m", "pip", "install", "--quiet", requirement]
        subprocess.run(install, check=True, capture_output=True, timeout=900)
    return str(python)


@contextmanager
def ddgs(folder: Path, page: str) -> Iterator[tuple[Server, str]]:
    """The API server of ddgs; its engine Mojeek asks our page."""
    python, port = interpreter(folder, "ddgs", "ddgs[api]"), free_port()
    with running([python, "-c", DDGS, str(port), page], port, {}) as server:
        yield server, f"{server.url}/search/text"


@contextmanager
def litellm(folder: Path, upstream: str) -> Iterator[tuple[Server, str]]:
    """A LiteLLM proxy with one search tool, which asks the upstream."""
    python, port = interpreter(folder, "litellm", "litellm[proxy]"), free_port()
    parameters = {"search_provider": "tavily", "api_key": "k", "api_base": upstream + "/search"}
    tool = {"search_tool_name": "bench", "litellm_params": parameters}
    with tempfile.NamedTemporaryFile("w", suffix=".yaml") as config:
        json.dump({"search_tools": [tool]}, config)  # JSON is YAML
        config.flush()
        command = [str(Path(python).with_name("litellm")), "--config", config.name]
        command += ["--port", str(port), "--host", "127.0.0.1"]
        # It refuses to start without a master key, and to be asked without it.
        env = {
            "LITELLM_LOG": "ERROR",
            "LITELLM_LOCAL_MODEL_COST_MAP": "True",
            "LITELLM_DANGEROUSLY_PERMIT_WEAK_OR_UNSET_MASTER_KEY": "true",
        }
        with running(command, port, env, "/health/liveliness") as server:
            yield server, f"{server.url}/v1/search/bench"


if __name__ == "__main__":
    asyncio.run(serve_upstream())
