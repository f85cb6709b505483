"""The protocols of the scripted model: what a request offers and holds, and how a reply is written.

OpenAI chat completions and responses, Anthropic messages, Gemini generateContent; streaming and not.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any


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


class Chat:
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


class Responses:
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


class Messages:
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


SIGNATURE = "b3R0ZXJzIHRoaW5r"  # Gemini's, opaque to us


class Gemini:
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
            # The real API refuses the next request unless the signature comes back with the call.
            calls = [{"functionCall": {"name": c.name, "args": c.object}} for c in reply]
            parts = [{**call, "thoughtSignature": SIGNATURE} for call in calls]
        used = {"promptTokenCount": 9, "candidatesTokenCount": 9, "totalTokenCount": 18}
        candidate = {"index": 0, "content": {"role": "model", "parts": parts},
                     "finishReason": "STOP"}  # fmt: skip
        return {"candidates": [candidate], "usageMetadata": used, "modelVersion": "scripted"}

    @classmethod
    def stream(cls, reply: list[Call] | str) -> Iterator[str]:
        yield _event(cls.whole(reply))


PROTOCOLS: dict[str, Any] = {
    "/chat/completions": Chat,
    "/responses": Responses,
    "/messages": Messages,
    ":generateContent": Gemini,
    ":streamGenerateContent": Gemini,
}
