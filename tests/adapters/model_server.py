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
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

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
class Offered:
    """A tool as it stood in a request."""

    name: str
    description: str
    parameters: Mapping[str, Any]


@dataclass(frozen=True)
class Call:
    """What the model wants done. `arguments` is text: it need not be JSON."""

    id: str
    name: str
    arguments: str

    @property
    def object(self) -> dict[str, Any]:
        try:
            return dict(json.loads(self.arguments))
        except ValueError:
            return {}


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

        class Handler(_Handler):
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


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_model: ModelServer

    def do_POST(self) -> None:
        size = int(self.headers.get("Content-Length") or 0)
        body = json.loads(self.rfile.read(size) or b"{}")
        path = self.path.partition("?")[0]
        protocol = next((p for end, p in _PROTOCOLS.items() if path.endswith(end)), None)
        if protocol is None:
            self.server_model.others.append(self.path)
            known = path.endswith("/count_tokens")
            self._send(200 if known else 404, json.dumps({"input_tokens": 9, "totalTokens": 9}))
            return
        stream = bool(body.get("stream")) or ":stream" in path
        tools, shown = list(protocol.tools(body)), protocol.shown(body)
        asked = Asked(protocol.name, path, dict(self.headers), body, tools, shown, stream)
        self.server_model.requests.append(asked)
        reply = self.server_model.reply(asked)
        if stream:
            self._send(200, "".join(protocol.stream(reply)), "text/event-stream")
        else:
            self._send(200, json.dumps(protocol.whole(reply)))

    def do_GET(self) -> None:
        self.server_model.others.append(self.path)
        self._send(404, '{"error": {"message": "nothing here"}}')

    do_HEAD = do_GET

    def _send(self, status: int, text: str, content_type: str = "application/json") -> None:
        data = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    def log_message(self, *_: object) -> None:
        """Tests have their own log: `ModelServer.requests`."""


# --- the protocols: what a request offers and holds, and how a reply is written


def _text(value: Any) -> str:
    """What a model reads of a tool's result, whatever form the protocol gives it."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return "\n".join(_text(part) for part in value)
    if isinstance(value, dict):
        for name in ("text", "output", "result", "error", "content"):
            if name in value and (name in ("text", "content") or len(value) == 1):
                return _text(value[name])
    return json.dumps(value, ensure_ascii=False)


def _since_person(turns: Sequence[Any], spoke: Any, shown: Any) -> list[str]:
    """The results in `turns` that come after the person's last words."""
    found: list[str] = []
    for turn in turns:
        if (results := list(shown(turn))) or not spoke(turn):
            found += results
        else:
            found.clear()
    return found


def _event(data: Mapping[str, Any], name: str = "") -> str:
    head = f"event: {name}\n" if name else ""
    return f"{head}data: {json.dumps(data)}\n\n"


_USAGE = {"prompt_tokens": 9, "completion_tokens": 9, "total_tokens": 18}


class _Chat:
    """OpenAI chat completions."""

    name = "chat"

    @staticmethod
    def tools(body: Mapping[str, Any]) -> Iterator[Offered]:
        for tool in body.get("tools") or ():
            f = tool.get("function") or {}
            yield Offered(f.get("name", ""), f.get("description", ""), f.get("parameters") or {})

    @staticmethod
    def shown(body: Mapping[str, Any]) -> list[str]:
        def results(message: Mapping[str, Any]) -> Iterator[str]:
            text = _text(message.get("content") or "")
            # Some frameworks hand results on as the person's words.
            if message["role"] == "tool" or text.startswith("Observation:"):
                yield text

        return _since_person(body["messages"], lambda m: m["role"] == "user", results)

    @staticmethod
    def _calls(calls: Sequence[Call]) -> list[dict[str, Any]]:
        return [
            {"index": n, "id": c.id, "type": "function",
             "function": {"name": c.name, "arguments": c.arguments}}
            for n, c in enumerate(calls)
        ]  # fmt: skip

    @classmethod
    def _message(cls, reply: list[Call] | str) -> tuple[dict[str, Any], str]:
        if isinstance(reply, str):
            return {"role": "assistant", "content": reply}, "stop"
        calls = cls._calls(reply)
        return {"role": "assistant", "content": None, "tool_calls": calls}, "tool_calls"

    @classmethod
    def whole(cls, reply: list[Call] | str) -> dict[str, Any]:
        message, why = cls._message(reply)
        choice = {"index": 0, "message": message, "finish_reason": why, "logprobs": None}
        return {"id": "chat-1", "object": "chat.completion", "created": 1, "model": "scripted",
                "choices": [choice], "usage": _USAGE}  # fmt: skip

    @classmethod
    def stream(cls, reply: list[Call] | str) -> Iterator[str]:
        base = {
            "id": "chat-1",
            "object": "chat.completion.chunk",
            "created": 1,
            "model": "scripted",
        }
        delta, why = cls._message(reply)
        for part, reason in ((delta, None), ({}, why)):
            choice = {"index": 0, "delta": part, "finish_reason": reason}
            yield _event({**base, "choices": [choice]})
        yield _event({**base, "choices": [], "usage": _USAGE})
        yield "data: [DONE]\n\n"


