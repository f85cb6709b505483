"""A stand-in for an embedding server: OpenAI's, Ollama's and TEI's shapes over HTTP on loopback.

Its encoder hashes pairs and triples of characters, in any language: texts that share many of them
are near to each other. It knows nothing of meaning.
"""

from __future__ import annotations

import json
import math
import threading
from collections import Counter
from functools import lru_cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any
from zlib import crc32

DIMENSIONS = 256
PATHS = {"openai": "/v1/embeddings", "ollama": "/api/embed", "tei": "/embed"}


@lru_cache(maxsize=200_000)
def _place(piece: str) -> tuple[int, float]:
    number = crc32(piece.encode("utf-8", "replace"))
    return number % DIMENSIONS, 1.0 if number & 0x8000_0000 else -1.0


def encode(text: str) -> list[float]:
    """Return the vector of a text: of length 1."""
    vector = [0.0] * DIMENSIONS
    padded = f" {text.lower()} "
    for size in (2, 3):
        pieces = Counter(padded[n : n + size] for n in range(len(padded) - size + 1))
        for piece, count in pieces.items():
            place, sign = _place(piece)
            vector[place] += sign * (1 + math.log(count))
    length = math.sqrt(sum(x * x for x in vector)) or 1.0
    return [x / length for x in vector]


class StandIn:
    """The server. `texts` are those that were embedded, request by request."""

    def __init__(self) -> None:
        self.texts: list[list[str]] = []
        self.keys: set[str | None] = set()
        self.refusals: list[int] = []  # statuses of the next replies, before it embeds again
        self.breaks_after: int | None = None  # requests
        stand_in = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                stand_in.keys.add(self.headers["authorization"])
                status, reply = stand_in.answer(self.path, body)
                data = json.dumps(reply).encode()
                self.send_response(status)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(data)))
                self.send_header("retry-after", "0")
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *_: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"

    def name(self, kind: str) -> str:
        """Return the setting `index.model` for one of the shapes."""
        return f"{kind}:stand-in@{self.url}" + ("/v1" if kind == "openai" else "")

    def answer(self, path: str, body: dict[str, Any]) -> tuple[int, Any]:
        if self.refusals:
            return self.refusals.pop(0), {"error": "busy"}
        if self.breaks_after is not None and len(self.texts) >= self.breaks_after:
            return 503, {"error": "gone"}
        texts = body["inputs"] if path == PATHS["tei"] else body["input"]
        self.texts.append(texts)
        vectors = [encode(text) for text in texts]
        if path == PATHS["tei"]:
            return 200, vectors
        if path == PATHS["ollama"]:
            return 200, {"embeddings": vectors}
        rows = [{"index": n, "embedding": v} for n, v in enumerate(vectors)]
        return 200, {"data": rows[::-1]}  # the order is not promised

    def __enter__(self) -> StandIn:
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    def stop(self) -> None:
        """Stop it, if it runs."""
        self._server.shutdown()
        self._server.server_close()
