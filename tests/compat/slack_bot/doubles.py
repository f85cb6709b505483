"""Hits, texts and helpers of the specification."""

from __future__ import annotations

import pytest

from kensaku.models import Hit
from tests import ROOT

pytest.importorskip("strands")
from strands import ToolContext

from kensaku.compat.slack_bot import (
    WebSearchConfig,
    WebSearchToolsFactory,
    web_search,
)

EXAMPLE = ROOT / "examples" / "slack_bot"
KEY = "tvly-test-key"
QUERY = "Python async programming"
REQUEST = "Pythonの非同期プログラミングについて検索して"
ASYNCIO = Hit(
    url="https://docs.python.org/3/library/asyncio.html",
    title="Python asyncio documentation",
    content="Pythonの公式asyncioドキュメント...",
    score=0.95,
)
REAL_PYTHON = Hit(
    url="https://realpython.com/async-io-python/",
    title="Real Python - Async IO in Python",
    content="非同期プログラミングの詳細な解説...",
    score=0.9,
)
# Deep searches may read the pages that they find: this one is refused without a lookup.
NEARBY = Hit(url="http://127.0.0.1/", title="Nearby", content="near", score=0.5)
ANSWER = "Pythonの非同期プログラミングは..."
WRITTEN = f"""## 検索結果: "{QUERY}"

### 回答
{ANSWER}

### 結果
1. **Python asyncio documentation**
   URL: https://docs.python.org/3/library/asyncio.html
   Pythonの公式asyncioドキュメント...

2. **Real Python - Async IO in Python**
   URL: https://realpython.com/async-io-python/
   非同期プログラミングの詳細な解説..."""


def replies(upstream, hits, answer=None, **more):
    rows = [{"title": h.title, "url": h.url, "content": h.content, "score": h.score} for h in hits]
    rows = [{**row, **more} for row in rows]
    upstream.answers("tavily", body={"query": QUERY, "answer": answer, "results": rows})


def config(**values):
    return WebSearchConfig(**{"enabled": True, "api_key": KEY, **values})


def context(state):
    use = {"toolUseId": "t1", "name": "web_search", "input": {}}
    return ToolContext(tool_use=use, agent=None, invocation_state=state)


async def search(query=QUERY, **values):
    state = WebSearchToolsFactory(config(**values)).get_invocation_state()
    return await web_search(query=query, tool_context=context(state))


def written(tmp_path, text):
    path = tmp_path / "config.yaml"
    path.write_text(text, encoding="utf-8")
    return path