class _Responses:
    """OpenAI responses."""

    name = "responses"

    @staticmethod
    def tools(body: Mapping[str, Any]) -> Iterator[Offered]:
        for tool in body.get("tools") or ():
            if tool.get("type") == "function":
                yield Offered(
                    tool["name"], tool.get("description") or "", tool.get("parameters") or {}
                )

    @staticmethod
    def shown(body: Mapping[str, Any]) -> list[str]:
        def results(item: Mapping[str, Any]) -> Iterator[str]:
            if item.get("type") == "function_call_output":
                yield _text(item["output"])

        items = body["input"] if isinstance(body["input"], list) else []
        return _since_person(items, lambda i: i.get("role") == "user", results)

    @staticmethod
    def _items(reply: list[Call] | str) -> list[dict[str, Any]]:
        if isinstance(reply, str):
            part = {"type": "output_text", "text": reply, "annotations": [], "logprobs": []}
            return [{"id": "msg_1", "type": "message", "role": "assistant", "status": "completed",
                     "content": [part]}]  # fmt: skip
        return [
            {"id": f"fc_{n}", "type": "function_call", "call_id": c.id, "name": c.name,
             "arguments": c.arguments, "status": "completed"}
            for n, c in enumerate(reply)
        ]  # fmt: skip

    @classmethod
    def whole(cls, reply: list[Call] | str) -> dict[str, Any]:
        usage = {
            "input_tokens": 9, "input_tokens_details": {"cached_tokens": 0},
            "output_tokens": 9, "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": 18,
        }  # fmt: skip
        return {
            "id": "resp_1", "object": "response", "created_at": 1, "model": "scripted",
            "status": "completed", "output": cls._items(reply), "parallel_tool_calls": True,
            "tool_choice": "auto", "tools": [], "usage": usage, "error": None,
            "incomplete_details": None, "instructions": None, "metadata": {},
        }  # fmt: skip

    @classmethod
    def stream(cls, reply: list[Call] | str) -> Iterator[str]:
        whole, number = cls.whole(reply), iter(range(1_000))

        def event(kind: str, **data: Any) -> str:
            return _event({"type": kind, "sequence_number": next(number), **data}, kind)

        started = {**whole, "status": "in_progress", "output": [], "usage": None}
        yield event("response.created", response=started)
        for at, item in enumerate(whole["output"]):
            where = {"item_id": item["id"], "output_index": at}
            empty = {"arguments": ""} if item["type"] == "function_call" else {"content": []}
            begun = {**item, **empty, "status": "in_progress"}
            yield event("response.output_item.added", output_index=at, item=begun)
            if item["type"] == "function_call":
                text = item["arguments"]
                yield event("response.function_call_arguments.delta", **where, delta=text)
                yield event("response.function_call_arguments.done", **where, arguments=text,
                            name=item["name"])  # fmt: skip
            else:
                part = item["content"][0]
                where["content_index"] = 0
                yield event("response.content_part.added", **where, part={**part, "text": ""})
                yield event("response.output_text.delta", **where, delta=part["text"], logprobs=[])
                yield event("response.output_text.done", **where, text=part["text"], logprobs=[])
                yield event("response.content_part.done", **where, part=part)
            yield event("response.output_item.done", output_index=at, item=item)
        yield event("response.completed", response=whole)


