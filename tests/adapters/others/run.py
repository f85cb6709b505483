"""Run every framework in an environment of its own, and write down what came of it.

    make test-frameworks                                all of them, in their newest versions
    make test-frameworks args="--oldest"                … in the oldest that pyproject.toml allows
    make test-frameworks args="--oldest --newest dspy"  one of them, in both
    make test-frameworks args="--lock crewai"           choose its packages anew, then run it
    make test-frameworks args="pins"                    what applications pin resolves with ours

Environments are kept in .venv-frameworks/ and rebuilt when the pinned file or the project's own
dependencies change. The script writes the table in docs/frameworks.md and touches nothing else.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[3]
sys.path.insert(0, str(ROOT))

from tests.adapters.others.pins import check_pins  # noqa: E402
from tests.environments import UV, build, pin, run_pytest  # noqa: E402

PINNED = ROOT / "requirements" / "frameworks"
HOME = ROOT / ".venv-frameworks"
PAGE = ROOT / "docs" / "frameworks.md"
INSPECTOR = "@modelcontextprotocol/inspector@0.15.0"

# These live together in the tests' environment, where `make test` runs them in their newest
# versions. In an environment of their own the same tests run: framework → package, tests.
TOGETHER = {
    "strands": ("strands-agents", ["adapters/test_strands.py", "compat/slack_bot"]),
    "pydantic-ai": ("pydantic-ai-slim", ["adapters/test_pydantic_ai.py", "compat/tavily_tools"]),
    "langchain": ("langchain-core", ["adapters/test_langchain.py", "compat/chat_server"]),
    "openai-agents": ("openai-agents", ["adapters/test_openai_agents.py", "compat/terminal"]),
    "mcp": ("mcp", ["mcp", "server/test_mcp.py"]),
    "claude": ("claude-agent-sdk", ["adapters/test_claude.py"]),
    "google-genai": ("google-genai", ["adapters/test_google_genai.py", "compat/grace"]),
}
# These are driven by the module of their name. Light ones first: whoever waits sees something soon.
ALONE = ["google-adk", "llama-index", "agent-framework", "smolagents", "haystack", "agno",
         "autogen", "dspy", "litellm", "semantic-kernel", "crewai"]  # fmt: skip
EXTRAS = {  # where it is not the one of the framework's name
    "google-genai": ["google"],
    "langchain": ["langchain", "postgres"],
    "mcp": ["mcp", "server"],
    "litellm": [],
}
ORDER = [*TOGETHER, *ALONE, "inspector"]
CHECKS = ["found", "empty", "unavailable", "bad input", "crash", "sync", "words", "texts", "data"]
ENDS = ("oldest", "newest")
TIMEOUT = 1800
Report = dict[str, Any]


def main(words: list[str]) -> int:
    names = [w for w in words if not w.startswith("--")]
    ends = [end for end in ENDS if f"--{end}" in words] or ["newest"]
    if unknown := [n for n in names if n not in [*ORDER, "pins"]]:
        print(f"there is no framework {unknown[0]!r}; choose from {', '.join(ORDER)} and pins")
        return 2
    HOME.mkdir(exist_ok=True)
    (HOME / ".gitignore").write_text("*\n")
    good = True
    for name in [n for n in ORDER if n in (names or ORDER)]:
        for end in ends:
            if "--lock" in words:
                lock(name, end)
            if report := run(name, end):
                print(f"{name} {end}: {cell(report)}", flush=True)
                write_down(name, end, report)
                good = good and not failures(report)
    if "pins" in names or not names:
        good = check_pins() and good
    return int(not good)


def lock(name: str, end: str) -> None:
    """Choose the packages of one end: the extra's, and what the driver needs besides."""
    if name == "inspector" or (end == "newest" and name in TOGETHER):
        return
    extras = EXTRAS.get(name, [name])
    sources = ["pyproject.toml", *(word for extra in extras for word in ("--extra", extra))]
    oldest = ["--resolution", "lowest-direct"] if end == "oldest" else []
    pin(*sources, PINNED / f"{name}.in", *oldest, to=pinned(name, end))


def pinned(name: str, end: str) -> Path:
    return PINNED / (f"{name}-oldest.txt" if end == "oldest" else f"{name}.txt")


def run(name: str, end: str) -> Report | None:
    """What came of a framework at one end; None where there is no such thing."""
    if name == "inspector":
        return inspected() if end == "newest" else None
    if name in TOGETHER and end == "newest":
        return tested(name, Path(sys.executable))
    try:
        # A pinned file that predates one of our own dependencies still gives a working environment.
        folder = HOME / (f"{name}-oldest" if end == "oldest" else name)
        python = build(folder, pinned(name, end), base_dependencies())
        # As a distribution: what is in `compat` is found by its entry points.
        ours = ["--no-deps", "--editable", ROOT]
        subprocess.run([UV, "pip", "install", "--quiet", "--python", python, *ours], check=True)
    except subprocess.CalledProcessError as error:
        return failed(f"no environment (status {error.returncode})")
    return tested(name, python) if name in TOGETHER else driven(name, python)


