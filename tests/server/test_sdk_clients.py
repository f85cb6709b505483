"""LiteLLM's and Perplexity's own clients, unmodified, pointed at the server by a base URL alone.

They live in the environment that `make test-sdks` builds, which then runs this file.
"""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from kensaku.models import Hit
from tests import ROOT

PYTHON = ROOT / ".venv-sdks" / "bin" / "python"
DRIVE = Path(__file__).with_name("sdk_clients.py")
HITS = [
    Hit(url="https://a.example/otters", title="Otters", content="Otters hold hands.", score=0.9),
    Hit(url="https://b.example/kelp", title="Kelp", content="Kelp is food.", score=0.5),
]

pytestmark = pytest.mark.skipif(
    not PYTHON.exists(), reason="their packages are not installed: make test-sdks"
)


async def driven(tmp_path: Path, name: str, url: str) -> Any:
    env = {"HOME": str(tmp_path), "PATH": "/usr/bin:/bin", "LITELLM_LOCAL_MODEL_COST_MAP": "True"}
    process = await asyncio.create_subprocess_exec(
        PYTHON, DRIVE, name, url, env=env, cwd=tmp_path,
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    out, err = await process.communicate()
    assert process.returncode == 0, err.decode()[-2_000:]
    return json.loads(out.splitlines()[-1])


@pytest.mark.usefixtures("processes")
@pytest.mark.parametrize("client", ["litellm", "perplexity"])
async def test_the_official_client_searches(server, upstream, tmp_path, client):
    """Its hits are ours, and its filters reach the provider."""
    upstream.answers("tavily", HITS)

    found = await driven(tmp_path, client, server.url)

    assert found == [[hit.title, hit.url, hit.content] for hit in HITS]
    (sent,) = upstream.asked("tavily")
    assert sent.json["include_domains"] == ["a.example", "b.example"]
    assert sent.json["country"] == "japan"


@pytest.mark.usefixtures("processes")
@pytest.mark.parametrize("client", ["litellm", "perplexity"])
async def test_the_official_client_says_what_is_wrong(server, tmp_path, client):
    """It raises its own error for a bad request, with our sentence in it."""
    kind, said = await driven(tmp_path, f"{client}_error", server.url)

    assert kind == "BadRequestError"
    assert "query" in said
