"""A copy of the project, in which a change can be tried."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import sysconfig
import threading
import venv
from contextlib import suppress
from functools import cached_property
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGE = Path("src/kensaku")
CACHE = ROOT / ".mutants"
LEFT_OUT = (".git", ".venv*", ".mutants", ".*_cache", "__pycache__", "site", "results")


class Tree:
    """A copy of the project with an environment of its own.

    Programs that tests start by `sys.executable` use the copy, too: `PYTHONPATH` alone would not
    reach those that get an environment from the test.
    """

    def __init__(self, name: str) -> None:
        self.path = CACHE / name
        shutil.rmtree(self.path, ignore_errors=True)
        shutil.copytree(ROOT, self.path, ignore=shutil.ignore_patterns(*LEFT_OUT), symlinks=True)
        own = self.path / ".venv"
        venv.create(own, symlinks=True)
        self._python = own / "bin" / Path(sys.executable).name
        packages = sysconfig.get_path("purelib")
        lines = [str(self.path / "src"), packages, f"import site; site.addsitedir({packages!r})"]
        paths = Path(sysconfig.get_path("purelib", vars={"base": str(own)})) / "copy.pth"
        paths.write_text("\n".join(lines), encoding="utf-8")
        program = (Path(sys.executable).parent / "kensaku").read_text(encoding="utf-8")
        (own / "bin" / "kensaku").write_text(program.replace(sys.executable, str(self._python)))
        (own / "bin" / "kensaku").chmod(0o755)

    def write(self, file: str, text: str) -> None:
        """Replace a file of the package. Compiled files of the same second would look current."""
        path = self.path / PACKAGE / file
        path.write_text(text, encoding="utf-8")
        for compiled in (path.parent / "__pycache__").glob(f"{path.stem}.*"):
            compiled.unlink(missing_ok=True)

    def measure(self, *arguments: str, **environment: str) -> None:
        """Run pytest in the copy and show what it prints."""
        command = [str(self._python), "-m", "pytest", "-p", "mutants_plugin", *arguments]
        subprocess.run(command, cwd=self.path, env=self._env(environment), check=False)

    def pytest(self, *arguments: str, seconds: float) -> int:
        """Run pytest in a fork of the server; its exit status, below zero when it was killed."""
        server = self._server
        assert server.stdin
        assert server.stdout
        plugins = ["-p", "pytest_asyncio.plugin", "-p", "mutants_plugin"]
        server.stdin.write(json.dumps([*plugins, *arguments]) + "\n")
        server.stdin.flush()
        pid = int(server.stdout.readline())
        late = threading.Timer(seconds, _kill_group, [pid])
        late.start()
        try:
            return int(server.stdout.readline())
        finally:
            late.cancel()
            _kill_group(pid)  # what its tests have left behind

    @cached_property
    def _server(self) -> subprocess.Popen[str]:
        chosen = {"MUTANTS_CHOSEN": str(self.path / "chosen.json")}
        few = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}  # those that frameworks bring take seconds
        return subprocess.Popen(
            [str(self._python), str(self.path / "scripts" / "mutants" / "server.py")],
            cwd=self.path,
            env=self._env({**chosen, **few}),
            text=True,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )

    def remove(self) -> None:
        """End the server and delete the copy."""
        if "_server" in vars(self):
            self._server.kill()
        shutil.rmtree(self.path, ignore_errors=True)

    def _env(self, more: dict[str, str]) -> dict[str, str]:
        return {**os.environ, **more, "PYTHONPATH": str(self.path / "scripts" / "mutants")}


def _kill_group(pid: int) -> None:
    with suppress(ProcessLookupError):
        os.killpg(pid, signal.SIGKILL)
