"""Run every framework in an environment of its own, and write down what came of it.

    make test-frameworks                        all of them
    make test-frameworks args="crewai dspy"     these
    make test-frameworks args="--lock crewai"   choose its packages anew, then run it

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

from tests.environments import build, pin  # noqa: E402

PINNED = ROOT / "requirements" / "frameworks"
HOME = ROOT / ".venv-frameworks"
PAGE = ROOT / "docs" / "frameworks.md"
INSPECTOR = "@modelcontextprotocol/inspector@0.15.0"
# Light ones first: whoever waits sees something soon.
ORDER = ["google-adk", "llama-index", "agent-framework", "smolagents", "haystack", "agno",
         "autogen", "dspy", "litellm", "semantic-kernel", "crewai", "inspector"]  # fmt: skip
SCENES = ["found", "empty", "unavailable", "bad input", "crash"]
MORE = ["sync", "words", "texts", "data"]
TIMEOUT = 900


def main(words: list[str]) -> int:
    lock = "--lock" in words
    chosen = [w for w in words if w != "--lock"] or ORDER
    if unknown := [w for w in chosen if w not in ORDER]:
        print(f"there is no framework {unknown[0]!r}; choose from {', '.join(ORDER)}")
        return 2
    HOME.mkdir(exist_ok=True)
    (HOME / ".gitignore").write_text("*\n")
    reports = []
    for name in chosen:
        if lock and name != "inspector":
            pin("pyproject.toml", PINNED / f"{name}.in", to=PINNED / f"{name}.txt")
        report = inspected() if name == "inspector" else driven(name)
        reports.append(report)
        print(row(report), flush=True)
    write_down(reports)
    return int(any(set(r["checks"].values()) - {"ok", "skipped"} for r in reports))


def base_dependencies() -> list[str]:
    """Return the requirements that every installation of the project has."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return list(project["dependencies"])


def driven(name: str) -> dict[str, Any]:
    """What `drive.py` found out in there."""
    try:
        # A pinned file that predates one of our own dependencies still gives a working environment.
        python = build(HOME / name, PINNED / f"{name}.txt", base_dependencies())
    except subprocess.CalledProcessError as error:
        return failed(name, f"no environment (status {error.returncode})")
    with tempfile.TemporaryDirectory() as home:
        out = Path(home) / "report.json"
        env = {
            "PATH": os.environ["PATH"],
            "HOME": home,
            "KENSAKU_HOME": home,
            "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}",
            "PYTHONWARNINGS": "ignore",
        }
        command = [python, "-m", "tests.adapters.others.drive", name, str(out)]
        try:
            done = subprocess.run(command, env=env, cwd=home, capture_output=True, text=True,
                                  timeout=TIMEOUT)  # fmt: skip
        except subprocess.TimeoutExpired:
            return failed(name, f"not done after {TIMEOUT} s")
        if not out.exists():
            return failed(name, done.stderr.strip().rpartition("\n")[2] or "it said nothing")
        if done.returncode:
            print(done.stderr[-4_000:], file=sys.stderr)
        return json.loads(out.read_text())


def inspected() -> dict[str, Any]:
    """The MCP inspector's command line, where npm and its registry are."""
    report = {"framework": "inspector", "distribution": INSPECTOR.rpartition("@")[0],
              "version": INSPECTOR.rpartition("@")[2], "python": "—"}  # fmt: skip
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


def failed(name: str, why: str) -> dict[str, Any]:
    return {"framework": name, "distribution": name, "version": "?", "python": "?",
            "checks": {"found": why}}  # fmt: skip


def row(report: dict[str, Any]) -> str:
    """One line of the table; a dash where there is nothing to check."""
    checks = report["checks"]
    marks = [_mark(checks.get(name)) for name in [*SCENES, *MORE]]
    cells = [report["framework"], f"{report['distribution']} {report['version']}",
             report["python"], *marks]  # fmt: skip
    return f"| {' | '.join(cells)} |"


def _mark(said: str | None) -> str:
    if said is None:
        return "—"
    return {"ok": "✓", "skipped": "skipped"}.get(said) or "✗ " + re.sub(r"[\s|]+", " ", said)[:80]


def write_down(reports: list[dict[str, Any]]) -> None:
    """Put the new rows into the page, and leave those of the others."""
    before, begin, rest = PAGE.read_text().partition("<!-- results -->\n")
    table, end, after = rest.partition("<!-- end of results -->")
    rows = {line.split("|")[1].strip(): line for line in table.splitlines()[2:]}
    rows |= {r["framework"]: row(r) for r in reports}
    heads = ["framework", "version", "Python", *SCENES, *MORE]
    lines = [f"| {' | '.join(heads)} |", "|" + "---|" * len(heads)]
    lines += [rows[name] for name in ORDER if name in rows]
    PAGE.write_text(before + begin + "\n".join(lines) + "\n" + end + after)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
