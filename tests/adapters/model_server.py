"""A scripted model on loopback, for every framework: it calls a tool, then repeats what it saw.

    with ModelServer("web_search", {"query": "otter"}) as model:
        … a framework's client with model.openai_url, .anthropic_url or .gemini_url …
        model.offered["web_search"]     what the tool looked like on the wire
        model.shown                     what the model was given as the tool's results

It speaks OpenAI chat completions and responses, Anthropic messages and Gemini generateContent,
streaming and not. Turn 1 calls the tool; turn 2 says `FINAL <what the model was shown>`. A request
that does not offer the tool gets `FINAL (no tool)`: an agent that has not been given it cannot
use it. `mode` is one of

    ok        the call that was scripted
    badargs   a call whose arguments break the schema (`bad`)
    badjson   arguments that are cut off; where the protocol sends objects, an empty one
    unknown   a call of a tool that was never offered
    parallel  the scripted call twice in one turn
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

from .model_protocols import PROTOCOLS, Call, Offered

# No framework may phone anywhere from a test. Imported before the frameworks are.
QUIET = {
    "OTEL_SDK_DISABLED": "true",
    "HAYSTACK_TELEMETRY_ENABLED": "False",
    "AGNO_TELEMETRY": "false",
    "CREWAI_DISABLE_TELEMETRY": "true",
    "CREWAI_DISABLE_TRACKING": "true",
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",
    "OPENAI_AGENTS_DISABLE_TRACING": "1",
    "LANGSMITH_TRACING": "false",
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    "DISABLE_TELEMETRY": "1",
    "ANONYMIZED_TELEMETRY": "False",
}
os.environ.update(QUIET)

UNKNOWN_TOOL = "no_such_tool"
CUT_OFF = '{"query": "oops'
NO_TOOL = "FINAL (no tool)"
MODES = ("ok", "badargs", "badjson", "unknown", "parallel")


@dataclass(frozen=True)
class Asked:
    """One request for a reply of the model."""

    protocol: str
    path: str
    headers: Mapping[str, str]
    body: Mapping[str, Any]
    tools: Sequence[Offered]
    shown: Sequence[str]  # results of tools since the person last spoke
    stream: bool


@dataclass
class ModelServer:
    """The scripted model. Everything may be changed between two runs."""

    tool: str = "web_search"
    arguments: Mapping[str, Any] = field(default_factory=lambda: {"query": "otter"})
    mode: str = "ok"
    bad: Mapping[str, Any] = field(default_factory=lambda: {"query": "otter", "max_results": 999})
    requests: list[Asked] = field(default_factory=list)  # those for a model, in order
    others: list[str] = field(default_factory=list)  # paths of all others
    handler: type[ModelHandler] | None = None  # one that serves more paths

    # --- where it is

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    @property
    def openai_url(self) -> str:
        """Base URL of OpenAI clients, for chat completions and for responses."""
        return self.url + "/v1"

    @property
    def anthropic_url(self) -> str:
        return self.url

    @property
    def gemini_url(self) -> str:
        return self.url

    # --- what it saw

    @property
    def offered(self) -> dict[str, Offered]:
        """The tools of the first request that offered any, by name."""
        return {t.name: t for t in next((r.tools for r in self.requests if r.tools), ())}

    @property
    def shown(self) -> list[str]:
        """The results of tools that the model was given in the last request that had any."""
        return list(next((r.shown for r in reversed(self.requests) if r.shown), ()))

    def forget(self) -> None:
        self.requests.clear()
        self.others.clear()

    # --- what it does

    def reply(self, asked: Asked) -> list[Call] | str:
        """Calls, or the text of the answer."""
        if asked.shown:
            said = "FINAL " + "\n".join(asked.shown)
            if any(t.name == "final_answer" for t in asked.tools):  # how smolagents ends
                return [Call("call_final", "final_answer", json.dumps({"answer": said}))]
            return said
        name = self._offered_name(asked.tools)
        if name is None:
            return NO_TOOL
        text = json.dumps(self.bad if self.mode == "badargs" else self.arguments)
        if self.mode == "badjson":
            text = CUT_OFF
        if self.mode == "unknown":
            name = UNKNOWN_TOOL
        return [Call(f"call_{n}", name, text) for n in range(2 if self.mode == "parallel" else 1)]

    def _offered_name(self, tools: Sequence[Offered]) -> str | None:
        """The tool's name, which some frameworks lengthen: `mcp__server__web_search`."""
        names = [t.name for t in tools]
        return next((n for n in names if n == self.tool or n.endswith(self.tool)), None)

    # --- its life

    def __post_init__(self) -> None:
        assert self.mode in MODES

    def __enter__(self) -> Self:
        model = self

        class Handler(self.handler or ModelHandler):  # type: ignore[misc]
            server_model = model

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,))
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


class ModelHandler(BaseHTTPRequestHandler):
    """Reads a request in any of the protocols, and writes the model's reply."""

    protocol_version = "HTTP/1.1"
    server_model: ModelServer

    def handle(self) -> None:
        with suppress(ConnectionError):  # a client may go at any time
            super().handle()

    def do_POST(self) -> None:
        body = self.read_json()
        path = self.path.partition("?")[0]
        protocol = next((p for end, p in PROTOCOLS.items() if path.endswith(end)), None)
        if protocol is None:
            self.server_model.others.append(self.path)
            known = path.endswith("/count_tokens")
            self.send(200 if known else 404, json.dumps({"input_tokens": 9, "totalTokens": 9}))
            return
        stream = bool(body.get("stream")) or ":stream" in path
        tools, shown = list(protocol.tools(body)), protocol.shown(body)
        asked = Asked(protocol.name, path, dict(self.headers), body, tools, shown, stream)
        self.server_model.requests.append(asked)
        reply = self.server_model.reply(asked)
        if stream:
            self.send(200, "".join(protocol.stream(reply)), "text/event-stream")
        else:
            self.send(200, json.dumps(protocol.whole(reply)))

    def do_GET(self) -> None:
        self.server_model.others.append(self.path)
        self.send(404, '{"error": {"message": "nothing here"}}')

    do_HEAD = do_GET

    def read_json(self) -> Any:
        size = int(self.headers.get("Content-Length") or 0)
        return json.loads(self.rfile.read(size) or b"{}")

    def send(self, status: int, text: str, content_type: str = "application/json") -> None:
        data = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    def log_message(self, *_: object) -> None:
        """Tests have their own log: `ModelServer.requests`."""
