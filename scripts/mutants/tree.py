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

from mutants_plugin import TWICE

ROOT = Path(__file__).parents[2]
PACKAGE = Path("src/kensaku")
CACHE = ROOT / ".mutants"
SECONDS_PER_RUN = 1_200
LEFT_OUT = (".git", ".venv*", ".mutants", ".*_cache", "__pycache__", "site", "results")


class Tree:
    """A copy of the project with an environment of its own.

    Programs that tests start by `sys.executable` use the copy, too: `PYTHONPATH` alone would not
    reach those that get an environment from the test.
    """

    def __init__(self, name: str) -> None:
        self.path = CACHE / name
        self._chosen, self._failed = self.path / "chosen.json", self.path / "failed.txt"
        shutil.rmtree(self.path, ignore_errors=True)
        shutil.copytree(ROOT, self.path, ignore=shutil.ignore_patterns(*LEFT_OUT), symlinks=True)
        own = self.path / ".venv"
        venv.create(own, symlinks=True)
        self._python = own / "bin" / Path(sys.executable).name
        packages = sysconfig.get_path("purelib")
        lines = [str(self.path / "src"), packages, f"import site; site.addsitedir({packages!r})"]
        paths = Path(sysconfig.get_path("purelib", vars={"base": str(own)})) / "copy.pth"
        paths.write_text("\n".join(lines), encoding="utf-8")
        self._copy_programs(Path(os.path.abspath(sys.executable)).parent, own / "bin")

    def _copy_programs(self, source: Path, target: Path) -> None:
        """Copy the programs of packages, such as `kensaku`: they name the Python that runs them."""
        for program in source.iterdir():
            lines = program.read_bytes().split(b"\n", 1) if program.is_file() else [b""]
            if lines[0].startswith(b"#!" + bytes(source)):
                (target / program.name).write_bytes(b"#!%b\n%b" % (bytes(self._python), lines[1]))
                (target / program.name).chmod(0o755)

    def write(self, file: str, text: str) -> None:
        """Replace a file of the package. Compiled files of the same second would look current."""
        path = self.path / PACKAGE / file
        path.write_text(text, encoding="utf-8")
        for compiled in (path.parent / "__pycache__").glob(f"{path.stem}.*"):
            compiled.unlink(missing_ok=True)

    def trace(self) -> Path:
        """From now on each Python in the copy writes down what it runs, in this folder."""
        packages = Path(sysconfig.get_path("purelib", vars={"base": str(self.path / ".venv")}))
        shutil.copy(Path(__file__).with_name("mutants_tracer.py"), packages)
        (packages / "tracer.pth").write_text("import mutants_tracer\n", encoding="utf-8")
        folder = self.path / "ran"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        return folder

    def measure(self, *arguments: str, **environment: str) -> None:
        """Run pytest in the copy and show what it prints."""
        command = [str(self._python), "-m", "pytest", "-p", "mutants_plugin", *arguments]
        subprocess.run(command, cwd=self.path, env=self._env(environment), check=False)

    def run_tests(self, tests: list[str], seconds: float) -> tuple[int, str, bool]:
        """Run tests until one fails, each for so long at most.

        Return pytest's exit status, the test or the file that failed, hung or crashed, and
        whether it failed twice.
        """
        self._chosen.write_text(json.dumps(tests))
        self._failed.unlink(missing_ok=True)
        options = [
            *("-x", "-p", "no:cacheprovider"),
            *("-o", f"faulthandler_timeout={seconds}"),
            *("-o", "faulthandler_exit_on_timeout=true"),
        ]
        files = list(dict.fromkeys(t.partition("::")[0] for t in tests))
        status = self._pytest(*options, *files, seconds=SECONDS_PER_RUN)
        failed = self._failed.read_text(encoding="utf-8") if self._failed.exists() else ""
        return status, failed.removesuffix(TWICE), failed.endswith(TWICE)

    def _pytest(self, *arguments: str, seconds: float) -> int:
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
            self._kill_workers()

    @cached_property
    def _server(self) -> subprocess.Popen[str]:
        told = {
            "MUTANTS_CHOSEN": str(self._chosen),
            "MUTANTS_FAILED": str(self._failed),
            "MUTANTS_LOADED": str(self.path / "loaded.txt"),
        }
        few = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}  # those that frameworks bring take seconds
        return subprocess.Popen(
            [str(self._python), str(self.path / "scripts" / "mutants" / "server.py")],
            cwd=self.path,
            env=self._env({**told, **few}),
            text=True,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )

    def _kill_workers(self) -> None:
        """End what has left the group: workers go on in sessions of their own."""
        for folder in Path("/proc").glob("[0-9]*"):
            with suppress(OSError):
                command = (folder / "cmdline").read_bytes()
                if command.startswith(bytes(self._python)) and b"server.py" not in command:
                    os.kill(int(folder.name), signal.SIGKILL)

    def remove(self) -> None:
        """End the server and delete the copy."""
        if "_server" in vars(self):
            self._server.kill()
        shutil.rmtree(self.path, ignore_errors=True)

    def _env(self, more: dict[str, str]) -> dict[str, str]:
        path = str(self.path / "scripts" / "mutants")
        own = {n: v for n, v in os.environ.items() if n != "PYTHONDONTWRITEBYTECODE"}
        return {**own, **more, "PYTHONPATH": path}  # compiled once, whatever the environment says


def _kill_group(pid: int) -> None:
    with suppress(ProcessLookupError):
        os.killpg(pid, signal.SIGKILL)