def base_dependencies() -> list[str]:
    """Return the requirements that every installation of the project has."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return list(project["dependencies"])


def environment(home: str) -> dict[str, str]:
    return {
        "PATH": os.environ["PATH"],
        "HOME": home,
        "KENSAKU_HOME": home,
        "PYTHONPATH": str(ROOT),
        "PYTHONWARNINGS": "ignore",
    }


def tested(name: str, python: Path) -> Report:
    """What pytest found out in there, with the tests that every release goes through."""
    package, folders = TOGETHER[name]
    tests = ["tests/adapters/test_parity.py", *(f"tests/{folder}" for folder in folders)]
    with tempfile.TemporaryDirectory() as home:
        checks = run_pytest(python, tests, env=environment(home), cwd=ROOT, timeout=TIMEOUT)
    if "it" in checks:
        return failed(checks["it"])
    asked = [python, "-c", f"import importlib.metadata as m; print(m.version({package!r}))"]
    used = subprocess.run(asked, capture_output=True, text=True, check=True).stdout.strip()
    return {"distribution": package, "version": used, "checks": checks}


def driven(name: str, python: Path) -> Report:
    """What `drive.py` found out in there."""
    with tempfile.TemporaryDirectory() as home:
        out = Path(home) / "report.json"
        command = [python, "-m", "tests.adapters.others.drive", name, str(out)]
        try:
            done = subprocess.run(command, env=environment(home), cwd=home, capture_output=True,
                                  text=True, timeout=TIMEOUT)  # fmt: skip
        except subprocess.TimeoutExpired:
            return failed(f"not done after {TIMEOUT} s")
        if done.returncode:
            print(done.stderr[-4_000:], file=sys.stderr)
        if not out.exists():
            return failed(done.stderr.strip().rpartition("\n")[2] or "it said nothing")
        report: Report = json.loads(out.read_text())
        return report


def inspected() -> Report:
    """The MCP inspector's command line, where npm and its registry are."""
    name, _, number = INSPECTOR.rpartition("@")
    report = {"distribution": name, "version": number}
    where = HOME / "inspector"
    if not (where / "node_modules/.bin/mcp-inspector").exists():
        npm = shutil.which("npm")
        made = npm and subprocess.run(
            [npm, "install", "--prefix", where, "--no-audit", "--no-fund", "--ignore-scripts",
             "--loglevel=error", INSPECTOR], capture_output=True,
        ).returncode == 0  # fmt: skip
        if not made:
            print("skipped: the MCP inspector needs npm and its registry")
            return {**report, "checks": {"found": "skipped"}}
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "tests/mcp/test_command.py", "-k", "inspector"],
        cwd=ROOT, capture_output=True, text=True,
    )  # fmt: skip
    if done.returncode:
        print(done.stdout[-4_000:], file=sys.stderr)
    return {**report, "checks": {"found": "failed" if done.returncode else "ok"}}


def failed(why: str) -> Report:
    return {"distribution": "", "version": "?", "checks": {"it": why}}


# --- the table


def failures(report: Report) -> dict[str, str]:
    return {n: said for n, said in report["checks"].items() if said not in ("ok", "skipped")}


def cell(report: Report) -> str:
    """One end in the table: the version, and how many checks it passed, or the first it failed."""
    if bad := failures(report):
        name, said = next(iter(bad.items()))
        why = re.sub(r"[\s|]+", " ", f"{name}: {said}")[:80]
        return f"{report['version']} ✗ {len(bad)} failed, {why}"
    passed = sum(said == "ok" for said in report["checks"].values())
    return f"{report['version']} ✓ {passed}" if passed else f"{report['version']} skipped"


def write_down(name: str, end: str, report: Report) -> None:
    """Put the new cell into the page, and leave all others."""
    before, begin, rest = PAGE.read_text().partition("<!-- results -->\n")
    table, mark, after = rest.partition("<!-- end of results -->")
    lines = [[c.strip() for c in line.split("|")[1:-1]] for line in table.splitlines()[2:]]
    rows = {line[0]: line for line in lines}
    row = rows.setdefault(name, [name, "", "—", "—", ""])
    row[1] = report["distribution"] or row[1]
    row[2 + ENDS.index(end)] = cell(report)
    if name in ALONE:
        row[4] = (
            ", ".join(c for c in CHECKS if c not in report["checks"]) if end == "newest" else row[4]
        )
    heads = ["framework", "package", *ENDS, "has no"]
    written = [heads, ["---"] * len(heads), *(rows[n] for n in ORDER if n in rows)]
    text = "".join(f"| {' | '.join(cells)} |\n" for cells in written)
    PAGE.write_text(before + begin + text + mark + after)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