class _Messages:
    """Anthropic messages."""

    name = "anthropic"

    @staticmethod
    def tools(body: Mapping[str, Any]) -> Iterator[Offered]:
        for tool in body.get("tools") or ():
            schema = tool.get("input_schema")
            if schema is not None:
                yield Offered(tool["name"], tool.get("description") or "", schema)

    @staticmethod
    def shown(body: Mapping[str, Any]) -> list[str]:
        def results(message: Mapping[str, Any]) -> Iterator[str]:
            content = message.get("content")
            for block in content if isinstance(content, list) else ():
                if block.get("type") == "tool_result":
                    yield _text(block.get("content") or "")

        return _since_person(body["messages"], lambda m: m["role"] == "user", results)

    @staticmethod
    def _message(reply: list[Call] | str) -> dict[str, Any]:
        if isinstance(reply, str):
            content: list[dict[str, Any]] = [{"type": "text", "text": reply}]
        else:
            content = [
                {"type": "tool_use", "id": f"toolu_{c.id}", "name": c.name, "input": c.object}
                for c in reply
            ]
        return {
            "id": "msg_1", "type": "message", "role": "assistant", "model": "claude-scripted",
            "content": content, "stop_sequence": None,
            "stop_reason": "end_turn" if isinstance(reply, str) else "tool_use",
            "usage": {"input_tokens": 9, "output_tokens": 9},
        }  # fmt: skip

    @classmethod
    def whole(cls, reply: list[Call] | str) -> dict[str, Any]:
        return cls._message(reply)

    @classmethod
    def stream(cls, reply: list[Call] | str) -> Iterator[str]:
        message = cls._message(reply)
        yield _event({"type": "message_start",
                      "message": {**message, "content": [], "stop_reason": None}},
                     "message_start")  # fmt: skip
        for at, block in enumerate(message["content"]):
            if block["type"] == "text":
                begun, delta = {"type": "text", "text": ""}, {"type": "text_delta"}
                delta["text"] = block["text"]
            else:
                begun, delta = {**block, "input": {}}, {"type": "input_json_delta"}
                assert not isinstance(reply, str)
                delta["partial_json"] = reply[at].arguments
            for kind, data in (
                ("content_block_start", {"content_block": begun}),
                ("content_block_delta", {"delta": delta}),
                ("content_block_stop", {}),
            ):
                yield _event({"type": kind, "index": at, **data}, kind)
        end = {"stop_reason": message["stop_reason"], "stop_sequence": None}
        yield _event({"type": "message_delta", "delta": end, "usage": {"output_tokens": 9}},
                     "message_delta")  # fmt: skip
        yield _event({"type": "message_stop"}, "message_stop")


class _Gemini:
    """Gemini generateContent."""

    name = "gemini"

    @staticmethod
    def tools(body: Mapping[str, Any]) -> Iterator[Offered]:
        for tool in body.get("tools") or ():
            for f in tool.get("functionDeclarations") or ():
                names = ("parametersJsonSchema", "parameters_json_schema", "parameters")
                schema = next((f[n] for n in names if f.get(n)), {})
                yield Offered(f["name"], f.get("description") or "", schema)

    @staticmethod
    def shown(body: Mapping[str, Any]) -> list[str]:
        def results(content: Mapping[str, Any]) -> Iterator[str]:
            for part in content.get("parts") or ():
                if "functionResponse" in part:
                    yield _text(part["functionResponse"].get("response") or {})

        return _since_person(body["contents"], lambda c: c.get("role") != "model", results)

    @staticmethod
    def whole(reply: list[Call] | str) -> dict[str, Any]:
        if isinstance(reply, str):
            parts: list[dict[str, Any]] = [{"text": reply}]
        else:
            parts = [{"functionCall": {"name": c.name, "args": c.object}} for c in reply]
        used = {"promptTokenCount": 9, "candidatesTokenCount": 9, "totalTokenCount": 18}
        candidate = {"index": 0, "content": {"role": "model", "parts": parts},
                     "finishReason": "STOP"}  # fmt: skip
        return {"candidates": [candidate], "usageMetadata": used, "modelVersion": "scripted"}

    @classmethod
    def stream(cls, reply: list[Call] | str) -> Iterator[str]:
        yield _event(cls.whole(reply))


_PROTOCOLS: dict[str, Any] = {
    "/chat/completions": _Chat,
    "/responses": _Responses,
    "/messages": _Messages,
    ":generateContent": _Gemini,
    ":streamGenerateContent": _Gemini,
}
