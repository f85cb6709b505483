"""The recipes as cases: each page's own pip line, then its Python blocks, unmodified and alone.

python recipes.py NAME          run the blocks of a page in the environment that is active

The model is scripted, and the searches are answered by `python -m kensaku.testing` of the same
environment. Both are on loopback and are made known by environment variables. The line is carried
out by uv: pip takes a quarter of an hour to resolve some of them.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from tests.installed.cases import Case  # noqa: E402

RECIPES = ROOT / "docs" / "recipes"
RUNNER = ROOT / "tests" / "docs_run.py"  # read here, and run there without the clone
SAID = "outcome: found"  # the first words of a search's text, which the model repeats
ASKS_NOBODY = {"dspy"}  # its page ends before the question


def lines() -> dict[str, str]:
    """Return the recipes that install something, with the words after `pip install`."""
    pages = {page.stem: page.read_text(encoding="utf-8") for page in sorted(RECIPES.glob("*.md"))}
    found = {name: re.search(r"^\$ pip install (.+)$", text, re.M) for name, text in pages.items()}
    return {name: line[1] for name, line in found.items() if line}


def cases() -> list[Case]:
    """The recipes as cases of run.py."""
    return [
        Case(
            f"recipe-{name}",
            f"uv pip install --quiet --python env/bin/python {line}",
            f"run-recipe {name}",
            () if name in ASKS_NOBODY else (SAID,),
            venv=True,
        )
        for name, line in lines().items()
    ]


@contextmanager
def stage() -> Iterator[dict[str, str]]:
    """The environment variables of a machine whose model and web are on loopback."""
    from tests.adapters.model_server import QUIET, ModelServer

    env = {**os.environ, "PYTHONWARNINGS": "ignore", **QUIET}
    web = subprocess.Popen(
        ["python", "-m", "kensaku.testing"], env=env, text=True,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
    )  # fmt: skip
    with web, ModelServer("web_search", {"query": "otter"}) as model:
        assert web.stdin
        assert web.stdout
        for line in iter(web.stdout.readline, "\n"):  # an empty line when it is ready
            if not line:
                raise RuntimeError("python -m kensaku.testing did not start")
            name, _, value = line.rstrip("\n").partition("=")
            env[name] = value
        env |= dict.fromkeys(("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY"), "none")
        env |= {
            "OPENAI_BASE_URL": model.openai_url,
            "OPENAI_API_BASE": model.openai_url,  # as LlamaIndex and others call it
            "ANTHROPIC_BASE_URL": model.anthropic_url,
            "GOOGLE_GEMINI_BASE_URL": model.gemini_url,
        }
        yield env
        web.stdin.close()


def main(name: str) -> int:
    page = (RECIPES / f"{name}.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)
    command = ["python", "-c", RUNNER.read_text(encoding="utf-8")]
    with stage() as env:
        return subprocess.run(command, input=json.dumps(blocks), env=env, text=True).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
