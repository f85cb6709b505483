"""Hits, texts and schemas of the specification."""

from __future__ import annotations

import re

import pytest

from kensaku.models import Hit
from kensaku.testing import faults

pytest.importorskip("pydantic_ai")


KEY = "tvly-test-key"
QUERY = "Python async programming"
ASYNCIO = Hit(
    url="https://docs.python.org/3/library/asyncio.html",
    title="asyncio",
    content="非同期I/Oのライブラリ",
    score=0.954,
)
REAL_PYTHON = Hit(
    url="https://realpython.com/async-io-python/", title="Async IO", content="解説", score=0.9
)
WRITTEN = """## 検索結果: Python async programming

### 1. asyncio
URL: https://docs.python.org/3/library/asyncio.html
スコア: 0.95
非同期I/Oのライブラリ

### 2. Async IO
URL: https://realpython.com/async-io-python/
スコア: 0.90
解説
"""
SEARCH_SCHEMA = {
    "type": "object",
    "properties": {
        "query": {"type": "string", "description": "検索クエリ"},
        "search_depth": {"type": "string", "enum": ["basic", "advanced"], "default": "basic"},
        "max_results": {"type": "integer", "minimum": 1, "maximum": 20, "default": 5},
    },
    "required": ["query"],
}
# Deep searches may read the pages that they find: this one is refused without a lookup.
NEARBY = Hit(url="http://127.0.0.1/", title="Nearby", content="near", score=0.5)
SLOW_DOWN = faults.status(429)
ERROR = re.compile(r"Tavily API エラー: .+\nエラータイプ: [A-Z_]+")


def error(text):
    """The type of an error that was returned; the text must be its two lines (S1-41)."""
    assert ERROR.fullmatch(text), text
    return text.rpartition(" ")[2]


def assert_japanese(text):
    """No English sentence: no two English words in a row, but for names (Tavily API, …)."""
    plain = text.replace("Tavily API", "").replace("TAVILY_API_KEY", "")
    assert not re.search(r"[a-z]{2,} [a-z]{2,}", plain), text
