"""The stage on which the documentation's code runs: a fake web, and a scripted model.

    with stage(tmp_path) as env:
        subprocess.run([…], env=env)

Tavily answers with two results about Python 3.14, every other provider with its sample. The model
calls `web_search` once and then repeats what it was shown (`tests/adapters/model_server.py`).
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from kensaku.testing import FakeUpstream
from tests.adapters.model_server import QUIET, ModelServer

QUERY = "python 3.14 release date"
REPLY = {
    "query": QUERY,
    "answer": None,
    "results": [
        {
            "title": "PEP 745 – Python 3.14 Release Schedule",
            "url": "https://peps.python.org/pep-0745/",
            "content": "3.14.0 final: Tuesday, 2025-10-07.",
            "score": 0.93,
            "published_date": "2025-10-07",
        },
        {
            "title": "What’s new in Python 3.14",
            "url": "https://docs.python.org/3/whatsnew/3.14.html",
            "content": "Python 3.14 was released on 7 October 2025.",
            "score": 0.88,
        },
    ],
}
_NOT_OURS = ("KENSAKU_", "WEB_SEARCH_", "TAVILY_", "OPENAI_", "ANTHROPIC_", "GOOGLE_", "GEMINI_")


@contextmanager
def upstream() -> Iterator[FakeUpstream]:
    """The fake web, with the reply above."""
    with FakeUpstream.in_thread() as up:
        up.answers("tavily", body=REPLY)
        yield up


def environment(up: FakeUpstream, home: Path) -> dict[str, str]:
    """A machine with one key, whose providers are all on loopback."""
    env = {n: v for n, v in os.environ.items() if not n.startswith(_NOT_OURS)}
    env |= {n: v for n, v in up.environment(rate="9999/s").items() if not n.endswith("_API_KEY")}
    env |= {"TAVILY_API_KEY": "tvly-none", "WEB_SEARCH_PROVIDER": "tavily,brave"}
    env |= {"BRAVE_API_KEY": "none", "KENSAKU_HOME": str(home), "HOME": str(home)}
    return env | {"COLUMNS": "96", "PYTHONWARNINGS": "ignore"}


@contextmanager
def stage(home: Path) -> Iterator[dict[str, str]]:
    """The environment of a program that may search and may ask a model."""
    with upstream() as up, ModelServer("web_search", {"query": QUERY}) as model:
        keys = dict.fromkeys(("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY"), "none")
        addresses = {
            "OPENAI_BASE_URL": model.openai_url,
            "OPENAI_API_BASE": model.openai_url,  # as older programs call it
            "ANTHROPIC_BASE_URL": model.anthropic_url,
            "GOOGLE_GEMINI_BASE_URL": model.gemini_url,
        }
        yield environment(up, home) | QUIET | keys | addresses
