"""Our `web_search` in the place of the bot's, for its own tests.

His tests replace `AsyncTavilyClient`. A server on loopback asks that replacement, so that our tool
sends a real request and reads a real reply.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

THEIRS = "myao2.infrastructure.llm.strands.web_search_tools"
SENT = ("query", "search_depth", "max_results", "include_answer")  # what the document sends

sys.path.insert(0, str(Path.cwd() / "src"))


class Api(BaseHTTPRequestHandler):
    """Tavily's `/search`, answered by what stands in for its client."""

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        key = self.headers["authorization"].removeprefix("Bearer ")
        try:
            client = sys.modules[THEIRS].AsyncTavilyClient(api_key=key)
            found = asyncio.run(client.search(**{name: body[name] for name in SENT}))
            status, reply = 200, {"query": body["query"], **found}
        except Exception as error:  # as Tavily tells of its own trouble
            status, reply = 500, {"detail": {"error": str(error)}}
        data = json.dumps(reply).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


def pytest_configure() -> None:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Api)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    os.environ |= {
        "TAVILY_BASE_URL": f"http://127.0.0.1:{server.server_port}",
        "TAVILY_RATE": "9999/s",
        "KENSAKU_CACHE_ENABLED": "false",
        "KENSAKU_STATE_URL": "memory:",
    }
    from kensaku.compat import slack_bot

    ours = ModuleType(THEIRS)
    vars(ours).update({name: getattr(slack_bot, name) for name in slack_bot.__all__})
    ours.AsyncTavilyClient = None  # his tests put theirs here
    sys.modules[THEIRS] = ours


@pytest.fixture(autouse=True)
async def _closed():
    yield
    from kensaku.compat.tavily_tools.client import close_clients

    await close_clients()
