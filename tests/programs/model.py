"""The scripted model that programs talk to; `program.Model` is what writes its script.

It speaks what `tests/adapters/model_server.py` speaks, and embeddings and the list of models.
"""

from __future__ import annotations

import json
import threading
import zlib
from collections.abc import Sequence
from typing import Any

from tests.adapters.model_protocols import Call
from tests.adapters.model_server import Asked, ModelHandler, ModelServer

DIMENSIONS = 64
NAME = "scripted"


class ProgramModel(ModelServer):
    """Replies by the rules of its script; without one that fits, as `ModelServer` does."""

    def __init__(self) -> None:
        super().__init__(arguments={"query": "python 3.14 release date"}, handler=_Handler)
        self._rules: list[dict[str, Any]] = []
        self._lock = threading.Lock()

    def script(self, rules: Sequence[dict[str, Any]]) -> None:
        with self._lock:
            self._rules = [dict(rule) for rule in rules]
            self.forget()

    def reply(self, asked: Asked) -> list[Call] | str:
        read = json.dumps(asked.body, ensure_ascii=False)
        with self._lock:
            rule = next((r for r in self._rules if _fits(r, read)), None)
            if rule and "times" in rule:
                rule["times"] -= 1
        if rule is None:
            return super().reply(asked)
        if "says" in rule:
            return str(rule["says"])
        return [
            Call(f"call_{n}", name, json.dumps(arguments))
            for n, (name, arguments) in enumerate(rule["calls"])
        ]


class _Handler(ModelHandler):
    def do_POST(self) -> None:
        path = self.path.partition("?")[0]
        if path == "/script":
            self.server_model.script(self.read_json())  # type: ignore[attr-defined]
            self.send(200, "{}")
        elif path.endswith("/embeddings"):
            self.send(200, json.dumps(_embeddings(self.read_json())))
        else:
            super().do_POST()

    def do_GET(self) -> None:
        path = self.path.partition("?")[0]
        if path == "/asked":
            log = [{"path": a.path, "body": a.body} for a in self.server_model.requests]
            self.send(200, json.dumps(log))
        elif path.endswith("/models"):
            listed = [{"id": NAME, "object": "model", "created": 0, "owned_by": "tests"}]
            self.send(200, json.dumps({"object": "list", "data": listed}))
        else:
            super().do_GET()


def _fits(rule: dict[str, Any], read: str) -> bool:
    return rule.get("when", "") in read and rule.get("times", 1) > 0


def _embeddings(body: dict[str, Any]) -> dict[str, Any]:
    """Words hashed into a vector: texts that share words are near each other."""
    texts = body["input"] if isinstance(body["input"], list) else [body["input"]]
    data = [
        {"object": "embedding", "index": n, "embedding": _vector(str(text))}
        for n, text in enumerate(texts)
    ]
    usage = {"prompt_tokens": 1, "total_tokens": 1}
    return {"object": "list", "data": data, "model": body.get("model", NAME), "usage": usage}


def _vector(text: str) -> list[float]:
    vector = [0.001] * DIMENSIONS
    for word in text.lower().split():
        vector[zlib.crc32(word.encode()) % DIMENSIONS] += 1.0
    length = sum(v * v for v in vector) ** 0.5
    return [v / length for v in vector]
