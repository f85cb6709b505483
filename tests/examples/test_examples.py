"""Every example runs as it stands: a scripted model, the fake upstream, nothing else."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from kensaku.models import Hit
from kensaku.testing import FakeUpstream
from tests import ROOT
from tests.adapters.model_server import QUIET, ModelServer

EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
OTTER = Hit("https://otters.example/", "Sea otters", "Otters hold hands while they sleep.")
WITHOUT_A_MODEL = ("mcp_client", "plain_function")


def environment(model: ModelServer, upstream: FakeUpstream, home: Path) -> dict[str, str]:
    """What a person sets before running an example."""
    return {
        **QUIET,
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "HOME": str(home),
        "KENSAKU_HOME": str(home),
        "WEB_SEARCH_PROVIDER": "tavily",
        **upstream.environment("tavily", rate="9999/s"),
        "OPENAI_BASE_URL": model.openai_url,
        "OPENAI_API_KEY": "none",
        "OPENAI_MODEL": "scripted",
        "ANTHROPIC_BASE_URL": model.anthropic_url,
        "ANTHROPIC_API_KEY": "none",
        "GOOGLE_GEMINI_BASE_URL": model.gemini_url,
        "GEMINI_API_KEY": "none",
        "GEMINI_MODEL": "scripted",
    }


@pytest.mark.usefixtures("documentation")
@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_searches_and_prints_what_was_found(example, tmp_path):
    """Whoever copies it gets an agent that answers from the web."""
    with FakeUpstream.in_thread() as upstream, ModelServer() as model:
        upstream.answers("tavily", [OTTER])
        done = subprocess.run(
            [sys.executable, str(example), "What do otters do?"],
            env=environment(model, upstream, tmp_path),
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=300,
        )
        asked = len(model.requests)

    assert done.returncode == 0, done.stderr
    assert OTTER.content in done.stdout
    assert (asked > 1) == (example.stem not in WITHOUT_A_MODEL)


def test_an_example_is_short_and_says_how_to_run_it():
    """It is read in a minute."""
    for example in EXAMPLES:
        text = example.read_text(encoding="utf-8")
        assert text.count("\n") < 45, example.name
        assert "pip install" in text
        assert f"python examples/{example.name}" in text
